"""Memory that fades: what a seat has in mind, apart from what it has seen.

`State.seen` is what a seat may know (rulebook §14). `State.mind` is what it still thinks it
knows: a card may be *forgotten* (it leaves the mind), *crowded out* (a span of n face-down
cards; the oldest goes first), *mixed up* (it silently becomes a card of a neighbouring family)
or, face up, not counted at all. Where nobody forgets anything, `mind` equals `seen`.

Each turn every memory of a face-down card has the same chance to fade. How many of these chances
come to nothing before the next one is drawn at once, from a table (`Table.spared`); it is the same
number on every machine, and most turns cost a subtraction.
"""

from __future__ import annotations

import numpy as np

from .jit import inline, kernel, lowest, popcount, unit
from .layout import (
    AGES,
    CLAIM_DOUBLE,
    CLAIM_IN_WINDOW,
    CLAIM_OWN,
    CLAIM_RIVAL,
    CURVE,
    LIES_DEALT,
    LIES_KEPT,
    LIES_TAKEN,
    MAX_PLAYERS,
    NONE,
    SPARED,
    WORDS,
)
from .rng import STREAM_MEMORY, below, number, unit_interval

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
#: A turn before the first look at the cards.
BEFORE = -2
_U32 = np.uint64(32)
# Fitted to play. What they leave untrue is put right by a curve, see `sim.batch.confidence`.
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
    return np.int64(state.belief[viewer, card]) if table.mixing else np.int64(card)


@inline
def _memory_number(state, seat):
    used = state.memory_used[seat]
    state.memory_used[seat] = used + np.uint32(1)
    return number(state, STREAM_MEMORY + seat, used)


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
    if table.mixing:
        if (state.mixed[viewer, word] & mask) != _ZERO:
            drop(state, table, viewer, card)
        new = (state.mind[viewer, word] & mask) == _ZERO
        state.unplaced[viewer, table.family[card]] -= np.int16(new)
        state.belief[viewer, card] = card
    keep_in_mind(state, viewer, word, mask, np.int64(table.value[card]))


@kernel
def drop(state, table, viewer, card):
    """Mutates: a card goes out of mind."""
    word = card >> 6
    mask = _bit(card)
    if (state.mind[viewer, word] & mask) == _ZERO:
        return
    state.mind[viewer, word] &= ~mask
    state.pool_size[viewer] += 1
    other = believed(state, table, viewer, card)
    state.pool_sum[viewer] += table.value[other]
    if table.mixing:
        family = table.family[other]
        state.unplaced[viewer, family] += 1
        state.taken_for[viewer, family, word] &= ~mask
        state.mixed[viewer, word] &= ~mask
    _own_changed(state, viewer, card)


@kernel
def enter_or_leave(state, table, viewer, card, comes):
    """Mutates: a face-up card comes into mind, as what it is, or (`comes` is 0) leaves it."""
    word = card >> 6
    mask = _bit(card)
    if table.mixing and (state.mixed[viewer, word] & mask) != _ZERO:
        drop(state, table, viewer, card)
    mind = state.mind[viewer, word]
    # Without a branch: whether the viewer counts it is hard to predict.
    leaves = np.int32((mind & mask) != _ZERO) - np.int32(comes)
    state.mind[viewer, word] = (mind & ~mask) | (mask * np.uint64(comes))
    state.pool_size[viewer] += leaves
    state.pool_sum[viewer] += leaves * np.int32(table.value[card])
    if table.mixing:
        state.unplaced[viewer, table.family[card]] += np.int16(leaves)
        state.belief[viewer, card] = card


@kernel
def memorise(state, viewer, card):
    """Mutates: a seat has just seen a card that lies face down."""
    state.lessons += 1
    state.lesson[viewer, card] = state.lessons
    state.learnt[viewer, card] = state.turn
    state.tried[viewer, card] = BEFORE


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
    word = _memory_number(state, viewer)
    state.unplaced[viewer, family] += 1
    family = neighbour(table, family, below(word, popcount(table.neighbours[family])))
    pick = below(word << _U32, table.family_size[family])
    other = table.family_first[family] + pick
    state.unplaced[viewer, family] -= 1
    state.taken_for[viewer, family, card >> 6] |= _bit(card)
    state.pool_sum[viewer] += table.value[card] - table.value[other]
    state.belief[viewer, card] = other
    state.tried[viewer, card] = BEFORE
    state.mixed[viewer, card >> 6] |= _bit(card)
    _own_changed(state, viewer, card)


