# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Machine, commit and command of a plot, and the plot as a file."""

import re

from . import svg

MOST_COMMANDS = 4  # of more runs, only the commands without their options are named


def sources(runs):
    """[(machine and commits, [commands])], a machine at a time."""
    found = {}
    for run in runs:
        found.setdefault(run.processor, []).append(run)
    told = []
    for processor, own in found.items():
        commits = list(dict.fromkeys(run.commit for run in own))
        commands = list(dict.fromkeys(run.command for run in own))
        if len(runs) > MOST_COMMANDS:
            commands = _in_short(commands)
        told.append((f"{processor}, commit{'s' if len(commits) > 1 else ''} {', '.join(commits)}", commands))
    return told


def _in_short(commands):
    """Commands without their options, those that begin alike on one line: peneira-bench reduce, sort."""
    found = {}
    for command in commands:
        words = command.split()
        *begin, last = words[:2 if words[0] == "peneira-bench" else 3]  # before, it was peneira bench
        found.setdefault(" ".join(begin), {})[last] = None
    return [f"{begin} {', '.join(lasts)}".strip() for begin, lasts in found.items()]


def caption(figure):
    """Lines of the caption: [(class, text)]."""
    lines = [("soft small", figure.note)] if figure.note else []
    for where, commands in sources(figure.runs):
        lines.append(("ink small bold", where))
        lines += [("soft code", command) for command in commands]
    if len(figure.runs) > MOST_COMMANDS:
        lines.append(("soft small", "The options of each command, and every row: bench/results/."))
    return lines


def file_of(figure):
    """The plot as the text of an SVG file; documents show it as an image, where nothing can be pointed at."""
    panels = [(width, height, re.sub("<title>.*?</title>", "", markup, flags=re.DOTALL))
              for _, (width, height, markup) in figure.wide or figure.panels]
    return svg.document(figure.title, panels, figure.entries, caption(figure), columns=2, boxes=figure.boxes)
