"""What the site says about options and findings, in the words of the code: written once, there."""

import argparse
from dataclasses import fields
from fnmatch import fnmatch
from math import inf
from typing import Any

from jinja2 import Environment, StrictUndefined

from anova_report.cli.parser import parser
from anova_report.measures.policy import TIERS, USUAL
from anova_report.report.audit.sentences import measured
from anova_report.report.audit.verdict import limits_table
from anova_report.report.jobs.options import Entries, Groups, Job, Names, Settings, Texts, types_of

PAGES = ("command_line", "findings/AR*", "how_to/limits")  # whose text holds {{ … }}
STANDARD = ("positional arguments", "options")  # headings of argparse itself
KINDS = {
    bool: "true or false",
    int: "number",
    str: "text",
    Names: "text or list",
    Settings: "mapping",
    Entries: "list",
    Groups: "mapping",
    Texts: "mapping",
}


def commands() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command by its name."""
    (found,) = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    return dict(found.choices)


def shared() -> set[str]:
    """Return the options that every command has, in the same words; they are described once, for all."""
    every = [{_name(action) for action in made._actions} for made in commands().values()]
    return set.intersection(*every)


def options(command: str, *, common: bool = False) -> str:
    """Make a table of the options of a command, those that all have or its own, under the headings of its help."""
    keys = {item.name: types_of(item) for item in fields(Job)} if command == "audit" else {}
    head = (
        "| option | key, and its value | what it does |\n|---|---|---|"
        if keys
        else "| option | what it does |\n|---|---|"
    )
    tables: dict[str, list[str]] = {}
    for group in commands()[command]._action_groups:
        title = "" if group.title in STANDARD or not keys else f"**{str(group.title).capitalize()}**\n\n"
        rows = [_row(action, keys) for action in group._group_actions if (_name(action) in shared()) == common]
        tables.setdefault(title, []).extend(rows)
    return "\n\n".join(f"{title}{head}\n" + "\n".join(rows) for title, rows in tables.items() if rows)


def _row(action: argparse.Action, keys: dict[str, tuple[Any, ...]]) -> str:
    words = (action.help or "") % {"default": action.default}
    sentence = f"{words[:1].upper()}{words[1:]}.".replace("_", r"\_").replace("*", r"\*")
    cells = [_signature(action), f"{sentence}{_choices(action)}"]
    if keys:
        kinds = " or ".join(KINDS[one] for one in keys.get(action.dest, ()))
        cells.insert(1, f"`{action.dest}`: {kinds}" if kinds else "–")
    return f"| {' | '.join(cells)} |"


def _choices(action: argparse.Action) -> str:
    return f" One of {', '.join(f'`{one}`' for one in action.choices)}." if action.choices else ""


def _name(action: argparse.Action) -> str:
    return action.option_strings[-1] if action.option_strings else action.dest


def _signature(action: argparse.Action) -> str:
    shown = action.metavar or (None if action.nargs == 0 or action.choices else action.dest.upper())
    value = " ".join(shown) if isinstance(shown, tuple) else shown or ""
    flags = action.option_strings or [""]
    return ", ".join(f"`{f'{flag} {value}'.strip()}`" for flag in flags)


def limits(code: str) -> str:
    """Say what a check measures, where its limits are, and why."""
    head = {row[0]: row[1:] for row in limits_table().rows}
    measured, warn, fail, why = head[code]
    fails = "never fails" if fail == "never" else f"fails {fail}"
    return f"**{measured}**: caution {warn}, {fails}. {why}"


def tiers() -> str:
    """Make the rows of a table of what tiers set: for each finding the limits of the three."""
    codes = sorted({code for changed in TIERS.values() for code in changed})
    return "\n".join(f"| [{code}](../findings/{code}.md) | {' | '.join(_tier_limits(code))} |" for code in codes)


def _tier_limits(code: str) -> list[str]:
    usual = (USUAL[code].usual_warn, USUAL[code].usual_fail)
    both = [TIERS[tier].get(code, usual) for tier in TIERS]
    return [", ".join("never" if limit == inf else measured(code, limit) for limit in limits) for limits in both]


def holds_facts(page: str) -> bool:
    """Say whether a page, by its name without ending, is to be filled in."""
    return any(fnmatch(page, pattern) for pattern in PAGES)


def fill(text: str) -> str:
    """Fill in a page."""
    filled = Environment(undefined=StrictUndefined, autoescape=False).from_string(text)  # noqa: S701 Markdown
    return filled.render(options=options, limits=limits, tiers=tiers)
