"""The parameterised player: plays for a low total from what its seat knows, and nothing else.

Every choice compares *estimates* in points: a card the seat knows counts with its value, any
other with the mean of the cards that the seat has not placed; a card that a rival chose to
keep counts less, since people keep low cards.
"""

from __future__ import annotations

import numpy as np

from ..engine.jit import kernel, lowest, popcount
from ..engine.knowledge import bit, known_matches, knows, matching, own_cards, unknown_value
from ..engine.legal import is_locked, judge_claim, protected
from ..engine.rng import own_below, own_chance
from ..engine.state import (
    ASK_BAO,
    ASK_CLAIM,
    ASK_DRAWN,
    ASK_GIFT,
    ASK_LOOK,
    ASK_MACAW,
    ASK_MACAW_SWAP,
    ASK_SHOEBILL,
    ASK_SHOW,
    ASK_SOURCE,
    ASK_SWAP,
    ASK_TOCO,
    ASK_USE,
    DISCARD,
    DOUBLE_NONE,
    DOUBLE_OWN,
    FIRST_OWN,
    GIFT_UNKNOWN,
    NONE,
    PLUCK,
    PLUCKS_NONE,
    PLUCKS_OWN,
    TOCO_DECLARER,
    TOCO_NEXT,
    TOCO_RANDOM,
    WORDS,
)

_ZERO = np.uint64(0)
_ONE = np.uint64(1)

#: A card that a rival kept after a draw counts this share of an unknown card.
KEPT_SHARE = 0.5
#: Stands below every estimate and gain.
NOTHING = -1e9
#: In place of a card: any that the seat does not know; any that its owner kept.
SOME_UNKNOWN = -2
SOME_KEPT = -3


@kernel
def estimated_total(state, table, seat, owner, mean):
    """Estimated total (points) of a player's cards, for a seat."""
    known = 0
    unknown = 0
    kept = 0
    for word in range(WORDS):
        held = state.held[owner, word]
        seen = state.seen[seat, word]
        cards = held & seen
        while cards != _ZERO:
            known += table.value[(word << 6) + lowest(cards)]
            cards &= cards - _ONE
        unknown += popcount(held & ~seen)
        kept += popcount(held & ~seen & state.kept[word])
    return known + mean * (unknown - kept * (1.0 - KEPT_SHARE))


@kernel
def own_total(state, table, seat, mean):
    """Estimated total (points) of the own cards."""
    own_cards(state, table, seat)
    return state.own_sum[seat] + state.own_unknown[seat] * mean


@kernel
def own_worst(state, table, seat, mean):
    """(slot, estimate) of the own card with the highest estimate; (NONE, NOTHING) without cards."""
    own_cards(state, table, seat)
    if state.own_unknown[seat] > 0 and mean > state.own_high[seat]:
        return np.int64(state.own_unknown_slot[seat]), mean
    if state.own_high_slot[seat] < 0:
        return np.int64(NONE), NOTHING
    return np.int64(state.own_high_slot[seat]), np.float64(state.own_high[seat])


@kernel
def clockwise(state, seat, step):
    """The seat that sits `step` places (0 … players) after a seat."""
    owner = seat + step
    return owner if owner < state.players else owner - state.players


@kernel
def leader(state, table, seat, mean, changeable):
    """The rival with cards and the lowest estimated total; NONE if there is none.

    `changeable`: leave out a declarer behind the Shield.
    """
    best = np.int64(NONE)
    least = -NOTHING
    for owner in range(state.players):
        if owner == seat or (changeable and protected(state, owner, seat)):
            continue
        if state.n_cards[owner] == 0:
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


@kernel
def _source(state, table, seat):
    """Take the top discard where it is low and replaces something clearly worse."""
    who = state.who[seat]
    value = table.value[state.discards[state.n_discards - 1]]
    slot, worst = own_worst(state, table, seat, unknown_value(state, seat))
    gain = worst - value
    state.answer[0] = NONE
    if plays_last_turn(state, table, seat):
        # Against drawing: of thirteen equally likely values those below `worst` would help.
        if gain > 0.0 and gain >= worst * (worst - 1.0) / 26.0:
            state.answer[0] = slot
    elif value <= table.take_max_value[who] and gain >= table.take_min_gain[who]:
        state.answer[0] = slot


