"""Authenticates applications by their own keys through Authlib (`private_key_jwt`, RFC 7523), against a server of its own.

A web application signs a user in, refreshes, inspects and revokes a token. It uses the default assertion of the library, with each
algorithm. Another key, and an assertion that was used before, are refused.
"""

import os
import sys

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT, private_key_jwt_sign
from joserfc.jwk import ECKey, KeySet, RSAKey

from dev_server import DevServer, through_apple

REDIRECT_URI = "https://report.example/callback"
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def new_key(algorithm, name):
    parameters = {"kid": name, "use": "sig"}
    return ECKey.generate_key("P-256", parameters) if algorithm == "ES256" else RSAKey.generate_key(2048, parameters)


def session(metadata, client_id, key, algorithm):
    made = OAuth2Session(
        client_id, key, scope="openid profile", redirect_uri=REDIRECT_URI, code_challenge_method="S256",
        token_endpoint_auth_method="private_key_jwt", revocation_endpoint_auth_method="private_key_jwt")
    made.register_client_auth_method(PrivateKeyJWT(metadata["token_endpoint"], headers={"kid": key.kid}, alg=algorithm))
    return made


def expect_invalid_client(call):
    try:
        call()
    except OAuthError as error:
        assert error.error == "invalid_client", error
        return
    raise AssertionError("the application was authenticated")


def check(server, algorithm):
    tenant = next(tenant for tenant in server.settings["tenants"] if tenant["slug"] == "acme")
    metadata = requests.get(f"{tenant['issuer']}/.well-known/openid-configuration").json()
    assert algorithm in metadata["token_endpoint_auth_signing_alg_values_supported"]
    key = new_key(algorithm, "report-1")
    registered = requests.post(
        f"{server.settings['base_url']}/v1/tenants/acme/applications",
        headers={"Authorization": f"Bearer {server.settings['platform_api_key']}"},
        json={"name": "Report", "kind": "web", "redirect_uris": [REDIRECT_URI], "token_endpoint_auth_method": "private_key_jwt",
              "jwks": KeySet([key]).as_dict(private=False)})
    assert registered.status_code == 201 and "client_secret" not in registered.json(), registered.text
    client_id = registered.json()["id"]

    def sign_in(client):
        verifier = generate_token(48)
        url, client.state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
        return client.fetch_token(
            metadata["token_endpoint"], authorization_response=through_apple(url, "Ada Lovelace"), code_verifier=verifier)

    client = session(metadata, client_id, key, algorithm)
    tokens = sign_in(client)
    refreshed = client.refresh_token(metadata["token_endpoint"])
    assert refreshed["access_token"] != tokens["access_token"]
    expect_invalid_client(lambda: sign_in(session(metadata, client_id, new_key(algorithm, "report-1"), algorithm)))

    assertion = private_key_jwt_sign(key, client_id, metadata["issuer"], alg=algorithm, header={"kid": key.kid})
    form = {"token": refreshed["access_token"], "client_assertion_type": ASSERTION, "client_assertion": assertion}
    seen = requests.post(metadata["introspection_endpoint"], data=form)
    assert seen.json()["active"] is True, seen.text
    again = requests.post(metadata["introspection_endpoint"], data=form)
    assert again.status_code == 401 and "used before" in again.text, again.text
    client.revoke_token(metadata["revocation_endpoint"], token=refreshed["refresh_token"]).raise_for_status()
    print(f"check-clients: Authlib with private_key_jwt and {algorithm}: signed in, refreshed, inspected, revoked")


def main():
    with DevServer() as server:
        for algorithm in ("ES256", "RS256", "PS256"):
            check(server, algorithm)
        for line in (complaints := server.complaints()):
            print(f"check-clients: the server logged an error: {line}", file=sys.stderr)
    sys.exit("check-clients: failed" if complaints else 0)


main()
