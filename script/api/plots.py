"""Draws docs/pictures/performance.svg from the measurements in docs/performance.json: CPU time against tenants, users and concurrency.

docs/performance.json has a member per plot. Its members are the values on the horizontal axis, each with the CPU milliseconds of the
service and PostgreSQL per operation. The horizontal axis is logarithmic, the vertical axis begins at 0.
"""

import json
import math

from picture import Picture
from spec import ROOT

DATA = ROOT / "docs/performance.json"
OPERATIONS = ["first login", "login", "refresh", "introspection", "read"]
LEFT, RIGHT, PANEL, HEIGHT = 44, 310, 158, 100


def performance():
    plots = json.loads(DATA.read_text(encoding="utf-8"))
    picture = Picture("CPU time of an operation against the number of tenants, users and concurrent operations", PANEL * len(plots) + 8)
    highest = max(value for points in plots.values() for point in points.values() for value in point.values())
    for index, (name, points) in enumerate(plots.items()):
        panel(picture, index * PANEL + 22, name, {int(x): point for x, point in points.items()}, highest)
    return picture


def panel(picture, top, name, points, highest):
    """One plot. `points` has the milliseconds of each operation for each value of the horizontal axis."""
    bottom = top + HEIGHT
    low, high = math.log(min(points)), math.log(max(points))

    def x(value):
        return LEFT + (math.log(value) - low) / (high - low) * (RIGHT - LEFT)

    def y(milliseconds):
        return bottom - milliseconds / highest * HEIGHT

    for milliseconds in [0, highest / 2, highest]:
        picture.parts.append(f'<path class="frame" d="M{LEFT} {y(milliseconds):.1f}H{RIGHT}"/>')
        picture.text(LEFT - 6, y(milliseconds) + 4, f"{milliseconds:.1f}", "small", "end")
    picture.text(LEFT - 6, top - 9, "ms", "small", "end")
    for value in points:
        picture.text(x(value), bottom + 15, f"{value:,}", "small")
    picture.text((LEFT + RIGHT) / 2, bottom + 29, name, "name")
    lowest_label = bottom + 16
    # From the lowest line to the highest, so that no label covers another.
    last = max(points)
    for operation in sorted(OPERATIONS, key=lambda operation: points[last][operation]):
        line = " ".join(f"{x(value):.1f},{y(point[operation]):.1f}" for value, point in sorted(points.items()))
        picture.parts.append(f'<polyline class="line" points="{line}"/>')
        lowest_label = min(y(points[last][operation]) + 4, lowest_label - 12)
        picture.text(RIGHT + 6, lowest_label, operation, "small", "start")
