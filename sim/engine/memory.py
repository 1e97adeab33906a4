"""Memory that fades: what a seat has in mind, apart from what it has seen.

`State.seen` is what a seat may know (rulebook §14). `State.mind` is what it still thinks it
knows: a card may be *forgotten* (it leaves the mind), *crowded out* (a span of n face-down
cards; the oldest goes first), *mixed up* (it silently becomes a card of a neighbouring family)
or, face up, not counted at all. Where nobody forgets anything, `mind` equals `seen`.

How long a memory lasts is drawn when it is made, so remembering costs nothing afterwards: a
memory with a chance p per turn of fading lasts a geometric number of turns.
"""

from __future__ import annotations

import math

import numpy as np

from .jit import kernel, lowest, popcount, unit
from .rng import STREAM_MEMORY, below, number, unit_interval
from .state import MAX_CARDS, NONE, WORDS

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
NEVER = 2**30
#: A mix-up turns a card into one of this many families that are next to it in value.
NEIGHBOURS = 4
#: By so many points of value a card is less likely by a factor e: fitted to play, see
#: `results/` for the calibration that they give.
#: … and no likelier than this.
MOST_WEIGHT = 1.6
OWN_SCALE = 10.0
OWN_KEPT_SCALE = 6.0
RIVAL_SCALE = 4.0
RIVAL_KEPT_SCALE = 2.5


@kernel
def _bit(card):
    return _ONE << np.uint64(card & 63)


@kernel
def believed(state, table, viewer, card):
    """The card that a seat takes a card in its mind for: itself, unless it is mixed up."""
    if table.fading and (state.mixed[viewer, card >> 6] & _bit(card)) != _ZERO:
        return np.int64(state.belief[viewer, card])
    return np.int64(card)


@kernel
def _memory_number(state, seat):
    used = state.memory_used[seat]
    state.memory_used[seat] = used + np.uint32(1)
    return number(state, STREAM_MEMORY + seat, used)


@kernel
def _lifetime(state, seat, log_keep):
    """Turns that a memory lasts: geometric, at least 1; `log_keep` is log(1 - rate)."""
    if log_keep >= 0.0:
        return NEVER
    word = _memory_number(state, seat)
    if log_keep < -700.0:
        return 1
    turns = math.log(1.0 - unit_interval(word)) / log_keep
    return 1 + np.int64(min(turns, 1.0 * NEVER))


@kernel
def _enter(state, table, viewer, card):
    """Mutates: a card comes into mind, as what it is."""
    word = card >> 6
    mask = _bit(card)
    if (state.mind[viewer, word] & mask) != _ZERO:
        state.pool_sum[viewer] += table.value[state.belief[viewer, card]]
    else:
        state.pool_size[viewer] -= 1
    state.mind[viewer, word] |= mask
    state.mixed[viewer, word] &= ~mask
    state.belief[viewer, card] = card
    state.pool_sum[viewer] -= table.value[card]
    state.own_fresh[viewer] = 0


@kernel
def drop(state, table, viewer, card):
    """Mutates: a card goes out of mind."""
    word = card >> 6
    mask = _bit(card)
    if (state.mind[viewer, word] & mask) == _ZERO:
        return
    state.mind[viewer, word] &= ~mask
    state.mixed[viewer, word] &= ~mask
    state.pool_size[viewer] += 1
    state.pool_sum[viewer] += table.value[state.belief[viewer, card]]
    state.own_fresh[viewer] = 0


@unit
def memorise(state, table, viewer, card):
    """Mutates: a seat has seen a card (in hand or face down on the table) and keeps it in mind."""
    who = state.who[viewer]
    _enter(state, table, viewer, card)
    state.lessons += 1
    state.lesson[viewer, card] = state.lessons
    state.learnt[viewer, card] = state.turn
    start = max(state.turn, 0)
    forget_at = start + _lifetime(state, viewer, table.log_forget[who])
    mix_at = start + _lifetime(state, viewer, table.log_mix[who])
    state.forget_at[viewer, card] = forget_at
    state.mix_at[viewer, card] = mix_at
    state.next_fade[viewer] = min(state.next_fade[viewer], min(forget_at, mix_at))
    return 0


@unit
def count_face_up(state, table, viewer, card):
    """Mutates: a seat sees a card face up, and counts it or not (`count_cards`)."""
    share = table.count_cards[state.who[viewer]]
    if share >= 1.0 or (share > 0.0 and unit_interval(_memory_number(state, viewer)) < share):
        _enter(state, table, viewer, card)
    else:
        drop(state, table, viewer, card)
    return 0


