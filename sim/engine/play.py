"""Play a unit (a round, or a whole game) step by step, and many units in a chunk.

`advance` is the only stepper: a chunk calls it in a compiled loop; traces and scenarios call
it from Python and drain the log after each step. So what a trace shows is what a batch plays.
"""

from __future__ import annotations

import numpy as np

from ..core.codes import OPTION, RECORD_COLUMNS, Fault, Note, Stage
from ..core.jit import entry, kernel
from ..core.layout import (
    END_CAP,
    GAME_MAX_ROUNDS,
    GAME_THRESHOLD,
    GAME_TIE_CAP,
    MAX_PLAYERS,
    NONE,
    RUNNING,
)
from ..core.log import note
from ..core.rng import STREAM_FIRST, below, number, set_keys
from .counting import alone_lowest
from .deal import clear, deal
from .tally import add_counts, add_game, add_round, write_records
from .turn import play_turn

RECORD_TURNS = RECORD_COLUMNS.index("turns")
RECORD_RECYCLINGS = RECORD_COLUMNS.index("recyclings")


@entry
def start(state, table, index):
    """Mutates: make ready for unit `index` (int64): a round, or with `games` a whole game."""
    state.index = index
    state.stage = Stage.DEAL
    state.rounds = 0
    state.deciding_rounds = 0
    state.deciding = 0
    state.dealt = 0
    state.next_first = NONE
    state.game_winner = NONE
    state.game_reason = NONE
    state.game_players = table.players
    state.seated = table.players
    state.game_turns = 0
    state.game_lead = NONE
    state.game_lead_changes = 0
    state.was_last = 0
    state.half = 0
    for seat in range(MAX_PLAYERS):
        state.sums[seat] = 0
        state.behind[seat] = 0
        state.who[seat] = seat


@kernel
def _deal_round(state, table, seed):
    """SET-1 to SET-4: deal the next round of this unit."""
    set_keys(state, seed, state.index, state.dealt)
    state.dealt += 1
    clear(state, table, state.seated)
    first = state.next_first
    if first < 0:
        first = below(number(state, STREAM_FIRST, 0), state.seated)
    deal(state, table, first)
    note(state, Note.DEAL, first, state.deciding, 0, 0, 0)
    state.stage = Stage.TURN


@kernel
def _choose_next_first(state, table):
    """SET-4: who begins the next round of a game."""
    if table.rule_first_player == OPTION.first_player.rotate:
        state.next_first = state.first + 1 if state.first + 1 < state.players else 0
    elif table.rule_first_player == OPTION.first_player.highest_score:
        # Among equals, who came first in the turn order of the round just played.
        best = state.first
        for step in range(1, state.players):
            seat = (state.first + step) % state.players
            if state.score[seat] > state.score[best]:
                best = seat
        state.next_first = best
    else:
        state.next_first = NONE


@kernel
def _end_game(state, reason, winner):
    state.game_reason = reason
    state.game_winner = winner
    state.stage = Stage.DONE
    note(state, Note.GAME_END, reason, winner, 0, 0, 0)


@kernel
def _seat_equals(state, table):
    """GAME-4: those with the lowest sum, renumbered from 0 in seat order; their number."""
    lowest = state.sums[0]
    for player in range(1, table.players):
        lowest = min(lowest, state.sums[player])
    equals = 0
    for player in range(table.players):
        if state.sums[player] == lowest:
            state.who[equals] = player
            equals += 1
    return equals


@kernel
def _note_standings(state, table):
    """How the game stands after a round, for the tally: who leads, who is last, by how much."""
    players = state.players
    lowest = state.sums[0]
    highest = state.sums[0]
    for player in range(1, players):
        lowest = min(lowest, state.sums[player])
        highest = max(highest, state.sums[player])
    last = 0
    for player in range(players):
        state.behind[player] = max(state.behind[player], state.sums[player] - lowest)
        if state.sums[player] == highest and highest > lowest:
            last |= 1 << player
    lead = alone_lowest(state.sums, players)
    state.game_turns += state.turn + 1
    state.was_last |= last
    if lead >= 0:
        if lead != state.game_lead and state.game_lead >= 0:
            state.game_lead_changes += 1
        state.game_lead = lead
    if state.half == 0 and 2 * highest >= table.threshold and highest < table.threshold:
        state.half = 1
        state.half_lead = lead
        state.half_last = last


@kernel
def _after_round(state, table):
    """GAME-1, GAME-4, SIM-3: the game ends, goes on, or is decided among equals."""
    for seat in range(state.players):
        state.sums[seat] += state.score[seat]
    state.rounds += 1
    if state.counting:
        _note_standings(state, table)
    over = False
    for seat in range(state.players):
        if state.sums[seat] >= table.threshold:
            over = True
    if over:
        equals = _seat_equals(state, table)
        if equals == 1:
            _end_game(state, GAME_THRESHOLD, state.who[0])
            return
        state.deciding = 1
        state.seated = equals
        state.next_first = NONE
    elif state.rounds >= table.rule_max_rounds:
        _end_game(state, GAME_MAX_ROUNDS, NONE)
        return
    else:
        _choose_next_first(state, table)
    state.stage = Stage.DEAL


