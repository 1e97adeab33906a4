"""What tests share: nothing in here is a test, and what is in here imports none."""
