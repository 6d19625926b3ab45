"""From the bytes of documents to normalised texts and their units."""
