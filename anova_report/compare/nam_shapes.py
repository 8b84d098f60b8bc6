"""Neural additive models: the shape functions they are made of."""

from anova_report.compare.methods import Found
from anova_report.compare.nam import NAMRegressor, NeuralAdditiveModel
from anova_report.compare.request import Request


def nam(request: Request, *, max_epochs: int = 200) -> Found:
    """Explain rows by the shape functions of a neural additive model.

    A NAM of this package shows its own. To the answers of any other model one is fitted first, on the rows that are
    explained, and its functions are shown.

    Parameters
    ----------
    request : Request
    max_epochs : int
        For a NAM that is fitted here.
    """
    rows = request.own_form(request.rows)
    if isinstance(request.model, NeuralAdditiveModel):
        shapes = request.model.shape_functions(rows)
        request.require_sum(request.sign * (request.model.intercept_ + shapes.sum(axis=1)), "A NAM")
        return Found(request.sign * shapes)
    answers = request.answers.values[:, 0]
    network = NAMRegressor(max_epochs=max_epochs, random_state=request.seed, progress=request.progress)
    network.fit(rows, answers)
    fidelity = network.score(rows, answers)
    note = f"A NAM fitted to the answers: R² {fidelity:.3f} on the same rows."
    return Found(network.shape_functions(rows), note)
