"""Lets the command line be run as `python -m anova_report.cli`."""

import sys

from anova_report.cli import main

sys.exit(main())
