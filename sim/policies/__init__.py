"""Policies decide, and nothing else.

A policy reads the state through `sim.core.knowledge` and public fields only: never the
draw pile, never a card that its seat does not know. It writes `State.answer`.
"""
