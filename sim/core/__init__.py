"""What lies on the table and who knows it: the records, and what kernels of both sides stand on."""
