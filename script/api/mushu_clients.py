"""Signs users in through Mushu's own clients from PyPI, unchanged: the command-line client and the SDK. Only their base URL is set.

The browser of the command-line client is `mushu_browser.py`. Everything else is the clients' own code.
"""

import hashlib
import json
import os
import re
import secrets
import subprocess
import sys
import time
from pathlib import Path

import requests
from mushu.auth.api.auth import (
    apple_authorize, apple_callback, apple_exchange, apple_s2s_notifications, logout, refresh_session, sign_in_with_apple, validate_token)
from mushu.auth.api.auth_providers import (
    create_auth_provider, delete_auth_provider, get_auth_provider, list_auth_providers, update_auth_provider)
from mushu.auth.api.users import get_current_user
from mushu.auth.client import Client
from mushu.auth.models import (
    AppleExchangeRequest, AppleS2SRequest, AppleSignInRequest, AuthProviderType, BodyAppleCallback, CreateAuthProviderRequest,
    HTTPValidationError, RefreshTokenRequest, UpdateAuthProviderRequest)

from dev_server import DevServer

HERE = Path(__file__).parent
PERSON = "Ada Lovelace"
BUNDLE_ID = "com.example.mushu.app"


class Setting:
    """An application of Acme for Mushu's clients, and what is needed to look at the result."""

    def __init__(self, server):
        settings = server.settings
        self.api, self.apple = settings["base_url"] + "/v1/tenants/acme", settings["simulator_url"]
        self.operator = {"Authorization": f"Bearer {settings['platform_api_key']}"}
        self.put("/simulator/teams/ACMETEAM01", {"kind": "organization", "bundle_ids": [BUNDLE_ID]})
        connection = self.call("GET", "/connections")["data"][0]["id"]
        self.call("PATCH", f"/connections/{connection}", {"bundle_ids": [BUNDLE_ID]}, {"If-Match": "*"})
        self.application = self.call("POST", "/applications", {
            "name": "Mushu", "kind": "native", "bundle_ids": [BUNDLE_ID], "redirect_uris": ["http://localhost/callback"]})["id"]
        self.services_id = self.call("GET", "/connections")["data"][0]["services_id"]
        self.base_url = f"{settings['base_url']}/t/acme/mushu/{self.application}"
        tenant = next(each for each in settings["tenants"] if each["slug"] == "acme")
        self.web_application, self.api_key = tenant["application"]["client_id"], tenant["api_key"]

    def call(self, method, path, body=None, headers=None):
        answer = requests.request(method, self.api + path, json=body, headers=self.operator | (headers or {}))
        answer.raise_for_status()
        return answer.json()

    def put(self, path, body):
        requests.put(self.apple + path, json=body).raise_for_status()

    def post_to_apple(self, path, body):
        answer = requests.post(self.apple + path, json=body)
        answer.raise_for_status()
        return answer.json()

    def set_tokens_in_url(self, is_allowed):
        self.call("PATCH", f"/applications/{self.application}", {"returns_tokens_in_url": is_allowed})

    def logins(self):
        return self.call("GET", "/usage")["logins"]

    def credential(self, nonce=None):
        """The response of Apple's framework on a device."""
        body = {"client_id": BUNDLE_ID, "person": PERSON}
        if nonce:
            body["nonce"] = hashlib.sha256(nonce.encode()).hexdigest()
        return self.post_to_apple("/simulator/native-authorizations", body)


