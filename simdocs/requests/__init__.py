"""Requests: for each question, the groups of its parameters and the rules about which can be combined.

A request holds its groups and `given`, the parameters that were given. In the groups, all others have their defaults.
`simdocs.commands.resolve` then fills in what an artifact decides instead. A request can only be made if it keeps all
rules that need no file. `problems_beside_artifact` and `problems_beside_documents` yield the problems that depend on
what the documents are. UsageError reports all problems of a request at once.
"""
