"""The parameterised player: plays for a low total from what its seat knows, and nothing else.

Every choice compares *estimates* in points: a card the seat knows counts with its value, any
other with the mean of the cards that the seat has not placed; a card that a rival chose to
keep counts less, since people keep low cards.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.codes import CHOICE, DISCARD, OPTION, PLUCK, Ask, Power
from ..core.jit import inline, kernel, lowest, popcount
from ..core.knowledge import (
    DUMPED_SHARE,
    KEPT_FOR_LOW_SHARE,
    KEPT_SHARE,
    bit,
    hidden_among,
    known_matches,
    more_shares,
    own_cards,
    recalls,
    share_of_unknown,
    unknown_value,
)
from ..core.layout import NONE, WORDS
from ..core.legal import is_locked, judge_claim, protected
from ..core.memory import believed, chance_by_counting, confidence, confidence_of_both
from ..core.rng import own_below, own_chance

_ZERO = np.uint64(0)
_ONE = np.uint64(1)

TOCO, SHOEBILL = CHOICE.toco_target, CHOICE.shoebill_target
assert (TOCO.declarer, TOCO.random) == (SHOEBILL.declarer, SHOEBILL.random)  # one kernel

#: Stands below every estimate and gain.
NOTHING = -1e9
#: The least gain that is one.
SOMETHING = 1e-9
#: Who calls BAO is believed to have no more than this (points).
DECLARER_TOTAL = 6.0
#: By how much the lead over a rival shrinks once BAO is called (points; for each of the rival's
#: cards; in shares of its mean card), and how uncertain that is (points squared; in variances of
#: the deck's values for each own unknown card; for each of the rival's). See results/learn.py.
CALL = (-6.0, -0.75, 1.6, 114.0, 6.3, 0.2)
#: Of the family of an unknown card a player has not seen so many others, most often.
USUALLY_UNSEEN = 3.0
#: The lower of two drawn cards is worth about this (points).
TWO_DRAWN = 4.5
#: An unknown card is given away for `lowest_loss` only if it seems this much higher (points).
SURE_LOSS = 3.0
#: In place of a card: any that the seat does not know; that its owner has looked at and left; that
#: somebody kept, or kept in place of a low one; that somebody dumped.
SOME_UNKNOWN = -2
SOME_LEFT = -3
SOME_KEPT = -4
SOME_KEPT_FOR_LOW = -5
SOME_DUMPED = -6


@kernel
def estimated_total(state, table, seat, owner, mean):
    """Estimated total (points) of a player's cards, for a seat; a declarer's is low."""
    known = 0
    hidden = hidden_among(state, seat, state.held[owner])
    shares = popcount(hidden[0]) + popcount(hidden[1]) + more_shares(state, hidden)
    for word in range(WORDS):
        cards = state.held[owner, word] & state.mind[seat, word]
        while cards != _ZERO:
            known += table.value[believed(state, table, seat, (word << 6) + lowest(cards))]
            cards &= cards - _ONE
    total = known + mean * shares
    if owner == state.bao_by and owner != seat:
        return min(total, DECLARER_TOTAL)
    return total


@kernel
def own_total(state, table, seat, mean):
    """Estimated total (points) of the own cards."""
    own_cards(state, table, seat)
    return state.own_sum[seat] + state.own_shares[seat] * mean


@inline
def to_part_with(state, table, seat, mean):
    """(points, points more) that an unknown own card counts when one is to be parted with.

    In the last turn `mean`, for what lies there is scored. With turns to come the deck's mean and
    `know_worth`, whatever has been counted: if the unseen are low, so is what will be drawn, and
    replaces a card sooner that is known. In play it is worth as much to be rid of an unknown card
    when the unseen are low as when they are high.
    """
    if plays_last_turn(state, table, seat):
        return mean, 0.0
    who = state.who[seat]
    own = table.unknown_value[who]
    return table.deck_mean if math.isnan(own) else own, table.know_worth[who]


@kernel
def own_worst(state, table, seat, mean):
    """(slot, estimate) of the own card to part with first; (NONE, NOTHING) without cards.

    The one with the highest estimate; for unknown cards see `to_part_with`.
    """
    own_cards(state, table, seat)
    unknown, more = to_part_with(state, table, seat, mean)
    guess = unknown * state.own_unknown_share[seat] + more
    if state.own_unknown[seat] > 0 and guess > state.own_high[seat]:
        return np.int64(state.own_unknown_slot[seat]), guess
    if state.own_high_slot[seat] < 0:
        return np.int64(NONE), NOTHING
    return np.int64(state.own_high_slot[seat]), np.float64(state.own_high[seat])


@kernel
def _danger(state, table, seat, card):
    """Points that it may cost to put a card face up before the rivals, who may pluck with it."""
    unseen = 0
    for word in range(WORDS):
        cards = table.family_cards[table.family[card], word]
        unseen += popcount(cards & ~state.mind[seat, word])
    return table.pluck_danger[state.who[seat]] * np.float64(table.value[card]) * unseen


@kernel
def _to_put_down(state, table, seat, mean):
    """(slot, estimate less danger) of the own card to put face up before rivals; see `own_worst`.

    After `own_cards`.
    """
    slot = np.int64(NONE)
    high = NOTHING
    if state.own_unknown[seat] > 0:
        unknown, more = to_part_with(state, table, seat, mean)
        slot = np.int64(state.own_unknown_slot[seat])
        high = unknown * state.own_unknown_share[seat] + more
        high -= table.pluck_danger[state.who[seat]] * USUALLY_UNSEEN * table.deck_mean
    for k in range(state.n_slots[seat]):
        card = np.int64(state.slot_card[seat, k])
        if card >= 0 and recalls(state, seat, card):
            card = np.int64(believed(state, table, seat, card))
            value = np.float64(table.value[card]) - _danger(state, table, seat, card)
            if value > high:
                slot = np.int64(k)
                high = value
    return slot, high


@kernel
def clockwise(state, seat, step):
    """The seat that sits `step` places (0 … players) after a seat."""
    owner = seat + step
    return owner if owner < state.players else owner - state.players


@kernel
def leader(state, table, seat, mean, changeable):
    """The rival with cards and the lowest estimated total; NONE if there is none.

    Among equals the next one clockwise, so that no seat is favoured.

    `changeable`: leave out a declarer behind the Shield.
    """
    best = np.int64(NONE)
    least = -NOTHING
    for step in range(1, state.players):
        owner = clockwise(state, seat, step)
        if state.n_cards[owner] == 0 or (changeable and protected(state, owner, seat)):
            continue
        total = estimated_total(state, table, seat, owner, mean)
        if total < least:
            best = np.int64(owner)
            least = total
    return best


@kernel
def lowest_rival_total(state, table, seat, mean):
    """The lowest estimated total (points) among all rivals."""
    least = -NOTHING
    for owner in range(state.players):
        if owner != seat:
            least = min(least, estimated_total(state, table, seat, owner, mean))
    return least


@kernel
def is_last_turn(state):
    """Whether no further turn follows for the active player."""
    return state.turns_left >= 0


@kernel
def plays_last_turn(state, table, seat):
    """Whether the player treats this turn as its last."""
    return is_last_turn(state) and table.last_turns[state.who[seat]] == 1


@inline
def may_take(state, table, seat):
    """Whether the top discard is worth a thought: it is low, or this is the last turn."""
    value = table.value[state.discards[state.n_discards - 1]]
    who = state.who[seat]
    if plays_last_turn(state, table, seat):
        return value <= table.last_take_max[who]
    return value <= table.take_max_value[who]


@kernel
def _source(state, table, seat):
    """Take the top discard where it is low and replaces something clearly worse."""
    who = state.who[seat]
    value = np.float64(table.value[state.discards[state.n_discards - 1]])
    mean = unknown_value(state, table, seat)
    slot, worst = own_worst(state, table, seat, mean)
    gain = worst - value
    state.answer[0] = NONE
    if plays_last_turn(state, table, seat):
        # Against drawing: of thirteen equally likely values those below `worst` would help.
        helps = gain > 0.0 and gain >= worst * (worst - 1.0) / 26.0
        if helps and value <= table.last_take_max[who]:
            state.answer[0] = slot
    elif value <= table.take_max_value[who] and gain >= table.take_min_gain[who]:
        if table.take_before_call[who] or not _would_call(state, table, seat, slot, value, mean):
            state.answer[0] = slot
    state.why[0] = gain
    state.why[2] = state.own_sum[seat] + state.own_shares[seat] * mean


@kernel
def _would_call(state, table, seat, slot, value, mean):
    """Whether a player that takes the top discard into a slot would then call BAO.

    What is taken all have seen, and may pluck in the turns that a call leaves them.
    """
    out = np.int64(state.slot_card[seat, slot])
    unknown = np.int64(state.own_unknown[seat])
    total = own_total(state, table, seat, mean) + value
    if recalls(state, seat, out):
        total -= table.value[believed(state, table, seat, out)]
    else:
        total -= share_of_unknown(state, out) * mean
        unknown -= 1
    return _is_time_to_call(state, table, seat, total, unknown, mean)


@kernel
def _first_unknown(state, table, seat, owner):
    """The lowest slot of a player with a card that the seat does not know; NONE if none."""
    for slot in range(state.n_slots[owner]):
        card = state.slot_card[owner, slot]
        if card >= 0 and not recalls(state, seat, card):
            return np.int64(slot)
    return np.int64(NONE)


@kernel
def has_hunch(state, table, seat):
    """Whether a card that the player does not know could match likely enough to shout.

    `hunch_pool` is the size of the pool up to which the deck's largest family is that likely.
    """
    return state.pool_size[seat] <= table.hunch_pool[state.who[seat]]


@kernel
def claim(state, table, seat, card, window):
    """The best claim on `card` that the player is sure enough of; answer[1] is 0 for none.

    Returns its gain in points: own cards that go, gifts that go, and what a rival is worse off.
    """
    state.answer[1] = 0
    state.claimed_sure = math.nan
    if state.n_cards[seat] == 0 or table.rule_plucks == OPTION.plucks.none:
        return NOTHING
    known = _ZERO
    for word in range(WORDS):
        known |= known_matches(state, table, seat, card, word)
    if known == _ZERO and not has_hunch(state, table, seat):
        return NOTHING
    return _weigh_claims(state, table, seat, card, window)


@kernel
def _rival_gain(state, value, gift):
    """Points gained by plucking a rival's card of a value and giving `gift` points for it."""
    if gift <= 0.0:
        return NOTHING
    return gift + (gift - value) / (state.players - 1)


