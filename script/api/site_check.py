"""Checks the built documentation site: every link leads to a file, and nothing is loaded from another host."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes that a browser loads without a click.
LOADED = {
    "audio": ("src",), "embed": ("src",), "iframe": ("src",), "img": ("src", "srcset"), "input": ("src",), "link": ("href",),
    "object": ("data",), "script": ("src",), "source": ("src", "srcset"), "track": ("src",), "video": ("src", "poster")}
LINKED = {"a": ("href",), "area": ("href",), "form": ("action",)}
OTHER_HOST = re.compile(r"\s*([a-zA-Z][a-zA-Z0-9+.-]*:)?//|\s*(https?|wss?):")
STYLE = re.compile(r"@import\s+(?:url\()?[\"']?([^\"')\s;]+)|url\(\s*[\"']?([^\"')]+)")


class Check:
    def __init__(self, folder):
        self.folder, self.errors, self.pages = Path(folder), [], 0
        for file in sorted(self.folder.rglob("*")):
            name = file.relative_to(self.folder)
            if file.suffix == ".html":
                self.pages += 1
                page = _Page()
                page.feed(file.read_text(encoding="utf-8"))
                for address in page.loaded:
                    self.loads(address, name)
                for address in page.loaded + page.linked:
                    self.leads(address, file, name)
                if not page.has_policy:
                    self.errors.append(f"{name} has no Content-Security-Policy")
            elif file.suffix == ".css":
                for found in STYLE.finditer(file.read_text(encoding="utf-8")):
                    self.loads(found[1] or found[2], name)

    def loads(self, address, name):
        if OTHER_HOST.match(address):
            self.errors.append(f"{name} loads {address}")

    def leads(self, address, file, name):
        if OTHER_HOST.match(address) or re.match(r"[a-z]+:", address):
            return
        path = unquote(urlsplit(address).path)
        if path.startswith("/"):
            self.errors.append(f"{name} links to {address}, which depends on the path of the site")
            return
        target = file.parent / path if path else file
        if not (target.is_file() or (target / "index.html").is_file()):
            self.errors.append(f"{name} links to {address}, which does not exist")


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.loaded, self.linked, self.has_policy, self.in_style = [], [], False, False

    def handle_starttag(self, tag, attributes):
        values = {name: value or "" for name, value in attributes}
        for places, found in ((LOADED, self.loaded), (LINKED, self.linked)):
            for name in places.get(tag, ()):
                if name == "srcset" and values.get(name):
                    found += [each.split()[0] for each in values[name].split(",")]
                elif values.get(name):
                    found.append(values[name])
        self.styles(values.get("style", ""))
        self.in_style = tag == "style"
        # The policy stops requests of scripts, too.
        if tag == "meta" and values.get("http-equiv") == "Content-Security-Policy" and "default-src 'self'" in values.get("content", ""):
            self.has_policy = True

    def handle_data(self, data):
        if self.in_style:
            self.styles(data)

    def handle_endtag(self, tag):
        self.in_style = False

    def styles(self, text):
        self.loaded += [found[1] or found[2] for found in STYLE.finditer(text) if not (found[1] or found[2]).startswith("data:")]
