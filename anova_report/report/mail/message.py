"""Mailing a page: a body that every client shows, and the page attached."""

import math
import os
import re
from collections.abc import Sequence
from email.errors import HeaderParseError, MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, getaddresses, make_msgid
from pathlib import Path
from typing import Any

from anova_report.core import files
from anova_report.errors import InputError, StorageError
from anova_report.figures.style import LIGHT
from anova_report.measures.wording import percent
from anova_report.report.audit.audit import Audit
from anova_report.report.page.page_facts import OutputFacts, PageFacts, ShareFact, read_facts
from anova_report.report.page.render import environment, render

MAX_SIZE = 20.0  # megabytes; what most servers take is between 10 and 25
CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")


def compose(
    page: str | os.PathLike[str] | Audit,
    *,
    to: Sequence[str],
    sender: str,
    subject: str | None = None,
    max_size: float = MAX_SIZE,
) -> EmailMessage:
    """Write a mail with the verdict and the numbers behind it, an audit's findings and shares, and the page attached.

    Parameters
    ----------
    page : path or Audit
        A page that this package wrote, or an audit, whose page is made.
    to : sequence of str
        Addresses, with or without names: "Ada <ada@example.org>".
    subject : str, optional
        Verdict and title by default.
    max_size : float
        Megabytes that the whole mail may have.

    Raises
    ------
    InputError
        If there is no such page, an address or the subject is not one, or the mail is too large.
    """
    name, content = _content(page, max_size)
    try:
        facts = read_facts(content.decode())
    except (StorageError, UnicodeDecodeError) as error:
        raise InputError(f"{name} is no page that can be mailed: {error}") from error
    if subject is None:
        subject = f"[{facts.verdict}] {' '.join(CONTROL.sub(' ', facts.title).split())}"
    if CONTROL.search(subject):
        raise InputError(f"The subject {subject!r} holds a line break or another control character. Leave it out.")
    if not to:
        raise InputError("Nobody is named to send the mail to. Name at least one address.")
    message, origin = EmailMessage(), _one_address(sender)
    message["Subject"] = subject
    message["From"] = origin
    message["To"] = [_one_address(address) for address in to]
    message["Date"] = formatdate(localtime=True)
    message["Message-ID"] = make_msgid(domain=origin.domain)
    size = files.size_in_words(len(content))
    message.set_content(plain_body(facts, name, size))
    message.add_alternative(html_body(facts, name, size), subtype="html")
    message.add_attachment(content, maintype="text", subtype="html", filename=name, params={"charset": "utf-8"})
    whole = len(message.as_bytes())
    if whole > max_size * files.MEGABYTE:
        raise _too_large(whole, max_size)
    return message


def html_body(facts: PageFacts, name: str, size: str) -> str:
    """Write the body for clients that show HTML: tables and inline styles, nothing to load."""
    contents = {
        "facts": facts,
        "name": name,
        "size": size,
        "colours": LIGHT,
        "status_colours": {status: LIGHT[status] for status in ("pass", "warn", "fail")}
        | {"not applicable": LIGHT["muted"]},
        "bars": [_bars(output.shares) for output in facts.outputs],
    }
    return environment().get_template("mail/body.html").render(contents)


def plain_body(facts: PageFacts, name: str, size: str) -> str:
    """Write the body for clients that show text only."""
    blocks = [f"{facts.title}\n{facts.subject}. {facts.created}"]
    for output in facts.outputs:
        blocks += _plain_output(output, named=len(facts.outputs) > 1)
    blocks.append(f"The full report is attached: {name} ({size}). Save it and open it in a browser.")
    return "\n\n".join(blocks) + "\n"


def _content(page: str | os.PathLike[str] | Audit, max_size: float) -> tuple[str, bytes]:
    if isinstance(page, Audit):
        return "audit.html", render(page).encode()
    path = Path(page)
    if not path.is_file():
        raise InputError(f"There is no page {path}. Pass one that `anova-report audit` or `compare` wrote.")
    size = path.stat().st_size
    if size > max_size * files.MEGABYTE:  # before it is read
        raise _too_large(size, max_size)
    return path.name, path.read_bytes()


def _too_large(size: int, max_size: float) -> InputError:
    return InputError(
        f"The mail would have {size / files.MEGABYTE:.1f} MB, and {max_size:g} MB are allowed. Draw fewer figures "
        "(--top-mains, --top-pairs), raise --max-size, or send a link instead."
    )


def _one_address(text: str) -> Address:
    found = getaddresses([text])
    if CONTROL.search(text) or len(found) != 1 or not re.fullmatch(r"[^@\s]+@[^@\s]+", found[0][1]):
        raise InputError(f"{text!r} is not one mail address. Write ada@example.org, or Ada <ada@example.org>.")
    try:
        return Address(display_name=found[0][0], addr_spec=found[0][1])
    except (ValueError, MessageError, HeaderParseError, IndexError) as error:
        raise InputError(f"{text!r} is not a mail address ({error}).") from error


def _bars(shares: Sequence[ShareFact]) -> list[dict[str, Any]]:
    """Draw shares as table cells, whose widths are in percent of the largest."""
    largest = max((abs(share.value) for share in shares), default=0.0) or 1.0
    bars = []
    for share in shares:
        width = math.ceil(100 * abs(share.value) / largest)
        colour = "unexplained" if not share.explained else "structural" if share.value >= 0 else "positive"
        bars.append({"label": share.label, "share": percent(share.value), "width": width, "colour": colour})
    return bars


def _plain_output(output: OutputFacts, named: bool) -> list[str]:
    title = f"{output.name}: {output.verdict.upper()}. " if named else f"{output.verdict.upper()}. "
    blocks = [title + output.verdict_words]
    if output.headlines:
        blocks.append(
            "\n".join(f"{item.label}: {item.value} ({item.status}). {item.words}" for item in output.headlines)
        )
    blocks += [
        f"{item.code} {item.title} ({item.status}): {item.sentence} {item.advice}".rstrip()
        for item in output.findings
        if item.status in ("warn", "fail")
    ]
    if output.shares:
        lines = [f"  {percent(share.value):>7}  {share.label}" for share in output.shares]
        blocks.append("\n".join(["Shares of the variance of the answers:", *lines]))
    return blocks
