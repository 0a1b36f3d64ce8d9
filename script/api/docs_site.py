"""Builds the documentation site."""

import argparse
import fnmatch
import functools
import http.server
import logging
import os
import shutil
import sys
from pathlib import Path

# The generator advertises its successor on every run.
os.environ["NO_MKDOCS_2_WARNING"] = "true"

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import MkDocsException

import pictures
from reference import Reference
from site_check import Check
from site_problems import Problems
from site_sources import Page, sources
from spec import ROOT, Specification

CONFIGURATION = ROOT / "docs/site/mkdocs.yml"
STAGE = ROOT / ".build/docs-source"
TARGET = ROOT / ".build/docs"
# Files that the generator writes for a site with a known address. Their links would be absolute.
ABSOLUTE = ("404.html", "sitemap.xml", "sitemap.xml.gz")


def stage():
    """Writes all sources of the site into one folder. Returns what is wrong with them."""
    shutil.rmtree(STAGE, ignore_errors=True)
    STAGE.mkdir(parents=True)
    errors = []
    for file in sources():
        page = Page(file)
        target = STAGE / page.path
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix == ".md":
            target.write_text(page.text(), encoding="utf-8")
            errors += page.problems
        else:
            shutil.copyfile(ROOT / file, target)
    specification = Specification()
    problems = Problems(specification)
    errors += problems.errors()
    errors += pictures.errors()
    if not errors:
        write("api", Reference(specification).pages())
        write("problems", problems.pages())
    return errors


def write(folder, pages):
    (STAGE / folder).mkdir()
    for name, text in pages:
        (STAGE / folder / f"{name}.md").write_text(text, encoding="utf-8")


def navigation(sections):
    """The navigation of mkdocs.yml without patterns and without files that do not exist."""
    files = sorted(path.relative_to(STAGE).as_posix() for path in STAGE.rglob("*.md"))
    named, used = set(_entries(sections)), set()

    def expanded(entries):
        found = []
        for entry in entries:
            if isinstance(entry, dict):
                (title, value), = entry.items()
                inner = expanded(value if isinstance(value, list) else [value])
                if inner:
                    found.append({title: inner})
                continue
            if entry.endswith("/"):
                # The index comes first; the other pages keep their order.
                first = f"{entry}index.md"
                matches = [first, *_order(entry)]
            elif "*" in entry:
                matches = [file for file in fnmatch.filter(files, entry) if file not in named]
            else:
                matches = [entry]
            matches = [file for file in matches if file in files and file not in used]
            used.update(matches)
            found += matches
        return found

    result = expanded(sections)
    rest = [file for file in files if file not in used]
    if rest:
        print(f"docs: not in docs/site/mkdocs.yml, so in the section More: {', '.join(rest)}", file=sys.stderr)
        result.append({"More": rest})
    return result


def _entries(sections):
    for entry in sections:
        if isinstance(entry, dict):
            for value in entry.values():
                yield from _entries(value if isinstance(value, list) else [value])
        else:
            yield entry


def _order(folder):
    """The generated pages of a folder in the order in which they were written."""
    specification = Specification()
    pages = Reference(specification).pages() if folder == "api/" else Problems(specification).pages()
    return [f"{folder}{name}.md" for name, _ in pages if name != "index"]


def serve(port):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=TARGET)
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"docs: http://127.0.0.1:{server.server_port}/")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


def main():
    parser = argparse.ArgumentParser(prog="script/docs", description=__doc__)
    parser.add_argument("--serve", type=int, metavar="PORT", help="serve the built site on this port of 127.0.0.1")
    arguments = parser.parse_args()
    if errors := stage():
        sys.exit("\n".join(f"docs: {error}" for error in errors))
    logging.basicConfig(level=logging.WARNING, format="docs: %(message)s")
    try:
        configuration = load_config(str(CONFIGURATION), docs_dir=str(STAGE), site_dir=str(TARGET), strict=True)
        configuration.nav = navigation(configuration.nav)
        build(configuration)
    except MkDocsException as error:
        sys.exit(f"docs: {error}")
    for name in ABSOLUTE:
        (TARGET / name).unlink(missing_ok=True)
    check = Check(TARGET)
    if check.errors:
        sys.exit("\n".join(f"docs: {error}" for error in check.errors))
    print(f"docs: {check.pages} pages in {TARGET.relative_to(ROOT)}")
    if arguments.serve is not None:
        serve(arguments.serve)


main()
