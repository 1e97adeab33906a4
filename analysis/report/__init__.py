"""The report: one HTML page of what runs, comparisons, sweeps and tournaments say.

`page` puts the page together; ``run``, ``comparison``, ``sweep`` and ``tournament`` say what stands
in it, with the numbers and tables of `pen`; ``templates`` say how it looks.
"""

from analysis.report.page import report

__all__ = ["report"]