@inline
def _draw_spared(state, table, viewer):
    """Mutates: draw how many chances to fade come to nothing before the next one."""
    word = _memory_number(state, viewer)
    chances = table.spared[state.who[viewer]]
    eights = 0
    for k in range(7, SPARED, 8):  # they fall; to compare is quicker than to search
        eights += np.int64(chances[k] > word)
    spared = eights << 3
    if eights < SPARED >> 3:
        for k in range(8):
            spared += np.int64(chances[(eights << 3) + k] > word)
    state.spared[viewer] = spared
    state.strikes[viewer] = np.int32(spared < SPARED)


@inline
def _strike(state, table, viewer, card):
    """Mutates: a memory is forgotten or mixed up; one that is mixed up already may last on."""
    forgets = table.forgets_first[state.who[viewer]]
    if 0.0 < forgets < 1.0:
        forgets = 1.0 if unit_interval(_memory_number(state, viewer)) < forgets else 0.0
    if forgets >= 1.0:
        drop(state, table, viewer, card)
    elif (state.mixed[viewer, card >> 6] & _bit(card)) == _ZERO:
        _mix_up(state, table, viewer, card)


@kernel
def _prone(state, table, viewer, word):
    """The memories of a seat that may fade, one word: uint64."""
    lasting = state.mixed[viewer, word] & table.lasting[state.who[viewer]]
    return state.mind[viewer, word] & state.lying[word] & ~lasting


@unit
def _fade(state, table, viewer):
    """Mutates: the memories that this turn strikes are forgotten or mixed up."""
    for word in range(WORDS):
        cards = _prone(state, table, viewer, word)
        while cards != _ZERO:
            while state.spared[viewer] == 0 and state.strikes[viewer] == 0:
                _draw_spared(state, table, viewer)
            passed: int = min(np.int64(state.spared[viewer]), popcount(cards))
            state.spared[viewer] -= passed
            for _ in range(passed):
                cards &= cards - _ONE
            if cards != _ZERO and state.strikes[viewer] == 1:
                _strike(state, table, viewer, (word << 6) + lowest(cards))
                cards &= cards - _ONE
                state.strikes[viewer] = 0
    return 0


@kernel
def _remembered(state, viewer):
    """How many face-down cards a seat has in mind."""
    count = 0
    for word in range(WORDS):
        count += popcount(state.mind[viewer, word] & state.lying[word])
    return count


@unit
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
    return 0


@kernel
def recall(state, table, viewer):
    """Mutates: crowd out of a seat's mind what is too much; to be called before it decides."""
    if table.crowding and table.crowded[state.who[viewer]]:
        span = np.int64(table.memory_span[state.who[viewer]])
        if _remembered(state, viewer) > span:
            _crowd_out(state, table, viewer, span)


@kernel
def pass_turn(state, table):
    """Mutates: a turn begins, and memories of face-down cards may fade."""
    for viewer in range(state.players):
        if table.lapses[state.who[viewer]]:
            spared = np.int64(state.spared[viewer])
            for word in range(WORDS):
                spared -= popcount(_prone(state, table, viewer, word))
            if spared >= 0:
                state.spared[viewer] = spared
            else:
                _fade(state, table, viewer)


@kernel
def unplaced(state, table, viewer, family):
    """How many cards of a family a seat has not placed, as it thinks."""
    if table.mixing:
        return max(np.int64(state.unplaced[viewer, family]), 0)
    count = 0
    for word in range(WORDS):
        count += popcount(table.family_cards[family, word] & ~state.mind[viewer, word])
    return count


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
    if table.mixing == 0 or table.mix_up_rate[state.who[viewer]] <= 0.0:
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
    claim = CLAIM_OWN if own else CLAIM_RIVAL
    claim += 0 if state.from_draw else CLAIM_IN_WINDOW
    return _as_played(table, who, claim, right / (right + wrong))


@kernel
def _as_played(table, who, claim, chance):
    """What a chance (0 to 1) that was reckoned for a claim (CLAIM_…) turns out to be in play."""
    at = chance * CURVE
    k = min(int(at), CURVE - 1)
    low = table.curve[who, claim, k]
    return low + (at - k) * (table.curve[who, claim, k + 1] - low)


@kernel
def confidence_of_both(state, table, viewer, first, second):
    """Chance that two claims together are right, from the chances of each.

    Not their product: what is wrong about one memory may be wrong about the other.
    """
    who = state.who[viewer]
    if table.mix_up_rate[who] <= 0.0:
        return first * second
    return _as_played(table, who, CLAIM_DOUBLE, first * second)


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
