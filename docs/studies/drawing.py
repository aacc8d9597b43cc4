# SPDX-License-Identifier: Apache-2.0
"""Pictures of studies: SVG by hand, the same bytes for the same numbers."""
import math


def text(x, y, content, anchor="middle", colour="#333", size=12, turn=None):
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" '
            f'font-size="{size}"{turned}>{content}</text>')


def line(x1, y1, x2, y2, colour="#ddd", dash=None, width=1):
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}" stroke-width="{width}"{dashes}/>')


def box(x, y, width, height, colour):
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'fill="{colour}"/>')


def curve(points, colour, dash=None, width=2):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<polyline points="{path}" fill="none" stroke="{colour}" '
            f'stroke-width="{width}"{dashes}/>')


def picture(width, height, study, elements):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif">',
        f"<!-- SPDX-License-Identifier: Apache-2.0; written by docs/studies/run.py {study} -->",
        box(0, 0, width, height, "#fff"), *elements, "</svg>", ""])


class Logarithmic:
    """From @low to @high on the paper from @start to @end; what lies outside is put on the edge."""

    def __init__(self, low, high, start, end):
        self.low, self.high, self.start, self.end = low, high, start, end

    def at(self, value):
        inside = min(max(value, self.low), self.high)
        share = math.log(inside / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)