@kernel
def _after_deciding_round(state, table):
    """GAME-4, SIM-1, SIM-3: the lowest score wins; equals go on; a capped round is played again."""
    state.deciding_rounds += 1
    if state.reason != END_CAP:
        equals = 0
        for seat in range(state.players):
            if state.winner[seat] == 1:
                state.who[equals] = state.who[seat]
                equals += 1
        if equals == 1:
            _end_game(state, GAME_THRESHOLD, state.who[0])
            return
        state.seated = equals
    if state.deciding_rounds >= table.rule_max_rounds:
        _end_game(state, GAME_TIE_CAP, NONE)
        return
    state.stage = Stage.DEAL


@entry
def advance(state, table, seed):
    """Play the next step of the unit: a deal, or one turn with all that follows.

    Args:
        state: `State` record, mutated.
        table: `Table` record.
        seed: uint64.

    Returns:
        True after a step that ended a round (its results stand in `state` until the next deal).
    """
    if state.stage == Stage.DEAL:
        _deal_round(state, table, seed)
        return False
    if table.scripted and state.script.next >= state.script.n_moves:
        state.stage = Stage.DONE
        return False
    play_turn(state, table)
    if state.fault != Fault.NONE:
        state.stage = Stage.DONE
        return False
    if state.reason == RUNNING:
        return False
    if table.games == 0:
        state.stage = Stage.DONE
    elif state.deciding:
        _after_deciding_round(state, table)
    else:
        _after_round(state, table)
    return True


@entry
def play_chunk(
    state,
    table,
    seed,
    begin,
    end,
    tally,
    turns_histograms,
    recyclings_histogram,
    rounds_histograms,
    call_totals,
    rows,
    games,
):
    """Play units `begin` … `end` - 1 and add up what happened.

    Args:
        state: `State` record, scratch.
        table: `Table` record.
        seed: uint64.
        begin: int64, first unit.
        end: int64, one past the last.
        tally: `Tally` record, added to.
        turns_histograms: int64, TURN_ROWS × (max_turns + 1): over numbers of turns, added to.
        recyclings_histogram: int64: rounds by number of recyclings, added to.
        rounds_histograms: int64, ROUND_ROWS × (max_rounds + 1): over numbers of rounds, added to.
        call_totals: int64, 4 × an odd number: calls by outcome (from BAO_WON on) and the caller's
            true total, 0 points in the middle; added to. All cards together must fit.
        rows: int32, records × RECORD_COLUMNS; no records are written where it has no rows.
        games: int64, 1 or more × GAME_COLUMNS: game `begin` is written into the first row, and so
            on; unused where rounds are played.

    Returns:
        (next unit, rows written). It stops early, before a unit whose records, or whose row of
        `games`, might not fit, and after a fault (`state.fault`).
    """
    written = 0
    room = rows.shape[0]
    need = table.players * (table.rule_max_rounds if table.games else 1)
    index = begin
    if table.games:
        end = min(end, begin + games.shape[0])
    while index < end:
        if room > 0 and room - written < need:
            break
        start(state, table, index)
        while state.stage != Stage.DONE:
            deciding = state.deciding
            ended = advance(state, table, seed)
            if ended and not deciding:
                if state.counted:
                    add_round(
                        tally, turns_histograms, recyclings_histogram, call_totals, state, table
                    )
                if room > 0:
                    round_index = state.rounds - 1 if table.games else 0
                    written = write_records(rows, written, state, round_index)
        if state.fault != Fault.NONE:
            break
        if table.games and state.counting:
            add_game(tally, rounds_histograms, games[index - begin], state)
        index += 1
    add_counts(tally, state)
    return index, written


@entry
def play_rows(
    state,
    table,
    seed,
    begin,
    end,
    tally,
    sums,
    columns,
    before,
    rows,
    turns_histograms,
    recyclings_histogram,
    rounds_histograms,
    call_totals,
    records,
    games,
):
    """Play units `begin` … `end` - 1 as `play_chunk` does, and say what each of them added.

    Args:
        state: `State` record, scratch.
        table: `Table` record.
        seed: uint64.
        begin: int64, first unit.
        end: int64, one past the last.
        tally: `Tally` record, added to.
        sums: the same memory as `tally`, as a row of int64.
        columns: int64: which entries of `sums` are wanted.
        before: int64, as long as `columns`: these entries as they are now; scratch.
        rows: int64, units × (columns + 3), zeroed: what each unit adds to these entries; then the
            number of turns of its rounds, the sum of their squares, and the number of recyclings.
        turns_histograms: int64, as of `play_chunk`.
        recyclings_histogram: int64, likewise.
        rounds_histograms: int64, likewise.
        call_totals: int64, likewise.
        records: int32, room for the records of one unit × RECORD_COLUMNS; scratch.
        games: int64, units × GAME_COLUMNS: written as by `play_chunk`.

    Returns:
        The next unit. It stops early after a fault (`state.fault`).
    """
    last = columns.shape[0]
    for index in range(begin, end):
        _, written = play_chunk(
            state,
            table,
            seed,
            index,
            index + 1,
            tally,
            turns_histograms,
            recyclings_histogram,
            rounds_histograms,
            call_totals,
            records,
            games[index - begin :],
        )
        if state.fault != Fault.NONE:
            return index
        row = rows[index - begin]
        for k in range(last):
            row[k] = sums[columns[k]] - before[k]
            before[k] = sums[columns[k]]
        for k in range(0, written, table.players):
            turns = np.int64(records[k, RECORD_TURNS])
            row[last] += turns
            row[last + 1] += turns * turns
            row[last + 2] += records[k, RECORD_RECYCLINGS]
    return end