@kernel
def _nearer(state, seat, place, other):
    """Whether a place comes before another: own cards, then clockwise, then by slot."""
    steps = (place >> 7) - seat
    others = (other >> 7) - seat
    steps += state.players if steps < 0 else 0
    others += state.players if others < 0 else 0
    return steps < others or (steps == others and place < other)


@kernel
def _weigh_claims(state, table, seat, card, window):
    """The best claim among what the seat has in mind, else a hunch; see `claim`."""
    who = state.who[seat]
    mean = unknown_value(state, table, seat)
    _slot, gift = own_worst(state, table, seat, mean)
    rivals_allowed = table.rule_plucks != OPTION.plucks.own_only
    best = NOTHING
    second = NOTHING
    sure = 1.0
    sure_too = 1.0
    state.answer[2] = NONE
    state.answer[3] = NONE
    for word in range(WORDS):
        matches = known_matches(state, table, seat, card, word)
        while matches != _ZERO:
            match = (word << 6) + lowest(matches)
            matches &= matches - _ONE
            place = np.int64(state.place[match])
            owner = place >> 7
            value = np.float64(table.value[believed(state, table, seat, match)])
            gain = value
            least = table.pluck_confidence[who]
            if owner != seat:
                gain = NOTHING
                least = table.pluck_rival_confidence[who]
                if rivals_allowed and not protected(state, owner, seat):
                    gain = _rival_gain(state, value, gift)
                    if gain < table.pluck_rival_min_gain[who]:
                        gain = NOTHING
            chance = 1.0
            if gain > 0.0:
                chance = confidence(state, table, seat, match)
                gain = gain * chance if chance >= least else NOTHING
            if table.fading:
                state.tried[seat, match] = state.turn
            if gain > best or (
                gain == best and gain > 0.0 and _nearer(state, seat, place, state.answer[2])
            ):
                state.answer[3] = state.answer[2]
                second = best
                sure_too = sure
                state.answer[2] = place
                best = gain
                sure = chance
            elif gain > second or (
                gain == second and gain > 0.0 and _nearer(state, seat, place, state.answer[3])
            ):
                state.answer[3] = place
                second = gain
                sure_too = chance
    if best <= 0.0:
        if has_hunch(state, table, seat):
            return _hunch(state, table, seat, card, mean, gift)
        return NOTHING
    state.claimed_sure = sure
    both = confidence_of_both(state, table, seat, sure, sure_too)
    if second > 0.0 and both >= table.pluck_confidence[who]:
        if _can_spare(state, table, seat, mean) and _double(state, table, seat, window):
            state.claimed_sure = both
            return best + second
    state.answer[1] = 1
    return best


