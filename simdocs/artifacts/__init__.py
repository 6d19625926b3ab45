"""Our files on disk: every call that writes."""
