"""The numbers a reader of a comparison wants first, each judged."""

from anova_report.compare import Comparison
from anova_report.compare.versions import comparison_claims as stated
from anova_report.measures.sentences import comparison as words
from anova_report.measures.sentences.names import Names
from anova_report.measures.status import UNEXPLAINED, worst
from anova_report.measures.wording import percent, score
from anova_report.report.audit.audit import Headline
from anova_report.report.audit.sentences import UNKNOWN
from anova_report.report.comparison.comparison import VERDICTS

MOVED = (
    "Features whose distribution, or whose correlation with another, differs by more than in 99 of 100 samples of one "
    "table, and enough to matter."
)
COUNTED = (
    "Main effects and pairs whose distance is beyond chance in 95 of 100 samples, for all of them together, and large "
    "enough to matter."
)


def headlines(found: Comparison, called: Names | None = None) -> tuple[Headline, ...]:
    """Give the numbers a reader wants first: how far predictions, means and inputs moved, the fidelity of both."""
    names = called or Names(found.features)
    made = [_function_headline(found, names), _mean_headline(found, names)]
    for claim in stated.inputs_claims(found)[:1]:
        value = f"{claim['n_moved']:.0f} of {claim['n_asked']:.0f}"
        made.append(Headline("Inputs that moved", value, "warn" if claim["n_moved"] else "pass", MOVED, (claim,)))
    claim = stated.effects_claims(found)[0]
    if claim.kind == "effects not compared":
        made.append(Headline("Effects that differ", UNKNOWN, "not applicable", found.words, (claim,)))
    else:
        value = f"{claim['n_differing']:.0f} of {claim['n_effects']:.0f}"
        differs = claim["n_differing"] > 0
        made.append(Headline("Effects that differ", value, "warn" if differs else "pass", COUNTED, (claim,)))
    for name, item in zip(found.names, found.fidelities, strict=True):
        claims, judged = stated.fidelity_claims(item, name), UNEXPLAINED.judge(item.unexplained)
        judged = judged if item.estimable else worst(["warn", judged])
        made.append(
            Headline(f"Fidelity of {name}", score(item.best), judged, words.fidelity_tile_words(claims, names), claims)
        )
    return tuple(made)


def _function_headline(found: Comparison, names: Names) -> Headline:
    claims = stated.function_claims(found)
    claim, value = claims[0], UNKNOWN
    if "relative" in claim.numbers:
        value = percent(claim["relative"])
    elif "low" in claim.numbers:  # explanations bound it, and no single number is known
        value = f"{percent(claim['low'])} to {percent(claim['high'])}"
    return Headline(
        "Distance of predictions", value, VERDICTS[found.changed], words.distance_tile_words(claims, names), claims
    )


def _mean_headline(found: Comparison, names: Names) -> Headline:
    claims = stated.mean_claims(found)
    claim, function = claims[0], found.function
    value, said = (
        f"{names.value(claim['first'])} → {names.value(claim['second'])}",
        words.mean_tile_words(claims, names),
    )
    label = "Base rate" if names.scale.factors else "Mean prediction"
    if function is None or found.mean_interval is None:
        return Headline(label, value, "not applicable", said, claims)
    matters = bool(words.mean_words(claims, names)) and abs(claim["shift"]) > function.limit * function.spread
    return Headline(label, value, "warn" if matters else "pass", said, claims)
