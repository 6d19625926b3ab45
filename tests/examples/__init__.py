"""The scripts in examples/, run as they are meant to be run."""
