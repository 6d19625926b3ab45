"""Publishing files and directories on a disk that may fail."""
