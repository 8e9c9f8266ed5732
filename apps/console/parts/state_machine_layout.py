"""Where the boxes and arrows of a state machine lie: one column, repeats on its left, jumps on its right."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from labwright.apps.console.parts.state_machine import Machine, Node

# All in user units of the drawing, which is shown at one unit a CSS pixel where there is room.
WIDTH, LEFT, BOX, HEIGHT, GAP, TOP, LANE = 330, 44, 214, 46, 22, 4, 16


@dataclass(frozen=True, slots=True)
class Box:
    """A stage; `y` is its upper edge."""

    node: Node
    y: int
    end: bool


@dataclass(frozen=True, slots=True)
class Arrow:
    """A way between boxes; `path` is SVG path data, (`x`, `y`) where its `text` begins."""

    path: str
    taken: bool
    text: str = ""
    x: int = 0
    y: int = 0


@dataclass(frozen=True, slots=True)
class Drawing:
    """Everything that the template draws."""

    height: int
    boxes: list[Box]
    arrows: list[Arrow]


def layout(machine: Machine) -> Drawing:
    """The drawing of `machine`."""
    boxes = [
        Box(node, TOP + place * (HEIGHT + GAP), place == len(machine.nodes) - 1)
        for place, node in enumerate(machine.nodes)
    ]
    places = {box.node.label: place for place, box in enumerate(boxes)}
    arrows = [_step(box, machine.ways[(box.node.label, follower.node.label)]) for box, follower in pairwise(boxes)]
    jumps = 0
    for (start, end), count in machine.ways.items():
        if start not in places or end not in places:
            continue
        first, last = boxes[places[start]], boxes[places[end]]
        if start == end:
            arrows.append(_repeat(first, count))
        elif places[end] != places[start] + 1:
            arrows.append(_jump(first, last, jumps, count))
            jumps += 1
    return Drawing(TOP + len(boxes) * (HEIGHT + GAP) - GAP + TOP, boxes, arrows)


def _times(count: int) -> str:
    return f"{count}×" if count > 1 else ""


def _step(box: Box, count: int) -> Arrow:
    """To the stage below; drawn faintly until it is taken."""
    middle, bottom = LEFT + BOX // 2, box.y + HEIGHT
    return Arrow(f"M{middle} {bottom} V{bottom + GAP - 2}", count > 0, _times(count), middle + 8, bottom + 15)


def _repeat(box: Box, count: int) -> Arrow:
    upper, lower = box.y + 12, box.y + HEIGHT - 12
    return Arrow(f"M{LEFT} {upper} H{LEFT - 18} V{lower} H{LEFT - 2}", True, f"{count}×", 2, box.y + HEIGHT // 2 + 4)


def _jump(first: Box, last: Box, lane: int, count: int) -> Arrow:
    right = LEFT + BOX
    out = right + LANE * (1 + lane % 4)
    start, end = first.y + HEIGHT * 2 // 3, last.y + HEIGHT // 3
    return Arrow(f"M{right} {start} H{out} V{end} H{right + 2}", True, _times(count), out + 4, (start + end) // 2)
