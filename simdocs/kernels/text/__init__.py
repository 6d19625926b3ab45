"""Text: from bytes to normalised texts and their units."""
