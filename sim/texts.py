r"""What a text of the user's may be, and how any text is shown on a terminal.

Names, titles and the like stand in terminals, tables, pictures and pages. So they are one line of
printable text, whoever gives them and however. What has to be told of files, keys and values that
are no such text is told with its strange letters written as in Python, ``\x1b``.
"""

from __future__ import annotations

import re
import unicodedata

EXPECTED = "one line of printable text"

_STRANGE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters, line ends and tabs among them
    "\u2028\u2029"  # ends of lines and paragraphs
    "\u202a-\u202e\u2066-\u2069"  # marks that turn the order of what follows
    "\ufeff\ufff9-\ufffb"  # of encodings and annotations
    "\ud800-\udfff"  # halves of letters; bytes of file names that are no text
    "\ufdd0-\ufdef"
    + "".join(chr(k << 16 | low) for k in range(17) for low in (0xFFFE, 0xFFFF))
    + "]"
)
"""What no line of text has in it: XML, HTML or terminals do not take it as a letter."""


def is_line(text: str) -> bool:
    """Whether a text is one line of printable text."""
    return _STRANGE.search(text) is None


def printable(text: str, keep: str = "") -> str:
    """Return a text in which everything that is not printable is written as in Python.

    Args:
        text: Any text.
        keep: What stays as it is all the same.
    """
    return _STRANGE.sub(lambda found: found[0] if found[0] in keep else ascii(found[0])[1:-1], text)


def on_one_line(text: str) -> str:
    """Return a text in which every line break or tab, with the space around it, is one space."""
    folded = re.sub(r" *[\t\r\n][ \t\r\n]*", " ", text)
    return text if folded == text else folded.strip(" ")


# --- terminals ------------------------------------------------------------------------------------


def columns(text: str) -> int:
    """Return how many columns of a terminal a line of text takes: letters of East Asia take two."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):  # stands on the letter before it
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Return a line of text that takes so many columns at least; `right`: it is flush right."""
    space = " " * (width - columns(text))
    return space + text if right else text + space


def cut(text: str, width: int) -> str:
    """Return the beginning of a line of text that takes so many columns at most."""
    while columns(text) > width:
        text = text[:-1]
    return text