@kernel
def _can_spare(state, table, seat, mean):
    """Whether a double on answer[2:4] leaves enough cards to give that are worth losing."""
    rivals = 0
    for k in range(2, 4):
        if state.answer[k] >> 7 != seat:
            rivals += 1
    if rivals == 0:
        return True
    spare = 0
    for slot in range(state.n_slots[seat]):
        card = state.slot_card[seat, slot]
        place = seat << 7 | slot
        if card < 0 or place == state.answer[2] or place == state.answer[3]:
            continue
        if not recalls(state, seat, card):
            spare += mean > 0.0
        elif table.value[believed(state, table, seat, card)] > 0:
            spare += 1
    return spare >= rivals


@kernel
def _double(state, table, seat, window):
    """Make the claim a double on the two best targets, if the player and the rules allow it."""
    if (
        table.double_pluck[state.who[seat]] == 0
        or table.rule_double_pluck == OPTION.double_pluck.none
    ):
        return False
    if table.rule_double_pluck == OPTION.double_pluck.own_draw_own_cards and window:
        return False
    state.answer[1] = 2
    return judge_claim(state, table, seat, window) == 0


@kernel
def _hunch(state, table, seat, card, mean, gift):
    """A claim on a card that the player does not know, when its chance is good enough."""
    who = state.who[seat]
    chance = chance_by_counting(state, table, seat, table.family[card])
    value = np.float64(table.value[card])
    if chance >= table.pluck_confidence[who] and value > 0.0:
        slot = _first_unknown(state, table, seat, seat)
        if slot >= 0:
            state.answer[1] = 1
            state.answer[2] = seat << 7 | slot
            state.claimed_sure = chance
            return value * chance
    if chance >= table.pluck_rival_confidence[who] and table.rule_plucks != OPTION.plucks.own_only:
        owner = leader(state, table, seat, mean, True)
        slot = _first_unknown(state, table, seat, owner) if owner >= 0 else np.int64(NONE)
        gain = _rival_gain(state, value, gift)
        if slot >= 0 and gain >= table.pluck_rival_min_gain[who]:
            state.answer[1] = 1
            state.answer[2] = owner << 7 | slot
            state.claimed_sure = chance
            return gain * chance
    return NOTHING


