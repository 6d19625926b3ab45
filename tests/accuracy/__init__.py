"""simdocs finds in real texts what the exact truth says, and the measurements can be trusted."""
