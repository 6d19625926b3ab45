"""From token sets to signatures of K numbers each."""
