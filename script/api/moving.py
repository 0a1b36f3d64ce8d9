"""Follows docs/moving-from-workos.md and docs/moving-from-mushu.md as a reader does: in an empty folder, with the commands and the code of the
pages and the real clients. Only the addresses, IDs and secrets of the pages are replaced. `Tests/StoryTests` runs this script, too.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from dev_server import DevServer, through_apple
from spec import ROOT

PERSON = "Ada Lovelace"
VENV = Path(sys.executable).parent
assert (ROOT / "admin-cli/.build/debug/espalierctl").exists(), "build espalierctl: swift build --package-path admin-cli"


class Guide:
    """A page, a folder, and the values that stand in place of those of the page."""

    def __init__(self, name, server):
        self.name, self.server, self.base_url = name, server, server.settings["base_url"]
        self.folder = server.folder / name
        self.folder.mkdir()
        text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        # Blocks of a list are indented.
        found = re.findall(r"^( *)```(sh|python)\n(.*?)^\1```", text, re.S | re.M)
        self.blocks = [(kind, re.sub(f"^{indent}", "", code, flags=re.M)) for indent, kind, code in found]
        self.values = {"https://login.example.com": self.base_url}
        self.environment = os.environ | {
            "PATH": f"{ROOT}/admin-cli/.build/debug:{VENV}:{os.environ['PATH']}", "HOME": str(self.folder), "NO_COLOR": "1", "COLUMNS": "200",
            "ESPALIER_BASE_URL": self.base_url, "ESPALIER_API_KEY": server.settings["platform_api_key"], "MUSHU_PERSON": PERSON,
            "BROWSER": f"{sys.executable} {ROOT / 'script/api/mushu_browser.py'} %s", "PYTHONDONTWRITEBYTECODE": "1"}

    def next(self, kind):
        found, code = self.blocks.pop(0)
        assert found == kind, f"{self.name}: expected a block of {kind}:\n{code}"
        for old, new in self.values.items():
            code = code.replace(old, new)
        return code

    def run(self):
        """Runs the next block, which must be one of a shell; answers what it prints."""
        code = self.next("sh")
        result = subprocess.run(
            ["bash", "-ec", code], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=120)
        if result.returncode != 0:
            sys.exit(f"docs/{self.name}.md: the commands failed:\n{code}\n{result.stdout}")
        return result.stdout

    def execute(self, names):
        """Runs the next block, which must be Python, with these names; answers all names."""
        os.chdir(self.folder)
        exec(compile(self.next("python"), f"{self.name}.md", "exec"), names)
        return names

    def end(self):
        assert not self.blocks, f"{self.name}: nothing runs these blocks: {self.blocks}"
        print(f"check-clients: docs/{self.name}.md was followed")


def application_in(output):
    return re.search(r"\bapp_[0-9a-z]{26}", output)[0]


def from_workos(guide):
    guide.run()
    # From here, the key of the page, so that it lacks no scope.
    guide.environment["ESPALIER_API_KEY"] = (guide.folder / "admin.key").read_text().strip()
    application = application_in(guide.run())
    guide.run()
    guide.values |= {
        "client_01jd8x3v6qf9wr2m5tzk7h4c0n": application.replace("app_", "client_"),
        "esk_live_…": (guide.folder / "workos.key").read_text().strip()}
    users = guide.execute({})["workos"].user_management
    url = users.get_authorization_url(provider="authkit", redirect_uri="https://app.example.com/callback", state="s")
    answer = parse_qs(urlsplit(through_apple(url, PERSON)).query)
    session = users.authenticate_with_code(code=answer["code"][0])
    assert session.user.first_name == "Ada" and answer["state"] == ["s"], session
    assert users.get_user(session.user.id) == session.user
    identity, = users.get_user_identities(session.user.id)
    assert identity.idp_id, identity
    assert users.authenticate_with_refresh_token(refresh_token=session.refresh_token).user == session.user

    assert "workos" in guide.run()
    assert (guide.folder / "webhook.secret").read_text().startswith("whsec_")
    # `script/api/authkit.py` verifies real deliveries with the library.
    assert "verify_event(" in guide.next("python")
    guide.end()


def from_mushu(guide):
    guide.values["app_…"] = application_in(guide.run())
    assert "warning" in guide.run(), "tokens in URLs need a warning"
    output = guide.run()
    for text in ["Logged in successfully", "User ID: user_", PERSON, "Token refreshed", "Logged out from server"]:
        assert text in output, f"{text!r} is missing in:\n{output}"
    # A new login, because the commands of the page end with a logout.
    subprocess.run(["mushu", "auth", "login"], cwd=guide.folder, env=guide.environment, check=True, capture_output=True, timeout=60)
    token = json.loads((guide.folder / ".mushu/tokens.json").read_text())["access_token"]
    names = guide.execute({"access_token": token})
    valid = names["validate_token"].sync(client=names["client"], authorization=f"Bearer {token}")
    assert valid.valid and valid.app_id == guide.values["app_…"], valid
    guide.end()


def main():
    with DevServer() as server:
        from_workos(Guide("moving-from-workos", server))
        from_mushu(Guide("moving-from-mushu", server))
        for line in (complaints := server.complaints()):
            print(f"check-clients: the server logged an error: {line}", file=sys.stderr)
    sys.exit("check-clients: failed" if complaints else 0)


main()
