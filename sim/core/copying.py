"""A copy of a state, from which play goes on: for players that search, and for replays."""

from __future__ import annotations

from .jit import COMPILED, copy_head, kernel
from .layout import PLAY, PLAY_AND_MEMORIES

_PLAY_BYTES = PLAY.itemsize
_ALL_BYTES = PLAY_AND_MEMORIES.itemsize


@kernel
def copy_play(source, target, table):
    """Mutates `target`: whatever is played from here on goes as it would from `source`.

    Log, script and what is counted for the tally stay as they are: each state has its own, and one
    that is to be dropped logs nothing, since `log.on` of a new state is 0. Both are `State`
    records; a record of `PLAY_AND_MEMORIES`, or of `PLAY` where nobody forgets, will do to keep one
    for later.
    """
    if COMPILED:
        copy_head(source, target, _ALL_BYTES if table.fading else _PLAY_BYTES)
    else:
        for name in (PLAY_AND_MEMORIES if table.fading else PLAY).fields or ():
            target[name] = source[name]
