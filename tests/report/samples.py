"""Audits made by hand: one with a figure of every kind, and one in which no name can be trusted."""

from collections.abc import Iterator
from dataclasses import replace

from anova_report.figures.figure import Figure, Table
from anova_report.measures.status import Finding, Status
from anova_report.report.audit.audit import (
    Audit,
    CaseFacts,
    FeatureFacts,
    Headline,
    MainFacts,
    OutputAudit,
    PairFacts,
    Provenance,
    RunFacts,
    Subject,
)
from tests.figures.samples import SAMPLES

IMAGE = '"><img src=x onerror=alert(1)>'
SCRIPT = "<script>alert(1)</script>"
ALERT = "</title></style></svg><script>window.pwned = 1</script>"
LONG = "a name of two hundred characters " * 6 + "and on"
EMOJI = "🏠 rooms 👩‍👩‍👧"
RIGHT_TO_LEFT = "درآمد خانوار"
HOSTILE = (SCRIPT, IMAGE, ALERT, LONG, EMOJI, RIGHT_TO_LEFT, "{{ 7 * 7 }}", "&amp; <b>bold</b> 'quoted' \"twice\"")

DRAWN = {
    "histogram": "predictions",
    "totals": "totals",
    "shares": "shares",
    "network": "network",
    "curve": "main-0",
    "levels": "main-1",
    "surface": "surface-0-1",
    "slices": "slices-0-1",
    "force": "case-0-force",
    "waterfall": "case-0-waterfall",
    "scatter": "scatter",
    "regions": "regions",
    "matrix": "matrix",
}
CODES: tuple[tuple[str, str, Status], ...] = (
    ("AR001", "Predictions vary", "pass"),
    ("AR002", "Fidelity", "warn"),
    ("AR004", "Overlap of terms", "fail"),
    ("AR005", "Leakage", "not tested"),
    ("AR009", "Extrapolation", "not applicable"),
)


def output_figures(prefix: str, *, edge: bool = False) -> dict[str, Figure]:
    """Take the sample figures, under keys of their own for each output."""
    drawn = {prefix + key: SAMPLES[kind].edge if edge else SAMPLES[kind].rich for kind, key in DRAWN.items()}
    drawn[prefix + "case-0-network"] = SAMPLES["network"].edge
    return {key: replace(figure, key=key) for key, figure in drawn.items()}


def findings() -> tuple[Finding, ...]:
    """Give one finding of each status."""
    return tuple(
        Finding(code, title, status, 0.12, 0.1, f"{title} was looked at.", "" if status == "pass" else "Act.")
        for code, title, status in CODES
    )


def output_audit(number: int, name: str) -> OutputAudit:
    """Make the audit of one output out of sample figures."""
    prefix = f"o{number}-"
    case = CaseFacts(
        anchor=prefix + "case-0",
        title="Typical",
        row="row 12",
        words="The prediction is 2.6: MedInc raises it most.",
        prediction=2.6,
        explained=2.65,
        remainder=-0.05,
        force=prefix + "case-0-force",
        waterfall=prefix + "case-0-waterfall",
        network=prefix + "case-0-network",
        values=(("MedInc", "3.2"), ("weather", "clear")),
    )
    return OutputAudit(
        name=name,
        anchor=f"output-{number}",
        summary="The predictions run from 0 to 5.",
        predictions=prefix + "predictions",
        verdict="fail",
        verdict_words="1 of 3 checks failed.",
        headlines=(
            Headline("Fidelity (R²)", "0.881", "warn", "On rows the fit never saw it reproduces 88.1%."),
            Headline("Unexplained", "11.9%", "warn", "What it leaves open."),
            Headline("Overlap of terms", "0.231", "fail", "Chance alone gives up to 0.012."),
        ),
        findings=findings(),
        totals=prefix + "totals",
        shares=prefix + "shares",
        network=prefix + "network",
        mains=(MainFacts("MedInc", 0.41, prefix + "main-0"), MainFacts("weather", -0.02, prefix + "main-1")),
        pairs=(PairFacts("MedInc × weather", 0.05, "They help.", prefix + "surface-0-1", prefix + "slices-0-1"),),
        cases=(case,),
        scatter=prefix + "scatter",
        regions=prefix + "regions",
        matrix=prefix + "matrix",
        orthogonality=Table(("Interaction", "Cosine"), (("MedInc × weather", "0.231"),)),
        stability=Table(("Term", "Lowest", "Highest"), (("MedInc", "39.9%", "42.1%"),)),
        more_mains=Table(("Term", "Total"), (("Population", "0.2%"),)),
        more_pairs=Table(("Term", "Total"), (("MedInc × Population", "< 0.1%"),)),
        higher=Table(("Term", "Total"), (("MedInc × weather × Population", "< 0.1%"),)),
    )


