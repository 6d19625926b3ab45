"""The only package that changes a disk. It knows how to publish files and directories, not what is in them."""
