"""What a page says first: the drivers and the largest effects; and the line to which every section below is folded."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from anova_report.core.result.terms import CARRIES
from anova_report.errors import StorageError
from anova_report.figures.figure import Figure, Table
from anova_report.figures.shares import Shares, Totals
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.sentences.glance import glance_line
from anova_report.measures.sentences.groups import cohort_line, groups_line
from anova_report.measures.sentences.protected import protected_line
from anova_report.measures.sentences.sections import (
    carried_words,
    cases_words,
    features_words,
    joints_words,
    methods_words,
    table_words,
    terms_words,
)
from anova_report.measures.status import Finding, Status, passed_claims, passed_words, pressing, worst
from anova_report.report.audit.audit import Audit, MainFacts, OutputAudit, PairFacts, size
from anova_report.report.audit.groups import JointFacts

MOST_DRIVERS, MOST_EFFECTS = 6, 3
# The section in which a reader finds more about a check; all checks are listed under "trust".
PLACES = {
    "AR001": "subject",
    "AR004": "interactions",
    "AR005": "interactions",
    "AR006": "drivers",
    "AR007": "subject",
    "AR008": "main-effects",
    "AR009": "subject",
    "AR010": "subject",
    "AR011": "joint-effects",
}


@dataclass(frozen=True)
class Driver:
    """A feature that moves the predictions: its shares as text, and what ranks it as percentages of a bar's room."""

    label: str
    share: str
    interval: str = ""
    left: float = 0.0
    width: float = 0.0
    low: float = 0.0
    reach: float = 0.0  # from the low to the high end of the interval
    structural: str = ""  # empty in older documents


@dataclass(frozen=True)
class Glance:
    """An effect that is shown small: its name, what it is and carries, its figure, why not to read it alone."""

    label: str
    words: str
    figure: str
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A section folded to a line: where it is, its title, its result, and the worst status of its checks."""

    anchor: str
    title: str
    result: str
    status: Status = "not applicable"
    claims: Claims = ()  # what the result is made of


@dataclass(frozen=True)
class SearchEntry:
    """Something that can be searched: its words, and the anchor it leads to."""

    words: str
    anchor: str


@dataclass(frozen=True)
class PageOne:
    """What a page says first about one output.

    Parameters
    ----------
    drivers : tuple of Driver
        Features with the largest shares.
    n_more : int
        Further features.
    effects : tuple of Glance
        The largest effects: of one feature, of a pair, or of features that are read together.
    concerns : tuple of Finding
        What failed, calls for caution, or is needed and could not be tested.
    passed : str
        How many checks passed, in words.
    sections : dict of str to Section
        By their names, in the order of reading.
    """

    drivers: tuple[Driver, ...]
    n_more: int
    effects: tuple[Glance, ...]
    concerns: tuple[Finding, ...]
    passed: str
    sections: dict[str, Section]


def page_one(audit: Audit, output: OutputAudit) -> PageOne:
    """Choose what a page says first about an output."""
    ranked = audit.figures[output.totals if output.groups is None else output.groups.totals]
    n_ranked = len(audit.features) if output.groups is None else len(output.groups.within.rows)
    return PageOne(
        drivers(ranked),
        max(n_ranked - MOST_DRIVERS, 0),
        tuple(_effects(audit, output)[:MOST_EFFECTS]),
        pressing(output.findings),
        passed_words(output.findings),
        {section.anchor: section for section in _sections(audit, output)},
    )


def _effects(audit: Audit, output: OutputAudit) -> list[Glance]:
    """List effects, the largest first; the picture of a joint effect stands for all that it is made of."""
    joints = [(picture, joint, _joint_shares(audit, joint)) for joint in output.joints if (picture := joint.picture)]
    told = {label for _, joint, shares in joints for label in (joint.parts or shares.labels[1:])}
    found = [(size(main), _glance(main, "main effect", main.figure, main.note)) for main in output.mains]
    found += [(size(pair), _glance(pair, "interaction", pair.surface)) for pair in output.pairs]
    found = [item for item in found if item[1].label not in told]
    for picture, joint, shares in joints:
        own, total = shares.structural[0], shares.total[0]
        carried = carried_words(Claim("carried shares", {"structural": own, "total": total}))
        found.append((own, Glance(joint.label, f"joint effect, {carried}", picture)))
    return [effect for _, effect in sorted(found, key=lambda item: -item[0])]


def _glance(term: MainFacts | PairFacts, kind: str, figure: str, note: str = "") -> Glance:
    return Glance(term.label, f"{kind}, {term.carried}", figure, note)


def _joint_shares(audit: Audit, joint: JointFacts) -> Shares:
    """Return the shares within a joint effect: of the whole first, then of its parts."""
    data = audit.figures[joint.shares].data
    if not isinstance(data, Shares):
        raise StorageError(f"The figure {joint.shares} does not hold shares. Make the document again.")
    return data


def drivers(figure: Figure) -> tuple[Driver, ...]:
    """Lay the largest shares of features out as bars on one scale; their words are those of the figure's own table."""
    totals = figure.data
    if not isinstance(totals, Totals):
        return ()
    low, high = (tuple(ends) or totals.share for ends in (totals.lower, totals.upper))
    every = list(zip(figure.table.rows, totals.share, low, high, strict=False))
    sizes = totals.structural or tuple(map(abs, totals.share))
    largest = sorted(range(len(every)), key=lambda at: -sizes[at])[:MOST_DRIVERS]
    shown = [every[at] for at in sorted(largest)]
    # A bar is as long as what ranks it. Older documents rank by totals, and their bars have intervals.
    bars = [sizes[at] if totals.structural else every[at][1] for at in sorted(largest)]
    reaches = [(0.0, 0.0) if totals.structural else (first, last) for _, _, first, last in shown]
    start = min(0.0, *bars, *(first for first, _ in reaches))
    room = max((*bars, *(last for _, last in reaches)), default=0.0) - start or 1.0

    def place(value: float) -> float:
        return round(100 * (value - start) / room, 2)

    return tuple(
        Driver(
            words[0],
            words[-2],
            words[-1] if totals.lower else "",
            left=place(min(bar, 0.0)),
            width=round(100 * abs(bar) / room, 2),
            low=place(first),
            reach=round(100 * (last - first) / room, 2),
            structural=words[1] if totals.structural else "",
        )
        for (words, *_), bar, (first, last) in zip(shown, bars, reaches, strict=True)
    )


