"""What can be asked: for each question the groups of parameters that it has, and every rule about what goes together.

A request holds its groups, in which each parameter that was not given has its default, and `given`: what was given.
What an artifact decides instead of the default is filled in by one step, `simdocs.commands.resolve`. A request that
exists keeps every rule that needs no file; `problems_beside_artifact` and `problems_beside_documents` have those about
what an artifact decides. UsageError reports all problems of a request at once.
"""
