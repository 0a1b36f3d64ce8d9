"""Runs the quickstarts of docs/quickstarts against one server, and signs a user in and out at each.

The blocks of a page run in their order. A block with a title (```python title="shop.py") is appended to the file of this name. An `sh`
block is run in the page's folder, except for the blocks of the section "Prerequisites". The block of the section "Run it" starts the
application. The pages have the addresses of a reader, which are replaced with free ports.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from html import unescape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import requests

from dev_server import DevServer, end_with_parent, free_ports, through_apple
from spec import ROOT

PERSON, EMAIL = "Ada Lovelace", "ada-lovelace@example.com"
PATIENCE = 20
# The port in the text of each page.
PAGES = {"python-authlib": 5000, "django-allauth": 8000, "apache-mod-auth-openidc": 8090, "swift-hummingbird": 8085}
# A build of its own would take minutes. The main package compiles the same source file.
SWIFT_PROGRAM = ROOT / ".build/debug/QuickstartShop"


class Browser:
    """Follows redirects and stores cookies. At Apple's page, the person agrees. `leaks`: it stops before the callback."""

    def __init__(self, leaks=False):
        self.leaks, self.callback = leaks, None
        self.session = requests.Session()
        self.session.headers.update({"Accept": "text/html", "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate"})
        self.page = None

    def open(self, address, method="GET", fields=None):
        for _ in range(20):
            if "/oauth2/authorize?" in address:
                try:
                    method, fields, address = "GET", None, through_apple(address, PERSON)
                except TypeError:
                    raise AssertionError(f"Espalier sends the browser to no page of Apple from {address}") from None
                if self.leaks:
                    self.callback = address
                    return
            self.page = self.session.request(method, address, data=fields, allow_redirects=False, timeout=PATIENCE)
            if not self.page.is_redirect:
                break
            method, fields, address = "GET", None, urljoin(address, self.page.headers["Location"])
        assert self.page.status_code == 200, f"{address}: {self.page.status_code}\n{self.page.text[:2000]}"

    def press(self, label):
        """Follows the link with this text, or sends the form with this button."""
        text, name = self.page.text, re.escape(label)
        if link := re.search(rf'<a [^>]*href="([^"]*)"[^>]*>{name}</a>', text):
            return self.open(urljoin(self.page.url, unescape(link[1])))
        for form, content in re.findall(r"<form\b([^>]*)>(.*?)</form>", text, re.S):
            if re.search(rf"<button\b[^>]*>{name}</button>", content):
                action = re.search(r'action="([^"]*)"', form)
                fields = dict(re.findall(r'<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"', content))
                return self.open(urljoin(self.page.url, unescape(action[1])), "POST", fields)
        raise AssertionError(f"{self.page.url} has no link or button “{label}”:\n{text[:2000]}")

    def expect(self, text):
        assert text in self.page.text, f"{self.page.url} does not contain “{text}”:\n{self.page.text[:2000]}"