@kernel
def _match_chance(state, table, seat, card):
    """Chance that a card which the seat has not placed matches `card`, by counting cards."""
    count = 0
    family = table.family[card]
    for word in range(WORDS):
        count += popcount(table.family_cards[family, word] & ~state.seen[seat, word])
    return count / max(state.pool_size[seat], 1)


@kernel
def _first_unknown(state, seat, owner):
    """The lowest slot of a player with a card that the seat does not know; NONE if none."""
    for slot in range(state.n_slots[owner]):
        card = state.slot_card[owner, slot]
        if card >= 0 and not knows(state, seat, card):
            return np.int64(slot)
    return np.int64(NONE)


@kernel
def _offer_target(state, place, gain, best, second):
    """Keep the two best targets in answer[2:4]; returns their gains."""
    if gain > best:
        state.answer[3] = state.answer[2]
        state.answer[2] = place
        return gain, best
    if gain > second:
        state.answer[3] = place
        return best, gain
    return best, second


@kernel
def has_hunch(state, table, seat):
    """Whether a card that the player does not know could match likely enough to shout.

    `hunch_pool` is the size of the pool up to which the deck's largest family is that likely.
    """
    return state.pool_size[seat] <= table.hunch_pool[state.who[seat]]


@kernel
def may_claim(state, table, seat, matches):
    """Whether a claim is worth a thought: a known match, or a hunch.

    `matches`: the face-down cards that match the reference, a uint64 for each word; what the
    seat does not know among them is masked off here.
    """
    known = _ZERO
    for word in range(WORDS):
        known |= matches[word] & state.seen[seat, word]
    return known != _ZERO or has_hunch(state, table, seat)


@kernel
def claim(state, table, seat, card, window):
    """The best claim on `card` that the player is sure enough of; answer[1] is 0 for none.

    Returns its gain in points: own cards that go, gifts that go, and what a rival is worse off.
    """
    state.answer[1] = 0
    if state.n_cards[seat] == 0 or table.rule_plucks == PLUCKS_NONE:
        return NOTHING
    if not may_claim(state, table, seat, matching(state, table, card)):
        return NOTHING
    return _weigh_claims(state, table, seat, card, window)


@kernel
def _rival_gain(state, table, seat, place, value, gift):
    """Points gained by plucking a rival's card of a value and giving `gift` points for it."""
    if gift <= 0.0:
        return NOTHING
    return gift + (gift - value) / (state.players - 1)


@kernel
def _weigh_claims(state, table, seat, card, window):
    who = state.who[seat]
    mean = unknown_value(state, seat)
    _slot, gift = own_worst(state, table, seat, mean)
    rivals_allowed = table.rule_plucks != PLUCKS_OWN
    best = NOTHING
    second = NOTHING
    state.answer[2] = NONE
    state.answer[3] = NONE
    for word in range(WORDS):
        matches = known_matches(state, table, seat, card, word)
        while matches != _ZERO:
            match = (word << 6) + lowest(matches)
            matches &= matches - _ONE
            place = np.int64(state.place[match])
            owner = place >> 7
            value = np.float64(table.value[match])
            gain = NOTHING
            if owner == seat:
                if value > 0.0:
                    gain = value
            elif rivals_allowed and not protected(state, owner, seat):
                gain = _rival_gain(state, table, seat, place, value, gift)
                if gain < table.pluck_rival_min_gain[who]:
                    gain = NOTHING
            if gain > 0.0:
                best, second = _offer_target(state, place, gain, best, second)
    if best <= 0.0 and has_hunch(state, table, seat):
        return _hunch(state, table, seat, card, mean, gift)
    if best <= 0.0:
        return NOTHING
    if second > 0.0 and _double(state, table, seat, window):
        return best + second
    state.answer[1] = 1
    return best


