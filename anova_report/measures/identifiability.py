"""Whether effects are estimable from the data, or by asking the model (AR011), and what stands for what."""

from collections.abc import Sequence

from anova_report.core.diagnostics.functional_dependence import Relation
from anova_report.core.result.decomposition import Decomposition
from anova_report.measures import status
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.joint import Inseparable, joint_numbers
from anova_report.measures.sentences.identifiability import MOST_GROUPS, apart_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.status import Finding, untested

CODE, TITLE = "AR011", "Identifiability"


def identifiability(
    dec: Decomposition, groups: Sequence[Inseparable] | None, by_model: Sequence[Inseparable] = ()
) -> Finding:
    """Report effects that are not estimable from the data; those that the model determines are no alarm."""
    if groups is None:
        sentence = "The estimator does not measure how far functions of other features explain an effect."
        return untested(CODE, TITLE, sentence)
    stated = [claim for group in groups[:MOST_GROUPS] for claim in group_claims(group)]
    stated += _further("further groups", len(groups))
    stated += [Claim("effects estimable by the model", features=group.features) for group in by_model[:MOST_GROUPS]]
    stated += _further("further groups estimable by the model", len(by_model))
    sentence, limit = apart_words(stated, Names(dec.feature_titles)), status.INSEPARABLE.warn
    if not groups:
        apart = "All effects with shares of 1% or more are estimable separately from those of other features."
        return Finding(CODE, TITLE, "pass", 0.0, limit, sentence or apart, claims=tuple(stated))
    share = sum(abs(group.joint.total) for group in groups)
    return Finding(CODE, TITLE, "warn", share, limit, sentence, _advice(groups), tuple(stated))


def _further(kind: str, n_groups: int) -> list[Claim]:
    more = n_groups - MOST_GROUPS
    return [Claim(kind, {"n_groups": float(more)})] if more > 0 else []


def _advice(groups: Sequence[Inseparable]) -> str:
    known = all(group.is_known_jointly for group in groups)
    joint = "which is well determined" if known else "as far as the interval of its share allows"
    return (
        "Where features cannot be distinguished, do not read their separate curves and shares; read their joint "
        f"effect, {joint}. Or leave out redundant features, or combine them into one, and fit again."
    )


def group_claims(group: Inseparable) -> Claims:
    """State what some features carry together, and what explains what among them."""
    kind, joint = "effects not estimable" if group.is_open else "effects hardly estimable", group.joint
    whole = Claim(kind, joint_numbers(joint), joint.terms, joint.features, output=joint.output)
    return (whole, _stands_for(group))


def _stands_for(group: Inseparable) -> Claim:
    output = group.joint.output
    if not group.relations:
        share = 1.0 if group.most > status.EXACT else group.most
        return Claim("explained by the others", {"share": share}, features=group.features, output=output)
    relation = max(group.relations, key=lambda each: (each.share > status.EXACT, each.n_values is not None, each.share))
    whole = relation.share > status.EXACT
    kind = "explained by functions" if relation.n_values is None else "explained by values"
    if whole and relation.n_values is not None:
        both_ways = len(relation.term) == 1 and _determines_back(group, relation)
        kind = "one to one" if both_ways else "explained value by value"
    share = 1.0 if whole else relation.share
    return Claim(kind, {"share": share}, (relation.term,), relation.others, output=output)


def _determines_back(group: Inseparable, relation: Relation) -> bool:
    """Tell whether two features determine each other, value by value."""
    return any(
        each.term == relation.others
        and each.others == relation.term
        and each.n_values is not None
        and each.share > status.EXACT
        for each in group.relations
    )