def sample_audit(names: tuple[str, ...] = ("prediction",), title: str = "House prices") -> Audit:
    """Make an audit that shows everything a page can show."""
    histogram = replace(SAMPLES["histogram"].rich, key="feature-0")
    figures = {"feature-0": histogram}
    for number in range(len(names)):
        figures |= output_figures(f"o{number}-")
    return Audit(
        title=title,
        subject=Subject("GradientBoostingRegressor", "Effects are in dollars.", 20640, ("2 columns were left out.",)),
        features=(FeatureFacts("MedInc", "numeric", "0.5 to 15.0, median 3.5", 0.031, "feature-0"),),
        outputs=tuple(output_audit(number, name) for number, name in enumerate(names)),
        provenance=Provenance(
            "d" * 64,
            "a" * 64,
            (("anova_report", "0.1.0"), ("python", "3.11.9")),
            (("max_order", "2"),),
            "anova-report x",
        ),
        run=RunFacts("2024-05-01 12:00 UTC", (("fit", 3.2), ("figures", 0.4))),
        figures=figures,
        limits=Table(("Check", "Warns beyond"), (("AR002", "10.0%"),)),
    )


def hostile_audit() -> Audit:
    """Make an audit in which every text is an attack or a nuisance."""
    bad = iter(HOSTILE * 60)
    audit = sample_audit((next(bad), next(bad)), title=f"An “audit” {ALERT} 'of' \"everything\"")
    figures = (
        {"feature-0": audit.figures["feature-0"]} | output_figures("o0-", edge=True) | output_figures("o1-", edge=True)
    )
    table = Table((SCRIPT, IMAGE), ((ALERT, LONG), (EMOJI, RIGHT_TO_LEFT)))
    figures = {key: replace(figure, title=next(bad), alt=next(bad), table=table) for key, figure in figures.items()}
    return replace(
        audit,
        figures=figures,
        subject=Subject(next(bad), next(bad), 3, (next(bad), next(bad))),
        features=tuple(replace(audit.features[0], name=name, kind=name, summary=name) for name in (SCRIPT,)),
        outputs=tuple(_hostile_output(output, bad) for output in audit.outputs),
        provenance=Provenance(next(bad), next(bad), ((next(bad), next(bad)),), ((next(bad), next(bad)),), ALERT),
        run=RunFacts(next(bad), ((next(bad), 1.0),)),
        limits=table,
    )


def _hostile_output(output: OutputAudit, bad: Iterator[str]) -> OutputAudit:
    def text() -> str:
        return next(bad)

    case = replace(output.cases[0], title=text(), row=text(), words=text(), values=((text(), text()), (text(), text())))
    headlines = tuple(replace(item, label=text(), value=text(), words=text()) for item in output.headlines)
    table = Table((text(), text()), ((text(), text()),))
    return replace(
        output,
        summary=text(),
        verdict_words=text(),
        headlines=headlines,
        findings=tuple(replace(item, title=text(), sentence=text(), advice=text()) for item in output.findings),
        mains=tuple(replace(main, label=text()) for main in output.mains),
        pairs=tuple(replace(pair, label=text(), words=text()) for pair in output.pairs),
        cases=(case,),
        orthogonality=table,
        stability=table,
        more_mains=table,
        more_pairs=table,
        higher=table,
    )
