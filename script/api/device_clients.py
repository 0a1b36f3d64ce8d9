"""Signs users in on devices through Authlib (RFC 8628), against a server of its own, with an application with a secret and a public one.

What is done here by hand is what the user's browser and Apple's page do.
"""

import html
import os
import re
import sys
import time

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

from dev_server import DevServer

GRANT = "urn:ietf:params:oauth:grant-type:device_code"


def register(server, tenant, kind):
    base, key = server.settings["base_url"], {"Authorization": f"Bearer {server.settings['platform_api_key']}"}
    answer = requests.post(
        f"{base}/v1/tenants/{tenant}/applications", headers=key,
        json={"name": "Television", "kind": kind, "redirect_uris": ["https://app.example.com/callback"], "allows_device_grant": True})
    answer.raise_for_status()
    return answer.json()


def decide(page, user_code, decision, person="new"):
    """The user's steps in a browser: types the code, signs in with Apple, and presses a button."""
    browser = requests.Session()

    def form(text, name):
        found = re.search(rf'<form[^>]*action="([^"]*/device/{name})".*?</form>', text, re.S)
        fields = re.findall(r'<input[^>]*\bname="([^"]*)"[^>]*\bvalue="([^"]*)"', found[0])
        return found[1], {name: html.unescape(value) for name, value in fields}

    origin = "/".join(page.split("/")[:3])
    shown = browser.post(page, data={"user_code": user_code})
    assert shown.ok and "Is this your device?" in shown.text, shown.text
    to_apple = browser.get(origin + html.unescape(re.search(r'href="([^"]*sign-in[^"]*)"', shown.text)[1]), allow_redirects=False)
    at_apple = requests.get(to_apple.headers["Location"], headers={"Simulator-Person": person}).text
    fields = {
        html.unescape(name): html.unescape(value)
        for name, value in re.findall(r'<input[^>]*\bname="([^"]*)"[^>]*\bvalue="([^"]*)"', at_apple)}
    review = browser.post(html.unescape(re.search(r'<form[^>]*\baction="([^"]*)"', at_apple)[1]), data=fields)
    action, fields = form(review.text, decision)
    done = browser.post(origin + action, data=fields)
    assert done.ok, done.text


def check(server, slug, kind):
    tenant = next(tenant for tenant in server.settings["tenants"] if tenant["slug"] == slug)
    metadata = requests.get(f"{tenant['issuer']}/.well-known/openid-configuration").json()
    assert GRANT in metadata["grant_types_supported"]
    application = register(server, slug, kind)
    client = OAuth2Session(
        application["id"], application.get("client_secret"), scope="openid profile email offline_access",
        token_endpoint_auth_method="client_secret_basic" if kind == "web" else "none")

    def start():
        codes = client.request(
            "POST", metadata["device_authorization_endpoint"], withhold_token=True, auth=client.client_auth(client.token_endpoint_auth_method),
            data={"scope": client.scope})
        assert codes.ok, codes.text
        return codes.json()

    def poll(codes):
        return client.fetch_token(metadata["token_endpoint"], grant_type=GRANT, device_code=codes["device_code"])

    def expect(code, codes):
        try:
            poll(codes)
        except OAuthError as error:
            assert error.error == code, error
            return
        raise AssertionError(f"no {code}")

    codes = start()
    expect("authorization_pending", codes)
    decide(codes["verification_uri"], codes["user_code"], "approval", "Ada Lovelace")
    expect("slow_down", codes)
    time.sleep(2 * codes["interval"])
    token = poll(codes)
    assert client.get(metadata["userinfo_endpoint"]).json()["name"] == "Ada Lovelace"
    assert client.refresh_token(metadata["token_endpoint"], token["refresh_token"])["access_token"] != token["access_token"]
    refused = start()
    decide(refused["verification_uri"], refused["user_code"], "refusal")
    expect("access_denied", refused)


def main():
    with DevServer() as server:
        for slug, kind in (("acme", "web"), ("globex", "native")):
            check(server, slug, kind)
        print("check-clients: Authlib: devices with and without a secret")
        for line in (complaints := server.complaints()):
            print(f"check-clients: the server logged an error: {line}", file=sys.stderr)
    sys.exit("check-clients: failed" if complaints else 0)


if __name__ == "__main__":
    main()