@kernel
def _double(state, table, seat, window):
    """Make the claim a double on the two best targets, if the player and the rules allow it."""
    if table.double_pluck[state.who[seat]] == 0 or table.rule_double_pluck == DOUBLE_NONE:
        return False
    if table.rule_double_pluck == DOUBLE_OWN and window:
        return False
    state.answer[1] = 2
    return judge_claim(state, table, seat, window) == 0


@kernel
def _hunch(state, table, seat, card, mean, gift):
    """A claim on a card that the player does not know, when its chance is good enough."""
    who = state.who[seat]
    chance = _match_chance(state, table, seat, card)
    value = np.float64(table.value[card])
    if chance >= table.pluck_confidence[who] and value > 0.0:
        slot = _first_unknown(state, seat, seat)
        if slot >= 0:
            state.answer[1] = 1
            state.answer[2] = seat << 7 | slot
            return value * chance
    if chance >= table.pluck_rival_confidence[who] and table.rule_plucks != PLUCKS_OWN:
        owner = leader(state, table, seat, mean, True)
        slot = _first_unknown(state, seat, owner) if owner >= 0 else np.int64(NONE)
        gain = _rival_gain(state, table, seat, 0, value, gift)
        if slot >= 0 and gain >= table.pluck_rival_min_gain[who]:
            state.answer[1] = 1
            state.answer[2] = owner << 7 | slot
            return gain * chance
    return NOTHING


@kernel
def _claim(state, table, seat):
    """Shout in a window, if the player notices it and knows enough."""
    who = state.who[seat]
    state.answer[1] = 0
    if table.pluck_in_window[who] == 0:
        return
    if claim(state, table, seat, state.card, 1) <= 0.0:
        state.answer[1] = 0
    elif not own_chance(state, seat, table.attention[who]):
        state.answer[1] = 0


@kernel
def _drawn(state, table, seat):
    """Pluck, keep or discard: whatever gains most; a power is worth `power_appetite` points."""
    who = state.who[seat]
    card = state.card
    value = np.float64(table.value[card])
    mean = unknown_value(state, seat)
    slot, worst = own_worst(state, table, seat, mean)
    keep = worst - value
    least = table.keep_min_gain[who]
    if plays_last_turn(state, table, seat):
        least = 0.0
    elif table.power[card] >= 0:
        least = max(least, table.power_appetite[who])
    gain = NOTHING
    if table.pluck_on_draw[who] == 1:
        gain = claim(state, table, seat, card, 0)
    if gain > 0.0 and (slot < 0 or gain >= keep):
        state.answer[0] = PLUCK
    elif slot >= 0 and keep >= least and keep > 0.0:
        state.answer[0] = slot
    else:
        state.answer[0] = DISCARD


@kernel
def _gift(state, table, seat):
    """Give away the card with the highest estimate, or an unknown one."""
    slot, _value = own_worst(state, table, seat, unknown_value(state, seat))
    if table.gift[state.who[seat]] == GIFT_UNKNOWN:
        unknown = _first_unknown(state, seat, seat)
        if unknown >= 0:
            slot = unknown
    state.answer[0] = slot


@kernel
def _unknown_rival(state, table, seat, mean):
    """A place with a rival's card that the seat does not know, the leader's if it can be."""
    owner = leader(state, table, seat, mean, False)
    if owner >= 0:
        slot = _first_unknown(state, seat, owner)
        if slot >= 0:
            return owner << 7 | slot
    for step in range(1, state.players):
        owner = clockwise(state, seat, step)
        slot = _first_unknown(state, seat, owner)
        if slot >= 0:
            return owner << 7 | slot
    return np.int64(NONE)