@kernel
def _claim(state, table, seat):
    """Shout in a window, if the player notices it and knows enough."""
    who = state.who[seat]
    state.answer[1] = 0
    if table.pluck_in_window[who] == 0 or not own_chance(state, seat, table.attention[who]):
        return
    gain = claim(state, table, seat, state.card, 1)
    state.why[0] = gain
    state.why[1] = state.claimed_sure
    if gain <= 0.0:
        state.answer[1] = 0


@kernel
def _power_gain(state, table, seat, card, worst, mean):
    """What the own total stands to gain from a drawn card's power at once (points)."""
    power = table.power[card]
    if power == Power.SHOEBILL:
        return max(0.0, worst - TWO_DRAWN)
    if power == Power.SWAP or power == Power.MACAW:
        cheap, least = _cheapest_rival_card(state, table, seat, mean)
        if cheap >= 0:
            return max(0.0, worst - least)
    return 0.0


@kernel
def _drawn(state, table, seat):
    """Pluck, keep or discard: whatever gains most; a power is worth `power_appetite` points."""
    who = state.who[seat]
    card = state.card
    value = np.float64(table.value[card])
    mean = unknown_value(state, table, seat)
    slot, worst = own_worst(state, table, seat, mean)
    keep = worst - value
    if table.pluck_danger[who] > 0.0 and state.turns_left != 0:
        slot, high = _to_put_down(state, table, seat, mean)
        keep = high - value + _danger(state, table, seat, card)
    least = table.keep_min_gain[who]
    if plays_last_turn(state, table, seat):
        least = SOMETHING
    elif table.power[card] >= 0:
        least = max(least, table.power_appetite[who])
    gain = NOTHING
    state.claimed_sure = math.nan
    if table.pluck_on_draw[who] == 1:
        gain = claim(state, table, seat, card, 0)
    if plays_last_turn(state, table, seat):
        keep -= _power_gain(state, table, seat, card, worst, mean)
    state.why[0] = gain
    state.why[1] = state.claimed_sure
    state.why[2] = keep
    state.why[3] = least
    if gain > 0.0 and (slot < 0 or gain + table.pluck_worth[who] >= keep):
        state.answer[0] = PLUCK
    elif slot >= 0 and keep >= least:
        state.answer[0] = slot
    else:
        state.answer[0] = DISCARD


@kernel
def _gift(state, table, seat):
    """Give away the card with the highest estimate, an unknown one, or the surest high one."""
    mean = unknown_value(state, table, seat)
    slot, _value = own_worst(state, table, seat, mean)
    taste = table.gift[state.who[seat]]
    if taste == CHOICE.gift.unknown and state.own_unknown[seat] > 0:
        slot = np.int64(state.own_unknown_slot[seat])
    elif taste == CHOICE.gift.lowest_loss and state.own_high_slot[seat] >= 0:
        if state.own_high[seat] >= mean - SURE_LOSS:
            slot = np.int64(state.own_high_slot[seat])
    state.answer[0] = slot


@kernel
def _unknown_rival(state, table, seat, mean):
    """A place with a rival's card that the seat does not know, the leader's if it can be."""
    owner = leader(state, table, seat, mean, False)
    if owner >= 0:
        slot = _first_unknown(state, table, seat, owner)
        if slot >= 0:
            return owner << 7 | slot
    for step in range(1, state.players):
        owner = clockwise(state, seat, step)
        slot = _first_unknown(state, table, seat, owner)
        if slot >= 0:
            return owner << 7 | slot
    return np.int64(NONE)


@kernel
def _kept_rival(state, table, seat):
    """A place with a card that its owner chose and the seat does not know; NONE if there is none.

    To show one tells its owner nothing.
    """
    for step in range(1, state.players):
        owner = clockwise(state, seat, step)
        for slot in range(state.n_slots[owner]):
            card = state.slot_card[owner, slot]
            if card >= 0 and not recalls(state, seat, card):
                if share_of_unknown(state, card) < 1.0:
                    return np.int64(owner << 7 | slot)
    return np.int64(NONE)


