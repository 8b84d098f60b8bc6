"""What a page needs to evaluate the explanation itself: functions, coefficients, and cells without rows; no row.

Numbers that are many are packed: as whole multiples of powers of two, their bytes by significance, compressed.
`templates/scripts/evaluator.js` reads them.
"""

import base64
import binascii
import math
import zlib
from dataclasses import dataclass
from typing import Any, Self

from anova_report.core.result.terms import Term
from anova_report.errors import StorageError
from anova_report.io.documents import read_fields

MOST_BYTES = 6  # of a number: more digits than a double of JavaScript counts exactly


@dataclass(frozen=True)
class PackedNumbers:
    """Lists of numbers, each list in multiples of a power of two of its own.

    Parameters
    ----------
    lengths, exponents : tuple of int
        Of each list: how many numbers it has, and the power of two that they are multiples of.
    data : str
        Signs in the lowest bit; of all numbers the lowest bytes first; gzip, then base 64.
    """

    lengths: tuple[int, ...]
    exponents: tuple[int, ...]
    data: str

    @classmethod
    def from_document(cls, written: dict[str, Any]) -> Self:
        """Read packed numbers, and refuse data that does not unpack to as many."""
        found, most = read_fields(written, cls, "PackedNumbers"), 0
        try:
            most = MOST_BYTES * sum(found.lengths)
            unpacking = zlib.decompressobj(wbits=31)
            size = len(unpacking.decompress(base64.b64decode(found.data, validate=True), most + 1))
        except (binascii.Error, zlib.error, ValueError) as error:
            raise StorageError(f"Packed numbers are damaged: {error}.") from error
        sensible = all(length >= 0 for length in found.lengths) and all(abs(e) <= 1000 for e in found.exponents)
        sensible &= len(found.lengths) == len(found.exponents)
        if size > most or size % max(sum(found.lengths), 1) or not sensible:
            raise StorageError("Packed numbers are not as many as is said beside them.")
        return found


@dataclass(frozen=True)
class InputFunctions:
    """One feature: what may be typed, and the functions of it that components are made of.

    Parameters
    ----------
    name, kind : str
    table : PackedNumbers
        Of each function its values at the breaks, what is added at heavy values, its slopes at both ends times the
        range, and its value where the feature is missing; for cells one value each, then that of missing.
    levels : tuple of str
        In the order of their codes; empty where there are none.
    columns : tuple of str
        Columns of zeros and ones in the table that stand for levels.
    ends : pair of float, or empty
        Range of the fit, where values are ordered.
    missing : bool
        Whether the fit has seen missing values.
    breaks : tuple of float
        Values at which functions are known; natural cubic splines lie between, straight lines in `gaps`.
    gaps : tuple of int
        Breaks after which a gap begins.
    heavy : tuple of float
        Values at which functions jump.
    held : bool
        Whether functions hold their last value beyond the range; otherwise lines go on.
    cells : tuple of int
        Of levels without an order: which cell of the table each has; one more cell than levels where the page does not
        name those that few rows have.
    scaling : pair of float, or empty
        Center and spread by which a value is scaled where functions are the published ones.
    edges : tuple of float
        Where cells of support begin, but the first.
    n_known : int
        Cells of support besides those of missing and unknown values; 0 where none are known.
    """

    name: str
    kind: str
    table: PackedNumbers
    levels: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    ends: tuple[float, ...] = ()
    missing: bool = False
    breaks: tuple[float, ...] = ()
    gaps: tuple[int, ...] = ()
    heavy: tuple[float, ...] = ()
    held: bool = False
    cells: tuple[int, ...] = ()
    scaling: tuple[float, ...] = ()
    edges: tuple[float, ...] = ()
    n_known: int = 0


@dataclass(frozen=True)
class OutputTerms:
    """One output: its mean, and of each term the offset, the coefficients, and what replicates contributed.

    Replicates are what each contributed: a list of what it did to the mean, then to each offset; then two lists for
    each term, coefficient by coefficient: of products of all its features, and of fewer. None where the estimator keeps
    no track of uncertainty.
    """

    name: str
    prediction: str  # what a prediction is called: "logit of versicolor"
    mean: float
    offsets: tuple[float, ...]
    coefficients: PackedNumbers
    replicates: PackedNumbers | None


