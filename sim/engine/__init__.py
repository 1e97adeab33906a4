"""The compiled core: arrays in, counts out; no files, no printing, no Python objects.

`play.advance` is the only way in: batch runs, traces, scenarios and tests all step the
same compiled code. See `layout.py` for the layout that everything here works on.
"""

#: Rises whenever the same study and seed give other numbers than before.
ENGINE_VERSION = 5
