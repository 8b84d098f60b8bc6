"""
A simulator without a model file
================================

An engineer has runs of a simulator: a table of inputs, and a column of what came out. That is all that is
needed, and no Python either.
"""

# %%
# Flow through a borehole between two aquifers (Harper and Gupta, 1983), a common example of sensitivity
# analysis; here the two heads depend on each other, which Sobol' indices do not allow.
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
n_runs = 4000
common = rng.normal(size=n_runs)
runs = pd.DataFrame(
    {
        "radius": rng.normal(0.10, 0.016, n_runs).clip(0.05, 0.15),
        "influence": np.exp(rng.normal(7.71, 1.0056, n_runs)).clip(100, 50_000),
        "upper_flow": rng.uniform(63_070, 115_600, n_runs),
        "upper_head": 1050 + 30 * np.tanh(0.8 * common + 0.6 * rng.normal(size=n_runs)),
        "lower_flow": rng.uniform(63.1, 116, n_runs),
        "lower_head": 760 + 30 * np.tanh(0.8 * common + 0.6 * rng.normal(size=n_runs)),
        "length": rng.uniform(1120, 1680, n_runs),
        "conductivity": rng.uniform(9855, 12_045, n_runs),
    }
)
distance = np.log(runs["influence"] / runs["radius"])
leak = 2 * runs["length"] * runs["upper_flow"] / (distance * runs["radius"] ** 2 * runs["conductivity"])
head = runs["upper_head"] - runs["lower_head"]
runs["flow"] = 2 * np.pi * runs["upper_flow"] * head / (distance * (1 + leak + runs["upper_flow"] / runs["lower_flow"]))
runs.to_csv("runs.csv", index=False)

# %%
# From here on it is the command line: ``anova-report audit runs.csv --prediction flow -o simulator.html``.
from anova_report import cli

command = ["audit", "runs.csv", "--prediction", "flow", "-o", "simulator.html", "--title", "Flow through a borehole"]
exit_code = cli.main(command)

# %%
# The exit code is 0 where the audit ran; with ``--fail-on warn`` it is 1 where the verdict calls for care, so
# that a pipeline can stop.
from pathlib import Path

Path("runs.csv").unlink()
exit_code
# sphinx_gallery_thumbnail_path = "pictures/thumb_05_simulator.png"
