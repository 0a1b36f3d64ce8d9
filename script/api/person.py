"""Does in headless Chromium what a person does with the account of docs/people.md, by keyboard alone. A walkthrough runs it as a command:

    script/python script/api/person.py NAME accept LINK          creates the account of an invitation
    script/python script/api/person.py NAME sign-in ACCOUNT      with the password and a code of the app
    script/python script/api/person.py NAME sign-in-by-passkey ACCOUNT
    script/python script/api/person.py NAME sign-in-with-provider ACCOUNT ADDRESS APPLE
                                                                 with the company's provider, which is another tenant
    script/python script/api/person.py NAME sign-in-with-apple ACCOUNT APPLE
                                                                 in place of the password, and with a code of the app
    script/python script/api/person.py NAME connect-apple ACCOUNT APPLE
    script/python script/api/person.py NAME add-passkey ACCOUNT
    script/python script/api/person.py NAME allow ADDRESS        allows a terminal that has opened the address
    script/python script/api/person.py NAME enter ADDRESS CODE   allows a terminal that shows the code
    script/python script/api/person.py NAME sign-out ACCOUNT

ACCOUNT is the address of the account, such as http://localhost:8080/account. APPLE is a person at the simulator, such as ada-lovelace, who
agrees there. Each command prints the titles of the pages that it has seen.
NAME.json keeps the password, the key of the app, the passkeys and the cookies.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import sys
import tempfile
import time
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from chromium import Chromium

PERIOD = 30
# What only one page has, so that its elements show that the page is there.
INVITATION = "form[action^='/account/invitation']"
AUTHENTICATOR = "form[action^='/account/sign-in/authenticator'] input[name=code]"
RECOVERY_CODES = "ul.list code"
ADDRESS = "form:not([action*=password]) input[name=email]:not([readonly])"
PASSWORD = "form[action^='/account/sign-in/password'] input[name=password]"
CODE = "form[action^='/account/sign-in/code'] input[name=code]"
PROVIDER = "form[action^='/account/sso'] button"
WITH_APPLE = "form[action='/account/apple'] button"
CONNECT_APPLE = "form[action='/account/apple/link'] button"
DISCONNECT_APPLE = "form[action='/account/apple/removal'] button"
ACCOUNT = "form[action^='/account/sign-out'] button"
USE_PASSKEY = "form[data-passkey=get] button"
NEW_PASSKEY = "form[data-passkey=create] button"
PASSKEYS = "a[href^='/account/new-passkey']"
APPROVAL = "form[action^='/account/oauth2/approval'] button"
USER_CODE = "form[action='/account/device'] input[name=user_code], form[action^='/account/device?'] input[name=user_code]"
DEVICE = "form[action^='/account/device/approval'] button"
DECIDED = "main:not(:has(form))"
PROBLEM = "[role=alert]:not([hidden])"


class Person:
    """`sees`: what to do on each page, for example to check it."""

    def __init__(self, browser, name, state=None, sees=lambda: None):
        self.browser, self.name, self.sees = browser, name, sees
        state = state or {"password": secrets.token_urlsafe(16), "email": None, "key": None, "step": 0, "passkeys": [], "cookies": []}
        self.password, self.email, self.key, self.step = (state[each] for each in ("password", "email", "key", "step"))
        browser.set_cookies(state["cookies"])
        browser.add_authenticator(state["passkeys"])

    def state(self):
        return {
            "password": self.password, "email": self.email, "key": self.key, "step": self.step, "passkeys": self.browser.credentials(),
            "cookies": self.browser.cookies()}

    # The pages of a sign-in.

    def accept(self, link):
        self.browser.open(link)
        self.sees_page(f"{INVITATION} input[name=password]")
        self.email = self.browser.run("return document.querySelector('input[name=email]').value")
        self.browser.type(self.name + Keys.TAB + self.password + Keys.ENTER)
        self.adds_an_app()

    def adds_an_app(self):
        self.sees_page(AUTHENTICATOR)
        self.key = self.browser.text("dd")
        assert self.browser.run("return document.querySelector('main svg').getBoundingClientRect().width") > 100, "no picture of the key"
        self.browser.type(self.code() + Keys.ENTER)
        self.reads_recovery_codes()
        self.browser.press("main a[href='/account']")
        self.sees_page(ACCOUNT)

    def reads_recovery_codes(self):
        self.sees_page(RECOVERY_CODES)
        codes = self.browser.run(f"return [...document.querySelectorAll('{RECOVERY_CODES}')].map(each => each.textContent)")
        assert len(set(codes)) == 10, codes
        return codes

    def gives_address(self):
        """From the first page of the sign-in."""
        self.sees_page(ADDRESS)
        # The page has the address of a person who is signed in.
        if not self.browser.run(f"return document.querySelector('{ADDRESS}').value"):
            self.browser.type(self.email + Keys.ENTER)
        else:
            self.browser.press("main form button")

    def gives_password(self):
        self.gives_address()
        self.sees_page(PASSWORD)
        self.browser.type(self.password + Keys.ENTER)

    def sign_in(self, account, code=None, then=ACCOUNT):
        self.browser.open(f"{account}/sign-in")
        self.gives_password()
        self.sees_page(CODE)
        self.browser.type((code or self.code()) + Keys.ENTER)
        self.sees_page(then)

    def sign_in_by_passkey(self, account, then=ACCOUNT):
        self.browser.open(f"{account}/sign-in")
        self.sees_page(ADDRESS)
        self.browser.press("main a[href='/account/sign-in/passkey']")
        self.sees_page(USE_PASSKEY)
        self.browser.press(USE_PASSKEY)
        self.sees_page(then)

    def sign_in_with_provider(self, account, address, apple, then=ACCOUNT):
        self.email = address
        self.browser.open(f"{account}/sign-in")
        self.gives_address()
        self.sees_page(PROVIDER)
        self.browser.press(PROVIDER)
        self.agrees_at_apple(apple)
        self.sees_page(then)

    def sign_in_with_apple(self, account, apple, then=ACCOUNT):
        self.browser.open(f"{account}/sign-in")
        self.sees_page(ADDRESS)
        self.browser.press(WITH_APPLE)
        self.agrees_at_apple(apple)
        self.sees_page(CODE)
        self.browser.type(self.code() + Keys.ENTER)
        self.sees_page(then)

    def agrees_at_apple(self, apple):
        # The pages of the simulator are not ours.
        self.browser.press(f"button[name=simulator_person][value='{apple}']")
        self.browser.press("button[name=simulator_action][value=continue]")

    def sign_out(self, account):
        self.browser.open(account)
        self.browser.press(ACCOUNT)
        self.sees_page(ADDRESS)

    # The own account.

    def add_passkey(self, account):
        self.browser.open(f"{account}/passkeys")
        self.sees_page(PASSKEYS)
        self.browser.press(PASSKEYS)
        self.sees_page(NEW_PASSKEY)
        self.browser.press(NEW_PASSKEY)
        self.sees_page("a[href^='/account/passkeys/passkey_']")
        assert self.browser.credentials(), "no passkey"

    def connect_apple(self, account, apple):
        self.browser.open(account)
        self.browser.press(CONNECT_APPLE)
        self.agrees_at_apple(apple)
        self.sees_page(DISCONNECT_APPLE)

    # Terminals.

    def allow(self, address):
        """Allows a terminal that waits at a port of this machine."""
        self.browser.open(address)
        self.sees_page(APPROVAL)
        self.browser.press(APPROVAL)
        # The page is the terminal's.
        self.browser.expect_heading("Login received")

    def enter(self, address, code):
        """Allows a terminal that shows a code."""
        self.browser.open(address)
        self.sees_page(USER_CODE)
        self.browser.type(code + Keys.ENTER)
        self.sees_page(DEVICE)
        self.browser.press(DEVICE)
        self.sees_page(DECIDED)

    def sees_page(self, selector):
        self.browser.text(selector)
        self.sees()

    def code(self):
        """The next code of the authenticator app (RFC 6238). A code works once, so this can be the one that the app shows next."""
        self.step = max(self.step + 1, int(time.time() / PERIOD))
        # The server takes a code 30 s early.
        time.sleep(max(0, (self.step - 1) * PERIOD + 1 - time.time()))
        key = re.sub(r"\s", "", self.key)
        mac = hmac.new(base64.b32decode(key + "=" * (-len(key) % 8)), self.step.to_bytes(8, "big"), hashlib.sha1).digest()
        place = mac[-1] & 0xF
        return f"{(int.from_bytes(mac[place:place + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


def main():
    name, command, *arguments = sys.argv[1:]
    file = Path(f"{name}.json")
    state = json.loads(file.read_text()) if file.exists() else None
    titles = []
    with tempfile.TemporaryDirectory() as folder, Chromium(Path(folder) / "browser") as browser:
        person = Person(browser, name, state, sees=lambda: titles.append(browser.driver.title))
        getattr(person, command.replace("-", "_"))(*arguments)
        # It is as secret as a browser's profile.
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as saved:
            json.dump(person.state(), saved)
    print("\n".join(titles))


if __name__ == "__main__":
    main()
