"""What is kept: results folders, journals, locks, records."""