@kernel
def _unknown_own(state, table, seat):
    slot = _first_unknown(state, table, seat, seat)
    return seat << 7 | slot if slot >= 0 else np.int64(NONE)


@kernel
def _some_card_of(state, owner):
    """The place of a player's first card; NONE without cards."""
    for slot in range(state.n_slots[owner]):
        if state.slot_card[owner, slot] >= 0:
            return np.int64(owner << 7 | slot)
    return np.int64(NONE)


@kernel
def _any_card(state, seat):
    """Any card on the table, a rival's first."""
    for step in range(1, state.players + 1):
        owner = clockwise(state, seat, step)
        for slot in range(state.n_slots[owner]):
            if state.slot_card[owner, slot] >= 0:
                return np.int64(owner << 7 | slot)
    return np.int64(NONE)


@kernel
def _look(state, table, seat):
    """Look where something is still unknown: at home or at the leader's first."""
    mean = unknown_value(state, table, seat)
    if table.look_first[state.who[seat]] == CHOICE.look_first.own:
        place = _unknown_own(state, table, seat)
        if place < 0:
            place = _unknown_rival(state, table, seat, mean)
    else:
        place = _unknown_rival(state, table, seat, mean)
        if place < 0:
            place = _unknown_own(state, table, seat)
    state.answer[0] = place if place >= 0 else _any_card(state, seat)


@kernel
def _show(state, table, seat):
    """Show an unknown card, a rival's or an own one first; any card if all are known."""
    if table.show_first[state.who[seat]] == CHOICE.show_first.own:
        place = _unknown_own(state, table, seat)
        if place < 0:
            place = _unknown_rival(state, table, seat, unknown_value(state, table, seat))
    else:
        place = _kept_rival(state, table, seat)
        if place < 0:
            place = _unknown_rival(state, table, seat, unknown_value(state, table, seat))
    state.answer[0] = place if place >= 0 else _any_card(state, seat)


@kernel
def _kind_of_unknown(state, card):
    """What stands for a card that the seat does not know (SOME_…), for how it came to lie."""
    word = card >> 6
    mask = bit(card)
    if (state.kept[word] & mask) != _ZERO:
        low = (state.for_low[word] & mask) != _ZERO
        return np.int64(SOME_KEPT_FOR_LOW) if low else np.int64(SOME_KEPT)
    if (state.dumped[word] & mask) != _ZERO:
        return np.int64(SOME_DUMPED)
    left = (state.left[word] & mask) != _ZERO
    return np.int64(SOME_LEFT) if left else np.int64(SOME_UNKNOWN)


@kernel
def _movable_extreme(state, table, seat, owner, mean, sign, more=0.0):
    """(card, estimate) of the card of `owner` that may be moved with the extreme estimate.

    `sign` 1 asks for the highest, -1 for the lowest. For an unknown card it is one of SOME_…, for
    how it came to lie; NONE if nothing may be moved. `more` points are added to unknown ones.
    """
    best = np.int64(NONE)
    value = NOTHING
    if protected(state, owner, seat):
        return best, sign * value
    dealt = _ZERO
    left = _ZERO
    kept = _ZERO
    for_low = _ZERO
    dumped = _ZERO
    for word in range(WORDS):
        cards = state.held[owner, word] & ~state.locked[word]
        known = cards & state.mind[seat, word]
        cards &= ~known
        kept |= cards & state.kept[word] & ~state.for_low[word]
        for_low |= cards & state.kept[word] & state.for_low[word]
        dumped |= cards & state.dumped[word]
        cards &= ~state.kept[word] & ~state.dumped[word]
        left |= cards & state.left[word]
        dealt |= cards & ~state.left[word]
        while known != _ZERO:
            card = (word << 6) + lowest(known)
            known &= known - _ONE
            guess = sign * np.float64(table.value[believed(state, table, seat, card)])
            # Equals by place: a card's number would tell what a mixed-up card truly is.
            if guess > value or (guess == value and state.place[card] < state.place[best]):
                best = np.int64(card)
                value = guess
    guess = sign * (mean + more)
    if dealt != _ZERO and guess > value:
        best = np.int64(SOME_UNKNOWN)
        value = guess
    guess = sign * (mean * state.left_share + more)
    if left != _ZERO and guess > value:
        best = np.int64(SOME_LEFT)
        value = guess
    guess = sign * (mean * KEPT_SHARE + more)
    if kept != _ZERO and guess > value:
        best = np.int64(SOME_KEPT)
        value = guess
    guess = sign * (mean * KEPT_FOR_LOW_SHARE + more)
    if for_low != _ZERO and guess > value:
        best = np.int64(SOME_KEPT_FOR_LOW)
        value = guess
    guess = sign * (mean * DUMPED_SHARE + more)
    if dumped != _ZERO and guess > value:
        best = np.int64(SOME_DUMPED)
        value = guess
    return best, sign * value


