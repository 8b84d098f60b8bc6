"""The methods by which a decomposition goes into other programs; what writes is imported when it is asked for."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from anova_report.core.result.decomposition import Decomposition
    from anova_report.core.result.terms import Term


class Exported:
    """A decomposition that can be used where there is no code of ours."""

    def to_sql(self, dialect: str, table: str = "rows", *, own_scale: bool = False) -> str:
        """Write one SELECT that computes the explained prediction of every row of a table in a database.

        It returns all columns of the table, then the explained prediction as the last one, or one column for each
        output. It gives what `predict` gives, also for missing values, for levels that the fit has not seen, and beyond
        the range of the fit. What `predict` refuses, such as infinite numbers, is not refused there.

        Parameters
        ----------
        dialect : {"duckdb", "sqlite"}
        table : str
            Name of the table or the view, which has the columns of the fit and may have others.
        own_scale : bool
            Whether log-odds are turned into probabilities, and logarithms into what they are logarithms of.

        Raises
        ------
        InputError
            If there is no such dialect, the decomposition was made by the published method, or names of columns cannot
            be told apart in SQL.

        Notes
        -----
        SQLite has no type for times: text in ISO 8601 is read to the millisecond, numbers as seconds since 1970, and
        durations are seconds.

        Examples
        --------
        >>> import sqlite3
        >>> import numpy as np
        >>> from anova_report import explain
        >>> dec = explain(lambda rows: rows.sum(axis=1), np.random.default_rng(0).uniform(size=(200, 2)))
        >>> database = sqlite3.connect(":memory:")
        >>> _ = database.execute("CREATE TABLE rows AS SELECT 0.25 AS x0, 0.5 AS x1")
        >>> [round(value, 6) for value in database.execute(dec.to_sql("sqlite")).fetchone()]
        [0.25, 0.5, 0.75]
        """
        from anova_report.core.export.sql import select  # noqa: PLC0415 few programs write SQL

        return select(cast("Decomposition", self), dialect, table, own_scale=own_scale)

    def to_frame(
        self, terms: Sequence[object] | None = None, backend: Literal["pandas", "polars", "pyarrow"] = "pandas"
    ) -> Any:
        """Write lookup tables of terms as one frame: the effect of each at values of its features.

        Features of few values, levels among them, are listed completely; of others a term of one feature has up to 256
        values, of two 32 each, of three 12. With the mean, the effects of all terms add up to what `predict` returns.

        Parameters
        ----------
        terms : sequence of Term, int or str, optional
            As for `component`; by default all.
        backend : {"pandas", "polars", "pyarrow"}
            The library whose frame it is.

        Returns
        -------
        frame
            Columns "term"; for each of its features "feature_1", "value_1", a number, and "text_1", what a level, a
            time or a missing value is called; then "effect", on a logarithmic scale also "factor", of each output.

        Raises
        ------
        InputError
            If a term has more than a million combinations, or the decomposition was made by the published method.

        Examples
        --------
        >>> import numpy as np
        >>> from anova_report import explain
        >>> X = np.random.default_rng(0).integers(0, 2, size=(200, 2))
        >>> frame = explain(lambda rows: rows @ [1.0, 10.0], X).to_frame(["x1"])
        >>> [round(effect[1] - effect[0], 6) for effect in [frame["effect"].tolist()]]
        [10.0]
        """
        from anova_report.core.export.lookup import columns, frame  # noqa: PLC0415 few programs write tables

        return frame(columns(cast("Decomposition", self), self._chosen(terms)), backend)

    def to_xlsx(self, path: str | os.PathLike[str], terms: Sequence[object] | None = None) -> None:
        """Write lookup tables of terms as an Excel workbook: one sheet that lists them, then a sheet for each.

        The tables are those of `to_frame`. Text stays text, also where it begins like a formula.

        Parameters
        ----------
        path : path
        terms : sequence of Term, int or str, optional
            As for `component`; by default all.
        """
        from anova_report.core.export.lookup import workbook  # noqa: PLC0415 few programs write tables
        from anova_report.io import files  # noqa: PLC0415 likewise

        files.write_texts({path: workbook(cast("Decomposition", self), self._chosen(terms))})

    def to_shap(self, X: Any) -> Any:
        """Return ANOVA-Shapley values of rows as a `shap.Explanation`, which the plots of shap take.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)

        Returns
        -------
        shap.Explanation
            Its values are those of `shapley`; with the base values, the mean, they sum to `predict`.
        """
        from anova_report.core.export.attributions import shap_explanation  # noqa: PLC0415 shap is optional

        return shap_explanation(cast("Decomposition", self), X)

    def to_shapiq(self, row: Any, output: str | int | None = None) -> Any:
        """Return the components of one row as `shapiq.InteractionValues`, which the plots of shapiq take.

        Parameters
        ----------
        row : table of shape (1, n_features)
        output : str or int, optional
            Which output, where there are several.

        Returns
        -------
        shapiq.InteractionValues
            The mean and every component, interactions kept: the Möbius coefficients of the game in which a coalition of
            features is worth the mean and all components within it. They sum to `predict`.
        """
        from anova_report.core.export.attributions import interaction_values  # noqa: PLC0415 shapiq is optional

        return interaction_values(cast("Decomposition", self), row, output)

    def _chosen(self, terms: Sequence[object] | None) -> "list[Term]":
        dec = cast("Decomposition", self)
        return list(dec.terms) if terms is None else [dec.resolve(term) for term in terms]
