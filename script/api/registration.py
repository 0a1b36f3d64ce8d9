"""Registers clients at a server of its own (RFC 7591), signs users in with them through Authlib, and manages their registrations.

A client knows only the discovery document and an initial access token. A web client authenticates by its
secret, in the header or in the form, and by its own key. A client in the terminal listens on a loopback address with another port than
the registered one.
"""

import os
import sys

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet

from dev_server import DevServer, through_apple

REDIRECT_URI = "https://partner.example/callback"


def issue(server, **settings):
    issued = requests.post(
        f"{server.settings['base_url']}/v1/tenants/acme/initial-access-tokens",
        headers={"Authorization": f"Bearer {server.settings['platform_api_key']}"}, json={"name": "Partner"} | settings)
    assert issued.status_code == 201, issued.text
    return issued.json()["secret"]


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def sign_in(metadata, client, redirect_uri, key=None):
    """A login with the method and the algorithm that the client registered."""
    method, verifier, nonce = client["token_endpoint_auth_method"], generate_token(48), generate_token(20)
    session = OAuth2Session(
        client["client_id"], key or client.get("client_secret"), scope="openid profile", redirect_uri=redirect_uri,
        code_challenge_method="S256", token_endpoint_auth_method=method)
    if key:
        session.register_client_auth_method(PrivateKeyJWT(metadata["token_endpoint"], headers={"kid": key.kid}, alg="ES256"))
    url, session.state = session.create_authorization_url(metadata["authorization_endpoint"], nonce=nonce, code_verifier=verifier)
    tokens = session.fetch_token(
        metadata["token_endpoint"], authorization_response=through_apple(url, "Ada Lovelace"), code_verifier=verifier)
    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"]).json())
    claims = jwt.decode(tokens["id_token"], keys, algorithms=[client["id_token_signed_response_alg"]]).claims
    assert claims["aud"] == client["client_id"] and claims["nonce"] == nonce, claims
    return tokens


def main():
    with DevServer() as server:
        issuer = next(tenant["issuer"] for tenant in server.settings["tenants"] if tenant["slug"] == "acme")
        metadata = requests.get(f"{issuer}/.well-known/openid-configuration").json()
        endpoint, token, done = metadata["registration_endpoint"], issue(server, max_registrations=4), []
        assert requests.post(endpoint, json={"redirect_uris": [REDIRECT_URI]}).status_code == 401, "registered without a token"
        key = ECKey.generate_key("P-256", {"kid": "partner-1", "use": "sig"})
        web = {"client_name": "Partner", "redirect_uris": [REDIRECT_URI], "grant_types": ["authorization_code", "refresh_token"]}
        for name, changes, redirect_uri, own_key in [
                ("client_secret_basic", {}, REDIRECT_URI, None),
                ("client_secret_post", {"token_endpoint_auth_method": "client_secret_post"}, REDIRECT_URI, None),
                ("private_key_jwt", {"token_endpoint_auth_method": "private_key_jwt",
                                     "jwks": KeySet([key]).as_dict(private=False)}, REDIRECT_URI, key),
                ("a terminal", {"token_endpoint_auth_method": "none", "redirect_uris": ["http://127.0.0.1:1/callback"]},
                 "http://127.0.0.1:49152/callback", None)]:
            registered = requests.post(endpoint, headers=bearer(token), json=web | changes)
            assert registered.status_code == 201, registered.text
            client = registered.json()
            assert "refresh_token" in sign_in(metadata, client, redirect_uri, own_key)
            place, own = client["registration_client_uri"], bearer(client["registration_access_token"])
            shown = requests.get(place, headers=own).json()
            assert shown == {name: value for name, value in client.items() if not name.startswith("client_secret")}, shown
            # A client sends what it read, with a change.
            changed = requests.put(place, headers=own, json=shown | {"client_name": "Partner 2"})
            assert changed.status_code == 200 and changed.json() == shown | {"client_name": "Partner 2"}, changed.text
            sign_in(metadata, client, redirect_uri, own_key)
            assert requests.delete(place, headers=own).status_code == 204
            assert requests.get(place, headers=own).status_code == 401
            done.append(name)
        assert requests.post(endpoint, headers=bearer(token), json=web).status_code == 401, "registered too often"
        print(f"check-clients: registered clients with Authlib: {', '.join(done)}")
        for line in (complaints := server.complaints()):
            print(f"check-clients: the server logged an error: {line}", file=sys.stderr)
    sys.exit("check-clients: failed" if complaints else 0)


main()
