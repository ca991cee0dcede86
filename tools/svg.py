# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Boxes, lines and words as SVG, for tools/check-pictures: as wide as a telephone, in light and in dark.

All sizes are pixels. A picture is WIDTH wide and is shown at that size or smaller, so that its smallest letters can be
read at 390 pixels. Colours are classes, and follow what the reader's system prefers.
"""
from dataclasses import dataclass, field
from html import escape

WIDTH, LINE, LETTER = 358, 15, 6.3  # of a line of words, and of a letter on the average
STYLE = """
svg { font: 12px/1.25 system-ui, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif; }
.page { fill: #ffffff; } .box { fill: #f2f5f9; stroke: #57606a; } .strong { fill: #dbeafe; stroke: #0b57b0; }
.panel { fill: none; stroke: #8c959f; stroke-dasharray: 4 3; } .empty { fill: none; stroke: #8c959f; }
text { fill: #1f2328; } .quiet { fill: #57606a; } .bold { font-weight: 600; }
.line { fill: none; stroke: #57606a; stroke-width: 1.3; } .rare { stroke-dasharray: 4 3; } .head { fill: #57606a; }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; } .box { fill: #1c2430; stroke: #9198a1; } .strong { fill: #12345f; stroke: #79b8ff; }
.panel, .empty { stroke: #656c76; } text { fill: #f0f6fc; } .quiet { fill: #b1bac4; }
.line { stroke: #b1bac4; } .head { fill: #b1bac4; } }
"""


def wrap(text, width):
    """The lines of a text that fit into so many pixels."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and len(longer) * LETTER > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


@dataclass
class Picture:
    title: str
    made_of: str  # the file whose picture it is
    parts: list = field(default_factory=list)
    bottom: float = 0

    def add(self, part, bottom=0):
        self.parts.append(part)
        self.bottom = max(self.bottom, bottom)

    def words(self, x, y, text, *classes, anchor="start"):
        """One line; y is its base line."""
        kind = f' class="{" ".join(classes)}"' if classes else ""
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.add(f'<text x="{x:g}" y="{y:g}"{kind}{place}>{escape(text, quote=False)}</text>', y + 4)

    def block(self, x, y, text, width, *classes):
        """As many lines as it takes; returns where the next one would begin."""
        for line in wrap(text, width):
            self.words(x, y, line, *classes)
            y += LINE
        return y

    def rect(self, x, y, width, height, kind="box"):
        corner = min(5, width / 5)
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{corner:g}" class="{kind}"/>',
                 y + height)

    def box(self, x, y, width, text, kind="box", height=0):
        """A box around centred lines; the first is bold where there are several paragraphs. Returns its height."""
        lines = [line for part in text.split("\n") for line in wrap(part, width - 8)]
        bold = len(wrap(text.split("\n", maxsplit=1)[0], width - 8)) if "\n" in text else 0
        height = max(height, len(lines) * LINE + 9)
        self.rect(x, y, width, height, kind)
        base = y + (height - len(lines) * LINE) / 2 + 11.5
        for number, line in enumerate(lines):
            self.words(x + width / 2, base + number * LINE, line, *(["bold"] if number < bold else []), anchor="middle")
        return height

    def arrow(self, *points, rare=False):
        """A line through points, with a head at the last one."""
        (ax, ay), (bx, by) = points[-2:]
        length = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5
        ux, uy = (bx - ax) / length, (by - ay) / length
        way = " ".join(f"{x:g},{y:g}" for x, y in (*points[:-1], (round(bx - 5 * ux, 1), round(by - 5 * uy, 1))))
        self.add(f'<polyline points="{way}" class="line{" rare" if rare else ""}"/>', max(y for _, y in points))
        back = bx - 7 * ux, by - 7 * uy
        tip = ((bx, by), (back[0] - 3.5 * uy, back[1] + 3.5 * ux), (back[0] + 3.5 * uy, back[1] - 3.5 * ux))
        self.add(f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in tip)}" class="head"/>')

    def text(self):
        height = round(self.bottom + 10)
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
                f'viewBox="0 0 {WIDTH} {height}" role="img">')
        note = f"<!-- Made of {self.made_of} by tools/check-pictures. -->"
        page = f'<rect width="{WIDTH}" height="{height}" rx="6" class="page"/>'
        style = f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style>"
        return "\n".join([head, note, style, page, *self.parts, "</svg>"]) + "\n"
