"""Memory that fades: what a seat has in mind, apart from what it has seen.

`State.seen` is what a seat may know (rulebook §14). `State.mind` is what it still thinks it
knows: a card may be *forgotten* (it leaves the mind), *crowded out* (a span of n face-down
cards; the oldest goes first), *mixed up* (it silently becomes a card of a neighbouring family)
or, face up, not counted at all. Where nobody forgets anything, `mind` equals `seen`.

How long a memory lasts is drawn when it is made, so remembering costs nothing afterwards: a
memory with a chance p per turn of fading lasts a geometric number of turns, found in a table of
chances (`Table.lasts`), so that it is the same number on every machine.
"""

from __future__ import annotations

import numpy as np

from .jit import inline, kernel, lowest, popcount, unit
from .rng import STREAM_MEMORY, below, number, unit_interval
from .state import (
    AGES,
    CURVE,
    LIES_DEALT,
    LIES_KEPT,
    LIES_TAKEN,
    LIFETIMES,
    MAX_PLAYERS,
    NONE,
    WORDS,
)

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
#: A turn that never comes; twice it still fits an int32.
NEVER = 2**29
#: A turn before the first look at the cards.
BEFORE = -2
_EVER = np.uint64(2**64 - 1)
# Fitted to play. What they leave untrue is put right by a curve, see `sim.confidence`.
#: How often somebody else who knows a card races for it too: its owner, another about a rival's
#: card, another about the player's own.
OWNER_RACES = 0.06
OTHER_RACES = 0.18
RIVAL_RACES = 0.06
#: How often an owner leaves a card that it could pluck, and a player one that it takes for a match.
OWNER_LEAVES = 0.88
ALSO_OVERLOOKED = 0.44
ALSO_FOR_RATE = 1.1
#: An own card from the deal has been looked at for longest, and is a little likelier mixed up.
OWN_STAYS = 0.9
#: A memory that seems to leave no other family possible may still be wrong: so many cards more.
NEVER_SURE = 0.01


@kernel
def _bit(card):
    return _ONE << np.uint64(card & 63)


@kernel
def believed(state, table, viewer, card):
    """The card that a seat takes a card in its mind for: itself, unless it is mixed up."""
    if table.fading and (state.mixed[viewer, card >> 6] & _bit(card)) != _ZERO:
        return np.int64(state.belief[viewer, card])
    return np.int64(card)


@inline
def _memory_number(state, seat):
    used = state.memory_used[seat]
    state.memory_used[seat] = used + np.uint32(1)
    return number(state, STREAM_MEMORY + seat, used)


@inline
def _deadline(state, table, viewer, kind, start):
    """When a memory that is fresh at turn `start` fades: ``turn << 1 | 1``.

    ``turn << 1`` where it lasts till then at least, and more has not been drawn yet. `kind` is 1
    for a memory that is mixed up and can only be forgotten, else 0; see ``Table.lasts``.
    """
    lasts = table.lasts[state.who[viewer], kind]
    if lasts[0] == _EVER:
        return NEVER << 1
    word = _memory_number(state, viewer)
    turns = 0
    for k in range(LIFETIMES):  # they fall; to compare all is quicker than to search
        turns += np.int64(lasts[k] > word)
    if turns == LIFETIMES:
        return (start + LIFETIMES) << 1
    return (start + turns + 1) << 1 | 1


@kernel
def _own_changed(state, viewer, card):
    """Mutates: what a seat knows of its own cards is out of date if this is one of them."""
    if (state.held[viewer, card >> 6] & _bit(card)) != _ZERO:
        state.own_fresh[viewer] = 0


@kernel
def keep_in_mind(state, viewer, word, mask, value):
    """Mutates: a card (its word, its bit, its value) that is not mixed up comes into a mind."""
    mind = state.mind[viewer, word]
    # Without a branch: whether the viewer knew the card is hard to predict.
    new = np.int32((mind & mask) == _ZERO)
    state.mind[viewer, word] = mind | mask
    state.pool_size[viewer] -= new
    state.pool_sum[viewer] -= new * value


