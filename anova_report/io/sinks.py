"""Text that came from outside (names, levels, titles, messages) made safe for where it is written.

There is one function for each sink, and SECURITY.md lists them; nothing else writes such text. A module of its own
because every room that writes uses it.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

Record = TypeVar("Record")

LONGEST = 2000  # characters: a name of a million letters, drawn in a hundred places, would be a page of its own
# XML forbids these, terminals obey them, and UTF-8 has no place for surrogates.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Marks that turn the direction of the text after them: a name must not be able to reverse the number beside it.
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SPACE = re.compile(r"\s+")
# What services that run commands for others take for orders in their output: "::add-mask::", "##vso[…]", "##[…]".
_ORDER = re.compile(r"^(\s*):(?=:)|#(?=#)", re.MULTILINE)
_MARKUP = re.compile(r"[!-/:-@\[-`{-~]")  # all punctuation of ASCII, which Markdown lets be escaped
_MARKED = {"@": "@<!-- -->", "<": "&lt;"}
_FORMULA = ("=", "+", "-", "@")
_NUMBER = re.compile(r"[+-]?[\d.,]+(?:[eE][+-]?\d+)?%?")
_ENCODED = re.compile(r"=\?|[^\x20-\x7e]")


def clean(words: str) -> str:
    r"""Write text into a picture (SVG, canvas) or a widget: one line, nothing illegal, nothing that turns it round.

    Examples
    --------
    >>> clean("age\n \u202egroup\x00")
    'age group�'
    """
    return _SPACE.sub(" ", in_full(cut(words))).strip()


def seen(words: str) -> str:
    r"""Return what a reader sees of a text: two that differ only in what is not seen are taken for the same.

    Examples
    --------
    >>> seen(" Age\u200b\u202e"), seen("\u200b")
    ('Age', '')
    """
    return "".join(sign for sign in clean(words) if unicodedata.category(sign)[0] != "C").strip()


def in_full(text: str) -> str:
    """Replace what is illegal, and drop what turns text round; nothing is cut and lines stay."""
    return _TURNING.sub("", _CONTROL.sub("\ufffd", text.replace("\r", " ")))


def cut(words: str) -> str:
    """Shorten text that is longer than any place that shows it."""
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


def cleaned(record: Record) -> Record:
    """Clean every text of a dataclass, a tuple or a list, whatever is nested in it."""
    if isinstance(record, str):
        return clean(record)  # type: ignore[return-value]  # a text like the one that came
    if isinstance(record, tuple | list):
        return type(record)(map(cleaned, record))
    if is_dataclass(record) and not isinstance(record, type):
        return replace(record, **{field.name: cleaned(getattr(record, field.name)) for field in fields(record)})
    return record


def html(value: Any, *, whole: bool = False) -> Any:
    """Prepare a value that a template prints; Jinja2 escapes it afterwards, and markup of our own stays as it is."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return in_full(value if whole else cut(value))


def terminal(text: str) -> str:
    r"""Write text to a terminal or a log: no escape sequences, and no line that a service takes for an order.

    Line breaks stay; a name inside has to be `clean` before.

    Examples
    --------
    >>> terminal("\x1b[31mred\n::add-mask::red")
    '�[31mred\n: :add-mask::red'
    """
    return _ORDER.sub(lambda found: f"{found[0]} ", in_full(text))


def terminal_json(document: Any) -> str:
    """Write JSON to a terminal or a log: letters beyond ASCII are escaped, and so is what looks like an order."""
    return json.dumps(document, indent=2, allow_nan=False).replace("##", "#\\u0023")


def markdown(text: str) -> str:
    r"""Write text into Markdown: every sign that could mean something is escaped, and nobody is called by an "@".

    Examples
    --------
    >>> markdown("a|b *c* <d> @ada")
    'a\\|b \\*c\\* &lt;d\\> @<!-- -->ada'
    """
    return _MARKUP.sub(lambda found: _MARKED.get(found[0], f"\\{found[0]}"), clean(text))


def mail_header(text: str) -> str:
    """Write text as the value of a header; what looks like an encoded word is read as the letters it is made of.

    Examples
    --------
    >>> mail_header("House prices"), mail_header("=?utf-8?q?=0a?=")
    ('House prices', '=?utf-8?b?PT91dGYtOD9xPz0wYT89?=')
    """
    from email.header import Header  # noqa: PLC0415 only mails need it

    plain = clean(text)
    return Header(plain, "utf-8").encode(linesep="\n") if _ENCODED.search(plain) else plain


def csv_cell(value: Any) -> Any:
    """Write a cell of a CSV file; text that a spreadsheet would compute begins with an apostrophe.

    Examples
    --------
    >>> csv_cell("=1+1"), csv_cell("-0.5"), csv_cell(-0.5)
    ("'=1+1", '-0.5', -0.5)
    """
    if not isinstance(value, str):
        return value
    plain = in_full(value)
    # Spreadsheets skip what is not seen, as the mark with which a file begins, and read wide signs as the usual ones.
    seen = next((sign for sign in plain if unicodedata.category(sign)[0] not in "CZ"), "")
    computed = unicodedata.normalize("NFKC", seen).startswith(_FORMULA) or plain.startswith("\t")
    return f"'{plain}" if computed and not _NUMBER.fullmatch(plain) else plain


def yaml(document: Mapping[str, Any], width: int = 100) -> str:
    """Write a mapping as YAML that reads back as the same."""
    from yaml import safe_dump  # noqa: PLC0415 most commands need none

    return str(safe_dump(dict(document), allow_unicode=True, sort_keys=False, width=width))


def file_name(text: str, otherwise: str = "file") -> str:
    """Make a name that is safe for a file on any system: letters, digits, dots, hyphens and underscores are kept.

    Examples
    --------
    >>> [file_name(name) for name in ("North / 2024", "../../etc", "Größe.html", "???")]
    ['North-2024', 'etc', 'Größe.html', 'file']
    """
    return re.sub(r"[^\w.-]+", "-", text).strip(".-") or otherwise
