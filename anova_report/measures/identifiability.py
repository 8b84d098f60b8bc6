"""Whether data, or the model that was asked, tell effects apart (AR011), and what stands for what, in words."""

from collections.abc import Sequence

from anova_report.core.diagnostics.functional_dependence import Relation
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import label
from anova_report.measures import status
from anova_report.measures.joint import Inseparable, share_words
from anova_report.measures.status import Finding
from anova_report.measures.wording import counted, enumeration, percent

MOST_GROUPS = 3  # of features that a sentence names
CODE, TITLE = "AR011", "Identifiability"


def identifiability(
    dec: Decomposition, groups: Sequence[Inseparable] | None, by_model: Sequence[Inseparable] = ()
) -> Finding:
    """Report effects that the data cannot tell apart; those that the model tells apart are no alarm."""
    if groups is None:
        sentence = "The estimator does not measure how far functions of other features explain an effect."
        return Finding(CODE, TITLE, "not applicable", None, None, sentence)
    told = by_model_words(by_model)
    if not groups:
        sentence = "The data can tell the effects with shares of 1% or more apart from those of other features."
        return Finding(CODE, TITLE, "pass", 0.0, status.INSEPARABLE.warn, told or sentence)
    share = sum(abs(group.joint.total) for group in groups)
    sentence = " ".join(_group_words(dec, group) for group in groups[:MOST_GROUPS])
    if len(groups) > MOST_GROUPS:
        sentence += f" The same holds for {counted(len(groups) - MOST_GROUPS, 'further group', 'further groups')}."
    sentence = f"{sentence} {told}".rstrip()
    return Finding(CODE, TITLE, "warn", share, status.INSEPARABLE.warn, sentence, _advice(groups))


def _advice(groups: Sequence[Inseparable]) -> str:
    known = all(group.is_known_jointly for group in groups)
    joint = "which is well determined" if known else "as far as the interval of its share allows"
    return (
        "Where features cannot be distinguished, do not read their separate curves and shares; read their joint "
        f"effect, {joint}. Or leave out redundant features, or combine them into one, and fit again."
    )


def _group_words(dec: Decomposition, group: Inseparable) -> str:
    apart = "the data cannot tell them apart" if group.is_open else "only a few rows tell them apart"
    return (
        f"Among {group.joint.label}, {explained_words(dec, group)} (concurvity), so {apart}; together they carry "
        f"{share_words(group.joint)} of the variance."
    )


def explained_words(dec: Decomposition, group: Inseparable) -> str:
    """Say what explains what in a group, in words that follow its names."""
    if not group.relations:
        extent = "all" if group.most > status.EXACT else f"up to {percent(group.most)}"
        return f"functions of the others explain {extent} of the effect of one"
    relation = max(group.relations, key=lambda each: (each.share > status.EXACT, each.n_values is not None, each.share))
    effect, others = label(relation.term, dec.feature_names), _names(dec, relation.others)
    if relation.n_values is None or relation.share <= status.EXACT:
        extent = "all" if relation.share > status.EXACT else percent(relation.share)
        what = "functions" if relation.n_values is None else "the values"
        together = " together" if len(relation.others) > 1 else ""
        return f"{what} of {others}{together} explain {extent} of the effect of {effect}"
    if len(relation.term) == 1 and _determines_back(group, relation):
        return f"each value of {others} always comes with the same value of {effect}, and the reverse"
    each = "value" if len(relation.others) == 1 else "combination of values"
    same = "value" if len(relation.term) == 1 else "effect"
    return f"each {each} of {others} always comes with the same {same} of {effect}"


def _determines_back(group: Inseparable, relation: Relation) -> bool:
    """Tell whether two features determine each other, value by value."""
    return any(
        each.term == relation.others
        and each.others == relation.term
        and each.n_values is not None
        and each.share > status.EXACT
        for each in group.relations
    )


def _names(dec: Decomposition, features: Sequence[int]) -> str:
    return enumeration([label((index,), dec.feature_names) for index in features])


def by_model_words(groups: Sequence[Inseparable]) -> str:
    """Say that it is the model that tells effects apart, not the data; nothing where there are no such effects."""
    if not groups:
        return ""
    named = "; ".join(group.joint.label for group in groups[:MOST_GROUPS])
    more = (
        f"; and {counted(len(groups) - MOST_GROUPS, 'further group', 'further groups')}"
        if len(groups) > MOST_GROUPS
        else ""
    )
    return (
        f"The data alone could not have told these effects apart: {named}{more}. The model does: it was asked at "
        "recombined rows, where these features vary separately."
    )