@kernel
def _unknown_own(state, seat):
    slot = _first_unknown(state, seat, seat)
    return seat << 7 | slot if slot >= 0 else np.int64(NONE)


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
    mean = unknown_value(state, seat)
    if table.look_first[state.who[seat]] == FIRST_OWN:
        place = _unknown_own(state, seat)
        if place < 0:
            place = _unknown_rival(state, table, seat, mean)
    else:
        place = _unknown_rival(state, table, seat, mean)
        if place < 0:
            place = _unknown_own(state, seat)
    state.answer[0] = place if place >= 0 else _any_card(state, seat)


@kernel
def _show(state, table, seat):
    """Show a rival's card, an unknown one if there is any; an own card only if there is no other."""
    place = _unknown_rival(state, table, seat, unknown_value(state, seat))
    state.answer[0] = place if place >= 0 else _any_card(state, seat)


@kernel
def _movable_extreme(state, table, seat, owner, mean, sign):
    """(card, estimate) of the card of `owner` that may be moved with the extreme estimate.

    `sign` 1 asks for the highest, -1 for the lowest. The card is SOME_UNKNOWN or SOME_KEPT for
    any unknown one, NONE if nothing may be moved.
    """
    best = np.int64(NONE)
    value = NOTHING
    if protected(state, owner, seat):
        return best, sign * value
    unknown = 0
    kept = 0
    for word in range(WORDS):
        cards = state.held[owner, word] & ~state.locked[word]
        known = cards & state.seen[seat, word]
        cards &= ~known
        unknown += popcount(cards & ~state.kept[word])
        kept += popcount(cards & state.kept[word])
        while known != _ZERO:
            card = (word << 6) + lowest(known)
            known &= known - _ONE
            guess = sign * np.float64(table.value[card])
            if guess > value:
                best = np.int64(card)
                value = guess
    if unknown > 0 and sign * mean > value:
        best = np.int64(SOME_UNKNOWN)
        value = sign * mean
    if kept > 0 and sign * mean * KEPT_SHARE > value:
        best = np.int64(SOME_KEPT)
        value = sign * mean * KEPT_SHARE
    return best, sign * value


@kernel
def _place_of(state, seat, owner, card):
    """The place of a card, or of the first movable card that is unknown (and kept, or not)."""
    if card >= 0:
        return np.int64(state.place[card])
    for slot in range(state.n_slots[owner]):
        there = state.slot_card[owner, slot]
        if there >= 0 and not knows(state, seat, there) and not is_locked(state, there):
            kept = (state.kept[there >> 6] & bit(there)) != _ZERO
            if kept == (card == SOME_KEPT):
                return np.int64(owner << 7 | slot)
    return np.int64(NONE)


@kernel
def _own_worst_movable(state, table, seat, mean):
    """(place, estimate) of the highest own card that may be moved; (NONE, …) if none."""
    card, value = _movable_extreme(state, table, seat, seat, mean, 1.0)
    if card == NONE:
        return np.int64(NONE), value
    return _place_of(state, seat, seat, card), value


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
    return _place_of(state, seat, whose, best), value


@kernel
def _swap_rivals(state, table, seat, mean, cheap):
    """A swap between two rivals that hurts the owner of the place `cheap`; False if impossible."""
    best = np.int64(NONE)
    whose = np.int64(NONE)
    value = NOTHING
    for owner in range(state.players):
        if owner == seat or owner == cheap >> 7:
            continue
        card, guess = _movable_extreme(state, table, seat, owner, mean, 1.0)
        if card != NONE and guess > value:
            best = card
            whose = np.int64(owner)
            value = guess
    if whose < 0:
        return False
    state.answer[0] = cheap
    state.answer[1] = _place_of(state, seat, whose, best)
    return True


@kernel
def _swap(state, table, seat):
    """Swap the own worst card for the lowest rival card; if that gains too little, two rivals'."""
    mean = unknown_value(state, seat)
    own, worst = _own_worst_movable(state, table, seat, mean)
    cheap, least = _cheapest_rival_card(state, table, seat, mean)
    if own >= 0 and cheap >= 0 and worst - least >= table.swap_min_gain[state.who[seat]]:
        state.answer[0] = own
        state.answer[1] = cheap
    elif cheap < 0 or not _swap_rivals(state, table, seat, mean, cheap):
        state.answer[0] = own
        state.answer[1] = cheap