class CommandLine:
    """`mushu`, with a home folder of its own."""

    def __init__(self, folder, base_url):
        self.home = folder / "mushu-home"
        self.home.mkdir()
        self.environment = {
            "HOME": str(self.home), "PATH": os.environ["PATH"], "MUSHU_AUTH_URL": base_url, "MUSHU_PERSON": PERSON, "NO_COLOR": "1",
            "COLUMNS": "200", "BROWSER": f"{sys.executable} {HERE / 'mushu_browser.py'} %s", "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, *arguments, expect=0, **changes):
        command = [Path(sys.executable).parent / "mushu", "auth", *arguments]
        result = subprocess.run(
            command, env=self.environment | changes, cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        assert result.returncode == expect, f"mushu auth {' '.join(arguments)} ended with {result.returncode}:\n{result.stdout}"
        return result.stdout

    @property
    def tokens(self):
        file = self.home / ".mushu/tokens.json"
        return json.loads(file.read_text()) if file.exists() else None


def expect(text, *parts):
    for part in parts:
        assert re.search(part, text), f"{part!r} is missing in:\n{text}"


def check_command_line(setting, mushu):
    done = []
    # Not before the application allows it.
    expect(mushu.run("login", expect=1), "Authentication failed", "returns_tokens_in_url")
    assert mushu.tokens is None
    setting.set_tokens_in_url(True)
    before = setting.logins()
    expect(mushu.run("login"), "Logged in successfully", "User ID: user_", "Email: .+@")
    assert setting.logins() == before + 1, "a login is one usage event"
    done.append("login")
    expect(mushu.run("token"), "user_", "session_", "/t/acme", r"(0h 59m|1h 0m) remaining")
    expect(mushu.run("user"), PERSON, r"Type\W+apple", r"Verified\W+Yes", r"Created\W+\d{4}-\d\d-\d\d")
    expect(mushu.run("status"), "Logged in", "User ID: user_")
    done.append("user")
    first = mushu.tokens
    expect(mushu.run("refresh"), "Token refreshed")
    assert mushu.tokens["refresh_token"] != first["refresh_token"] and mushu.tokens["user_id"] == first["user_id"]
    assert setting.logins() == before + 1, "a refresh is free"
    done.append("refresh")
    second = mushu.tokens
    expect(mushu.run("login-manual", "--access-token", second["access_token"], "--refresh-token", second["refresh_token"]), "Logged in")
    expect(mushu.run("login-manual", "--access-token", "x", "--refresh-token", "y", expect=1), "Token validation failed")
    expect(mushu.run("logout"), "Logged out from server", "Local tokens cleared")
    expect(mushu.run("login-manual", "--access-token", second["access_token"], "--refresh-token", "y", expect=1), "Token validation failed")
    done.append("logout")

    (mushu.home / ".mushu/tokens.json").write_text(json.dumps(second))
    expect(mushu.run("user", expect=1), "Unauthorized")
    expect(mushu.run("refresh", expect=1), "Refresh failed: 401", "Session expired")
    assert mushu.tokens is None, "the client forgets the tokens of an ended session"
    expect(mushu.run("login", expect=1, MUSHU_PERSON="cancel"), "Authentication failed", "cancelled")
    web = setting.base_url.replace(setting.application, setting.web_application)
    expect(mushu.run("login-manual", "--access-token", "x", "--refresh-token", "y", expect=1, MUSHU_AUTH_URL=web), "Validation failed: 403")
    assert setting.logins() == before + 1, "a failure is free"
    done.append("each failure")
    print(f"check-clients: mushu-cli at acme: {', '.join(done)}")


def check_sdk(setting):
    done, before = [], setting.logins()
    client = Client(base_url=setting.base_url, raise_on_unexpected_status=False)

    nonce = secrets.token_hex(16)
    credential = setting.credential(nonce)
    request = AppleSignInRequest(
        id_token=credential["identity_token"], access_code=credential["authorization_code"], nonce=nonce, given_name="Ada", family_name=None)
    session = sign_in_with_apple.sync(client=client, body=request)
    assert session.user.user_type.value == "apple" and session.user.email_verified and session.user.user_id.startswith("user_"), session
    again = sign_in_with_apple.sync_detailed(client=client, body=request)
    assert again.status_code == 401 and b"used before" in again.content, again
    done.append("sign-in")

    bearer = f"Bearer {session.tokens.access_token}"
    valid = validate_token.sync(client=client, authorization=bearer)
    assert valid.valid and valid.user_id == session.user.user_id and valid.app_id == setting.application and valid.email, valid
    invalid = validate_token.sync(client=client, authorization="Bearer x")
    assert invalid.valid is False and invalid.user_id is None, invalid
    user = get_current_user.sync(client=client, authorization=bearer)
    assert user.to_dict() == session.user.to_dict() and user.name, user
    assert get_current_user.sync_detailed(client=client, authorization="Bearer x").status_code == 401
    done.append("user")

    pair = RefreshTokenRequest(access_token=session.tokens.access_token, refresh_token=session.tokens.refresh_token)
    renewed = refresh_session.sync(client=client, body=pair)
    assert renewed.user.user_id == user.user_id and renewed.tokens.refresh_token != pair.refresh_token, renewed
    made_up = RefreshTokenRequest(access_token="x", refresh_token="y")
    assert refresh_session.sync_detailed(client=client, body=made_up).status_code == 401
    done.append("refresh")
    pair = RefreshTokenRequest(access_token=renewed.tokens.access_token, refresh_token=renewed.tokens.refresh_token)
    assert logout.sync(client=client, body=pair)["status"] == "logged_out"
    assert validate_token.sync(client=client, authorization=f"Bearer {pair.access_token}").valid is False
    assert refresh_session.sync_detailed(client=client, body=pair).status_code == 401
    assert logout.sync_detailed(client=client, body=made_up).status_code == 401
    done.append("logout")

    exchange = AppleExchangeRequest(identity_token=setting.credential()["identity_token"])
    exchanged = apple_exchange.sync(client=client, body=exchange)
    assert exchanged.app_id == setting.application and exchanged.user_id == user.user_id, exchanged
    assert validate_token.sync(client=client, authorization=f"Bearer {exchanged.jwt}").valid
    refused = apple_exchange.sync(client=client, body=AppleExchangeRequest(identity_token=""))
    assert isinstance(refused, HTTPValidationError) and refused.detail[0].loc == ["body", "identity_token"], refused
    done.append("exchange")
    assert setting.logins() == before + 2, "each sign-in is one usage event"

    check_sdk_in_browser(setting, client)
    done.append("browser")
    assert setting.logins() == before + 3

    signed = setting.post_to_apple("/simulator/notifications/sign", {
        "iss": "https://appleid.apple.com", "aud": setting.services_id, "iat": int(time.time()), "jti": secrets.token_hex(8),
        "events": json.dumps({"type": "email-disabled", "sub": "000123.0123.0456", "event_time": 1})})
    told = AppleS2SRequest(payload=signed["payload"])
    assert apple_s2s_notifications.sync(client=client, body=told, app_id=setting.application)["status"] == "ok"
    forged = apple_s2s_notifications.sync(client=client, body=AppleS2SRequest(payload="a.b.c"))
    assert isinstance(forged, HTTPValidationError) and forged.detail[0].msg, forged
    done.append("notification")
    check_providers(setting, client)
    done.append("providers")
    print(f"check-clients: mushu-sdk at acme: {', '.join(done)}")


def check_sdk_in_browser(setting, client):
    """The SDK starts a sign-in and posts Apple's form itself. Its cookies are those of a browser."""
    redirect_uri = "http://localhost:49152/callback"
    started = apple_authorize.sync_detailed(client=client, redirect_uri=redirect_uri, app_id=setting.application)
    assert started.status_code == 302, started
    page = requests.get(started.headers["Location"], headers={"Simulator-Person": PERSON}).text
    form = dict(re.findall(r'<input[^>]*\bname="([^"]*)"[^>]*\bvalue="([^"]*)"', page))
    form = {name: value.replace("&quot;", '"').replace("&amp;", "&") for name, value in form.items()}
    body = BodyAppleCallback(code=form["code"], id_token=form["id_token"], state=form["state"])
    back = apple_callback.sync_detailed(client=client, body=body)
    assert back.status_code == 303 and back.headers["Location"].startswith(f"{redirect_uri}?access_token="), back
    elsewhere = apple_authorize.sync_detailed(client=client, redirect_uri="https://evil.test/callback")
    assert elsewhere.status_code == 400 and "Location" not in elsewhere.headers, elsewhere


def check_providers(setting, client):
    """The tenant's connection, with its API key."""
    key, apple = {"client": client, "authorization": f"Bearer {setting.api_key}"}, AuthProviderType.APPLE
    (listed,) = list_auth_providers.sync(setting.application, **key).providers
    assert listed.enabled and listed.is_configured and listed.apple_bundle_ids == [BUNDLE_ID], listed
    assert get_auth_provider.sync(setting.application, apple, **key) == listed
    changes = UpdateAuthProviderRequest(enabled=True, apple_bundle_ids=[BUNDLE_ID, f"{BUNDLE_ID}.clip"])
    assert update_auth_provider.sync(setting.application, apple, body=changes, **key).apple_bundle_ids == changes.apple_bundle_ids
    team = update_auth_provider.sync(setting.application, apple, body=UpdateAuthProviderRequest(apple_team_id="NEWTEAM123"), **key)
    assert isinstance(team, HTTPValidationError) and team.detail[0].loc == ["body", "apple_team_id"], team
    new = create_auth_provider.sync(setting.application, body=CreateAuthProviderRequest(provider_type=apple), **key)
    assert isinstance(new, HTTPValidationError) and ["body", "enabled"] in [each.loc for each in new.detail], new
    assert delete_auth_provider.sync_detailed(setting.application, apple, **key).status_code == 409
    assert get_auth_provider.sync_detailed(setting.application, AuthProviderType.GOOGLE, **key).status_code == 404
    assert list_auth_providers.sync_detailed(setting.application, client=client, authorization="Bearer x").status_code == 401


def main():
    with DevServer() as server:
        setting = Setting(server)
        check_command_line(setting, CommandLine(server.folder, setting.base_url))
        check_sdk(setting)
        for line in (complaints := server.complaints()):
            print(f"check-clients: the server logged an error: {line}", file=sys.stderr)
    sys.exit("check-clients: failed" if complaints else 0)


main()
