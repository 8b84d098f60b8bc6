"""
A model whose audit fails, and why
==================================

An explanation that leaves a third of the predictions out is not an explanation. A page should say so in its
first line, and then what can be done.
"""

# %%
# A chemical process: the yield needs three settings to be right *together*, which no sum of functions of two of
# them can say.
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(6000, 5)), columns=["temperature", "pressure", "catalyst", "stirring", "batch"])
X["pressure"] += 0.5 * X["temperature"]


def process(rows: pd.DataFrame) -> pd.Series:
    together = rows["temperature"] * rows["pressure"] * rows["catalyst"]
    return 2 * np.tanh(together) + 0.5 * rows["stirring"]


# %%
# With pairs, the default, about half of the variance is missing. The verdict is a failure, whatever the curves
# look like.
from anova_report import audit, explain, measures

made = audit(process, X, "failure.html", title="Yield of a process, explained by pairs", progress=False)
print(made.outputs[0].verdict_words)

# %%
# The finding AR002 says what is missing and what to do. It advises another order only where an interaction of
# that order was found in what is left over:
next(item for item in made.outputs[0].findings if item.code == "AR002").advice

# %%
# Done as advised:
dec = explain(process, X, max_order=3, progress=False)
measures.findings(dec)
# sphinx_gallery_thumbnail_path = "pictures/thumb_08_failure.png"

# %%
# What still calls for care is said there. Had nothing been found, the honest end would have been the page
# above: this model cannot be described by effects of one and two features, and nobody should sign such a
# description.
