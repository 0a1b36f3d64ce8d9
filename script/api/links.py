"""Checks the relative links of all Markdown files, and the names of documents in code, scripts and the spec."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
CODE = (".swift", ".py", ".yaml", ".sh", ".sql")


def files():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def prose(text):
    """The numbered lines outside of code blocks, without code in backticks."""
    fence = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*```", line):
            fence = not fence
        elif not fence:
            yield number, re.sub(r"`[^`]*`", "", line)


def anchors(path):
    """The headings as GitHub writes them in a URL."""
    found, fence = set(), False
    for line in path.read_text(encoding="utf-8").splitlines():
        if re.match(r"\s*```", line):
            fence = not fence
        if fence or not (heading := re.match(r"#+ (.*)", line)):
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        number = 0
        while (name := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(name)
    return found


def problems_in_document(path):
    for number, line in prose(path.read_text(encoding="utf-8")):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            name, _, anchor = unquote(target).partition("#")
            file = (path.parent / name).resolve() if name else path
            if not file.exists():
                yield number, f"{target}: the file does not exist"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                yield number, f"{target}: the heading does not exist"


def problems_in_code(path):
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        for name in re.findall(r"(?<![\w./])docs/[\w./-]+\.md\b", line):
            if not (ROOT / name).exists():
                yield number, f"{name}: the file does not exist"


def main():
    count = checked = 0
    for path in files():
        if path.suffix == ".md":
            problems = problems_in_document(path)
        elif path.suffix in CODE or path.parent == ROOT / "script":
            problems = problems_in_code(path)
        else:
            continue
        checked += 1
        for number, problem in problems:
            count += 1
            print(f"{path.relative_to(ROOT)}:{number}: {problem}", file=sys.stderr)
    print(f"links: {checked} files, {count} problems")
    sys.exit(1 if count else 0)


main()