class Quickstart:
    def __init__(self, name, server):
        self.name, self.server, self.process = name, server, None
        self.folder = server.folder / name
        self.folder.mkdir()
        self.log = server.folder / f"{name}.log"
        self.path = ROOT / f"docs/quickstarts/{name}.md"
        self.port, self.client_id = free_ports(1), "app_…"
        text = self.path.read_text(encoding="utf-8")
        self.home = re.search(rf"<(http://[\w.]+):{PAGES[name]}>", text)[1] + f":{self.port}/"

    def adapt(self, code):
        """The code with this server's addresses and this application's client ID."""
        first = int(self.server.settings["base_url"].rsplit(":", 1)[1])
        code = re.sub(r"\blocalhost:808([0-3])\b", lambda match: f"localhost:{first + int(match[1])}", code)
        return re.sub(rf"\b{PAGES[self.name]}\b", str(self.port), code).replace("app_…", self.client_id)

    def blocks(self):
        """The section, language, title and code of each block."""
        section = ""
        for heading, language, title, code in re.findall(
            r'^## ([^\n]*)$|^```(\w+)(?: title="([^"]*)")?\n(.*?)^```$', self.path.read_text(encoding="utf-8"), re.M | re.S
        ):
            section = heading or section
            if not heading:
                yield section, language, title, code

    def environment(self):
        tools = f"{ROOT}/admin-cli/.build/debug:{Path(sys.executable).parent}"
        return os.environ | {
            "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(self.folder), "NO_COLOR": "1",
            "ESPALIER_BASE_URL": self.server.settings["base_url"], "ESPALIER_API_KEY": self.server.settings["platform_api_key"]}

    def run(self):
        for section, language, title, code in self.blocks():
            if language == "swift":
                self.check_swift(title, code)
            elif title:
                file = self.folder / title
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("a", encoding="utf-8") as output:
                    output.write(self.adapt(code))
            elif language == "sh" and section == "Prerequisites":
                self.check_packages(code)
            elif language == "sh" and section == "Run it":
                self.start(self.adapt(code).replace("swift run Shop", f"exec '{SWIFT_PROGRAM}'"))
            elif language == "sh":
                self.command(self.adapt(code))
        assert self.process, f"{self.path.name} has no sh block in the section “Run it”"
        self.sign_in_and_out()

    def check_packages(self, code):
        """The packages that a reader installs must be those that this run uses."""
        pinned = {line.partition("==")[0] for line in (ROOT / "script/requirements.txt").read_text().splitlines()}
        for packages in re.findall(r"pip install (.*)", code):
            names = {re.sub(r'"|\[.*', "", package) for package in packages.split()}
            assert not (others := names - pinned), f"{others} are not in script/requirements.txt"
        installed = re.findall(r"[a-z0-9][a-z0-9.+-]+", (ROOT / "script/bootstrap").read_text())
        for packages in re.findall(r"apt-get install (.*)", code):
            assert not (others := set(packages.split()) - set(installed)), f"script/bootstrap does not install {others}"

    def check_swift(self, title, code):
        """The source file must be the one that the main package compiles, with the same packages."""
        if title == "Package.swift":
            known = (ROOT / title).read_text(encoding="utf-8").splitlines()
            lines = [line for line in code.splitlines() if ".package(" in line]
            assert lines and not (others := set(lines) - set(known)), f"Package.swift of Espalier has other versions: {others}"
        else:
            compiled = ROOT / "Tests/Quickstart" / Path(title).name
            assert code == compiled.read_text(encoding="utf-8"), f"{title} differs from {compiled.relative_to(ROOT)}"
            if not SWIFT_PROGRAM.exists():
                subprocess.run(["swift", "build", "--product", SWIFT_PROGRAM.name], cwd=ROOT, check=True, stdout=sys.stderr)

    def command(self, code):
        done = subprocess.run(
            ["bash", "-ec", code], cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == 0, f"{code}{done.stdout}{done.stderr}"
        if found := re.search(r"\bapp_[0-9a-z]{26}\b", done.stdout):
            self.client_id = found[0]

    def start(self, code):
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["bash", "-ec", code], cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, preexec_fn=end_with_parent)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return requests.get(self.home, timeout=PATIENCE)
            except requests.ConnectionError:
                assert self.process.poll() is None and time.monotonic() < deadline, "the application did not start"
                time.sleep(0.05)

    def sessions(self, status):
        answer = requests.get(
            f"{self.server.settings['base_url']}/v1/tenants/acme/sessions", params={"application": self.client_id, "status": status},
            headers={"Authorization": f"Bearer {self.server.settings['platform_api_key']}"})
        answer.raise_for_status()
        return len(answer.json()["data"])

    def sign_in_and_out(self):
        browser = Browser()
        browser.open(self.home)
        assert EMAIL not in browser.page.text and self.sessions("active") == 0
        browser.press("Sign in with Apple")
        browser.expect(EMAIL)
        assert self.sessions("active") == 1
        browser.press("Sign out")
        assert browser.page.url.startswith(self.home), f"the browser is at {browser.page.url} after the sign-out"
        assert EMAIL not in browser.page.text
        assert self.sessions("active") == 0 and self.sessions("ended") == 1, "the session did not end"
        browser.open(self.home)
        browser.expect("Sign in with Apple")
        self.reject_another_browser()

    def reject_another_browser(self):
        """The callback of one browser signs no other browser in."""
        attacker, victim = Browser(leaks=True), Browser()
        attacker.open(self.home)
        attacker.press("Sign in with Apple")
        victim.session.get(attacker.callback, timeout=PATIENCE, allow_redirects=False)
        for path in ("", "account/"):
            page = victim.session.get(self.home + path, timeout=PATIENCE, allow_redirects=False)
            assert EMAIL not in page.text, f"{page.url}: the callback of another browser signed a user in"

    def end(self):
        """Ends what this page started, which is a process group of its own."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


def check_index(server):
    """The REST request of README.md registers an application."""
    code = re.search(r"^```sh\n(.*?)^```$", (ROOT / "docs/quickstarts/README.md").read_text(encoding="utf-8"), re.M | re.S)[1]
    environment = {"ESPALIER_BASE_URL": server.settings["base_url"], "ESPALIER_API_KEY": server.settings["platform_api_key"]}
    done = subprocess.run(["bash", "-ec", code], env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0 and "client_secret" in json.loads(done.stdout), done.stdout + done.stderr


def main():
    names = [Path(argument).stem for argument in sys.argv[1:]] or list(PAGES)
    if unknown := set(names) - set(PAGES):
        sys.exit(f"check-quickstarts: {', '.join(sorted(unknown))}: not a quickstart with a run. Choose from: {', '.join(PAGES)}.")
    failed = False
    with DevServer() as server:
        check_index(server)
        for name in names:
            quickstart, started = Quickstart(name, server), time.monotonic()
            try:
                quickstart.run()
                print(f"check-quickstarts: {name}: signed in and out ({time.monotonic() - started:.1f} s)")
            except Exception as error:  # Each page has its turn.
                failed = True
                log = quickstart.log.read_text(errors="replace")[-3000:] if quickstart.log.exists() else ""
                print(f"check-quickstarts: {name}: {error}\n{log}", file=sys.stderr)
            finally:
                quickstart.end()
        for line in (complaints := server.complaints()):
            print(f"check-quickstarts: the server wrote: {line}", file=sys.stderr)
    sys.exit(1 if failed or complaints else 0)


if __name__ == "__main__":
    main()