def page_sections(audit: Audit) -> dict[str, Section]:
    """Make the lines of the sections that all outputs share."""
    missing = sum(feature.missing > 0 for feature in audit.features)
    numbers = {"n_rows": audit.subject.n_rows, "n_features": len(audit.features), "n_missing": missing}
    size_of = Claim("size of the table", {name: float(count) for name, count in numbers.items()})
    judged = worst(_status(output, "subject") for output in audit.outputs)
    about = audit.about
    # Nobody's words are judged.
    answered = {} if about is None else {"about": Section("about", "Purpose, owner, review", about.result)}
    return answered | {
        "subject": Section("subject", "Model and data", table_words(size_of), judged, (size_of,)),
        "what_if": Section("what-if", "What if", "Type a row, and see what the explanation says of it"),
        "method": Section("method", "Method, glossary, settings", "How the numbers were made and what the words mean"),
        "provenance": Section("provenance", "Provenance", f"Digests, versions, {audit.run.created}"),
    }


def searchable(audit: Audit) -> tuple[SearchEntry, ...]:
    """List features, terms and cases with the places where a reader finds them, each name once for each output."""
    found: dict[str, str] = {}
    for output in audit.outputs:
        prefix, name = ("", "") if len(audit.outputs) == 1 else (f"{output.anchor}-", f"{output.name}: ")
        for words, anchor in _places(output, prefix):
            found.setdefault(name + words, anchor)
    for position, feature in enumerate(audit.features):
        found.setdefault(f"{feature.title} (values)", f"values-{position}")
    return tuple(SearchEntry(words, anchor) for words, anchor in found.items())


def _places(output: OutputAudit, prefix: str) -> Iterator[tuple[str, str]]:
    yield from ((main.label, main.figure) for main in output.mains)
    yield from ((pair.label, pair.surface) for pair in output.pairs)
    yield from ((f"{joint.label} (joint effect)", joint.picture or joint.shares) for joint in output.joints)
    grouped = () if output.groups is None else output.groups.joints
    yield from ((f"{joint.label} (group)", joint.picture or joint.shares) for joint in grouped)
    drawn = () if output.accuracy is None else output.accuracy.along
    yield from ((f"{name} (accuracy)", key) for name, key in drawn)
    for column in output.protected:
        yield from ((f"{column.title} (protected)", ledger.figure) for ledger in column.ledgers[:1])
    tables = {"more-mains": output.more_mains, "more-pairs": output.more_pairs, "higher": output.higher}
    for anchor, table in tables.items():
        yield from ((row[0], prefix + anchor) for row in (table.rows if table else ()))
    yield from ((f"{case.title}: {case.row}", case.anchor) for case in output.cases)
    yield from ((f"{item.title} ({item.code})", prefix + item.code) for item in output.findings)


