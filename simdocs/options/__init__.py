"""Every option, declared once: a field of a group, with its values, its default, its help and its spelling.

The command line, the Python API, the checks of manifests, the reference and the man pages derive from the groups. The
families name their members in a table each.
"""
