"""What can be asked: one frozen dataclass per question, and every rule about what goes together.

A parameter that is None was not given: the entry point then takes it from the artifact, or its default. A request that
exists keeps every rule that needs no file; `problems_beside_artifact` and `problems_beside_documents` have those about
what an artifact decides. UsageError reports all problems of a request at once.
"""
