"""Facts about the rows whose joint distribution a decomposition refers to, where these are not the rows of the fit."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Population:
    """The rows, without predictions, under which a function was decomposed.

    Parameters
    ----------
    n_rows : int
        Rows that count.
    n_effective : float
        How many rows of equal weight would tell as much.
    weighted : bool
        Whether rows count by weights that were given.
    same_rows : bool
        Whether these are the rows of the fit, with other weights perhaps.
    fingerprint : str
        Digest of the encoded rows.
    n_beyond : int
        Rows with a number beyond the range of the fit: there functions continue as they end, mostly as straight lines.
    n_uncombined : int
        Rows that combine values of two features as no row of the fit does, although many would by their margins.
    n_left_out : int
        Rows with a level that no row of the fit has, or without a value where none of the fit lacks one. Nothing is
        known about these, and they do not count.
    n_replicates : int
        How many contributions of the uncertainty, the last ones, are those of these rows; the others are of the fit.
    fit_means, fit_variances : tuple of float
        Means and variances of the predictions, output by output, in the rows of the fit: what predictions of other rows
        are judged by.
    """

    n_rows: int
    n_effective: float
    weighted: bool
    same_rows: bool
    fingerprint: str
    n_beyond: int = 0
    n_uncombined: int = 0
    n_left_out: int = 0
    n_replicates: int = 0
    fit_means: tuple[float, ...] = ()
    fit_variances: tuple[float, ...] = ()

    def words(self, n_predicted: int) -> str:
        """Say under which rows a function was decomposed, of which predictions were made for so many."""
        weights = f" with weights, worth {self.n_effective:,.0f} of equal weight" if self.weighted else ""
        whose = "of the fit" if self.same_rows else "of another table"
        said = [
            f"Decomposed under {_rows(self.n_rows)} {whose}{weights}; predictions were made for {_rows(n_predicted)}."
        ]
        if self.n_beyond:
            said.append(
                f"{_rows(self.n_beyond)} of the population {_have(self.n_beyond)} values beyond the range of the fit, "
                "where its functions are continued."
            )
        if self.n_uncombined:
            combine = "combines" if self.n_uncombined == 1 else "combine"
            said.append(f"{_rows(self.n_uncombined)} {combine} values of two features as no row of the fit does.")
        if self.n_left_out:
            said.append(
                f"{_rows(self.n_left_out)} {_have(self.n_left_out)} levels, or no value, as no row of the fit has: "
                "left out of the population."
            )
        return " ".join(said)


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _have(count: int) -> str:
    return "has" if count == 1 else "have"
