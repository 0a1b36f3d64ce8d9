"""Runs the walkthroughs and checks their output.

A walkthrough is a file of docs/walkthroughs. The `sh` blocks of a file run in one shell, one after the other. The text of a comment
`# → text` must be in one line of the output since the previous comment. `…` matches any text.
"""

import os
import re
import subprocess
import sys
import uuid
from pathlib import Path

from dev_server import DevServer
from spec import ROOT


def blocks(text):
    """The shell blocks of a walkthrough: the number of the first line, and the lines."""
    start, lines, counts = None, [], False
    for number, line in enumerate(text.splitlines(), 1):
        if start is None and line.startswith("```"):
            start, lines, counts = number + 1, [], line == "```sh"
        elif start is not None and line.startswith("```"):
            if counts:
                yield start, lines
            start = None
        elif start is not None:
            lines.append(line)


def steps(start, lines):
    """The parts of a block: commands, and their expected output."""
    commands, expected, first = [], [], start
    for number, line in enumerate(lines, start):
        if match := re.match(r"\s*# → ?(.*)", line):
            expected.append((number, match[1]))
            continue
        if expected:
            yield first, commands, expected
            commands, expected, first = [], [], number
        commands.append(line)
    yield first, commands, expected


class Shell:
    """One bash for all blocks of a file, as a reader uses it."""

    def __init__(self, folder):
        self.step = folder.with_suffix(".sh")
        self.process = subprocess.Popen(
            ["bash"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=os.environ | {"NO_COLOR": "1", "HOME": str(folder)})

    def run(self, commands):
        mark = f"end-{uuid.uuid4()}"
        # A file, so that no command reads the next commands as its input.
        self.step.write_text("\n".join(commands) + "\n", encoding="utf-8")
        self.process.stdin.write(f". '{self.step}' </dev/null; printf '\\n%s\\n' {mark}\n")
        self.process.stdin.flush()
        output = []
        for line in self.process.stdout:
            if line.rstrip("\n") == mark:
                return "".join(output)
            output.append(line)
        raise SystemExit("the shell ended:\n" + "".join(output))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def check(file, server):
    text = file.read_text(encoding="utf-8")
    # The text contains the default ports and folder of script/server.
    first = int(server.settings["base_url"].rsplit(":", 1)[1])
    for offset in range(4):
        text = text.replace(f"localhost:{8080 + offset}", f"localhost:{first + offset}")
    folder = server.folder / file.stem
    folder.mkdir()
    (folder / ".espalier").symlink_to(server.data)
    for name in (".build", "admin-cli", "docs", "script"):
        (folder / name).symlink_to(ROOT / name)
    shell, problems, assertions = Shell(folder), 0, 0
    for block in blocks(text):
        for start, commands, expected in steps(*block):
            output = shell.run(commands)
            for number, pattern in expected:
                assertions += 1
                form = ".*".join(re.escape(part) for part in pattern.strip().split("…"))
                if not re.search(form, output):
                    problems += 1
                    print(f"{file.relative_to(ROOT)}:{number}: expected {pattern}\n    the commands after line {start - 1} printed:", file=sys.stderr)
                    print("    " + output.strip()[:3000].replace("\n", "\n    "), file=sys.stderr)
    shell.close()
    print(f"{file.relative_to(ROOT)}: {assertions} expected outputs, {problems} missing")
    # A walkthrough without one would pass without a test.
    return problems == 0 and assertions > 0


def main():
    files = [ROOT / name for name in sys.argv[1:]] or sorted((ROOT / "docs/walkthroughs").glob("*.md"))
    well = True
    for file in files:
        # Each file has a new server, because no walkthrough needs another.
        with DevServer() as server:
            well = check(Path(file).resolve(), server) and well
    sys.exit(0 if well else 1)


main()
