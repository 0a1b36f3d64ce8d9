"""The Markdown files of the repository as pages of the documentation site.

The files are written for GitHub. The site has another folder structure and another Markdown parser, so links, lists and tables are
adapted. A link to a file that is not on the site becomes plain text.
"""

import os
import re
from pathlib import PurePosixPath

from spec import ROOT

# Files that have another name on the site.
RENAMED = {
    "README.md": "index.md", "docs/README.md": "contents.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md", "migrations/README.md": "migrations.md", "openapi.yaml": "openapi.yaml"}
# Sources of the site, not pages.
EXCLUDED = ("docs/openapi/", "docs/site/")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*<?([^()\s>]+)>?((?:\s+\"[^\"]*\")?)\s*\)")
ATTRIBUTE = re.compile(r"\b(src|srcset|href)=\"([^\"]+)\"")
ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s+")
CODE = re.compile(r"``.*?``|`[^`]*`")
FENCE = re.compile(r"\s*(```|~~~)")


def page_of(file):
    """The path on the site of a file of the repository; None if the file is not on the site."""
    if file in RENAMED:
        return RENAMED[file]
    if file.startswith("docs/") and not file.startswith(EXCLUDED):
        return file.removeprefix("docs/")
    return None


def sources():
    """Each file of the repository that is on the site, as a path from the top level."""
    files = [file for file in RENAMED if (ROOT / file).is_file()]
    for path in sorted((ROOT / "docs").rglob("*")):
        file = path.relative_to(ROOT).as_posix()
        if path.is_file() and file not in RENAMED and page_of(file):
            files.append(file)
    return files


class Page:
    def __init__(self, file):
        self.file = file
        self.path = page_of(file)
        self.problems = []

    def text(self):
        """The Markdown for the site. Afterwards, `problems` names each link that leads nowhere."""
        lines, fence, before = [], None, ""
        for number, line in enumerate((ROOT / self.file).read_text(encoding="utf-8").split("\n"), 1):
            found = FENCE.match(line)
            if fence is None and found:
                fence = found[1]
            elif fence is not None:
                fence = None if line.strip() == fence else fence
            else:
                line = self.adapted(line, number)
                # Python-Markdown needs an empty line where GitHub needs none.
                if before.strip() and not before.startswith("#") and (
                        ITEM.match(line) and not ITEM.match(before) and not before.startswith(" ")
                        or line.startswith("|") and not before.startswith("|")):
                    lines.append("")
            lines.append(line)
            before = line
        return "\n".join(lines)

    def adapted(self, line, number):
        if line.startswith("|"):
            line = re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), line)
        # GitHub indents an inner list by two spaces, Python-Markdown by four.
        if (inner := re.match(r" +(?=[-*+] |\d+[.)] )", line)) and len(inner[0]) < 4:
            line = " " * (4 - len(inner[0])) + line
        # Code is not a link, but it can be the text of one.
        codes = re.findall(CODE, line)
        line = re.sub(CODE, "\0", line)
        line = LINK.sub(lambda link: self.link(link, number), line)
        line = re.sub("\0", lambda _: codes.pop(0), line)
        if line.lstrip().startswith("<"):
            line = ATTRIBUTE.sub(lambda found: f'{found[1]}="{self.raw(found[2], number)}"', line)
        return line

    def link(self, link, number):
        target = self.target(link[3], number)
        if target is None:
            return link[0] if link[1] else link[2]
        return f"{link[1]}[{link[2]}]({target}{link[4]})"

    def raw(self, address, number):
        """An address in HTML, which the generator does not adapt: relative to the page's folder on the site."""
        target = self.target(address, number)
        return address if target is None else target if self.path == "index.md" or ":" in target else "../" + target

    def target(self, address, number):
        """The address on the site; None for a file that is not on it."""
        if re.match(r"[a-z]+:|#", address):
            return address
        path, _, fragment = address.partition("#")
        file = os.path.normpath(PurePosixPath(self.file).parent / path)
        if (ROOT / file).is_dir():
            file = f"{file}/README.md"
        elif not (ROOT / file).is_file():
            self.problems.append(f"{self.file}:{number}: {address} does not exist")
            return None
        page = page_of(file)
        if page is None or not (ROOT / file).is_file():
            return None
        return os.path.relpath(page, PurePosixPath(self.path).parent) + (f"#{fragment}" if fragment else "")
