"""Finding, reading and recognising documents."""
