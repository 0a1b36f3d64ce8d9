"""Writes the outlines of the Sign in with Apple button's texts into Sources/AppleButton/Outlines.

The server has no font. This script shapes the texts of texts.txt once, with HarfBuzz, and writes each glyph that they need as a path.
Run it by hand after a change of texts.txt. No check runs it, because it needs packages and fonts that nothing else uses:

    python3 -m venv /tmp/glyphs && /tmp/glyphs/bin/pip install fonttools==4.68.0 uharfbuzz==0.57.0
    apt-get install fonts-inter fonts-noto-core fonts-noto-extra fonts-noto-cjk-extra
    /tmp/glyphs/bin/python script/button/glyphs.py [--fonts FOLDER]

FOLDER has the fonts of these packages. Default: /usr/share/fonts. The same fonts give the same files.
"""

import argparse
import pathlib

import uharfbuzz
from fontTools.misc.transform import Scale
from fontTools.pens.basePen import BasePen
from fontTools.pens.reverseContourPen import ReverseContourPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont

HERE = pathlib.Path(__file__).resolve().parent
OUTLINES = HERE.parent.parent / "Sources/AppleButton/Outlines"
TYPES = ["sign-in", "continue", "sign-up"]
EM = 1000

# The letter of each font in the data, its file, its place in a collection, and its name in Swift. The first font that has a character
# draws it: a locale's own fonts come after Inter, which draws every "Apple".
FONTS = {
    "l": ("inter/InterDisplay-Medium.otf", 0, "latin", "Inter Display Medium"),
    "a": ("noto/NotoSansArabic-Medium.ttf", 0, "arabic", "Noto Sans Arabic Medium"),
    "h": ("noto/NotoSansHebrew-Medium.ttf", 0, "hebrew", "Noto Sans Hebrew Medium"),
    "t": ("noto/NotoSansThai-Medium.ttf", 0, "thai", "Noto Sans Thai Medium"),
    "j": ("noto/NotoSansCJK-Medium.ttc", 0, "japanese", "Noto Sans CJK JP Medium"),
    "k": ("noto/NotoSansCJK-Medium.ttc", 1, "korean", "Noto Sans CJK KR Medium"),
    "s": ("noto/NotoSansCJK-Medium.ttc", 2, "simplifiedChinese", "Noto Sans CJK SC Medium"),
    "w": ("noto/NotoSansCJK-Medium.ttc", 3, "taiwanese", "Noto Sans CJK TC Medium"),
    "x": ("noto/NotoSansCJK-Medium.ttc", 4, "hongKong", "Noto Sans CJK HK Medium"),
}
OTHER = {"ar_SA": "a", "iw_IL": "h", "th_TH": "t", "ja_JP": "j", "ko_KR": "k", "zh_CN": "s", "zh_TW": "w", "zh_HK": "x"}
RIGHT_TO_LEFT = {"ar_SA", "iw_IL"}


class PathPen(BasePen):
    """An outline as the data of an SVG path: an absolute start, then relative commands in whole units."""

    def __init__(self, glyphs):
        super().__init__(glyphs)
        self.parts = []
        self.last = self.start = (0, 0)
        self.command = None

    def write(self, command, *points):
        points = [(round(x), round(y)) for x, y in points]
        numbers = [n for x, y in points for n in (x - self.last[0], y - self.last[1])]
        if command == "l" and (numbers[0] == 0 or numbers[1] == 0):
            command, numbers = ("v", numbers[1:]) if numbers[0] == 0 else ("h", numbers[:1])
            if numbers == [0]:
                return
        text = "" if command == self.command else command
        for index, number in enumerate(numbers):
            text += ("" if number < 0 or (index == 0 and text == command) else " ") + str(number)
        self.parts.append(text)
        self.last, self.command = points[-1], command

    def _moveTo(self, point):
        point = (round(point[0]), round(point[1]))
        # After `z`, the current point is the start of the contour before.
        self.last = self.start
        if not self.parts:
            self.parts.append(f"{point[0]} {point[1]}")
            self.command = "m"
        else:
            self.command = None
            self.write("m", point)
        self.start = self.last = point

    def _lineTo(self, point):
        self.write("l", point)

    def _curveToOne(self, first, second, point):
        self.write("c", first, second, point)

    def _qCurveToOne(self, control, point):
        self.write("q", control, point)

    def _closePath(self):
        self.parts.append("z")
        self.command = "z"

    _endPath = _closePath