@kernel
def _place_of(state, table, seat, owner, card):
    """The place of a card, or of the first movable unknown card of a kind (SOME_…)."""
    if card >= 0:
        return np.int64(state.place[card])
    for slot in range(state.n_slots[owner]):
        there = state.slot_card[owner, slot]
        if there >= 0 and not recalls(state, seat, there) and not is_locked(state, there):
            if _kind_of_unknown(state, there) == card:
                return np.int64(owner << 7 | slot)
    return np.int64(NONE)


@kernel
def _own_worst_movable(state, table, seat, mean, more=0.0):
    """(place, estimate) of the highest own card that may be moved; (NONE, …) if none.

    `more` points are added to unknown ones.
    """
    card, value = _movable_extreme(state, table, seat, seat, mean, 1.0, more)
    if card == NONE:
        return np.int64(NONE), value
    return _place_of(state, table, seat, seat, card), value


@kernel
def _cheapest_rival_card(state, table, seat, mean):
    """(place, estimate) of the lowest rival card that may be moved; (NONE, …) if none."""
    best = np.int64(NONE)
    whose = np.int64(NONE)
    value = -NOTHING
    for step in range(1, state.players):
        owner = clockwise(state, seat, step)
        card, guess = _movable_extreme(state, table, seat, owner, mean, -1.0)
        if card != NONE and guess < value:
            best = card
            whose = np.int64(owner)
            value = guess
    if whose < 0:
        return whose, value
    return _place_of(state, table, seat, whose, best), value


@kernel
def _swap_rivals(state, table, seat, mean):
    """Swap the leader's lowest card for another rival's highest; False if there are no two."""
    victim = leader(state, table, seat, mean, True)
    if victim < 0:
        return False
    low, _value = _movable_extreme(state, table, seat, victim, mean, -1.0)
    if low == NONE:
        return False
    best = np.int64(NONE)
    whose = np.int64(NONE)
    value = NOTHING
    for step in range(1, state.players):
        owner = clockwise(state, seat, step)
        if owner == victim:
            continue
        card, guess = _movable_extreme(state, table, seat, owner, mean, 1.0)
        if card != NONE and guess > value:
            best = card
            whose = np.int64(owner)
            value = guess
    if whose < 0:
        return False
    state.answer[0] = _place_of(state, table, seat, victim, low)
    state.answer[1] = _place_of(state, table, seat, whose, best)
    return True


@kernel
def _swap_any(state, table, seat, mean, own, cheap):
    """A swap that must be made: the own worst card for the lowest, else any two rivals' cards."""
    state.answer[0] = own
    state.answer[1] = cheap
    if own >= 0:
        return
    for step in range(1, state.players):
        owner = clockwise(state, seat, step)
        if owner != cheap >> 7:
            card, _value = _movable_extreme(state, table, seat, owner, mean, 1.0)
            if card != NONE:
                state.answer[0] = _place_of(state, table, seat, owner, card)
                return


@kernel
def _least_gain(state, table, seat, least):
    """The least gain (points) for which a player swaps; in its last turn it may be any."""
    any_gain = is_last_turn(state) and table.last_swaps[state.who[seat]] == 1
    return SOMETHING if any_gain else np.float64(least)


@kernel
def _worth_of_knowing(state, table, seat):
    """Points that an unknown own card counts more when one is to be swapped away."""
    if plays_last_turn(state, table, seat):
        return 0.0
    who = state.who[seat]
    return table.swap_know_worth[who] * table.know_worth[who]


@kernel
def _swap(state, table, seat):
    """Swap the own worst card for the lowest rival card; if that gains too little, two rivals'."""
    mean = unknown_value(state, table, seat)
    more = _worth_of_knowing(state, table, seat)
    own, worst = _own_worst_movable(state, table, seat, mean, more)
    cheap, least = _cheapest_rival_card(state, table, seat, mean)
    state.why[0] = worst
    state.why[1] = least
    asked = _least_gain(state, table, seat, table.swap_min_gain[state.who[seat]])
    if own >= 0 and cheap >= 0 and worst - least >= asked:
        state.answer[0] = own
        state.answer[1] = cheap
    elif not _swap_rivals(state, table, seat, mean):
        _swap_any(state, table, seat, mean, own, cheap)


@kernel
def _macaw(state, table, seat):
    """Look at an own card and at a rival's: to swap them if that promises a gain, else to learn."""
    mean = unknown_value(state, table, seat)
    blind = _unknown_own(state, table, seat)
    more = _worth_of_knowing(state, table, seat)
    own, worst = _own_worst_movable(state, table, seat, mean, more)
    rival, least = _cheapest_rival_card(state, table, seat, mean)
    state.why[0] = worst
    state.why[1] = least
    asked = _least_gain(state, table, seat, table.macaw_min_gain[state.who[seat]])
    if own < 0 or (rival >= 0 and worst - least < asked):
        own = blind if blind >= 0 else own
        new = _unknown_rival(state, table, seat, mean)
        rival = new if new >= 0 else rival
    if rival < 0:
        rival = _unknown_rival(state, table, seat, mean)
    if own < 0:
        own = _some_card_of(state, seat)
    if rival < 0:
        rival = _any_card(state, seat)
    state.answer[2] = 0
    state.answer[0] = own
    state.answer[1] = rival
    if own < 0:
        state.answer[0] = rival
        for step in range(1, state.players):
            owner = clockwise(state, seat, step)
            if owner != rival >> 7 and state.n_cards[owner] > 0:
                state.answer[1] = _some_card_of(state, owner)