def _sections(audit: Audit, output: OutputAudit) -> Iterator[Section]:
    drawn = [*audit.figures[output.totals].claims, *audit.figures[output.shares].claims]
    of = next((claim.output for claim in drawn), 0)
    for anchor, title, result, claims in _results(audit, output):
        stated = tuple(replace(claim, output=of) for claim in claims)
        yield Section(anchor, title, result, output.verdict if anchor == "trust" else _status(output, anchor), stated)


def _results(audit: Audit, output: OutputAudit) -> Iterator[tuple[str, str, str, Claims]]:
    """Go through the sections with their titles, results in words, and what these are made of."""
    totals = audit.figures[output.totals].data
    shares = (totals.structural or totals.share) if isinstance(totals, Totals) else ()
    large = float(sum(abs(share) >= CARRIES for share in shares))
    carrying = Claim("features that carry", {"n_carrying": large, "n_all": len(audit.features), "least": CARRIES})
    if output.cohort:
        of_rows = output.cohort.claims[:1]
        yield "cohort", "Cohort", cohort_line(of_rows[0]), of_rows
    yield "drivers", "Shares of the variance", features_words(carrying), (carrying,)
    if output.glance:
        points = audit.figures[output.glance.features].claims[:1]
        yield "all-rows", "All rows at a glance", glance_line(points), points
    if output.groups:
        count = Claim("groups of features", {"n_groups": float(len(output.groups.joints))})
        yield "feature-groups", "Feature groups", groups_line(count), (count,)
    if output.joints:
        first = tuple(claim for claim in output.joints[0].claims if claim.kind == "joint share")
        groups = (Claim("groups read together", {"n_groups": float(len(output.joints))}), *first)
        # A document of an earlier version knows the share of the first in words only.
        said = joints_words(groups) if first else f"{joints_words(groups)}: {output.joints[0].share} of the variance"
        yield "joint-effects", "Joint effects", said, groups
    n_mains, n_pairs = output.carrying or (None, None)
    mains = _carried(1, [size(main) for main in output.mains], output.more_mains, n_mains)
    yield "main-effects", "Main effects", terms_words(mains), (mains,)
    pairs = _carried(2, [size(pair) for pair in output.pairs], output.more_pairs, n_pairs)
    yield "interactions", "Interactions", terms_words(pairs), (pairs,)
    if output.accuracy:
        yield "accuracy", "Accuracy of the model", output.accuracy.line, output.accuracy.claims
    if output.protected:
        columns = Claim("protected columns", {"n_columns": float(len(output.protected))})
        yield "protected", "Protected columns", protected_line(columns), (columns,)
    if output.others:
        methods = Claim("methods compared", {"n_methods": float(len(output.others.methods))})
        yield "others", "Other explanations", methods_words(methods), (methods,)
    cases = Claim("cases explained", {"n_cases": float(len(output.cases))})
    yield "cases", "Single cases", cases_words(cases), (cases,)
    if output.failures:
        yield "failures", "Where the explanation fails", output.failures.line, output.failures.claims
    yield "trust", "Can it be trusted?", passed_words(output.findings), passed_claims(output.findings)


def _carried(order: int, shares: list[float], rest: Table | None, carrying: int | None) -> Claim:
    """State how many of the terms of a kind carry enough; of an older document, how many of those that are drawn."""
    every = len(shares) + (len(rest.rows) if rest else 0)
    large = sum(abs(share) >= CARRIES for share in shares) if carrying is None else carrying
    numbers = {"n_carrying": float(large), "n_all": float(every), "least": CARRIES, "order": float(order)}
    # Terms are drawn in the order of their size, so where one is small all that are not drawn are.
    is_least = carrying is None and rest and large == len(shares)
    return Claim("terms that carry", numbers, places=("at least",) if is_least else ())


def _status(output: OutputAudit, section: str) -> Status:
    places = PLACES if output.joints else PLACES | {"AR011": "main-effects"}
    return worst(item.status for item in output.findings if places.get(item.code) == section)