class Font:
    def __init__(self, folder, letter):
        file, number, self.name, self.title = FONTS[letter]
        path = next(p for p in folder.rglob(pathlib.Path(file).name))
        self.letter, self.ttf = letter, TTFont(path, fontNumber=number)
        self.glyphs, self.characters = self.ttf.getGlyphSet(), self.ttf.getBestCmap()
        self.scale = EM / self.ttf["head"].unitsPerEm
        self.is_postscript = "CFF " in self.ttf
        self.harfbuzz = uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(path)), number))
        # The glyphs in the order of their first use.
        self.used = {}

    def has(self, character):
        return ord(character) in self.characters

    def shape(self, text, direction):
        buffer = uharfbuzz.Buffer()
        buffer.add_str(text)
        buffer.guess_segment_properties()
        buffer.direction = direction
        uharfbuzz.shape(self.harfbuzz, buffer, {"kern": True, "liga": True})
        return zip(buffer.glyph_infos, buffer.glyph_positions)

    def outline(self, name):
        pen = PathPen(self.glyphs)
        # The y axis of an image points down. Outlines of both kinds then run in the same direction.
        scaled = TransformPen(pen, Scale(self.scale, -self.scale))
        self.glyphs[name].draw(ReverseContourPen(scaled) if self.is_postscript else scaled)
        return "".join(pen.parts)


def runs(text, other, fonts):
    """The text in pieces of one font each. A space belongs to the piece before it."""
    pieces = []
    for character in text:
        letter = "l" if fonts["l"].has(character) else other
        assert letter and fonts[letter].has(character), f"no font for {character!r}"
        if pieces and (pieces[-1][0] == letter or character == " "):
            pieces[-1][1] += character
        else:
            pieces.append([letter, character])
    return pieces


def place(text, locale, fonts):
    """The glyphs of the text from left to right, each with its position, and the width of the text."""
    x, placed = 0, []
    pieces = runs(text, OTHER.get(locale), fonts)
    if locale in RIGHT_TO_LEFT:
        # The last piece is the leftmost one. The space between two pieces stays between them.
        pieces = [[letter, piece] for letter, piece in reversed(pieces)]
    for letter, piece in pieces:
        font = fonts[letter]
        direction = "rtl" if locale in RIGHT_TO_LEFT and letter != "l" else "ltr"
        for info, position in font.shape(piece, direction):
            assert info.codepoint, f"{font.title} lacks a character of {piece!r}"
            name = font.ttf.getGlyphName(info.codepoint)
            path = font.outline(name)
            if path:
                index = font.used.setdefault(path, len(font.used))
                left, top = round(x + position.x_offset * font.scale), -round(position.y_offset * font.scale)
                placed.append(f"{letter}{index}@{left}" + (f",{top}" if top else ""))
            x += position.x_advance * font.scale
    return placed, round(x)


def swift(name, about, literal, lines):
    text = "\n".join(f"        {line}" for line in lines)
    assert "\\" not in text and '"""' not in text
    return f'''extension Outlines {{
    /// {about}
    static let {literal} = """
{text}
        """
}}
'''


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fonts", type=pathlib.Path, default=pathlib.Path("/usr/share/fonts"), help="the folder of the fonts")
    folder = parser.parse_args().fonts
    fonts = {letter: Font(folder, letter) for letter in FONTS}
    texts = []
    for line in (HERE / "texts.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        locale, *of_types = [part.strip() for part in line.split("|")]
        for kind, text in zip(TYPES, of_types, strict=True):
            glyphs, width = place(text, locale, fonts)
            texts.append(f"{locale}|{kind}|{text}|{width}|{' '.join(glyphs)}")
    OUTLINES.mkdir(exist_ok=True)
    (OUTLINES / "Texts.swift").write_text(swift(
        "Texts", "Written by script/button/glyphs.py: locale, type, text, width, and the glyphs with their positions.", "texts", texts),
        encoding="utf-8")
    for font in fonts.values():
        name = font.name[0].upper() + font.name[1:]
        (OUTLINES / f"{name}.swift").write_text(swift(
            name, f"Written by script/button/glyphs.py: the glyphs of {font.title}, SIL Open Font License 1.1 (NOTICE).", font.name,
            [f"{font.letter}{index} {path}" for path, index in font.used.items()]), encoding="utf-8")
        print(f"{font.title}: {len(font.used)} glyphs, {sum(map(len, font.used)) / 1024:.1f} KiB")


if __name__ == "__main__":
    main()