@kernel
def _macaw_swap(state, table, seat):
    """Swap the two cards just seen if the own one is clearly higher."""
    a = state.target[0]
    b = state.target[1]
    value_a = np.float64(table.value[state.slot_card[a >> 7, a & 127]])
    value_b = np.float64(table.value[state.slot_card[b >> 7, b & 127]])
    gain = NOTHING
    if a >> 7 == seat:
        gain = value_a - value_b
    elif b >> 7 == seat:
        gain = value_b - value_a
    least = _least_gain(state, table, seat, table.macaw_min_gain[state.who[seat]])
    state.answer[0] = 1 if gain >= least else 0


@kernel
def _chosen_rival(state, table, seat, taste):
    """The rival that a taste (one of TOCO) names, NONE for the leader, the lowest, or nobody."""
    choice = np.int64(NONE)
    if taste == TOCO.declarer:
        choice = np.int64(state.bao_by)
    elif taste == TOCO.next:
        choice = np.int64(clockwise(state, seat, 1))
    elif taste == TOCO.random:
        choice = np.int64(clockwise(state, seat, 1 + own_below(state, seat, state.players - 1)))
    if choice == seat or (choice >= 0 and protected(state, choice, seat)):
        return np.int64(NONE)
    return choice


@kernel
def _toco(state, table, seat):
    """Choose who gets a card more."""
    choice = _chosen_rival(state, table, seat, table.toco_target[state.who[seat]])
    if choice < 0:
        least = -NOTHING
        mean = unknown_value(state, table, seat)
        for step in range(1, state.players):
            owner = clockwise(state, seat, step)
            if not protected(state, owner, seat):
                total = estimated_total(state, table, seat, owner, mean)
                if total < least:
                    least = total
                    choice = np.int64(owner)
    state.answer[0] = choice


@kernel
def _shoebill_victim(state, table, seat, mean):
    """(place, estimate) of the rival card that a Shoebill is to replace; (NONE, …) if none."""
    taste = table.shoebill_target[state.who[seat]]
    owner = np.int64(NONE)
    if taste == SHOEBILL.leader or (taste == SHOEBILL.lowest and state.bao_by >= 0):
        owner = leader(state, table, seat, mean, True)
    elif taste != SHOEBILL.lowest:
        owner = _chosen_rival(state, table, seat, taste)
    if owner >= 0:
        card, value = _movable_extreme(state, table, seat, owner, mean, -1.0)
        if card != NONE:
            return _place_of(state, table, seat, owner, card), value
    return _cheapest_rival_card(state, table, seat, mean)


@kernel
def _shoebill(state, table, seat):
    """The lower card for the own worst one, the higher for a rival's lowest."""
    mean = unknown_value(state, table, seat)
    unknown, more = to_part_with(state, table, seat, mean)
    own, worst = _own_worst_movable(state, table, seat, unknown, more)
    cheap, least = _shoebill_victim(state, table, seat, mean)
    state.why[0] = worst
    state.why[1] = least
    low = 0
    high = 0
    if state.offer[1] >= 0:
        low = 1 if table.value[state.offer[1]] < table.value[state.offer[0]] else 0
        high = 1 - low
    elif own >= 0 and cheap >= 0:
        # One card for two replacements: where does it do more good?
        value = np.float64(table.value[state.offer[0]])
        if worst - value >= (value - least) / (state.players - 1):
            cheap = np.int64(NONE)
        else:
            own = np.int64(NONE)
    state.answer[0] = low if own >= 0 else NONE
    state.answer[1] = own & 127
    state.answer[2] = high if cheap >= 0 else NONE
    state.answer[3] = cheap


@kernel
def _use(state, table, seat):
    """Decline a power that would do harm: a Shoebill or a swap for a low hand."""
    power = table.power[state.card]
    mean = unknown_value(state, table, seat)
    own, worst = _own_worst_movable(state, table, seat, mean)
    state.answer[0] = 1
    if power == Power.SHOEBILL and own >= 0 and worst < TWO_DRAWN:
        state.answer[0] = 0
    elif power == Power.SWAP and state.players == 2:
        cheap, least = _cheapest_rival_card(state, table, seat, mean)
        if cheap >= 0 and worst - least < table.swap_min_gain[state.who[seat]]:
            state.answer[0] = 0


