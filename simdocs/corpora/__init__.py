"""Other people's files: finding, reading and recognising them."""
