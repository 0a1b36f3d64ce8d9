"""Runs the verifiers of docs/resource-servers.md as written, against its own server."""

import re
import sys
import time

import jose
import jwt
import requests

from dev_server import DevServer
from spec import ROOT

text = (ROOT / "docs/resource-servers.md").read_text(encoding="utf-8")
recipe, with_jose = {}, {}
for code, names in zip(re.findall(r"```python\n(.*?)```", text, re.S), (recipe, with_jose), strict=True):
    exec(compile(code, "docs/resource-servers.md", "exec"), names)


def refused(verifier, token, why):
    try:
        verifier.verify(token)
    except jwt.PyJWTError:
        return
    sys.exit(f"resource-server: the verifier accepted an invalid token: {why}")


with DevServer() as server:
    base = server.settings["base_url"]
    operator = {"Authorization": f"Bearer {server.settings['platform_api_key']}"}
    machine = requests.post(
        f"{base}/v1/tenants/acme/applications", headers=operator, json={"name": "Orders API", "kind": "machine", "redirect_uris": []}).json()
    verifier = recipe["Verifier"](f"{base}/t/acme", machine["id"], machine["client_secret"])
    verifier.poll()

    one, two = server.sign_in("acme"), server.sign_in("acme")
    claims = verifier.verify(one["access_token"])
    refused(verifier, one["id_token"], "an id_token")
    refused(verifier, server.sign_in("globex")["access_token"], "another tenant's")
    refused(verifier, one["access_token"][:-6] + "AAAAAA", "a forged one")

    # One session; the other goes on.
    answer = requests.post(f"{base}/v1/tenants/acme/sessions/{claims['sid']}/revoke", headers=operator)
    answer.raise_for_status()
    verifier.poll()
    refused(verifier, one["access_token"], "of a session that is revoked")
    verifier.verify(two["access_token"])

    # A user, everywhere; who signs in again is in.
    user = verifier.verify(two["access_token"])["sub"]
    requests.post(f"{base}/v1/tenants/acme/users/{user}/sessions/revoke", headers=operator).raise_for_status()
    verifier.poll()
    refused(verifier, two["access_token"], "of a user who was signed out everywhere")
    verifier.verify(server.sign_in("acme")["access_token"])

    # With keys of both types in the JWKS, and a token by each.
    issuer, application = f"{base}/t/acme", server.settings["tenants"][0]["application"]["client_id"]
    for algorithm in ("RS256", "ES256"):
        requests.patch(
            f"{base}/v1/tenants/acme/applications/{application}", headers=operator, json={"signing_algorithm": algorithm}).raise_for_status()
        # The change is in effect within a second.
        for _ in range(50):
            signed = server.sign_in("acme")
            if jwt.get_unverified_header(signed["access_token"])["alg"] == algorithm:
                break
            time.sleep(0.1)
        else:
            sys.exit(f"resource-server: tokens are not signed with {algorithm}")
        assert {key["kty"] for key in requests.get(f"{issuer}/oauth2/jwks").json()["keys"]} == {"EC", "RSA"}
        # A verifier of its own: PyJWT asks for a key set again after 30 seconds at the earliest.
        fresh = recipe["Verifier"](issuer, machine["id"], machine["client_secret"])
        assert with_jose["verify"](signed["access_token"], issuer)["iss"] == fresh.verify(signed["access_token"])["iss"] == issuer
        for token, why in ((signed["id_token"], "an id_token"), (server.sign_in("globex")["access_token"], "another tenant's")):
            try:
                with_jose["verify"](token, issuer)
            except jose.JWTError:
                continue
            sys.exit(f"resource-server: python-jose accepted an invalid token: {why}")
    for line in server.complaints():
        sys.exit(f"resource-server: the server logged an error: {line}")
print("resource-server: the verifiers of docs/resource-servers.md passed")
