"""The scales on which predictions are explained: what a number on each means, and what it is called.

Everything that depends on the scale of a prediction reads it here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

Scale: TypeAlias = Literal["auto", "identity", "log", "logit", "probability"]


@dataclass(frozen=True)
class PredictionScale:
    """What one unit of a prediction means.

    Parameters
    ----------
    name : str
        As users type it.
    prediction, varies : str
        What sentences call a prediction, and what varies: that of which shares are shares.
    several : str
        What error messages call numbers on this scale.
    cure : str
        What to pass instead of numbers on another scale.
    words : str
        What effects mean, for those who read the page.
    mean : str
        What the mean of the predictions is called.
    factors : bool
        Whether numbers are logarithms: then effects read as factors, and predictions as what they are logarithms of.
    """

    name: str
    prediction: str
    several: str
    words: str
    cure: str = "Pass the predictions that were decomposed, or decompose these."
    varies: str = ""
    mean: str = "mean"
    factors: bool = False

    @property
    def varying(self) -> str:
        """What varies."""
        return self.varies or self.prediction


_SCALES = (
    PredictionScale("identity", "prediction", "predictions", "Effects are in the unit of the predictions themselves."),
    PredictionScale(
        "log",
        "prediction",
        "logarithms of predictions",
        "The logarithm of the predictions is explained, so effects multiply: × 1.32 (+32%) raises any prediction by "
        "32%, and × 1 changes nothing. The base rate, from which factors start, is the geometric mean of the "
        "predictions. Shares, R² and residuals are those of the logarithm.",
        "Pass the logarithm of the predictions, or explain the model with scale='identity'.",
        varies="logarithm of the prediction",
        mean="base rate",
        factors=True,
    ),
    PredictionScale(
        "logit",
        "logit",
        "log-odds",
        "Predictions are log-odds: 0 is as likely as not, and each +0.69 doubles the odds. An effect of +1 multiplies "
        "the odds by 2.7, whatever they are.",
        "Pass log-odds, log(p / (1 − p)), or explain the model with scale='probability'.",
    ),
    PredictionScale(
        "probability",
        "probability",
        "probabilities",
        "Predictions are probabilities between 0 and 1: an effect of +0.1 is ten percentage points.",
        "Pass probabilities, or explain the model with scale='logit'.",
    ),
    PredictionScale(
        "margin",
        "margin",
        "values of the decision function",
        "Predictions are the classifier's decision function: above 0 it decides for the class.",
    ),
)
SCALES: Mapping[str, PredictionScale] = MappingProxyType({scale.name: scale for scale in _SCALES})


def scale_of(name: str) -> PredictionScale:
    """Find a scale; one that an older or newer file names otherwise is described by its name.

    Examples
    --------
    >>> scale_of("log").mean, scale_of("decibel").words
    ('base rate', 'Predictions are on the scale “decibel”.')
    """
    return SCALES.get(name) or PredictionScale(
        name, name, f"predictions on the scale {name!r}", f"Predictions are on the scale “{name}”."
    )


def asked_again(name: str) -> Scale:
    """Say how a model is asked for further predictions on the scale of those it has given.

    Examples
    --------
    >>> asked_again("log"), asked_again("margin"), asked_again("identity")
    ('log', 'logit', 'logit')
    """
    # Asked for log-odds, a model without classes gives its predictions as they are, and a margin stays one.
    return name if name in ("log", "probability") else "logit"  # type: ignore[return-value]  # two of the names
