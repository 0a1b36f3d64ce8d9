"""Writes openapi.yaml from the parts in docs/openapi.

The text of each part is copied, so comments, anchors and the order of members stay. A part is valid YAML by itself: it defines every
anchor that it uses.
"""

import argparse
import difflib
import sys
import textwrap

import yaml

from spec import FILE, ROOT, Loader

FOLDER = ROOT / "docs/openapi"
ROOT_PART = FOLDER / "openapi.yaml"
FIRST = "# Written by script/spec from docs/openapi: change that, and run it again.\n"
# The lists of parts begin here. The text before it is copied.
LISTS = "\n# The rest is in parts."


def part(name, indentation, used):
    """The text of a part as it appears in the document."""
    used.add(FOLDER / name)
    if not (FOLDER / name).is_file():
        sys.exit(f"docs/openapi/openapi.yaml lists {name}, which does not exist")
    text = (FOLDER / name).read_text(encoding="utf-8")
    try:
        members = yaml.load(text, Loader)
    except yaml.YAMLError as error:
        sys.exit(f"docs/openapi/{name}: {error}")
    if not isinstance(members, dict):
        sys.exit(f"docs/openapi/{name} must be a mapping")
    return textwrap.indent(text.rstrip("\n") + "\n", " " * indentation)


def document():
    """The text of openapi.yaml, and the parts that it consists of."""
    head, found, lists = ROOT_PART.read_text(encoding="utf-8").partition(LISTS)
    if not found:
        sys.exit(f"docs/openapi/openapi.yaml must contain the line {LISTS.strip()!r}")
    lists = yaml.load(LISTS + lists, Loader)
    used, texts = {ROOT_PART}, [FIRST, head, "\n"]
    for member in ("paths", "webhooks"):
        texts.append(f"{member}:\n")
        texts += [part(name, 2, used) for name in lists[member]]
    texts.append("components:\n")
    for kind, names in lists["components"].items():
        texts.append(f"  {kind}:\n")
        texts += [part(name, 4, used) for name in names]
    return "".join(texts), used


def main():
    parser = argparse.ArgumentParser(prog="script/spec", description="Writes openapi.yaml from the parts in docs/openapi.")
    parser.add_argument("--check", action="store_true", help="write nothing and fail if openapi.yaml is not up to date")
    arguments = parser.parse_args()
    text, used = document()
    if unused := sorted(set(FOLDER.rglob("*.yaml")) - used):
        sys.exit("\n".join(f"{each.relative_to(ROOT)} is not in a list of docs/openapi/openapi.yaml" for each in unused))
    try:
        # A part may repeat a member or an anchor of another part.
        yaml.load(text, Loader)
    except yaml.YAMLError as error:
        sys.exit(f"{FILE.name}, built from docs/openapi: {error}")
    old = FILE.read_text(encoding="utf-8") if FILE.exists() else ""
    if not arguments.check:
        FILE.write_text(text, encoding="utf-8")
        print(f"{FILE.name}: written from {len(used)} parts")
    elif old != text:
        sys.stderr.writelines(list(difflib.unified_diff(old.splitlines(True), text.splitlines(True), FILE.name, "up to date", n=1))[:40])
        sys.exit(f"{FILE.name} is out of date. Run script/spec.")
    else:
        print(f"{FILE.name}: up to date")


main()
