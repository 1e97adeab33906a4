"""What terminals show of results: blocks told in English, drawn in columns of letters."""
