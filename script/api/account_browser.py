"""What Chromium makes of the pages of people: an operator and an owner accept their invitations, sign in with a password, with codes and
with a passkey, change their accounts, and log in from a terminal both ways with `espalierctl`. Each page is laid out, read and used by
keyboard, also in other languages.
"""

import json
import re
import subprocess
import time

from selenium.webdriver.common.keys import Keys

from dev_server import espalierctl
from languages import DESCRIBE, LANGUAGES, fits_and_is_legible, works_by_keyboard
from linking_browser import mailed_link
from person import (
    ACCOUNT, ADDRESS, APPROVAL, AUTHENTICATOR, CODE, DECIDED, INVITATION, NEW_PASSKEY, PASSKEYS, PASSWORD, PROBLEM, USE_PASSKEY, Person)


class Terminal:
    """A machine with `espalierctl` and a browser, which stores the address that it is to open."""

    def __init__(self, folder, server):
        folder.mkdir()
        self.opened = folder / "opened"
        opener = folder / "xdg-open"
        opener.write_text(f"#!/bin/sh\nprintf %s \"$1\" >'{self.opened}.new' && mv '{self.opened}.new' '{self.opened}'\n", encoding="utf-8")
        opener.chmod(0o755)
        self.program = espalierctl()
        self.environment = {
            "PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder), "NO_COLOR": "1", "DISPLAY": ":0",
            "ESPALIER_BASE_URL": server.settings["base_url"]}

    def run(self, *arguments, fails=False):
        ended = subprocess.run([self.program, *arguments], env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert (ended.returncode != 0) == fails, (arguments[:2], ended.stderr)
        return ended.stdout

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json"))

    def logs_in(self, *arguments):
        self.opened.unlink(missing_ok=True)
        return subprocess.Popen(
            [self.program, "login", *arguments], env=self.environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def address(self):
        """The address that the login has opened."""
        deadline = time.monotonic() + 20
        while not self.opened.exists():
            assert time.monotonic() < deadline, "espalierctl opens no browser"
            time.sleep(0.02)
        return self.opened.read_text(encoding="utf-8")


def ended(login):
    _, messages = login.communicate(timeout=30)
    return login.returncode, messages


class Reader:
    """Checks each page in the language of the browser, and counts them."""

    def __init__(self, browser):
        self.browser, self.language, self.direction, self.pages = browser, "en", "ltr", 0

    def __call__(self):
        found = self.browser.run(DESCRIBE)
        assert (found["lang"], found["dir"], found["direction"]) == (self.language, self.direction, self.direction), found
        # The title of a page with a problem starts with the problem.
        assert len(found["headings"]) == 1 and found["title"].endswith(found["headings"][0]) and found["landmarks"][1] == 1, found
        assert not found["nameless"] and "{" not in found["text"], found
        # Arabic and Hebrew would reverse the parts of a date that does not stand apart.
        assert not re.search(r"(?<!\u2066)\b\d{4}-\d\d-\d\d", found["text"]), found
        fits_and_is_legible(self.browser)
        works_by_keyboard(self.browser, found["reachable"])
        self.pages += 1

    def speak(self, language="en"):
        (self.language, self.direction) = (language, LANGUAGES.get(language, "ltr"))
        self.browser.set_language(language)

    def read(self, addresses):
        """Each of the pages from right to left, and with long words."""
        for language in ("ar", "de"):
            self.speak(language)
            for address in addresses:
                self.browser.open(address)
                self()
        self.speak()


def accepts_invitations(browser, server, reader, terminal, account):
    """The operator by the link that the server shows, in English. The operator invites an owner from a terminal, who accepts in Arabic."""
    ada = Person(browser, "Ada Lovelace", sees=reader)
    browser.open(server.settings["operator_url"])
    reader()
    browser.type(ada.name + Keys.TAB + "password" + Keys.ENTER)
    ada.sees_page(PROBLEM)
    assert browser.run("return document.activeElement.name") == "password"
    ada.accept(server.settings["operator_url"])
    login = terminal.logs_in()
    ada.allow(terminal.address())
    status, messages = ended(login)
    assert status == 0 and "Logged in to" in messages, messages
    assert (caller := terminal.json("whoami"))["is_operator"] and caller["actor"].startswith("person_"), caller
    invitation = terminal.json("invitations", "create", "grace@example.com", "--tenant", "acme", "--role", "owner")
    assert invitation["invited_by"] == caller["actor"] and invitation["is_mailed"] and "url" not in invitation, invitation
    terminal.run("logout")
    terminal.run("whoami", fails=True)
    browser.open(account)
    membership = browser.run("return document.querySelector(\"a[href^='/account/memberships/']\").pathname")
    reader.read([server.settings["base_url"] + membership])
    ada.sign_out(account)

    reader.speak("ar")
    grace = Person(browser, "Grace Hopper", sees=reader)
    link = mailed_link(server, "/account/invitation")
    grace.accept(link)
    # The link is used up.
    browser.open(link)
    reader()
    return ada, grace, caller["actor"]


def signs_in_each_way(browser, person, account):
    person.sign_out(account)
    browser.open(f"{account}/sign-in")
    person.sees_page(ADDRESS)
    browser.type("nobody@example.com" + Keys.ENTER)
    person.sees_page(PASSWORD)
    browser.type("wrong" + Keys.ENTER)
    person.sees_page(PROBLEM)
    browser.open(f"{account}/sign-in")
    person.gives_password()
    person.sees_page(CODE)
    browser.type("000000" + Keys.ENTER)
    person.sees_page(PROBLEM)
    browser.type(person.code() + Keys.ENTER)
    person.sees_page(ACCOUNT)
    browser.press("a[href^='/account/recovery-codes']")
    browser.press("form[action^='/account/recovery-codes'] button")
    codes = person.reads_recovery_codes()
    person.sign_out(account)
    person.sign_in(account, code=codes[0])

    person.add_passkey(account)
    person.sign_out(account)
    # The person cancels once.
    browser.confirms_requests(False)
    browser.open(f"{account}/sign-in/passkey")
    browser.press(USE_PASSKEY)
    person.sees_page(PROBLEM)
    browser.confirms_requests(True)
    person.sign_in_by_passkey(account)
    browser.set_scripts(allowed=False)
    browser.open(f"{account}/new-passkey")
    assert browser.text("noscript p"), "no word about scripts"
    browser.set_scripts(allowed=True)
    return codes


def changes_the_account(browser, server, reader, person, account, codes):
    """Reads each page of the account in other languages. Changes the name, and sets a new password by a mailed link."""
    browser.open(f"{account}/passkeys")
    passkey = browser.run("return document.querySelector(\"a[href^='/account/passkeys/passkey_']\").pathname")
    browser.open(account)
    # The sign-out is the last stop of the keyboard in the page.
    stops = browser.run("return [...document.querySelectorAll('main a, main button')].map(each => each.closest('form')?.getAttribute('action'))")
    assert stops[-1].startswith("/account/sign-out") and len(stops) > 5, stops
    reader.read([
        account, *(f"{account}/{page}" for page in (
            "name", "email", "password", "totp", "new-totp", "recovery-codes", "passkeys", "new-passkey", "sessions", "api-keys", "recovery", "device",
            "sign-in?again=/account/name", "sign-in/passkey", "invitation?token=x", "recovery/password?ticket=x", "email/confirmation?ticket=x", "oauth2/approval")),
        server.settings["base_url"] + passkey])

    browser.open(f"{account}/name")
    browser.run("document.querySelector('input[name=name]').value = ''")
    browser.run("document.querySelector('input[name=name]').focus()")
    browser.type("Rear Admiral Hopper" + Keys.ENTER)
    person.sees_page(ACCOUNT)
    assert "Rear Admiral Hopper" in browser.text("main")

    person.sign_out(account)
    browser.open(f"{account}/recovery")
    browser.type(person.email + Keys.ENTER)
    person.sees_page(DECIDED)
    browser.open(mailed_link(server, "/account/recovery/password"))
    person.sees_page("form[action^='/account/recovery/password'] input[name=password]")
    person.password = "new " + person.password
    browser.type(person.password + Keys.TAB + codes[1] + Keys.ENTER)
    person.sees_page("main a[href='/account/sign-in']")
    person.sign_in(account)


def logs_in_with_a_code(browser, reader, person, terminal, account):
    """The owner logs in from a terminal without a browser, issues an API key, and finds the actors in the audit trail."""
    login = terminal.logs_in("--no-browser")
    lines = []
    while len(lines) < 10 and not re.fullmatch(r"[A-Z]{4}-[A-Z]{4}", (lines or [""])[-1]):
        lines.append(login.stderr.readline().strip())
    address, code = lines[-2:]
    assert address == f"{account}/device", lines
    browser.open(address)
    person.sees_page("input[name=user_code]")
    browser.type("BCDF-GHJK" + Keys.ENTER)
    person.sees_page(PROBLEM)
    reader.speak("ar")
    person.enter(address, code.lower())
    reader.speak()
    status, messages = ended(login)
    assert status == 0, messages
    caller = terminal.json("whoami")
    assert caller["role"] == "owner" and not caller.get("is_operator"), caller
    key = terminal.json("api-keys", "issue", "--tenant", "acme", "--name", "Deploy", "--scope", "users:read")
    assert key["issued_by"] == caller["actor"], key
    # The owner sees the key in the account, and revokes it there.
    browser.open(f"{account}/api-keys")
    person.sees_page("form[action$='/revoke']")
    assert "Deploy" in browser.text("main"), browser.text("main")
    browser.press("form[action$='/revoke'] button")
    person.sees_page("input[name=confirmed]")
    browser.press("form[action$='/revoke'] button")
    person.sees_page(DECIDED)
    assert terminal.json("api-keys", "show", key["id"], "--tenant", "acme")["revoked_at"]
    # A refused login ends without a token.
    login = terminal.logs_in()
    browser.open(terminal.address())
    person.sees_page(APPROVAL)
    browser.press("form[action^='/account/oauth2/refusal'] button")
    browser.expect_heading("Login refused")
    status, messages = ended(login)
    assert status != 0 and "refused" in messages, messages
    return caller["actor"], key["id"]


def finds_actors(terminal, operator, owner, key):
    events = terminal.json("audit", "list", "--tenant", "acme", "--all")["data"]
    acts = {(event["actor"], event["action"]) for event in events}
    assert {(operator, "createInvitation"), (owner, "acceptInvitation"), (owner, "issueAPIKey")} <= acts, acts
    (issued,) = (event for event in events if event["action"] == "issueAPIKey" and event["subject"] == key)
    assert issued["session_id"].startswith("personsession_") and issued["address"], issued


def manages_accounts(browser, server):
    account = f"{server.settings['base_url']}/account"
    reader, terminal = Reader(browser), Terminal(server.folder / "terminal", server)
    reader.speak()
    _, grace, operator = accepts_invitations(browser, server, reader, terminal, account)
    codes = signs_in_each_way(browser, grace, account)
    reader.speak()
    changes_the_account(browser, server, reader, grace, account, codes)
    owner, key = logs_in_with_a_code(browser, reader, grace, terminal, account)
    finds_actors(terminal, operator, owner, key)
    # Chromium wants RS256, which docs/passkeys.md excludes.
    browser.expect_complaint("pubKeyCredParams")
    browser.forget_cookies()
    return reader.pages
