"""The load: applications that sign users in and refresh their tokens, each at a fixed rate that does not depend on the responses.

Usage: load.py SETTINGS EVENTS

Reads the settings (JSON) and runs until SIGTERM. Then it waits for the operations in progress. EVENTS receives one JSON array per line:

    ["login", started, ended, failure]          failure is null or names the step
    ["refresh", started, ended, failure]
    ["retry", started, ended, failure, first]   a refresh token again, whose first use at the time `first` got no tokens

The times are seconds of the monotonic clock. The last line is an object with the sessions that the applications hold.
"""

import asyncio
import base64
import hashlib
import html
import itertools
import json
import re
import secrets
import signal
import sys
import time
from urllib.parse import parse_qs, urlencode, urlsplit

from http_client import Client, NoAnswer

PEOPLE = 2_000
# An application repeats a failed refresh soon, because a used refresh token returns its successor only for 30 s.
RETRY_PAUSE = 1
CROCKFORD = {character: value for value, character in enumerate("0123456789abcdefghjkmnpqrstvwxyz")}


class Failed(Exception):
    """An operation without tokens. The text names the step and the reason."""


class Session:
    """The data of an application about one login."""

    def __init__(self, application):
        self.application = application
        self.id = self.refresh_token = self.generation = None
        # Whether the server may have used the token without our knowledge, and since when.
        self.first_failure = None

    def take(self, answer):
        """Stores the tokens of a response. Raises Failed for anything else."""
        try:
            body = json.loads(answer.body)
        except ValueError:
            body = {}
        if answer.status != 200:
            raise Failed(f"{answer.status} {body.get('error', '')}".strip())
        try:
            claims = body["access_token"].split(".")[1]
            session = uuid(json.loads(base64.urlsafe_b64decode(claims + "=="))["sid"])
            generation = int.from_bytes(base64.urlsafe_b64decode(body["refresh_token"][4:] + "==")[20:24], "big")
        except (KeyError, ValueError, IndexError):
            raise Failed("200 without tokens") from None
        if self.id not in (None, session):
            raise Failed("200 with the tokens of another session")
        self.id, self.refresh_token, self.generation, self.first_failure = session, body["refresh_token"], generation, None


def uuid(text):
    """The ID of the database for a public ID: its 26 characters are 128 bits."""
    number = 0
    for character in text.rpartition("_")[2]:
        number = number << 5 | CROCKFORD[character]
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


class Load:
    def __init__(self, settings, events):
        self.settings, self.events, self.client = settings, events, Client()
        self.free, self.held, self.tasks = [], [], set()
        self.is_open = True
        self.applications = itertools.cycle(settings["applications"])
        self.people = itertools.cycle(range(PEOPLE))

    async def run(self):
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.close)
        await asyncio.gather(
            self.arrivals(self.settings["logins_per_second"], self.sign_in),
            self.arrivals(self.settings["refreshes_per_second"], self.refresh))
        while self.tasks:
            await asyncio.wait(self.tasks)
        self.write({"sessions": [
            {"id": each.id, "generation": each.generation, "is_uncertain": each.first_failure is not None} for each in self.held]})

    def close(self):
        self.is_open = False

    async def arrivals(self, per_second, operation):
        due = time.monotonic()
        while self.is_open:
            due += 1 / per_second
            await asyncio.sleep(max(0, due - time.monotonic()))
            task = asyncio.create_task(operation())
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    def write(self, event):
        self.events.write(json.dumps(event) + "\n")

    # A complete login, as a browser and an application do it.

    async def sign_in(self):
        session, started, failure = Session(next(self.applications)), time.monotonic(), None
        try:
            await self.login(session)
        except Failed as error:
            failure = str(error)
        except NoAnswer as error:
            failure = f"Apple: {error}"
        self.write(["login", started, time.monotonic(), failure])
        if failure is None:
            self.held.append(session)
            self.free.append(session)

    async def login(self, session):
        application = session.application
        verifier = secrets.token_hex(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        to_apple = await self.step("authorize", "GET", f"{application['issuer']}/oauth2/authorize?" + urlencode({
            "response_type": "code", "client_id": application["client_id"], "redirect_uri": application["redirect_uri"],
            "scope": "openid profile email", "state": secrets.token_hex(8), "nonce": secrets.token_hex(8),
            "code_challenge": challenge, "code_challenge_method": "S256"}), expected=302)
        page = await self.client.send("GET", to_apple.header("location"), headers=[
            ("Simulator-Person", f"Person {next(self.people)}"), ("Simulator-Email", "share")])
        action = re.search(r'<form[^>]*\baction="([^"]*)"', page.body)
        if not action:
            raise Failed(f"Apple: {page.status}")
        form = {
            html.unescape(name): html.unescape(value)
            for name, value in re.findall(r'<input[^>]*\bname="([^"]*)"[^>]*\bvalue="([^"]*)"', page.body)}
        back = await self.step(
            "callback", "POST", html.unescape(action[1]), form, [("Cookie", to_apple.cookies())], expected=303)
        query = parse_qs(urlsplit(back.header("location") or "").query)
        if "code" not in query:
            raise Failed(f"callback: {query.get('error', ['no code'])[0]}")
        await self.token(session, "token", {
            "grant_type": "authorization_code", "code": query["code"][0], "redirect_uri": application["redirect_uri"],
            "code_verifier": verifier})

    async def step(self, name, method, url, form=None, headers=(), expected=200):
        try:
            answer = await self.client.send(method, url, form, headers)
        except NoAnswer as error:
            raise Failed(f"{name}: {error}") from None
        if answer.status != expected:
            raise Failed(f"{name}: {answer.status}")
        return answer

    async def token(self, session, name, form):
        application = session.application
        credentials = {name: application[name] for name in ("client_id", "client_secret") if application[name]}
        try:
            session.take(await self.client.send("POST", f"{application['issuer']}/oauth2/token", form | credentials))
        except (Failed, NoAnswer) as error:
            raise Failed(f"{name}: {error}") from None

    # A refresh. The session that was refreshed longest ago comes first.

    async def refresh(self):
        if not self.free:
            return
        session = self.free.pop(0)
        started = time.monotonic()
        failure = await self.use(session)
        self.write(["refresh", started, time.monotonic(), failure])
        while failure is not None and "invalid_grant" not in failure and time.monotonic() - started < 120:
            session.first_failure = session.first_failure or started
            await asyncio.sleep(RETRY_PAUSE)
            again, first = time.monotonic(), session.first_failure
            failure = await self.use(session)
            self.write(["retry", again, time.monotonic(), failure, first])
        if failure is None:
            self.free.append(session)

    async def use(self, session):
        try:
            await self.token(session, "refresh", {"grant_type": "refresh_token", "refresh_token": session.refresh_token})
        except Failed as error:
            return str(error)
        return None


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        settings = json.load(file)
    with open(sys.argv[2], "w", encoding="utf-8") as events:
        asyncio.run(Load(settings, events).run())


if __name__ == "__main__":
    main()
