"""Runs the walkthroughs as written and compares the output.

A walkthrough is every `sh` block below a heading that begins with "Walkthrough", in README.md and docs/walkthrough-*.md. The
blocks of a file run in one shell, one after the other. A comment `# → text` must be in what was printed since the comment
before, on one line; `…` in it stands for anything.
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
    """The shell blocks of the walkthroughs: the line each begins in, and its lines."""
    inside, level, start, lines = False, 0, None, []
    for number, line in enumerate(text.splitlines(), 1):
        if start is None and line.startswith("```"):
            start, lines, counts = number + 1, [], inside and line == "```sh"
        elif start is not None and line.startswith("```"):
            if counts:
                yield start, lines
            start = None
        elif start is not None:
            lines.append(line)
        elif heading := re.match(r"(#+) (.*)", line):
            if not inside or len(heading[1]) <= level:
                inside, level = heading[2].startswith("Walkthrough"), len(heading[1])


def steps(start, lines):
    """Parts of a block: commands, and what they must have printed."""
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
    """One bash for all blocks of a file, as a reader has."""

    def __init__(self, folder):
        self.step = folder.with_suffix(".sh")
        self.process = subprocess.Popen(
            ["bash"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=os.environ | {"NO_COLOR": "1", "HOME": str(folder)})

    def run(self, commands):
        mark = f"end-{uuid.uuid4()}"
        # From a file, so that no command reads the next ones as its input.
        self.step.write_text("\n".join(commands) + "\n", encoding="utf-8")
        self.process.stdin.write(f". '{self.step}' </dev/null; printf '\\n%s\\n' {mark}\n")
        self.process.stdin.flush()
        output = []
        for line in self.process.stdout:
            if line.rstrip("\n") == mark:
                return "".join(output)
            output.append(line)
        raise SystemExit("the shell has ended:\n" + "".join(output))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def check(file, server):
    text = file.read_text(encoding="utf-8")
    # It is written for the ports and the folder that script/server takes by itself.
    first = int(server.settings["base_url"].rsplit(":", 1)[1])
    for offset in range(4):
        text = text.replace(f"localhost:{8080 + offset}", f"localhost:{first + offset}")
    folder = server.folder / file.stem
    folder.mkdir()
    (folder / ".espalier").symlink_to(server.data)
    for name in (".build", "admin-cli", "script"):
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
                    print(f"{file.relative_to(ROOT)}:{number}: expected {pattern}\n    the commands from line {start} on printed:", file=sys.stderr)
                    print("    " + output.strip()[:3000].replace("\n", "\n    "), file=sys.stderr)
    shell.close()
    print(f"{file.relative_to(ROOT)}: {assertions} outputs, {problems} of them different")
    return problems == 0


def main():
    files = [ROOT / name for name in sys.argv[1:]] or [ROOT / "README.md", *sorted((ROOT / "docs").glob("walkthrough-*.md"))]
    well = True
    for file in files:
        # Each on a fresh server: none needs the other.
        with DevServer() as server:
            well = check(Path(file).resolve(), server) and well
    sys.exit(0 if well else 1)


main()
