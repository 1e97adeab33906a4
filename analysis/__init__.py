"""Understand what was played: intervals, tables, text. Works on summaries; never on the engine."""
