"""Many rounds: from a study to the engine, its sums, and who plays them."""