@kernel
def _macaw(state, table, seat):
    """Look at the own card likeliest to be high and at a rival's likeliest to be low."""
    mean = unknown_value(state, seat)
    own = _unknown_own(state, seat)
    slot, worst = own_worst(state, table, seat, mean)
    if slot >= 0 and (own < 0 or worst > mean):
        own = seat << 7 | slot
    # A card that cannot be moved may be looked at, but one that can is worth more.
    rival, _least = _cheapest_rival_card(state, table, seat, mean)
    if rival < 0:
        rival = _unknown_rival(state, table, seat, mean)
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
                for other in range(state.n_slots[owner]):
                    if state.slot_card[owner, other] >= 0:
                        state.answer[1] = owner << 7 | other


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
    state.answer[0] = 1 if gain >= table.macaw_min_gain[state.who[seat]] else 0


@kernel
def _toco(state, table, seat):
    """Choose who gets a card more."""
    taste = table.toco_target[state.who[seat]]
    choice = np.int64(NONE)
    if taste == TOCO_DECLARER and state.bao_by >= 0:
        choice = np.int64(state.bao_by)
    elif taste == TOCO_NEXT or taste == TOCO_RANDOM:
        step = 1 if taste == TOCO_NEXT else 1 + own_below(state, seat, state.players - 1)
        choice = np.int64(clockwise(state, seat, step))
    if choice < 0 or choice == seat or protected(state, choice, seat):
        choice = np.int64(NONE)
        least = -NOTHING
        mean = unknown_value(state, seat)
        for step in range(1, state.players):
            owner = clockwise(state, seat, step)
            if not protected(state, owner, seat):
                total = estimated_total(state, table, seat, owner, mean)
                if total < least:
                    least = total
                    choice = np.int64(owner)
    state.answer[0] = choice


@kernel
def _shoebill(state, table, seat):
    """The lower card for the own worst one, the higher for the rivals' lowest."""
    mean = unknown_value(state, seat)
    own, worst = _own_worst_movable(state, table, seat, mean)
    cheap, least = _cheapest_rival_card(state, table, seat, mean)
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
    """Decline a power only where it must do harm: a swap without gain, a blind Shoebill never."""
    state.answer[0] = 1


@kernel
def _bao(state, table, seat):
    """Call when the own total is low, known well enough, and lower than the rivals' seem."""
    who = state.who[seat]
    state.answer[0] = 0
    mean = unknown_value(state, seat)
    total = own_total(state, table, seat, mean)
    if total > table.bao_threshold[who] or state.own_unknown[seat] > table.bao_unknown_max[who]:
        return
    if state.turn < table.bao_min_turn[who] * state.players:
        return
    if lowest_rival_total(state, table, seat, mean) - total >= table.bao_margin[who]:
        state.answer[0] = 1


@kernel
def decide(state, table, seat, question):
    """Answer a question from what the seat knows."""
    if question == ASK_CLAIM:
        _claim(state, table, seat)
    elif question == ASK_SOURCE:
        _source(state, table, seat)
    elif question == ASK_DRAWN:
        _drawn(state, table, seat)
    elif question == ASK_BAO:
        _bao(state, table, seat)
    elif question == ASK_GIFT:
        _gift(state, table, seat)
    elif question == ASK_USE:
        _use(state, table, seat)
    elif question == ASK_LOOK:
        _look(state, table, seat)
    elif question == ASK_SHOW:
        _show(state, table, seat)
    elif question == ASK_SWAP:
        _swap(state, table, seat)
    elif question == ASK_MACAW:
        _macaw(state, table, seat)
    elif question == ASK_MACAW_SWAP:
        _macaw_swap(state, table, seat)
    elif question == ASK_TOCO:
        _toco(state, table, seat)
    elif question == ASK_SHOEBILL:
        _shoebill(state, table, seat)
