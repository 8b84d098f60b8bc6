"""Facts about the rows whose joint distribution a decomposition refers to, where these are not the rows of the fit."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Population:
    """The rows, without predictions, under which a function was decomposed."""

    n_rows: int  # that count
    n_effective: float  # how many rows of equal weight would tell as much
    weighted: bool  # whether rows count by weights that were given
    same_rows: bool  # whether these are the rows of the fit, with other weights perhaps
    fingerprint: str  # digest of the encoded rows
    n_beyond: int = 0  # rows with a number beyond the range of the fit, where functions continue as they end
    n_uncombined: int = 0  # rows that combine values of two features as no row of the fit does, although many would
    n_left_out: int = 0  # rows about which nothing is known, of a level, or without a value, as no row of the fit
    n_replicates: int = 0  # contributions of the uncertainty, the last ones, that are of these rows, not of the fit
    # Of the predictions, output by output, in the rows of the fit: what predictions of other rows are judged by.
    fit_means: tuple[float, ...] = ()
    fit_variances: tuple[float, ...] = ()
    where: str = ""  # which rows these are, where they are a cohort: the expression that they fulfill
    n_all: int = 0  # rows among which the cohort was chosen

    def words(self, n_predicted: int) -> str:
        """Say under which rows a function was decomposed, of which predictions were made for so many."""
        weights = f" (with weights, counting as {self.n_effective:,.0f} of equal weight)" if self.weighted else ""
        whose = "of the fit" if self.same_rows else "of another table"
        under = f"{rows_of(self.n_rows)} {whose}{weights}"
        said = [f"Decomposed under {under}; predictions were made for {rows_of(n_predicted)}."]
        if self.where:
            share = f"{self.n_rows:,} of {rows_of(self.n_all)}"
            said = [
                f"A cohort is explained, under its own distribution: the {share} where {self.where}{weights}. The fit "
                f"is that of {rows_of(n_predicted)}, and so are R² and all figures of held-out rows."
            ]
        if self.n_beyond:
            said.append(
                f"{rows_of(self.n_beyond)} of the population {_have(self.n_beyond)} values beyond the range of the "
                "fit, where its functions are continued."
            )
        if self.n_uncombined:
            combine = "combines" if self.n_uncombined == 1 else "combine"
            said.append(f"{rows_of(self.n_uncombined)} {combine} values of two features as no row of the fit does.")
        if self.n_left_out:
            said.append(
                f"{rows_of(self.n_left_out)} {_have(self.n_left_out)} levels, or no value, as no row of the fit has: "
                "left out of the population."
            )
        return " ".join(said)


def rows_of(count: int) -> str:
    """Write a number of rows."""
    return f"{count:,} row{'' if count == 1 else 's'}"


def _have(count: int) -> str:
    return "has" if count == 1 else "have"
