# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The report: result files become one HTML page, and the plots and tables of the documents.

results.py    reads bench/results/<machine>/*.json: runs and their rows
ages.py       how far the code has moved since a run
work.py       what varies among the rows of a run: the axis, the panels, the series
text.py       numbers and names as people read them
scales.py     axes: linear and logarithmic, with ticks
svg.py        elements, markers, colours, the layout of a plot with legend and caption
charts.py     one panel: lines, bars, a heat map, a strip of dots
figures.py    the plots of one run, made of panels
overview.py   the plots of several runs: over threads, and the overview
sweep.py      problems drawn from a seed: their dots and quantiles
paper_figures.py  the figures of the papers, drawn as printed
captions.py   machine, commit and command of a plot; the plot as a file
tables.py     rows as tables, in HTML and in Markdown
page.py       the HTML page
documents.py  the plots that the documents ask for
__main__.py   python3 -m bench.report
"""