@inline
def enter(state, table, viewer, card):
    """Mutates: a card comes into mind, as what it is."""
    word = card >> 6
    mask = _bit(card)
    keep_in_mind(state, viewer, word, mask, np.int64(table.value[card]))
    if table.fading and (state.mixed[viewer, word] & mask) != _ZERO:
        state.mixed[viewer, word] &= ~mask
        state.pool_sum[viewer] += table.value[state.belief[viewer, card]] - table.value[card]
        _own_changed(state, viewer, card)


@kernel
def drop(state, table, viewer, card):
    """Mutates: a card goes out of mind."""
    word = card >> 6
    mask = _bit(card)
    if (state.mind[viewer, word] & mask) == _ZERO:
        return
    state.pool_size[viewer] += 1
    state.pool_sum[viewer] += table.value[believed(state, table, viewer, card)]
    state.mind[viewer, word] &= ~mask
    state.mixed[viewer, word] &= ~mask
    _own_changed(state, viewer, card)


@unit
def memorise(state, table, viewer, card):
    """Mutates: from this turn on, a seat's memory of a card just seen may fade."""
    start = max(state.turn, 0)
    state.lessons += 1
    state.lesson[viewer, card] = state.lessons
    state.learnt[viewer, card] = state.turn
    state.tried[viewer, card] = BEFORE
    deadline = _deadline(state, table, viewer, 0, start)
    state.fade_at[viewer, card] = deadline
    state.next_fade[viewer] = min(state.next_fade[viewer], deadline >> 1)
    return 0


@kernel
def counts(state, table, viewer):
    """Whether a seat counts a card that it sees face up (`count_cards`)."""
    share = table.count_cards[state.who[viewer]]
    if share <= 0.0:
        return False
    return unit_interval(_memory_number(state, viewer)) < share


@kernel
def neighbour(table, family, k):
    """The family that stands for neighbour k (0 …) of a family, by value."""
    families = table.neighbours[family]
    for _ in range(k):
        families &= families - _ONE
    return lowest(families)


@kernel
def _mix_up(state, table, viewer, card):
    """Mutates: the seat takes the card for another one from now on."""
    if table.families < 2:
        return
    family = np.int64(table.family[card])
    k = below(_memory_number(state, viewer), popcount(table.neighbours[family]))
    family = neighbour(table, family, k)
    pick = below(_memory_number(state, viewer), table.family_size[family])
    other = table.family_first[family] + pick
    state.pool_sum[viewer] += table.value[card] - table.value[other]
    state.belief[viewer, card] = other
    state.tried[viewer, card] = BEFORE
    state.mixed[viewer, card >> 6] |= _bit(card)
    _own_changed(state, viewer, card)


@inline
def _fade(state, table, viewer):
    """Mutates: what is due by now is forgotten or mixed up."""
    turn = state.turn
    soonest = NEVER
    for word in range(WORDS):
        cards = state.mind[viewer, word] & state.lying[word]
        while cards != _ZERO:
            card = (word << 6) + lowest(cards)
            cards &= cards - _ONE
            if turn >= state.fade_at[viewer, card] >> 1:
                _fade_card(state, table, viewer, card)
            soonest = min(soonest, state.fade_at[viewer, card] >> 1)
    state.next_fade[viewer] = soonest


@inline
def _fade_card(state, table, viewer, card):
    """Mutates: a memory that is due is forgotten, mixed up, or lasts on."""
    word = card >> 6
    at = np.int64(state.fade_at[viewer, card])
    while state.turn >= at >> 1:
        mixed = (state.mixed[viewer, word] & _bit(card)) != _ZERO
        if at & 1:
            forgets = table.forgets_first[state.who[viewer]]
            if mixed or unit_interval(_memory_number(state, viewer)) < forgets:
                drop(state, table, viewer, card)
                at = NEVER << 1
                break
            _mix_up(state, table, viewer, card)
            mixed = True
        at = _deadline(state, table, viewer, 1 if mixed else 0, at >> 1)
    state.fade_at[viewer, card] = at


