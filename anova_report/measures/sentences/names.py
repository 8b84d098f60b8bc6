"""What features, terms, predictions and rows are called in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from anova_report.core.input.scales import SCALES, PredictionScale, scale_of
from anova_report.core.result import terms
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import Term
from anova_report.measures.wording import enumeration, exponential, factor, factor_words, number, signed

MOST_NAMED = 4  # features that are named together; others are counted


@dataclass(frozen=True)
class Names:
    """What things are called.

    Parameters
    ----------
    features : tuple of str
    prediction : str
        "prediction", or "logit of versicolor".
    rows : sequence, optional
        What each row is called; by default it is its position.
    scale : PredictionScale
        How predictions and effects are written.
    unit : str
        What predictions count.
    varies : str
        That of which shares are shares, where it is not the prediction itself: "logarithm of the prediction".
    sides : tuple of two str
        What two decompositions are called that are compared.
    units : tuple of str, optional
        What the values of each feature count; none where there are no units.
    """

    features: tuple[str, ...]
    prediction: str = "prediction"
    rows: Sequence[object] | None = None
    scale: PredictionScale = SCALES["identity"]
    unit: str = ""
    varies: str = ""
    sides: tuple[str, str] = ("A", "B")
    units: tuple[str, ...] = ()

    @classmethod
    def of(cls, dec: Decomposition, output: int = 0, rows: Sequence[object] | None = None) -> Self:
        """Take the names of a decomposition."""
        scale = scale_of(dec.scale)
        unit = "" if scale.name != "identity" and not scale.factors else dec.prediction_unit
        return cls(
            dec.feature_titles,
            prediction_name(dec, output),
            rows,
            scale,
            unit,
            prediction_name(dec, output, varies=True),
            units=tuple(feature.unit if feature.kind == "numeric" else "" for feature in dec.features),
        )

    def term(self, term: Term) -> str:
        """Name a term, "MedInc × Latitude"."""
        return terms.label(term, self.features)

    def several(self, features: Sequence[int]) -> str:
        """Name features that are read together, and count those beyond the first few."""
        return enumeration([self.features[index] for index in features], MOST_NAMED)

    def at(self, feature: int, place: str) -> str:
        """Write a value of a feature with its unit; words such as "(missing)" have none.

        Examples
        --------
        >>> names = Names(("age", "income"), units=("years", "10 000 $"))
        >>> names.at(0, "41"), names.at(1, "−2.5"), names.at(0, "(missing)"), Names(("age",)).at(0, "41")
        ('41 years', '−2.5 × 10 000 $', '(missing)', '41')
        """
        return in_unit(place, self.units[feature]) if self.units and place[:1] in "−0123456789" else place

    @property
    def varying(self) -> str:
        """That of whose variance R² and shares are parts: the logarithms where effects are factors."""
        return f"the {self.varies or self.scale.varying}" if self.scale.factors else "the predictions"

    def effect(self, value: float) -> str:
        """Write what something adds to a prediction, or by which factor it multiplies it.

        Examples
        --------
        >>> Names(()).effect(0.25), Names((), scale=SCALES["log"]).effect(0.25), Names((), unit="€").effect(-3)
        ('+0.25', '× 1.28 (+28%)', '−3 €')
        """
        return factor_words(value) if self.scale.factors else in_unit(signed(value), self.unit)

    def brief(self, value: float) -> str:
        """Write the same in brackets, or as an end of an interval."""
        return factor(value) if self.scale.factors else in_unit(signed(value), self.unit)

    def size(self, value: float) -> str:
        """Write how far effects reach to both sides: a standard deviation, or half of a band."""
        return f"a factor of {factor(value)[2:]}" if self.scale.factors else in_unit(number(value), self.unit)

    def bound(self, value: float) -> str:
        """Write such a size as an end of an interval."""
        return factor(value) if self.scale.factors else in_unit(number(value), self.unit)

    def value(self, value: float) -> str:
        """Write a prediction."""
        return in_unit(number(exponential(value) if self.scale.factors else value), self.unit)

    def other_side(self, name: str) -> str:
        """Name the one of two decompositions that is not meant."""
        return self.sides[name == self.sides[0]]

    def row(self, row: int) -> str:
        """Call a row by its name, or by its position, counted from 0, where it has none."""
        return f"row {row:,}" if self.rows is None or row >= len(self.rows) else str(self.rows[row])


def prediction_name(dec: Decomposition, output: int, *, varies: bool = False) -> str:
    """Say what a prediction is, "prediction", "logit of versicolor"; or what varies, "logarithm of the prediction"."""
    scale, own = scale_of(dec.scale), dec.prediction_name
    word = scale.varying if varies else scale.prediction
    if own:
        word = word.replace("prediction", own) if "prediction" in word else f"{word} of {own}"
    return word if len(dec.output_names) == 1 else f"{word} of {dec.output_names[output]}"


def in_unit(written: str, unit: str) -> str:
    """Put a unit behind a number; one that begins with a number itself is multiplied.

    Examples
    --------
    >>> in_unit("2.5", "10 000 $"), in_unit("41", "years"), in_unit("3.5", "%"), in_unit("1", "")
    ('2.5 × 10 000 $', '41 years', '3.5%', '1')
    """
    if not unit or unit == "%":
        return written + unit
    return f"{written} × {unit}" if unit[0].isdigit() else f"{written} {unit}"
