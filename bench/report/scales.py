# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Axes: from numbers to places on the paper, with ticks."""

import math


class Linear:
    """From zero to a round number above the largest value."""

    def __init__(self, largest, begin, end, ticks=5):
        raw = max(largest, 1e-12) / ticks
        power = 10 ** math.floor(math.log10(raw))
        step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
        steps = max(1, math.ceil(largest / step - 1e-9))
        self.top = steps * step
        self.begin, self.end = begin, end
        self.ticks = [k * step for k in range(steps + 1)]

    def __call__(self, value):
        return self.begin + (self.end - self.begin) * value / self.top


class Log:
    """Between two positive numbers; ticks at 1, 2 and 5 times powers of ten, or at the powers where they are many."""

    def __init__(self, least, largest, begin, end, most_ticks=8):
        self.least, self.largest = least, max(largest, least * 1.0001)
        self.begin, self.end = begin, end
        for steps in ((1, 2, 5), (1, 3), (1,)):
            self.ticks = self._ticks(steps)
            if len(self.ticks) <= most_ticks:
                break

    def _ticks(self, steps):
        low, high = math.floor(math.log10(self.least)), math.ceil(math.log10(self.largest))
        every = (s * 10.0**p for p in range(low, high + 1) for s in steps)
        return [t for t in every if self.least * 0.9999 <= t <= self.largest * 1.0001]

    def __call__(self, value):
        share = math.log(value / self.least) / math.log(self.largest / self.least)
        return self.begin + (self.end - self.begin) * share


class Even:
    """Given values, evenly spaced, with half a step at both ends."""

    def __init__(self, values, begin, end):
        self.places = {value: index for index, value in enumerate(values)}
        self.begin, self.step = begin, (end - begin) / max(1, len(self.places))

    def __call__(self, value):
        return self.begin + (self.places[value] + 0.5) * self.step


def spans_decades(values, factor=30):
    """Whether the values are so far apart that a linear axis would hide the small ones."""
    return min(values) > 0 and max(values) / min(values) > factor


def round_down(value):
    """The next of 1, 2, 5 times a power of ten at or below."""
    power = 10 ** math.floor(math.log10(value))
    return max(m * power for m in (1, 2, 5) if m * power <= value * 1.0001)


def round_up(value):
    power = 10 ** math.floor(math.log10(value))
    return min(m * power for m in (1, 2, 5, 10) if m * power >= value * 0.9999)


def thin(places, widths, gap=6):
    """The indices of labels, centred at places, that fit beside each other: first and last, and between them what does."""
    if not places:
        return []
    last = len(places) - 1
    kept, end = [0], places[0] + widths[0] / 2
    limit = places[last] - widths[last] / 2 - gap
    for k in range(1, last):
        if places[k] - widths[k] / 2 >= end + gap and places[k] + widths[k] / 2 <= limit:
            kept.append(k)
            end = places[k] + widths[k] / 2
    if last > 0 and limit >= end - 1e-9:
        kept.append(last)
    return kept
