"""What the pictures of the present choice say, in sentences."""

from anova_report.explorer import probability
from anova_report.explorer.cases import Case
from anova_report.explorer.state import PROBABILITY, State
from anova_report.explorer.views import Views
from anova_report.figures.columns import row_values
from anova_report.figures.columns.agreement import SCATTER_ROWS
from anova_report.measures.local import MOST_ROWS
from anova_report.measures.wording import number, percent, signed
from anova_report.report.audit.cases import case_words
from anova_report.report.audit.outputs import pair_words


def term_words(state: State) -> tuple[str, ...]:
    """Say how much the term moves the answers."""
    share, dec = state.share, state.rows.dec
    known = share.total_interval
    interval = "" if known is None else f" (95% interval {percent(known.low)} to {percent(known.high)})"
    carried = (
        f"{share.label} carries {percent(share.total)}{interval} of the variance: {percent(share.structural)} by its "
        f"own movement, {percent(share.correlative)} because other terms move with it."
    )
    if len(share.term) == 1:
        return (carried,)
    if len(share.term) == 2:
        return carried, pair_words(dec, share, state.output)
    return carried, f"A term of {len(share.term)} features has no picture; these are the main effects of its features."


def row_words(views: Views) -> tuple[str, ...]:
    """Say how the answer of the row comes about, what was edited and what the model itself says."""
    state, case = views.state, views.case
    said = [case_words(case.found), *_edited(state, case), *_model(views)]
    if state.scale == PROBABILITY != state.rows.dec.scale:
        said += [probability.case_words(case.found), probability.WORDS]
    return tuple(said)


def trust_words(views: Views) -> tuple[str, ...]:
    """Say which rows are drawn, and what cannot be."""
    said = []
    if views.rows.answers is None:
        said.append("Without answers the explanation cannot be compared with them row by row. Pass answers= to see it.")
    elif len(views.rows) > SCATTER_ROWS:
        said.append(
            f"Points are a sample of {SCATTER_ROWS:,} of {len(views.rows):,} rows; the chosen row is always drawn."
        )
    if views.state.scale == PROBABILITY != views.rows.dec.scale:
        said.append(probability.WORDS)
    if not views.has_pairs:
        said.append("There are no interactions, so there is nothing that would have to be orthogonal.")
    return tuple(said)


def rows_looked_at(n_rows: int) -> str:
    """Say among how many rows the named ones are found."""
    return "all rows" if n_rows <= MOST_ROWS else f"{MOST_ROWS:,} of {n_rows:,} rows"


def _edited(state: State, case: Case) -> list[str]:
    if not case.is_edited:
        return []
    edited = tuple(map(state.rows.feature, state.edits))
    before, after = (row_values(rows, state.row, edited) for rows in (state.rows, case.rows))
    changes = (f"{name} = {new} instead of {old}" for (name, new), (_, old) in zip(after, before, strict=True))
    return [f"What if {', '.join(changes)}?"]


def _model(views: Views) -> list[str]:
    case = views.case
    if case.reply is None:
        return ["What the model itself would answer is not known: pass model= to ask it."] if case.is_edited else []
    if case.reply.answer is None:
        return [f"The model itself gave no answer. {case.reply.trouble}"]
    answer = case.reply.answer
    gap = signed(answer - case.found.explained)
    return [f"Asked about these very values, the model itself answers {number(answer)}: {gap} from the explanation."]