@kernel
def _remembered(state, viewer):
    """How many face-down cards a seat has in mind."""
    count = 0
    for word in range(WORDS):
        count += popcount(state.mind[viewer, word] & state.lying[word])
    return count


@inline
def _crowd_out(state, table, viewer, span):
    """Mutates: keep only the `span` youngest memories of face-down cards."""
    count = _remembered(state, viewer)
    while count > span:
        oldest = NONE
        first = state.lessons
        for word in range(WORDS):
            cards = state.mind[viewer, word] & state.lying[word]
            while cards != _ZERO:
                card = (word << 6) + lowest(cards)
                cards &= cards - _ONE
                if state.lesson[viewer, card] <= first:
                    oldest = card
                    first = state.lesson[viewer, card]
        drop(state, table, viewer, oldest)
        count -= 1


@unit
def _refresh(state, table, viewer):
    """Mutates: let memories fade that are due, and crowd out what is too much."""
    if state.turn >= state.next_fade[viewer]:
        _fade(state, table, viewer)
    _crowd_out(state, table, viewer, table.memory_span[state.who[viewer]])
    return 0


@kernel
def recall(state, table, viewer):
    """Mutates: bring a seat's mind up to this turn; to be called before it decides."""
    if table.fading and table.fades[state.who[viewer]]:
        crowded = _remembered(state, viewer) > table.memory_span[state.who[viewer]]
        if (state.turn >= state.next_fade[viewer]) | crowded:
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
def note_window(state, table, card):
    """Mutates: all but the active player could pluck with a card just put down."""
    family = table.family[card]
    turn = state.turn
    own = state.window[state.active, family]
    for viewer in range(MAX_PLAYERS):  # a fixed number is quicker
        state.window[viewer, family] = turn
    state.window[state.active, family] = own


@kernel
def _right_after(table, who, turns):
    """Chance that a memory is not mixed up within its first turns."""
    return table.stays_right[who, min(turns, AGES - 1)]


@kernel
def _mixed_within(table, who, turns, seen, noticed):
    """Chance that a memory was mixed up within its first turns, and nothing came of it.

    In turns up to `seen` the seat would have cried out at once, but for what it did not notice.
    """
    chance = 1.0 - _right_after(table, who, turns)
    if seen > 0:
        chance -= noticed * (1.0 - _right_after(table, who, min(turns, seen)))
    return chance


@kernel
def _knowers(state, viewer, card):
    """(whether its owner, if that is a rival, has seen a card; how many other rivals have).

    Who has looked at which card is public.
    """
    owner = state.place[card] >> 7
    word = card >> 6
    mask = _bit(card)
    everybody = np.int64(0)
    for seat in range(state.players):
        everybody += np.int64((state.seen[seat, word] & mask) != _ZERO)
    own = np.int64((state.seen[viewer, word] & mask) != _ZERO)
    owner_knows = np.int64((state.seen[owner, word] & mask) != _ZERO)
    owner_knows = owner_knows if owner != viewer else np.int64(0)
    return owner_knows, everybody - own - owner_knows


@kernel
def _rivals_racing(state, own, owner_knows, others):
    """How many would be expected to race for a card, if it were right, out of those who know it.

    To win a race is a bad sign: they kept silent.
    """
    if state.from_draw:
        return 0.0
    if own:
        return RIVAL_RACES * others
    return OWNER_RACES + OTHER_RACES * others if owner_knows else 0.0


@kernel
def confidence(state, table, viewer, card):
    """Chance (0 to 1) that a claim on a card that the seat takes for a match is right.

    1 for who mixes nothing up. Else by Bayes, from what the seat knows: its own rates, the age of
    the memory, the cards that it has not placed, and what has happened since. A card that it
    takes for a heron now, although herons were to be had and it did not think of it, has most
    likely become one in its mind since then; one that it cried out for before was a heron in its
    mind then.
    """
    if table.fading == 0 or table.mix_up_rate[state.who[viewer]] <= 0.0:
        return 1.0
    return _confidence(state, table, viewer, card)


