"""A headless Chromium with an empty profile. It reaches only this machine and is removed at the end."""

import importlib.resources
import os
import shutil
import sys

from selenium import webdriver
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.expected_conditions import (
    element_to_be_clickable, presence_of_element_located, text_to_be_present_in_element, title_is)
from selenium.webdriver.support.wait import WebDriverWait

from dev_server import end_with_parent

PATIENCE = 20

AXE = """
    const done = arguments[arguments.length - 1];
    axe.run(document, {resultTypes: ["violations"]}).then(found => done(
        found.violations.map(each => [each.id, each.help, each.nodes.map(node => node.html)])));
"""


class Chromium:
    def __init__(self, profile):
        """`profile`: a folder that somebody else removes."""
        programs = [shutil.which(name) for name in ("chromium", "chromedriver")]
        if not all(programs):
            sys.exit("check-browser: chromium or chromedriver is missing. Run script/bootstrap.")
        profile.mkdir()
        options = webdriver.ChromeOptions()
        options.binary_location = str(_mortal(programs[0], profile))
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        for argument in (
            "headless=new", f"user-data-dir={profile / 'profile'}", "no-first-run", "disable-background-networking", "disable-component-update",
            # A container's /dev/shm is small.
            "disable-dev-shm-usage", "no-proxy-server", "ignore-certificate-errors",
            "host-resolver-rules=MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"
        ):
            options.add_argument(f"--{argument}")
        if os.getuid() == 0:
            # It refuses to start as root otherwise. The pages are our own.
            options.add_argument("--no-sandbox")
        # It keeps certificates and settings in the home folder, too.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")} | {"HOME": str(profile)}
        self.driver = webdriver.Chrome(options, webdriver.ChromeService(
            programs[1], env=environment, popen_kw={"preexec_fn": end_with_parent}))
        self.driver.set_page_load_timeout(PATIENCE)
        self.version = self.driver.capabilities["browserVersion"].split(".")[0]

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is not None and issubclass(kind, AssertionError):
                # Without the query, which may hold a code.
                where = self.driver.current_url.partition("?")[0]
                print(f"The browser shows “{self.driver.title}” at {where} and complains of: {self.complaints()}", file=sys.stderr)
        finally:
            self.driver.quit()

    def open(self, url):
        self.driver.get(url)

    def click(self, selector):
        """The element that the selector of CSS names, as soon as it can be clicked."""
        self._wait(element_to_be_clickable((By.CSS_SELECTOR, selector)), f"no clickable element at {selector}").click()

    def press_tab(self, back=False):
        keys = ActionChains(self.driver)
        (keys.key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT) if back else keys.send_keys(Keys.TAB)).perform()

    def type(self, text):
        """Keys, for the element with the focus."""
        ActionChains(self.driver).send_keys(text).perform()

    def press(self, selector):
        """The element that the selector of CSS names, by keyboard: Tab until it has the focus, then Enter."""
        self.text(selector)
        for _ in range(100):
            if self.run("return document.activeElement.matches(arguments[0])", selector):
                return self.type(Keys.ENTER)
            self.press_tab()
        raise AssertionError(f"Tab does not reach {selector}")

    def text(self, selector):
        return self._wait(presence_of_element_located((By.CSS_SELECTOR, selector)), f"missing: {selector}").text

    def expect_heading(self, text):
        self._wait(text_to_be_present_in_element((By.CSS_SELECTOR, "h1"), text), f"the page is not “{text}”")

    def expect_title(self, title):
        self._wait(title_is(title), f"the page is not “{title}”")

    def run(self, script, *arguments):
        """What a script returns that is not the page's: no policy of a page holds it."""
        return self.driver.execute_script(script, *arguments)

    def violations(self):
        """The rules of axe-core that the page breaks, each with its elements."""
        self.run(importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
        return self.driver.execute_async_script(AXE)

    def set_width(self, width):
        """The window's, in CSS pixels; None as it was."""
        if width:
            self.driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride", {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": False})
        else:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def set_color_scheme(self, scheme):
        """`light` or `dark`."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def set_language(self, tag):
        """The language that the browser asks for; None as it was."""
        self.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {
            "userAgent": self.run("return navigator.userAgent"), "acceptLanguage": tag or "en"})

    def add_authenticator(self, credentials=()):
        """A device with passkeys, which confirms each request at once. It replaces an earlier one. `credentials`: its passkeys."""
        self.driver.execute_cdp_cmd("WebAuthn.disable", {})
        self.driver.execute_cdp_cmd("WebAuthn.enable", {})
        self.authenticator = self.driver.execute_cdp_cmd("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True}})
        for credential in credentials:
            self.driver.execute_cdp_cmd("WebAuthn.addCredential", self.authenticator | {"credential": credential})

    def credentials(self):
        """The passkeys of the authenticator."""
        return self.driver.execute_cdp_cmd("WebAuthn.getCredentials", self.authenticator)["credentials"]

    def confirms_requests(self, does):
        """Whether the person confirms what the authenticator asks."""
        self.driver.execute_cdp_cmd("WebAuthn.setUserVerified", self.authenticator | {"isUserVerified": does})

    def set_scripts(self, allowed):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not allowed})

    def cookies(self):
        """All, of every site."""
        return self.driver.execute_cdp_cmd("Storage.getCookies", {})["cookies"]

    def set_cookies(self, cookies):
        """Those that `cookies` has returned."""
        self.driver.execute_cdp_cmd("Storage.setCookies", {"cookies": cookies})

    def forget_cookies(self):
        self.driver.execute_cdp_cmd("Storage.clearCookies", {})

    def complaints(self):
        """What the browser wrote to its console since it was asked last: each line is a policy that was broken, or a bug. Those about
        the network only say that a page came as an error, or not at all."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["source"] != "network"]

    def expect_complaint(self, text):
        """Waits for one about it, and for no other."""
        found = self._wait(lambda _: self.complaints(), f"no complaint about {text}")
        assert all(text in complaint for complaint in found), found

    def _wait(self, condition, otherwise):
        last = None

        def met(driver):
            nonlocal last
            try:
                return condition(driver)
            except WebDriverException as error:
                # The browser left the page between two steps of the condition. Its driver reports this in several ways.
                last = error
                return False

        try:
            return WebDriverWait(self.driver, PATIENCE, poll_frequency=0.02).until(met)
        except TimeoutException:
            raise AssertionError(otherwise) from last


def _mortal(program, folder):
    """The same program, which ends with the driver that starts it, as the driver with this script, however that comes about."""
    file = folder / "chromium"
    file.write_text(f'#!/bin/sh\nexec setpriv --pdeathsig TERM {program} "$@"\n', encoding="ascii")
    file.chmod(0o755)
    return file
