"""What can be asked: one frozen dataclass per question, and every rule about what goes together.

If a parameter is None, the caller did not give it. Its value then comes from the artifact, or is the default. A request
that exists keeps every rule that needs no file; `problems_beside_artifact` and `problems_beside_documents` have those
about what an artifact decides. UsageError reports all problems of a request at once.
"""