@kernel
def _confidence(state, table, viewer, card):
    """`confidence` of who mixes up."""
    who = state.who[viewer]
    family = np.int64(table.family[believed(state, table, viewer, card)])
    learnt = state.learnt[viewer, card]
    start = max(learnt, 0)
    age = max(state.turn - start, 0)
    tried = state.tried[viewer, card]
    noticed = table.attention[who] * table.pluck_in_window[who]
    owner_knows, others = _knowers(state, viewer, card)
    own = state.place[card] >> 7 == viewer
    kept = (state.kept[card >> 6] & _bit(card)) != _ZERO
    known_to_all = owner_knows + others == state.players - 1
    kind = LIES_DEALT if not kept else (LIES_TAKEN if known_to_all else LIES_KEPT)
    leaves = OWNER_LEAVES if owner_knows else 1.0
    right = _right_after(table, who, age) * table.lies[who, kind, family]
    right *= unplaced(state, table, viewer, family) + 1.0
    if own and kind == LIES_DEALT:
        right *= OWN_STAYS
    last = age if tried < 0 else min(age, tried - start)  # it became what it is by then
    seen = 0
    if state.window[viewer, family] > learnt:
        also = ALSO_OVERLOOKED + ALSO_FOR_RATE * table.mix_up_rate[who]
        right *= leaves * min(also, 1.0)
        if tried < 0:
            right *= 1.0 - noticed
            seen = state.window[viewer, family] - start
    if right <= 0.0:
        return 0.0
    # What it became in its mind, it became from one of these families.
    mixed = _mixed_within(table, who, last, seen, noticed)
    wrong = 0.0
    families = table.mistaken[family]
    while families != _ZERO:
        other = lowest(families)
        families &= families - _ONE
        cards = unplaced(state, table, viewer, other) * table.lies[who, kind, other]
        if state.window[viewer, other] > learnt:
            # The seat took it for `other` then, unless it had mixed it up before.
            then = min(state.window[viewer, other] - start, last)
            before = _mixed_within(table, who, then, seen, noticed)
            wrong += cards * leaves * (mixed - noticed * (mixed - before))
        else:
            wrong += cards * mixed
    wrong = wrong * table.to_neighbour + NEVER_SURE * (1.0 - _right_after(table, who, last))
    wrong *= 1.0 + _rivals_racing(state, own, owner_knows, others)
    return _as_played(table, who, 1, right / (right + wrong))


@kernel
def _as_played(table, who, claims, chance):
    """What a chance (0 to 1) that was reckoned for one or two claims turns out to be in play."""
    at = chance * CURVE
    k = min(int(at), CURVE - 1)
    low = table.curve[who, claims - 1, k]
    return low + (at - k) * (table.curve[who, claims - 1, k + 1] - low)


@kernel
def confidence_of_both(state, table, viewer, first, second):
    """Chance that two claims together are right, from the chances of each.

    Not their product: what is wrong about one memory may be wrong about the other.
    """
    who = state.who[viewer]
    if table.mix_up_rate[who] <= 0.0:
        return first * second
    return _as_played(table, who, 2, first * second)


@kernel
def chance_by_counting(state, table, viewer, family):
    """Chance that a card which a viewer has not placed is of a family, by counting cards.

    Who mixes up cards miscounts: it trusts the whole deck as much as `doubt` cards of its own.
    """
    who = state.who[viewer]
    doubt = table.doubt[who]
    matching = unplaced(state, table, viewer, family)
    cards = max(state.pool_size[viewer], 1)
    if doubt > 0.0:
        share = table.family_size[family] / table.cards
        return min((matching + doubt * share) / (cards + doubt), 1.0)
    return matching / cards
