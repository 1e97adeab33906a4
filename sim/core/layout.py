"""The layout of one round's state, of the table it is played at, and of the sums; nothing else.

Three structured records travel through the engine, each as one pointer:

* ``State``: what changes while a round (or a game) is played. Allocated once for a chunk.
* ``Table``: what is fixed: rules, deck, players.
* ``Tally``: integer sums over many rounds.

**Physical cards.** The cards of a deck are numbered 0 … ``cards`` - 1, cards of one family
next to each other. Everything is about physical cards, because knowledge, locks and protection
follow the card and not the slot (KNOW-1, POW-LOCK). A set of cards is ``WORDS`` uint64 words:
bit ``card & 63`` of word ``card >> 6``. "Which of the cards that I know, lying on the table,
match this reference?" is then one AND for each word.

**Places.** A slot in an area is written ``owner << 7 | slot``.

-1 means none, everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sim.game.deck import POWERS
from sim.game.players import parameters_of_all
from sim.game.rules import Rules

MAX_PLAYERS = 6
MAX_CARDS = 128
WORDS = MAX_CARDS // 64
MAX_SLOTS = 128
MAX_FAMILIES = 64
MAX_MOVES = 1024
LOG_WORDS = 16384
#: SLOT-3: the highest slot number that a round uses before holes are filled again.
SLOT_NUMBERS = 66

NONE = -1

# What started a power.
BY_DISCARD, BY_REFERENCE, BY_ELIMINATED = range(3)
TRIGGERS = ("discard", "reference", "eliminated")

# How a round ended.
RUNNING, END_BAO, END_RECYCLING, END_CAP = range(-1, 3)
REASONS = ("bao", "second_recycling", "turn_cap")

# How a call of BAO ended.
BAO_CALLED, BAO_WON, BAO_TIED, BAO_BEATEN, BAO_VOID = range(5)

# How a game ended.
GAME_THRESHOLD, GAME_MAX_ROUNDS, GAME_TIE_CAP = range(3)
GAME_REASONS = ("threshold", "max_rounds", "tie_break_cap")

# Counts kept for each seat and round (``State.count``): plucks by kind, then powers.
OWN_HIT, RIVAL_HIT, DOUBLE_HIT, MISSED, POWER_USED = range(5)
COUNTS = POWER_USED + len(POWERS)

# Finer counts for each seat (``State.detail``), for the tally alone. A name stands for the first of
# as many numbers as the comment behind it multiplies to, the last factor running fastest.
FROM_DRAW, FROM_WINDOW = range(2)  # the sources of a reference
PLUCK_OWN, PLUCK_RIVAL, PLUCK_DOUBLE = range(3)  # the targets of a pluck
CHANCE_OWN, CHANCE_RIVAL = range(2)  # whose card a seat could have plucked; rival: no own one
PLUCK_TRIED = 0  # source, targets, missed or hit
DRAW_CHANCE = PLUCK_TRIED + 2 * 3 * 2  # whose, (chances, tried)
WINDOW_CHANCE = DRAW_CHANCE + 2 * 2  # whose, (chances, tried, another's attempt came)
RACES = WINDOW_CHANCE + 2 * 3  # (windows with its claim and another's, won)
POWER_BY = RACES + 2  # power, trigger
NO_EFFECT = POWER_BY + len(POWERS) * len(TRIGGERS)  # power
#: For the declarer: Shield raised, turns begun under it, references for which it alone forbade an
#: opponent a pluck, powers that move cards used by opponents under it, and those without effect.
SHIELD_RAISED = NO_EFFECT + len(POWERS)
SHIELD_TURNS = SHIELD_RAISED + 1
SHIELD_PLUCKS = SHIELD_RAISED + 2
SHIELD_POWERS = SHIELD_RAISED + 3
SHIELD_NO_EFFECT = SHIELD_RAISED + 4
GONE = SHIELD_RAISED + 5  # turns at whose end it had no card
DETAILS = GONE + 1

# Counts of windows (``State.windows``): all, those in which a seat had a chance, those with an
# attempt, those with a chance and no attempt, those with two claims or more.
OPENED, WITH_CHANCE, PLUCKED, LEFT, RACED = range(5)
WINDOWS = 5

#: Who leads: a seat, or in the last entry nobody.
LEADS = 8

# Rows of the histograms over numbers of turns: rounds by length, for each end; calls by turn, for
# each outcome; rounds by changes of the lead; by the last turn in which a later loser led; by the
# turns after that.
TURNS_BY_END = 0
TURNS_BY_CALL = TURNS_BY_END + 3
LEAD_CHANGES = TURNS_BY_CALL + 4
LOSER_LED_AT = LEAD_CHANGES + 1
LOSER_LED_LEFT = LOSER_LED_AT + 1
TURN_ROWS = LOSER_LED_LEFT + 1

# Rows of the histograms over numbers of rounds: games by length, by changes of the lead.
GAME_LENGTHS, GAME_LEAD_CHANGES = range(2)
ROUND_ROWS = 2

# What is kept of each game by itself, as neither deck nor rules set it a bound that an array could
# have: its turns, and the most points that its winner had been behind (NONE: nobody won).
GAME_TURNS, GAME_DEFICIT = range(2)
GAME_COLUMNS = 2

# Sums over rounds for the swing of a bird (a power): the round's cards of it that were dealt
# (players who used it), the scores apart from the others' of those who had them, taken together (in
# points, times players less one), the squares of both, and their products.
SWING_N, SWING_X, SWING_XX, SWING_NN, SWING_NX = range(5)
SWINGS = 5

# How a face-down card came to lie: dealt, given or drawn unseen; chosen from a draw; taken.
LIES_DEALT, LIES_KEPT, LIES_TAKEN = range(3)

#: Chances to fade for which it is drawn at once which of them comes true, if any.
SPARED = 64

#: Turns for which it is reckoned beforehand how likely a memory is right; then it is as then.
AGES = 128

#: A mix-up turns a card into one of this many families that are next to it in value.
NEIGHBOURS = 4

#: Steps of the curve from the confidence that a player reckons to the one that proves true.
CURVE = 128

# Claims that have a curve each: single ones by target, with a drawn card or in a window; doubles.
CLAIMS = ("own_draw", "own_window", "rival_draw", "rival_window", "double")
CLAIM_OWN, CLAIM_RIVAL, CLAIM_DOUBLE = 0, 2, 4
CLAIM_IN_WINDOW = 1

#: Bins of a plucker's confidence, from 0 to 1; the last one holds certainty, too.
CONFIDENCE_BINS = 20

_SEATS = (MAX_PLAYERS,)

# What play reads and writes, and all that a copy needs to be played on with (`copying.copy_play`).
_PLAY = [
    # Random numbers: keys of this round, and how many each seat has used of its own stream.
    ("key1", np.uint64),
    ("key2", np.uint64),
    ("round_bits", np.uint64),
    ("used", np.uint32, _SEATS),
    # Sets of cards.
    ("held", np.uint64, (MAX_PLAYERS, WORDS)),  # lying in a player's area
    ("seen", np.uint64, (MAX_PLAYERS, WORDS)),  # whose place the seat knows for certain
    ("mind", np.uint64, (MAX_PLAYERS, WORDS)),  # that the seat thinks it has placed; see memory
    ("lying", np.uint64, (WORDS,)),  # lying in any area
    # What all have watched: cards that somebody chose for the own area, so likely low ones,
    # and cards that somebody put before a rival, so likely high ones.
    ("kept", np.uint64, (WORDS,)),
    ("dumped", np.uint64, (WORDS,)),
    ("left", np.uint64, (WORDS,)),  # that their owner has looked at, and left lying
    ("for_low", np.uint64, (WORDS,)),  # of the kept: in place of a known low card
    ("locked", np.uint64, (WORDS,)),  # moved by a power (POW-LOCK)
    ("left_share", np.float64),  # what a card of the latter is likely worth; see knowledge
    # Sums over the cards a seat has not placed: its idea of an unknown card.
    ("pool_sum", np.int32, _SEATS),
    ("pool_size", np.int32, _SEATS),
    # What a seat knows of its own cards, as of the last time that it asked; see
    # knowledge.own_cards. Kept because players ask it several times a turn.
    ("own_fresh", np.int32, _SEATS),
    ("own_sum", np.int32, _SEATS),  # of the known ones
    ("own_unknown", np.int32, _SEATS),  # how many are not known
    ("own_unknown_slot", np.int32, _SEATS),  # of the unknown card likeliest to be high
    ("own_unknown_share", np.float64, _SEATS),  # its estimate, in shares of an unknown card
    ("own_shares", np.float64, _SEATS),  # the same of all unknown cards together
    ("own_high", np.int32, _SEATS),  # the highest known value
    ("own_high_slot", np.int32, _SEATS),
    # Piles. The draw pile is pile[drawn:pile_size]; its order is fixed up to `settled`.
    ("pile", np.uint8, (MAX_CARDS,)),
    ("pile_size", np.int32),
    ("drawn", np.int32),
    ("settled", np.int32),
    ("discards", np.uint8, (MAX_CARDS,)),
    ("n_discards", np.int32),
    ("under", np.uint8, (MAX_CARDS,)),
    ("n_under", np.int32),
    ("recyclings", np.int32),
    # Areas.
    ("slot_card", np.int8, (MAX_PLAYERS, MAX_SLOTS)),
    ("place", np.int16, (MAX_CARDS,)),  # of a card lying in an area
    ("n_slots", np.int32, _SEATS),  # slots 0 … n_slots - 1 have been used in this round
    ("n_cards", np.int32, _SEATS),
    # The round.
    ("players", np.int32),
    ("who", np.uint8, _SEATS),  # seats of this round -> players of the table
    ("first", np.int32),
    ("active", np.uint8),
    ("turn", np.int32),  # turns begun, less one
    ("bao_by", np.int32),
    ("shield", np.int32),
    ("final_by", np.int32),
    ("turns_left", np.int32),  # turns to come after this one, once the last turns run
    ("reason", np.int32),
    ("total", np.int32, _SEATS),  # of the cards that lie in the area now; no player may ask
    ("score", np.int32, _SEATS),
    ("winner", np.int8, _SEATS),  # 1 for each winner
    ("bao_caller", np.int32),  # who called, also after an override
    ("bao_outcome", np.int32),
    # A question: what it is about.
    ("card", np.int32),  # drawn card, reference or power card
    ("from_draw", np.int32),  # the reference was drawn by the plucker
    ("claimed", np.int32),  # a window claim was accepted in this turn
    ("claims", np.int32),  # seats that claimed in the last window; bit k for seat k
    ("offer", np.int32, (2,)),  # the Shoebill's cards
    ("target", np.int32, (2,)),  # the claim being carried out, Macaw's two places
    ("n_targets", np.int32),
    ("claimed_sure", np.float64),  # confidence (0 to 1) of the claim in the answer, or NaN
    # The one attempt of this turn (INV-3): whose, hit or not, how sure.
    ("plucker", np.int32),
    ("hit", np.int32),
    ("sure", np.float64),
    ("gift_number", np.int32),
    ("gift", np.int32, (2,)),
    ("answer", np.int32, (4,)),
    ("why", np.float64, (4,)),  # the estimates behind the answer; see sim.watch.trace
    ("fault", np.int32),  # Fault
    ("fault_rules", np.int64),
    ("fault_question", np.int32),
    ("fault_seat", np.int32),
    # A unit of play: one round, or a game of many.
    ("index", np.int64),
    ("stage", np.int32),
    ("sums", np.int64, _SEATS),
    ("rounds", np.int32),  # finished rounds of the game, deciding rounds apart
    ("deciding_rounds", np.int32),
    ("deciding", np.int32),  # the round being played is a deciding round
    ("dealt", np.int32),  # rounds dealt in this game, all kinds
    ("next_first", np.int32),
    ("game_reason", np.int32),
    ("game_winner", np.int32),
    ("game_players", np.int32),
    ("seated", np.int32),  # players of the next deal
    # Memory; see there. So many chances to fade, one for each memory and turn, still come to
    # nothing; and 1 if the next one comes true, else more are to be drawn.
    ("spared", np.int32, _SEATS),
    ("strikes", np.int32, _SEATS),
    ("memory_used", np.uint32, _SEATS),  # numbers used of the seat's memory stream
    ("lessons", np.int32),
    ("mixed", np.uint64, (MAX_PLAYERS, WORDS)),  # cards in mind that it takes for others
]

# The memories of seats that forget; where nobody does (`Table.fading`), a copy needs none of it.
_MEMORIES = [
    ("lesson", np.int32, (MAX_PLAYERS, MAX_CARDS)),  # when it was learnt, in order
    ("learnt", np.int32, (MAX_PLAYERS, MAX_CARDS)),  # the turn in which it was learnt
    # The last turn in which a seat took a card in mind for a match, and in which it could pluck
    # with a card of a family.
    ("tried", np.int32, (MAX_PLAYERS, MAX_CARDS)),
    ("window", np.int32, (MAX_PLAYERS, MAX_FAMILIES)),
    ("belief", np.uint8, (MAX_PLAYERS, MAX_CARDS)),  # what it takes a card in mind for
    # By family, as the seat thinks: how many cards are not placed, and mixed-up cards of it.
    ("unplaced", np.int16, (MAX_PLAYERS, MAX_FAMILIES)),
    ("taken_for", np.uint64, (MAX_PLAYERS, MAX_FAMILIES, WORDS)),
]

# What is counted for the tally.
_COUNTED = [
    # 0 in `counting` stops most of it, for a copy that is played on with, or to measure its cost;
    # deciding rounds are not counted (`counted` is 0 in them).
    ("counting", np.int32),
    ("counted", np.int32),
    # Over many rounds, until `tally.add_counts` moves it to the tally.
    ("detail", np.int64, (MAX_PLAYERS, DETAILS)),
    ("windows", np.int64, (WINDOWS,)),
    ("led_turns", np.int64, (LEADS,)),  # at whose end a seat alone was lowest
    ("sure_plucks", np.int64, (MAX_PLAYERS, CONFIDENCE_BINS)),  # as in the tally
    ("sure_hits", np.int64, (MAX_PLAYERS, CONFIDENCE_BINS)),
    ("sure_sum", np.int64, (MAX_PLAYERS, CONFIDENCE_BINS)),
    # In this round.
    ("count", np.int32, (MAX_PLAYERS, COUNTS)),
    ("powers_used", np.int64),  # bit ``seat * 8 + power``: the seat has used it
    ("gone", np.int32),  # seats that had no card at the end of a turn; bit k for seat k
    ("lead", np.int32),  # who was last alone lowest at the end of a turn
    ("lead_changes", np.int32),
    ("led_at", np.int32, (LEADS,)),  # number of turns when it was a seat; 0: never
    ("call_turn", np.int32),  # number of turns when BAO was called
    ("call_total", np.int32),  # the caller's true total then
    ("call_unknown", np.int32),  # own cards that it had never seen
    ("call_lowest", np.int32),  # 1 if it alone had the lowest total
    ("dealt_cards", np.uint8, (MAX_CARDS,)),  # hand after hand
    ("hand", np.int32),  # cards dealt to each seat
    # By bird, while a round is added to the tally; else 0: its SWING_N, its SWING_X.
    ("dealt_n", np.int64, (MAX_CARDS,)),
    ("dealt_x", np.int64, (MAX_CARDS,)),
    # How a game went, after each round but deciding ones.
    ("game_turns", np.int64),
    ("game_lead", np.int32),  # who last alone had the lowest sum
    ("game_lead_changes", np.int32),
    ("behind", np.int64, _SEATS),  # the most points that a player was behind the lowest sum
    ("was_last", np.int32),  # players that had the highest sum; bit k for player k
    ("half", np.int32),  # 1 once a sum has reached half the threshold
    ("half_lead", np.int32),  # who then alone had the lowest sum
    ("half_last", np.int32),  # players that then had the highest; bit k for player k
]

#: A record of what happens, drained after each step; see log.py.
LOG = np.dtype(
    [
        ("on", np.int32),
        ("used", np.int32),
        ("full", np.int32),  # something did not fit
        ("words", np.int32, (LOG_WORDS,)),
    ],
    align=True,
)

#: One decision of a script; what a to d hold, `Do` says.
MOVE = np.dtype(
    [(name, np.int16) for name in ("seat", "do", "a", "b", "c", "d", "gifts")]
    + [("gift", np.int16, (2,))],
    align=True,
)

#: Decisions, and the draw piles after each recycling, read from a file.
SCRIPT = np.dtype(
    [
        ("n_moves", np.int32),
        ("next", np.int32),
        ("swap", np.int32),  # what a Macaw's user will do
        ("moves", MOVE, (MAX_MOVES,)),
        ("refused", np.int64, (MAX_MOVES,)),
        ("n_piles", np.int32),
        ("next_pile", np.int32),
        ("wrong_pile", np.int32),  # the first one that does not hold the recycled cards
        ("pile_size", np.int16, (MAX_MOVES,)),
        ("pile_at", np.int32),  # where the next one begins
        ("piles", np.int8, (LOG_WORDS,)),
    ],
    align=True,
)

PLAY = np.dtype(_PLAY, align=True)
PLAY_AND_MEMORIES = np.dtype(_PLAY + _MEMORIES, align=True)
#: Begins as both of these do.
STATE = np.dtype(_PLAY + _MEMORIES + _COUNTED + [("log", LOG), ("script", SCRIPT)], align=True)

# Parameters that stand after another one than in the model of their kind.
_STANDS_AFTER = {
    "attention": "macaw_min_gain",
    "bao_confidence": "attention",
    "unknown_value": "score_awareness",
    "know_worth": "unknown_value",
    "show_first": "last_turns",
    "shoebill_target": "show_first",
    "memory_span": "shoebill_target",
}


def _parameters(dtype: type[np.generic]) -> list[tuple[str, type[np.generic], tuple[int]]]:
    """Fields of the parameters of all kinds of players that are numbers of a dtype."""
    specs = parameters_of_all()
    names = [name for name in specs if name not in _STANDS_AFTER]
    for name, before in _STANDS_AFTER.items():
        names.insert(names.index(before) + 1, name)
    return [(name, dtype, _SEATS) for name in names if _kind_of_number(specs[name]) is dtype]


def _kind_of_number(spec: Mapping[str, Any]) -> type[np.generic]:
    whole = spec["type"] in ("integer", "boolean", "choice") and spec.get("unit") != "points"
    return np.int32 if whole else np.float64


TABLE = np.dtype(
    [
        ("players", np.int32),
        ("games", np.int32),  # 1: a unit is a game, 0: a round
        ("scripted", np.int32),
        ("policy", np.uint8, _SEATS),
        # Rules; choices as their numbers. Tables by number of players have fields of their own.
        *[(f"rule_{o['name']}", np.int32) for o in Rules.options() if o["type"] != "table"],
        ("hand_size", np.int32, (MAX_PLAYERS + 1,)),  # by number of players
        ("threshold", np.int32),
        # Deck.
        ("cards", np.int32),
        ("slot_numbers", np.int32),
        ("deck_sum", np.int32),
        ("value", np.int16, (MAX_CARDS,)),
        ("birds", np.int32),
        ("bird", np.int8, (MAX_CARDS,)),
        ("family", np.uint8, (MAX_CARDS,)),
        ("power", np.int8, (MAX_CARDS,)),
        ("family_cards", np.uint64, (MAX_FAMILIES, WORDS)),
        ("hunch_pool", np.int32, _SEATS),  # see policies.heuristic.has_hunch
        ("families", np.int32),
        ("family_first", np.int32, (MAX_FAMILIES,)),  # its first card
        ("family_size", np.int32, (MAX_FAMILIES,)),
        ("deck_mean", np.float64),  # of a card's value, in points
        ("deck_sd", np.float64),  # of a card's value, in points
        # Players.
        ("fading", np.int32),  # 1 if anybody's memory fades
        ("crowding", np.int32),  # 1 if anybody has a span of memory
        ("mixing", np.int32),  # 1 if anybody mixes up cards
        ("fades", np.int32, _SEATS),  # 1 if anything in the player's memory fades
        ("overlooks", np.int32, _SEATS),  # 1 if the player does not count every card
        ("lapses", np.int32, _SEATS),  # 1 if the player forgets cards or mixes them up
        ("crowded", np.int32, _SEATS),  # 1 if the player has a span of memory
        ("lasting", np.uint64, _SEATS),  # all bits set if what is mixed up lasts
        ("memorises", np.int32, _SEATS),  # 1 if it matters when the player learnt a card
        # Chances, as shares of 2**64, that 1, 2 … memories are neither forgotten nor mixed up.
        ("spared", np.uint64, (MAX_PLAYERS, SPARED)),
        # Families, as bits, that a card of a family may be taken for, and that one that is taken
        # for that family may be; the chance of each.
        ("neighbours", np.uint64, (MAX_FAMILIES,)),
        ("mistaken", np.uint64, (MAX_FAMILIES,)),
        ("to_neighbour", np.float64),
        # Chance that a memory is not mixed up within 0, 1, 2 … turns.
        ("stays_right", np.float64, (MAX_PLAYERS, AGES)),
        # The confidence that proves true, by claim (CLAIM_…), where 0, 1 / CURVE … 1 is reckoned.
        ("curve", np.float64, (MAX_PLAYERS, len(CLAIMS), CURVE + 1)),
        ("doubt", np.float64, _SEATS),  # see memory.chance_by_counting
        # How likely a card of a family is to lie there, for how it came to lie (LIES_…).
        ("lies", np.float64, (MAX_PLAYERS, 3, MAX_FAMILIES)),
        ("forgets_first", np.float64, _SEATS),  # chance that what fades is forgotten
        # Parameters of players: choices as their numbers, points and shares as float64.
        *_parameters(np.float64),
        *_parameters(np.int32),
    ],
    align=True,
)

#: A whole win in units that a tie among 2 … 6 divides.
WIN_UNITS = 60

TALLY = np.dtype(
    [
        ("rounds", np.int64),
        ("ends", np.int64, (3,)),
        ("bao", np.int64, (5,)),
        ("wins", np.int64, _SEATS),
        ("shared", np.int64, _SEATS),
        ("share", np.int64, _SEATS),  # in WIN_UNITS
        ("share_sq", np.int64, _SEATS),
        ("score", np.int64, _SEATS),
        ("score_sq", np.int64, _SEATS),
        ("total", np.int64, _SEATS),
        ("cards_left", np.int64, _SEATS),
        ("bao_called", np.int64, _SEATS),
        ("bao_won", np.int64, _SEATS),
        ("count", np.int64, (MAX_PLAYERS, COUNTS)),
        ("detail", np.int64, (MAX_PLAYERS, DETAILS)),
        ("windows", np.int64, (WINDOWS,)),
        # By seat and place in the turn order of the round (0 began): rounds, those with a
        # winner, and what the seat won in them.
        ("place_rounds", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),
        ("place_decided", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),
        ("place_share", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),  # in WIN_UNITS
        ("place_score", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),
        ("place_score_sq", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),
        # Calls of BAO: by outcome; of callers alone lowest then; by Shield down or up at the end.
        ("call_ends", np.int64, (MAX_PLAYERS, 5)),
        ("call_lowest", np.int64, (5,)),
        ("call_shield", np.int64, (2, 5)),
        ("call_turn", np.int64, _SEATS),
        ("call_turn_sq", np.int64, _SEATS),
        ("call_total", np.int64, _SEATS),
        ("call_total_sq", np.int64, _SEATS),
        ("call_unknown", np.int64, _SEATS),
        ("call_unknown_sq", np.int64, _SEATS),
        ("led", np.int64, _SEATS),  # turns at whose end the seat alone had the lowest total
        ("final_by", np.int64, _SEATS),  # automatic final phases that began in a turn of the seat
        # Rounds in which a seat had no card at the end of a turn, those of them with a winner,
        # and what the seat won in them.
        ("gone_rounds", np.int64, _SEATS),
        ("gone_decided", np.int64, _SEATS),
        ("gone_share", np.int64, _SEATS),  # in WIN_UNITS
        # Over rounds: squares of a seat's plucks and hits, and their products.
        ("tries_sq", np.int64, _SEATS),
        ("hits_sq", np.int64, _SEATS),
        ("hits_tries", np.int64, _SEATS),
        # Swings (SWING_…) of birds dealt, and of powers that a seat used once or more in a round.
        ("dealt", np.int64, (SWINGS, MAX_CARDS)),
        ("users", np.int64, (SWINGS, len(POWERS))),
        # Calls by outcome (from BAO_WON on) and unknown cards.
        ("call_unknowns", np.int64, (4, MAX_CARDS + 1)),
        # Plucks by the plucker's confidence, in CONFIDENCE_BINS equal bins of 0 to 1.
        ("sure_plucks", np.int64, (MAX_PLAYERS, CONFIDENCE_BINS)),
        ("sure_hits", np.int64, (MAX_PLAYERS, CONFIDENCE_BINS)),
        ("sure_sum", np.int64, (MAX_PLAYERS, CONFIDENCE_BINS)),  # in millionths
        # Games. Scores of one game's rounds hang together, so sums by game are kept too.
        ("games", np.int64),
        ("game_ends", np.int64, (3,)),
        ("game_score_sq", np.int64, _SEATS),
        ("game_score_rounds", np.int64, _SEATS),
        ("decided", np.int64),  # games that needed deciding rounds
        ("deciding_rounds", np.int64),
        ("game_turns", np.int64),
        ("game_turns_sq", np.int64),  # left to `sim.batch.sums`: that of one game may leave int64
        # Games that somebody won: after having been last, and with a sum of half the threshold
        # before the end: by who led then, and who was last then.
        ("come_from_last", np.int64),
        ("half_games", np.int64),
        ("half_lead_won", np.int64),
        ("half_last_won", np.int64),
    ],
    align=True,
)


def new_record(dtype: np.dtype[Any]) -> Any:
    """One zeroed record of a dtype, as ``np.record`` so that fields are attributes."""
    return np.zeros(1, dtype).view(np.recarray)[0]


def new_state() -> Any:
    """A state with empty areas, ready for `play.start`."""
    state = new_record(STATE)
    state.slot_card[:] = NONE
    state.place[:] = NONE
    state.counting = 1
    return state
