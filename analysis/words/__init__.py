"""Languages of reports: catalogues of short sentences, and numbers as people write them there.

A catalogue is a TOML file beside this. Its keys, joined by dots, are the same in every language,
and so are the names in braces that an entry leaves to be filled in. An entry that depends on a
number is a table of plural forms: ``one``, ``other`` and, where a language has it, ``many`` (whole
millions: *1 000 000 de manches*).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from analysis.text.numbers import of_hundred
from sim.errors import InputError, one_of
from sim.game.files import read_toml

FOLDER = Path(__file__).parent

DEFAULT = "en"

MINUS, NO_BREAK = "−", "\N{NO-BREAK SPACE}"

_FORMS = {"one", "many", "other"}

MILLION = 1_000_000

ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th")
"""Places in the turn order, and of players in a study, as plots and catalogues name them."""


def languages() -> tuple[str, ...]:
    """Return the codes of all languages, English first."""
    codes = sorted(path.stem for path in FOLDER.glob("*.toml"))
    return (DEFAULT, *(code for code in codes if code != DEFAULT))


@cache
def language(code: str = DEFAULT) -> Language:
    """Return a language by its code.

    Raises:
        InputError: There is no catalogue of it.
    """
    if code not in languages():
        expected = one_of(languages(), quote="")  # codes of two letters are all near each other
        raise InputError("no such language", expected=expected, got=code)
    return Language(code, read_toml(FOLDER / f"{code}.toml"))


class Language:
    """One catalogue, and how numbers are written.

    Attributes:
        code: As in HTML's ``lang``: ``en``, ``pt-BR``.
        entries: Text, or texts by plural form, by dotted key.
        semicolon: What stands between the items of a list.
    """

    def __init__(self, name: str, catalogue: Mapping[str, Any]) -> None:
        """Read a catalogue."""
        self.name = name
        self.entries: dict[str, str | dict[str, str]] = dict(_flat(catalogue))
        self.code = self.text("language.code")
        self._decimal, self._group = self.text("language.decimal"), self.text("language.group")
        marks = self.text("language.spaced_marks")
        self.semicolon = str(_kept_together(" ; " if ";" in marks else "; ", marks))
        self.entries = {key: _kept_together(entry, marks) for key, entry in self.entries.items()}
        self._form_of_zero = self.text("language.form_of_zero")

    def __contains__(self, key: str) -> bool:
        """Whether the catalogue has an entry."""
        return key in self.entries

    # --- words ------------------------------------------------------------------------------------

    def text(self, key: str) -> str:
        """Return an entry as it stands in the catalogue, or what stands for a missing one.

        Raises:
            KeyError: It has plural forms.
        """
        entry = self._entry(key)
        if not isinstance(entry, str):
            raise KeyError(key)
        return entry

    def _entry(self, key: str) -> str | dict[str, str]:
        """Return an entry; of one that is missing the English one, or what its key says.

        So what is new never fails anybody. Tests tell what a catalogue lacks.
        """
        if key in self.entries:
            return self.entries[key]
        if self.name != DEFAULT:
            return language(DEFAULT)._entry(key)
        return key.rpartition(".")[2].replace("_", " ")

    def of_kind(self, key: str, kind: str) -> str:
        """Return the text of a key that a kind of thing may have a text of its own for."""
        own = f"{key}_{kind}"
        return self.text(own if own in self else key)

    def say(self, key: str, /, **values: Any) -> Markup:
        """Return an entry as HTML, with values filled in; those that are no markup are escaped."""
        return self._filled(self.text(key), values)

    def counted(self, key: str, number: int, shown: object = None) -> Markup:
        """Return a number and its noun: ``1 round``, ``2,000 rounds``.

        Args:
            key: Of an entry with plural forms; ``{n}`` in it is the number.
            number: Decides on the form.
            shown: Stands for it; by default the number as people write it.
        """
        forms = self._entry(key)
        if isinstance(forms, str):
            forms = {"other": f"{{n}} {forms}"}
        form = forms.get(self._form(number), forms["other"])
        return self._filled(form, {"n": self.whole(number) if shown is None else shown})

    def _form(self, number: int) -> str:
        if number == 0:
            return self._form_of_zero
        if number == 1:
            return "one"
        return "many" if number % MILLION == 0 else "other"

    @staticmethod
    def _filled(text: str, values: Mapping[str, Any]) -> Markup:
        return Markup(escape(text)).format(**values)

    def shipped(self, kind: str, name: str, english: str) -> str:
        """Return a text that ships with the program in this language.

        Args:
            kind: Table of the catalogue, such as ``rule``; the English one has none of these.
            name: What it is about; of texts without a name the text itself.
            english: What stands for it where the catalogue does not know it.
        """
        found = self.entries.get(f"{kind}.{name}", english)
        return found if isinstance(found, str) else english

    def bird(self, bird: str, name: str = "") -> str:
        """Return what people call a bird.

        Args:
            bird: Its id.
            name: What stands for it where the catalogue does not know the bird, or where somebody
                has given it another name than the program's; made of its id if empty.
        """
        usual = language(DEFAULT).entries.get(f"bird.{bird}")
        if usual is None or name not in ("", usual):
            return name or bird.replace("_", " ")
        return self.text(f"bird.{bird}")

    # --- numbers ----------------------------------------------------------------------------------

    def whole(self, number: int) -> str:
        """Return a whole number: ``1,234,567``."""
        return self.number(number, 0)

    def number(self, value: float, places: int) -> str:
        """Return a number with so many decimals; never ``-0.0``."""
        rounded = value if isinstance(value, int) and places == 0 else round(value, places) + 0.0
        text = f"{rounded:,.{places}f}".replace("-", MINUS)
        return text.translate({ord(","): self._group, ord("."): self._decimal})

    def signed(self, value: float, places: int) -> str:
        """Return a number with its sign, ``+`` too."""
        text = self.number(value, places)
        return f"+{text}" if value > 0 and round(value, places) != 0 else text

    def percent(self, share: float, places: int = 1) -> str:
        """Return a share, from 0 to 1, in per cent without the sign; see `of_hundred`."""
        return self.translate_numbers(of_hundred(100 * share, places))

    def parse(self, text: str) -> float:
        """Return the number that a text of `number`, `signed` or `percent` shows."""
        plain = text.translate({ord(self._group): None, ord(self._decimal): ".", ord(MINUS): "-"})
        return float(plain.lstrip("<>+"))

    def translate_numbers(self, text: str) -> str:
        """Return a text with the numbers in it, written as in English, as they are written here."""
        marks = {",": self._group, ".": self._decimal}
        return _MARKS.sub(lambda found: marks[found[0]], text)


_MARKS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))|(?<=\d)\.(?=\d)")


def _kept_together(entry: str | dict[str, str], marks: str) -> str | dict[str, str]:
    """Return an entry with spaces before some marks, as the French have, that no line ends at."""
    if isinstance(entry, dict):
        return {form: str(_kept_together(text, marks)) for form, text in entry.items()}
    for mark in marks:
        entry = entry.replace(f" {mark}", f"{NO_BREAK}{mark}")
    return entry


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str | dict[str, str]]]:
    for key, value in table.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping) and not value.keys() <= _FORMS:
            yield from _flat(value, f"{name}.")
        else:
            yield name, value
