"""What one can ask of results: of a run, a comparison, a sweep and a tournament."""
