"""Runs `espalier-dev dev` for one script, in an empty folder and on free ports, and removes all of it afterwards."""

import base64
import ctypes
import hashlib
import html
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode, urljoin

import requests

from spec import ROOT


def built(product):
    """The path of a debug build. Builds the product only if the file is missing."""
    program = ROOT / ".build/debug" / product
    if not program.exists():
        subprocess.run(["swift", "build", "--product", product], cwd=ROOT, check=True, stdout=sys.stderr)
    return program


def espalierctl():
    """The path of `espalierctl`. Builds it only if the file is missing."""
    program = ROOT / "admin-cli/.build/debug/espalierctl"
    if not program.exists():
        subprocess.run(
            ["swift", "build", "--package-path", ROOT / "admin-cli", "--product", "espalierctl"], cwd=ROOT, check=True, stdout=sys.stderr)
    return program


class DevServer:
    def __enter__(self):
        # So that a script that is told to end cleans up as one that fails.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        self.folder = Path(tempfile.mkdtemp(prefix="espalier-check-"))
        # PostgreSQL runs under another account when we are root, and has to pass.
        self.folder.chmod(0o755)
        self.log = self.folder / "log"
        self.process = None
        program = built("espalier-dev")
        try:
            # Somebody else may take a port between our look and the server's.
            for attempt in range(3):
                with open(self.log, "wb") as log:
                    self.process = subprocess.Popen(
                        [program, "dev", "--directory", self.data, "--port", str(free_ports(4))], cwd=ROOT, stdout=log, stderr=log,
                        start_new_session=True, env=os.environ | {"ESPALIER_API_REQUESTS_PER_MINUTE": "1000000", "ESPALIER_API_CHANGES_PER_MINUTE": "1000000"},
                        preexec_fn=end_with_parent)
                if self.wait(is_last=attempt == 2):
                    return self
        except BaseException:
            self.__exit__()
            raise

    @property
    def data(self):
        return self.folder / "data"

    def wait(self, is_last):
        """Until it says that all of it runs. False when a port was taken, and it is not the last attempt."""
        deadline = time.monotonic() + 120
        while not (self.data / "dev.json").exists():
            has_ended = self.process.poll() is not None
            if has_ended or time.monotonic() > deadline:
                said = self.log.read_text(errors="replace")
                if has_ended and not is_last and re.search(r"Port \d+ is in use", said):
                    return False
                sys.exit(f"espalier-dev did not start:\n{said[-4000:]}")
            time.sleep(0.05)
        self.settings = json.loads((self.data / "dev.json").read_text())
        return True

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def complaints(self):
        return complaints_in(self.log)

    def sign_in(self, slug, person="new"):
        """A whole login at the tenant's demo application; answers its tokens."""
        tenant = next(each for each in self.settings["tenants"] if each["slug"] == slug)
        application = tenant["application"]
        verifier = secrets.token_hex(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        back = through_apple(
            f"{tenant['issuer']}/oauth2/authorize?" + urlencode({
                "response_type": "code", "client_id": application["client_id"], "redirect_uri": application["redirect_uri"],
                "scope": "openid profile email", "code_challenge": challenge, "code_challenge_method": "S256"}), person)
        redemption = {
            "grant_type": "authorization_code", "client_id": application["client_id"], "code_verifier": verifier,
            "code": re.search(r"[?&]code=([^&]*)", back)[1], "redirect_uri": application["redirect_uri"]}
        if application.get("client_secret"):
            redemption["client_secret"] = application["client_secret"]
        answer = requests.post(f"{tenant['issuer']}/oauth2/token", data=redemption)
        answer.raise_for_status()
        return answer.json()


def through_apple(authorization_url, person="new"):
    """What a browser does from the application and back to it, with a person who agrees at Apple, and to an application of a third
    party; answers where it returns to.
    """
    browser = requests.Session()
    to_apple = browser.get(authorization_url, allow_redirects=False)
    page = requests.get(to_apple.headers["Location"], headers={"Simulator-Person": person}).text
    answer = send_form(browser, page, "")
    if "/oauth2/consent" in answer.text:
        answer = send_form(browser, answer.text, answer.url)
    return answer.headers["Location"]


def send_form(browser, page, address):
    form = {
        html.unescape(name): html.unescape(value)
        for name, value in re.findall(r'<input[^>]*\bname="([^"]*)"[^>]*\bvalue="([^"]*)"', page)}
    action = html.unescape(re.search(r'<form[^>]*\baction="([^"]*)"', page)[1])
    return browser.post(urljoin(address, action), data=form, allow_redirects=False)


def complaints_in(log):
    """What a server wrote into its log as an error; each of them is a bug of ours."""
    found = []
    for line in log.read_text(errors="replace").splitlines():
        if '"level":"error"' in line or '"level":"critical"' in line:
            found.append(line)
    return found


def end_with_parent():
    """In the new process: whatever ends the script ends it too, and then PostgreSQL (prctl's PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def free_ports(count):
    """The first of some free ports in a row, below those that the kernel gives out by itself."""
    while True:
        first = 10_000 + secrets.randbelow(20_000)
        if all(_is_free(port) for port in range(first, first + count)):
            return first


def _is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
