"""From normalised texts to tokens, and from tokens to sets and multisets."""
