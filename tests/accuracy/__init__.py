"""What simdocs finds in real texts, held to exact truth; and that the measuring itself can be trusted."""
