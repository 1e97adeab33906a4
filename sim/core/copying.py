"""A copy of a state, from which play goes on: for players that search, and for replays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import COMPILED, copy_head, kernel
from .layout import PLAY, PLAY_AND_MEMORIES

_PLAY_BYTES = PLAY.itemsize
_ALL_BYTES = PLAY_AND_MEMORIES.itemsize


def copied(table: Any) -> np.dtype[Any]:
    """The dtype of what is copied of a state at a table."""
    return PLAY_AND_MEMORIES if table.fading else PLAY


@kernel
def copy_play(source, target, table):
    """Mutates `target`: whatever is played from here on goes as it would from `source`.

    Log, script and what is counted for the tally stay as they are: each state has its own, and one
    that is to be dropped logs nothing: `log.on` of a new state is 0. Both are `State` records.
    """
    if COMPILED:
        copy_head(source, target, _ALL_BYTES if table.fading else _PLAY_BYTES)
    else:
        for name in copied(table).fields or ():
            target[name] = source[name]