@kernel
def neighbour(table, family, k):
    """The family that stands for neighbour k (0 … NEIGHBOURS - 1) of a family, by value."""
    count = min(table.families - 1, NEIGHBOURS)
    low = max(0, min(family - count // 2, table.families - 1 - count))
    other = low + k
    return other if other < family else other + 1


@kernel
def _mix_up(state, table, viewer, card):
    """Mutates: the seat takes the card for another one from now on."""
    if table.families < 2:
        return
    word = _memory_number(state, viewer)
    k = below(word, min(table.families - 1, NEIGHBOURS))
    family = neighbour(table, np.int64(table.family[card]), k)
    pick = below(_memory_number(state, viewer), table.family_size[family])
    other = table.family_first[family] + pick
    state.pool_sum[viewer] += table.value[card] - table.value[other]
    state.belief[viewer, card] = other
    state.mixed[viewer, card >> 6] |= _bit(card)
    state.own_fresh[viewer] = 0


@kernel
def _fade(state, table, viewer):
    """Mutates: what is due by now is forgotten or mixed up."""
    turn = state.turn
    soonest = NEVER
    for word in range(WORDS):
        cards = state.mind[viewer, word] & state.lying[word]
        while cards != _ZERO:
            card = (word << 6) + lowest(cards)
            cards &= cards - _ONE
            if turn >= state.forget_at[viewer, card]:
                drop(state, table, viewer, card)
                continue
            if turn >= state.mix_at[viewer, card]:
                state.mix_at[viewer, card] = NEVER
                _mix_up(state, table, viewer, card)
            soonest = min(soonest, state.forget_at[viewer, card])
            soonest = min(soonest, state.mix_at[viewer, card])
    state.next_fade[viewer] = soonest


@kernel
def _crowd_out(state, table, viewer, span):
    """Mutates: keep only the `span` youngest memories of face-down cards."""
    count = 0
    for word in range(WORDS):
        count += popcount(state.mind[viewer, word] & state.lying[word])
    while count > span:
        oldest = NONE
        for word in range(WORDS):
            cards = state.mind[viewer, word] & state.lying[word]
            while cards != _ZERO:
                card = (word << 6) + lowest(cards)
                cards &= cards - _ONE
                if oldest < 0 or state.lesson[viewer, card] < state.lesson[viewer, oldest]:
                    oldest = card
        drop(state, table, viewer, oldest)
        count -= 1


@unit
def _refresh(state, table, viewer):
    """Mutates: let memories fade that are due, and crowd out what is too much."""
    if state.turn >= state.next_fade[viewer]:
        _fade(state, table, viewer)
    span = table.memory_span[state.who[viewer]]
    if span < MAX_CARDS:
        _crowd_out(state, table, viewer, span)
    return 0


@kernel
def recall(state, table, viewer):
    """Mutates: bring a seat's mind up to this turn; to be called before it decides."""
    if table.fading and table.fades[state.who[viewer]]:
        _refresh(state, table, viewer)


@kernel
def unplaced(state, table, viewer, family):
    """How many cards of a family a seat has not placed, as it thinks."""
    count = 0
    for word in range(WORDS):
        count += popcount(table.family_cards[family, word] & ~state.mind[viewer, word])
    if table.fading:
        for word in range(WORDS):
            cards = state.mixed[viewer, word]
            while cards != _ZERO:
                card = (word << 6) + lowest(cards)
                cards &= cards - _ONE
                if table.family[card] == family:
                    count += 1
                if table.family[state.belief[viewer, card]] == family:
                    count -= 1
    return max(count, 0)


@kernel
def _weight(state, table, viewer, card, family, other):
    """How much likelier a card is of family `other` than of `family`, for lying where it lies.

    People keep low cards and part with high ones, more so with cards that they have chosen.
    """
    higher = table.value[table.family_first[other]] - table.value[table.family_first[family]]
    own = state.place[card] >> 7 == viewer
    kept = (state.kept[card >> 6] & _bit(card)) != _ZERO
    if own:
        scale = OWN_KEPT_SCALE if kept else OWN_SCALE
    else:
        scale = RIVAL_KEPT_SCALE if kept else RIVAL_SCALE
    return min(math.exp(-higher / scale), MOST_WEIGHT)


@kernel
def confidence(state, table, viewer, card):
    """Chance (0 to 1) that a card in mind is of the family that the seat takes it for.

    By Bayes: a memory of age a is still right with (1 - mix_up_rate)**a; else the card is of a
    neighbouring family and became this one. How likely each family was is counted from the
    cards that the seat has not placed.
    """
    if table.fading == 0:
        return 1.0
    rate = table.mix_up_rate[state.who[viewer]]
    if rate <= 0.0:
        return 1.0
    age = max(state.turn - max(state.learnt[viewer, card], 0), 0)
    right = (1.0 - rate) ** age
    family = np.int64(table.family[state.belief[viewer, card]])
    count = min(table.families - 1, NEIGHBOURS)
    if count == 0:
        return 1.0
    here = unplaced(state, table, viewer, family) + 1.0
    wrong = 0.0
    for step in range(-NEIGHBOURS, NEIGHBOURS + 1):
        other = family + step
        if step == 0 or other < 0 or other >= table.families:
            continue
        for k in range(count):
            if neighbour(table, other, k) == family:
                weight = _weight(state, table, viewer, card, family, other)
                wrong += unplaced(state, table, viewer, other) * weight / count
    return right * here / (right * here + (1.0 - right) * wrong)
