"""The pages of the problem codes. The path of a page is the path of the `type` of its problem."""

import http
import re

import yaml

from spec import ROOT, Loader

SOURCE = ROOT / "Sources/Web/Problem.swift"
TEXTS = ROOT / "docs/site/problems.yaml"
# The names of the statuses in Swift that differ from those in Python.
STATUSES = {"contentTooLarge": 413, "unprocessableContent": 422}


class Problems:
    def __init__(self, specification):
        self.codes = specification.document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
        self.texts = yaml.load(TEXTS.read_text(encoding="utf-8"), Loader)
        swift = SOURCE.read_text(encoding="utf-8")
        cases = dict(re.findall(r'^ +case (\w+)(?: = "(\w+)")?$', swift, re.M))
        self.names = {code or name: name for name, code in cases.items()}
        self.titles = dict(re.findall(r'case \.(\w+): "([^"]+)"', swift))
        self.statuses = dict(re.findall(r"case \.(\w+): \.(\w+)$", swift, re.M))
        self.type = re.search(r'type: "([^"\\]+)\\\(code\.rawValue\)"', swift)

    def errors(self):
        """What keeps a page from being written."""
        for code in sorted({*self.codes, *self.texts, *self.names}):
            for found, place in ((self.codes, "openapi.yaml"), (self.texts, "docs/site/problems.yaml"), (self.names, "Problem.swift")):
                if code not in found:
                    yield f"the problem code {code} is not in {place}"
            if code in self.names and not (self.names[code] in self.titles and self.names[code] in self.statuses):
                yield f"Problem.swift has no title or no status for {code}"
        if not self.type or not self.type[1].endswith("/problems/"):
            yield "Problem.swift: the type of a problem must end in /problems/ and the code"

    def status(self, code):
        name = self.statuses[self.names[code]]
        number = STATUSES.get(name) or http.HTTPStatus[re.sub(r"(?=[A-Z])", "_", name).upper()]
        return f"{int(number)} {http.HTTPStatus(number).phrase}"

    def pages(self):
        """Each page's path without `.md`, and its text."""
        rows = "\n".join(
            f"| [`{code}`]({code}.md) | {self.status(code)} | {self.titles[self.names[code]]} |" for code in self.codes)
        yield "index", f"""# Problems
The REST API describes an error as a [problem](../api/objects.md#problem) in `application/problem+json` (RFC 9457). `code` names the cause
for programs. `detail` names the rejected input and the next step. `request_id` identifies the request in the server's log.

The `type` of a problem is `{self.type[1]}` and the code. It identifies the problem. Its path on this site is the page of the problem.

| code | status | title |
| --- | --- | --- |
{rows}
"""
        for code in self.codes:
            text = self.texts[code]
            yield code, f"""# {code}
**{self.titles[self.names[code]]}**

| | |
| --- | --- |
| `status` | {self.status(code)} |
| `code` | `{code}` |
| `type` | `{self.type[1]}{code}` |

## Meaning
{text["meaning"].strip()}

## What to do
{text["remedy"].strip()}
"""
