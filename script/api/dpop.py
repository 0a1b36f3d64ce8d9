"""Signs users in through requests_oauth2client with pushed requests (RFC 9126) and tokens that are bound to a key (DPoP, RFC 9449), against
a server of its own.

Both a public and a confidential application permit nothing else. The library follows the server's nonces, at the token endpoint and at
userinfo.
"""

import sys

import requests
from requests_oauth2client import DPoPKey, EndpointError, OAuth2Client

from dev_server import DevServer, through_apple

REDIRECT_URI = "https://bank.example/callback"


def expect(error, call):
    try:
        call()
    except EndpointError as refused:
        assert refused.error == error, refused
        return
    raise AssertionError(f"no {error}")


def register(server, kind):
    made = requests.post(
        f"{server.settings['base_url']}/v1/tenants/acme/applications",
        headers={"Authorization": f"Bearer {server.settings['platform_api_key']}"},
        json={"name": "Bank", "kind": kind, "redirect_uris": [REDIRECT_URI], "requires_pushed_requests": True, "requires_dpop": True,
              "signing_algorithm": "ES256"})
    assert made.status_code == 201, made.text
    return made.json()


def check(server, kind, algorithm):
    issuer = next(tenant for tenant in server.settings["tenants"] if tenant["slug"] == "acme")["issuer"]
    application = register(server, kind)
    secret = application.get("client_secret")
    client = OAuth2Client.from_discovery_endpoint(
        f"{issuer}/.well-known/openid-configuration", client_id=application["id"], redirect_uri=REDIRECT_URI, testing=True,
        id_token_signed_response_alg="ES256", **({"client_secret": secret} if secret else {}))

    # A request that was not pushed is refused.
    plain = client.authorization_request(scope="openid")
    refused = requests.get(str(plain), allow_redirects=False)
    assert "error=invalid_request" in refused.headers["Location"], refused.headers

    key = DPoPKey.generate(alg=algorithm)
    request = client.authorization_request(scope="openid profile email", dpop=True, dpop_key=key)
    pushed = client.pushed_authorization_request(request)
    answer = request.validate_callback(through_apple(str(pushed), "Ada Lovelace"))
    # The library's check of an id_token does not know its own tokens with a key.
    token = client.authorization_code(answer, validate=False)
    assert token.token_type == "DPoP" and token.id_token.sub, token
    assert token.access_token_jwt.cnf == {"jkt": key.dpop_jkt}, token.access_token_jwt.claims

    shown = requests.get(client.userinfo_endpoint, auth=token)
    assert shown.status_code == 200 and shown.json()["name"] == "Ada Lovelace", shown.text
    stolen = requests.get(client.userinfo_endpoint, headers={"Authorization": f"Bearer {token.access_token}"})
    assert stolen.status_code == 401 and stolen.headers["WWW-Authenticate"].startswith("DPoP "), stolen.headers

    if kind != "web":
        other = DPoPKey.generate(alg=algorithm)
        form = {"grant_type": "refresh_token", "refresh_token": token.refresh_token}
        expect("invalid_dpop_proof", lambda: client.token_request(form, dpop_key=other))
    expect("invalid_dpop_proof", lambda: client.refresh_token(token.refresh_token))
    refreshed = client.refresh_token(token)
    assert refreshed.access_token != token.access_token and refreshed.token_type == "DPoP"
    assert requests.get(client.userinfo_endpoint, auth=refreshed).status_code == 200
    assert client.revoke_refresh_token(refreshed.refresh_token)
    assert requests.get(client.userinfo_endpoint, auth=refreshed).status_code == 401
    print(f"check-clients: requests_oauth2client as {kind} with {algorithm}: pushed, signed in, bound, refreshed, revoked")


def main():
    with DevServer() as server:
        for kind, algorithm in (("web", "ES256"), ("native", "ES256"), ("spa", "PS256")):
            check(server, kind, algorithm)
        for line in (complaints := server.complaints()):
            print(f"check-clients: the server logged an error: {line}", file=sys.stderr)
    sys.exit("check-clients: failed" if complaints else 0)


main()
