"""The two ways in: `FunctionalANOVA` from inputs and answers, `explain` from a model."""

from typing import Any

from anova_report.core.answers import Answers
from anova_report.core.asking import Scale, ask
from anova_report.core.data import Sample, open_table, read_sample
from anova_report.core.decomposition import Decomposition
from anova_report.core.published import PublishedANOVA
from anova_report.core.regressor import AnovaRegressor
from anova_report.core.scaling import ScalingName


class FunctionalANOVA(AnovaRegressor):
    """Decompose answers into main effects and interactions that are orthogonal although inputs are dependent.

    Parameters
    ----------
    max_order : int
        Highest number of features in one term: 1 for main effects only, 2 for pairs.
    random_state : int or None
        Seed of everything random in the fit.

    Attributes
    ----------
    decomposition_ : Decomposition
        The result.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 2))
    >>> answers = X[:, 0] + np.sin(X[:, 1])
    >>> fanova = FunctionalANOVA(max_order=1).fit(X, answers)
    >>> bool(fanova.score(X, answers) > 0.98)
    True
    """

    def __init__(self, max_order: int = 2, *, random_state: int | None = None) -> None:
        self.max_order = max_order
        self.random_state = random_state

    def decompose(self, sample: Sample, answers: Answers) -> Decomposition:
        """Run the published method with the degrees the paper uses most."""
        return PublishedANOVA(K=self.max_order, d=5, d_density=4).decompose(sample, answers)

    @classmethod
    def published(
        cls,
        K: int = 2,
        d: int = 10,
        d_density: int = 4,
        density_clip: float = 0.01,
        scaling: ScalingName = "tanh",
    ) -> PublishedANOVA:
        """Return the estimator of the paper, in the paper's words."""
        return PublishedANOVA(K=K, d=d, d_density=d_density, density_clip=density_clip, scaling=scaling)


def explain(
    model: Any,
    X: Any,
    *,
    scale: Scale = "logit",
    output: Any = None,
    estimator: AnovaRegressor | None = None,
    batch_size: int = 8192,
    progress: bool = True,
    **settings: Any,
) -> Decomposition:
    """Ask a model about every row of a table, and decompose its answers.

    Parameters
    ----------
    model : callable or object with predict, predict_proba or decision_function
        Gets the rows in the form in which X came: a pipeline trained on a frame gets a frame.
    X : table of shape (n_rows, n_features)
    scale : {"logit", "probability"}
        For models with classes.
    output : object, optional
        One class, by its label, or one column of the answers, by its position. By default the second of two classes,
        or all.
    estimator : AnovaRegressor, optional
        `FunctionalANOVA(**settings)` by default.
    batch_size : int
        Rows per call of the model.
    progress : bool
        Show a bar once the model has taken two seconds.
    **settings
        Settings of `FunctionalANOVA`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).uniform(size=(500, 2))
    >>> dec = explain(lambda rows: 2 * rows[:, 0] + rows[:, 1], X, max_order=1)
    >>> dec.terms
    ((0,), (1,))
    """
    sample = read_sample(X)
    answers = ask(model, open_table(X), scale=scale, output=output, batch_size=batch_size, progress=progress)
    if estimator is None:
        estimator = FunctionalANOVA(**settings)
    return estimator.fit_sample(sample, answers).decomposition_
