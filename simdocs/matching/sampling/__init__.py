"""What is to be expected, from samples: of the bands, and of how many similar pairs were missed."""