@dataclass(frozen=True)
class EmptyCells:
    """Cells of two features that hold no row of the fit although many would by their margins, as hexadecimal bits."""

    term: Term
    shape: tuple[int, int]
    cells: str


@dataclass(frozen=True)
class FeatureSet:
    """A group of features, or a feature of no group: what reasons name."""

    name: str
    features: Term


@dataclass(frozen=True)
class StartRow:
    """A row from which a reader may start: what it is called, and its values as they are written, encoded.

    A missing value is None.
    """

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class WhatIf:
    """Everything that a page evaluates.

    Parameters
    ----------
    link : str
        "identity", "logit" or "log": how a prediction is brought to its own scale.
    scale, unit : str
        Name of the scale of predictions, and what their numbers count.
    inputs : tuple of InputFunctions
    terms : tuple of Term
    functions : PackedNumbers
        Of each term which functions its products take, product by product; 0 is the constant, n the n-th of the table.
    outputs : tuple of OutputTerms
    n_replicates : int
    quantiles : tuple of float
        Of Student's t, two-sided at 95%, at equal steps of one over the degrees of freedom, from 0 to 1.
    unseen : tuple of EmptyCells
    densities : PackedNumbers or None
        Of each term the coefficients of its density, all features alike, by which the published functions are divided.
    clip : float
        The least density.
    members : tuple of FeatureSet
        What counts as one reason: groups, then the features of no group.
    starts : tuple of StartRow
    spans : tuple of float
        Of each feature the range over which its values are told apart; empty where that of the fit will do.
    bands_left_out : bool
        Whether there are no replicates because the page would be too large.
    """

    link: str
    scale: str
    unit: str
    inputs: tuple[InputFunctions, ...]
    terms: tuple[Term, ...]
    functions: PackedNumbers
    outputs: tuple[OutputTerms, ...]
    n_replicates: int
    quantiles: tuple[float, ...]
    unseen: tuple[EmptyCells, ...] = ()
    densities: PackedNumbers | None = None
    clip: float = 0.0
    members: tuple[FeatureSet, ...] = ()
    starts: tuple[StartRow, ...] = ()
    spans: tuple[float, ...] = ()
    bands_left_out: bool = False

    def __post_init__(self) -> None:
        sizes = tuple(map(len, self.terms))
        counted = [length // max(size, 1) for length, size in zip(self.functions.lengths, sizes, strict=False)]
        fits = len(self.functions.lengths) == len(sizes) and all(
            max(term, default=0) < len(self.inputs) and term for term in self.terms
        )
        for output in self.outputs:
            fits &= list(output.coefficients.lengths) == counted and len(output.offsets) == len(sizes)
            if output.replicates is not None:
                first, *lists = output.replicates.lengths or (0,)
                both = [sum(pair) for pair in zip(lists[::2], lists[1::2], strict=False)]
                wanted = [count * self.n_replicates for count in (1 + len(sizes), *counted)]
                fits &= [first, *both] == wanted and len(lists) == 2 * len(both) and self.n_replicates > 1
        fits &= all(math.prod(cells.shape) <= 4 * len(cells.cells) for cells in self.unseen)
        fits &= all(len(start.values) == len(self.inputs) for start in self.starts)
        fits &= all(max(own.features, default=0) < len(self.inputs) for own in self.members)
        if not (fits and self.outputs):
            raise StorageError("What the page would evaluate does not fit together. Make the document again.")

    def is_of(self, n_features: int, n_outputs: int) -> bool:
        """Whether it evaluates so many outputs of so many features, and its terms are of these."""
        terms = (*self.terms, *(each.term for each in self.unseen), *(each.features for each in self.members))
        named = all(0 <= at < n_features for term in terms for at in term)
        return named and (len(self.inputs), len(self.outputs)) == (n_features, n_outputs)
