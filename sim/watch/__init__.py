"""One round at a time: events, traces, scenarios."""
