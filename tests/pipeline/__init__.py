"""Documents become artifacts."""