@kernel
def _surely_beaten(state, table, seat, total):
    """Whether a rival's cards, all of them known, are worth no more than the own total."""
    for owner in range(state.players):
        if owner != seat and unknown_count(state, table, seat, owner) == 0:
            if estimated_total(state, table, seat, owner, 0.0) <= total:
                return True
    return False


@kernel
def unknown_count(state, table, seat, owner):
    """How many cards of a player a seat does not have in mind."""
    unknown = state.n_cards[owner]
    for word in range(WORDS):
        unknown -= popcount(state.held[owner, word] & state.mind[seat, word])
    return unknown


@kernel
def chance_lowest(state, table, seat, total, unknown, mean):
    """Estimated chance that the own total, `unknown` of its cards not known, ends up lowest.

    Each rival's lead at the end as a normal number, apart from the others'; what becomes of it in
    the turns that a call leaves was learnt from play, see `CALL`.
    """
    chance = 1.0
    variance = table.deck_sd * table.deck_sd
    for owner in range(state.players):
        if owner != seat:
            theirs = estimated_total(state, table, seat, owner, mean)
            cards = np.float64(state.n_cards[owner])
            hidden = unknown_count(state, table, seat, owner)
            lead = theirs - total - (CALL[0] + CALL[1] * cards + CALL[2] * theirs / max(cards, 1.0))
            spread = CALL[3] + variance * (CALL[4] * unknown + CALL[5] * hidden)
            chance *= 0.5 * (1.0 + math.erf(lead / math.sqrt(2.0 * spread)))
    return chance


@kernel
def _threshold(state, table, seat):
    """The total at which the player calls BAO, moved by its lead or deficit in a game."""
    who = state.who[seat]
    threshold = table.bao_threshold[who]
    awareness = table.score_awareness[who]
    if awareness != 0.0 and table.games:
        best = np.int64(2**40)
        for rival in range(table.players):
            if rival != who:
                best = min(best, state.sums[rival])
        threshold += awareness * (state.sums[who] - best)
    return threshold


@kernel
def may_call(state, table, seat):
    """Whether a call of BAO is worth a thought: the own total is known, and low enough."""
    own_cards(state, table, seat)
    unknown = state.own_unknown[seat]
    if unknown == 0:
        return state.own_sum[seat] <= _threshold(state, table, seat)
    if unknown > table.bao_unknown_max[state.who[seat]]:
        return False
    mean = unknown_value(state, table, seat)
    return own_total(state, table, seat, mean) <= _threshold(state, table, seat)


@kernel
def _is_time_to_call(state, table, seat, total, unknown, mean):
    """Whether an own total, `unknown` of its cards not known, is low enough to call BAO."""
    who = state.who[seat]
    if total > _threshold(state, table, seat):
        return False
    if total < 0.0 and unknown == 0:
        # SCORE-5: nobody else can be below; waiting only gives the others a turn.
        return True
    if unknown > table.bao_unknown_max[who]:
        return False
    if state.turn < table.bao_min_turn[who] * state.players:
        return False
    if _surely_beaten(state, table, seat, total):
        return False
    rival = lowest_rival_total(state, table, seat, mean)
    state.why[2] = rival
    if rival - total < table.bao_margin[who]:
        return False
    least = table.bao_confidence[who]
    if table.games:
        least += table.game_caution[who]
    if least > 0.0:
        state.why[3] = chance_lowest(state, table, seat, total, unknown, mean)
        if state.why[3] < least:
            return False
    return True


@kernel
def _bao(state, table, seat):
    """Call when the own total is low, known well enough, and lower than the rivals' seem."""
    mean = unknown_value(state, table, seat)
    total = own_total(state, table, seat, mean)
    unknown = np.int64(state.own_unknown[seat])
    state.why[0] = total
    state.why[1] = unknown
    state.answer[0] = 1 if _is_time_to_call(state, table, seat, total, unknown, mean) else 0


@inline
def decide(state, table, seat, question):
    """Answer a question from what the seat knows."""
    if question == Ask.CLAIM:
        _claim(state, table, seat)
    elif question == Ask.SOURCE:
        _source(state, table, seat)
    elif question == Ask.DRAWN:
        _drawn(state, table, seat)
    elif question == Ask.BAO:
        _bao(state, table, seat)
    elif question == Ask.GIFT:
        _gift(state, table, seat)
    elif question == Ask.USE:
        _use(state, table, seat)
    elif question == Ask.LOOK:
        _look(state, table, seat)
    elif question == Ask.SHOW:
        _show(state, table, seat)
    elif question == Ask.SWAP:
        _swap(state, table, seat)
    elif question == Ask.MACAW:
        _macaw(state, table, seat)
    elif question == Ask.MACAW_SWAP:
        _macaw_swap(state, table, seat)
    elif question == Ask.TOCO:
        _toco(state, table, seat)
    elif question == Ask.SHOEBILL:
        _shoebill(state, table, seat)
