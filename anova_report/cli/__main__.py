"""Lets the command line be run as `python -m anova_report.cli`; short, because Python asks for a file of this name."""

import sys

from anova_report.cli import main

sys.exit(main())
