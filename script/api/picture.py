"""A picture in SVG. It follows the color scheme of the system and has its own background."""

from html import escape

WIDTH = 400

STYLE = """
  text { font: 12.5px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #1f2328 }
  .back { fill: #ffffff } .box { fill: #eef3fb; stroke: #5b7bb0 } .mark { fill: #fff3d6; stroke: #a8832a } .frame { fill: none; stroke: #8c959f }
  .line { fill: none; stroke: #57606a; stroke-width: 1.3 } .life { stroke: #c4cad1; stroke-dasharray: 3 3 } .tip { fill: #57606a }
  .name { font-weight: 600 } .small { font-size: 11.5px; fill: #4f5963 } .halo { stroke: #ffffff; stroke-width: 4px; paint-order: stroke }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .back { fill: #161b22 } .box { fill: #1d2d46; stroke: #7a9bd1 } .mark { fill: #3d3010; stroke: #c9a54a }
    .frame { stroke: #7d8590 } .line { stroke: #9aa4af } .life { stroke: #444c56 } .tip { fill: #9aa4af }
    .small { fill: #a9b4bf } .halo { stroke: #161b22 }
  }
"""


class Picture:
    def __init__(self, title, height):
        self.title, self.height, self.parts = title, height, []

    def box(self, x, y, width, height, kind="box"):
        self.parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5"/>')

    def text(self, x, y, text, kind="", anchor="middle"):
        self.parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>')

    def line(self, *points):
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<polyline class="line" points="{path}" marker-end="url(#tip)"/>')

    def __str__(self):
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * 1.4:g}" height="{self.height * 1.4:g}" '
            f'viewBox="0 0 {WIDTH} {self.height}" role="img">',
            f"<title>{escape(self.title)}</title>", f"<style>{STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>',
            f'<rect class="back" width="{WIDTH}" height="{self.height}" rx="8"/>', *self.parts, "</svg>", ""])
