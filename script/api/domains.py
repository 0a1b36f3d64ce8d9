"""Signs users in at the domains of two tenants behind Caddy, with the configuration of docs/domains.md."""

import base64
import hashlib
import html
import json
import os
import re
import secrets
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import requests
import urllib3.util.connection

from dev_server import DevServer, built, complaints_in, end_with_parent
from spec import ROOT

PUBLIC, DOMAIN, OTHER = "login.example.test", "login.customer.test", "login.nobody.test"
# The domain of a tenant on the shared connection.
SHARED_DOMAIN = "login.shared.test"


class Resolver:
    """A DNS server on loopback with TXT records."""

    def __init__(self):
        self.texts = {}
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            query, address = self._socket.recvfrom(4096)
            place, labels = 12, []
            while query[place]:
                labels.append(query[place + 1:place + 1 + query[place]].decode("ascii", "replace"))
                place += 1 + query[place]
            kind = struct.unpack("!H", query[place + 1:place + 3])[0]
            texts = self.texts.get(".".join(labels).lower(), []) if kind == 16 else []
            answers = b"".join(
                b"\xc0\x0c" + struct.pack("!HHIH", 16, 1, 60, len(text) + 1) + bytes([len(text)]) + text.encode() for text in texts)
            head = query[:2] + struct.pack("!HHHHH", 0x8180, 1, len(texts), 0, 0)
            self._socket.sendto(head + query[12:place + 5] + answers, address)


def free_port():
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return each.getsockname()[1]


def start(command, log, **options):
    with open(log, "wb") as file:
        return subprocess.Popen(command, cwd=ROOT, stdout=file, stderr=file, preexec_fn=end_with_parent, **options)


def stop(process):
    process.terminate()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_for(what, log, process, is_so):
    deadline = time.monotonic() + 60
    while not (found := is_so()):
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"{what} did not start:\n{log.read_text(errors='replace')[-4000:]}")
        time.sleep(0.05)
    return found


def documented(https_port, http_port, port, folder):
    """The Caddyfile of the documentation, with the ports and the certificates of this run."""
    text = re.search(r"```caddyfile\n(.*?)```", (ROOT / "docs/domains.md").read_text(), re.DOTALL)[1]
    options = f"    admin off\n    skip_install_trust\n    http_port {http_port}\n    https_port {https_port}\n    storage file_system {folder}\n"
    text = text.replace("{\n", "{\n" + options, 1).replace("127.0.0.1:8080", f"127.0.0.1:{port}")
    changed = text.replace(" tls {", " tls internal {").replace("https:// {", f"https://:{https_port} {{")
    assert changed.count("tls internal {") == 1 and f"https://:{https_port} {{" in changed
    return changed


def expect(is_so, what):
    if not is_so:
        sys.exit(f"check-domains: {what}")


def main():
    caddy = shutil.which("caddy") or "/usr/bin/caddy"
    resolver, https_port, http_port = Resolver(), free_port(), free_port()
    # The names lead to this machine, and the certificates come from Caddy's own authority.
    look_up = urllib3.util.connection.create_connection
    urllib3.util.connection.create_connection = lambda address, *more, **options: look_up(
        ("127.0.0.1", address[1]) if address[0].endswith(".test") else address, *more, **options)

    with DevServer() as dev:
        log = dev.folder / "serve.log"
        database = next(dev.data.rglob(".s.PGSQL.5432")).parent
        origin = f"https://{PUBLIC}:{https_port}"
        server = start([built("espalier"), "serve"], log, env=os.environ | {
            "ESPALIER_PUBLIC_URL": origin, "ESPALIER_PORT": "0", "ESPALIER_OPERATIONS_PORT": "0", "ESPALIER_SHUTDOWN_DELAY": "0",
            "ESPALIER_DATABASE_URL": f"postgresql://espalier_server@/espalier?host={database}",
            "ESPALIER_MASTER_KEYS": (dev.data / "master-key").read_text().strip(),
            "ESPALIER_APPLE_BASE_URL": dev.settings["simulator_url"], "ESPALIER_TRUSTED_PROXIES": "1",
            "ESPALIER_DNS_RESOLVER": f"127.0.0.1:{resolver.port}"})
        proxy = None
        try:
            def serving():
                lines = [line for line in log.read_text(errors="replace").splitlines() if '"serving"' in line]
                return int(json.loads(lines[0])["port"]) if lines else None

            port = wait_for("espalier serve", log, server, serving)
            file, caddy_log, storage = dev.folder / "Caddyfile", dev.folder / "caddy.log", dev.folder / "caddy"
            file.write_text(documented(https_port, http_port, port, storage))
            proxy = start(
                [caddy, "run", "--adapter", "caddyfile", "--config", file], caddy_log,
                env=os.environ | {"HOME": str(dev.folder), "XDG_DATA_HOME": str(storage), "XDG_CONFIG_HOME": str(dev.folder)})
            root = storage / "pki/authorities/local/root.crt"
            wait_for("caddy", caddy_log, proxy, root.exists)
            check(dev, resolver, origin, https_port, root)
        finally:
            for each in (proxy, server):
                if each:
                    stop(each)
        complaints = complaints_in(log)
        expect(not complaints, f"the server complained: {complaints}")
    print("check-domains: users signed in at the domains of two tenants, behind Caddy.")


def client(root):
    """One that trusts Caddy's own authority, and not what REQUESTS_CA_BUNDLE names instead."""
    session = requests.Session()
    session.verify, session.trust_env = str(root), False
    return session


def check(dev, resolver, origin, https_port, root):
    api = client(root)
    api.headers["Authorization"] = f"Bearer {dev.settings['platform_api_key']}"
    domains = f"{origin}/v1/tenants/acme/domains"
    deadline = time.monotonic() + 30
    while True:
        # Caddy makes its first certificate.
        try:
            created = api.post(domains, json={"host": DOMAIN})
            break
        except requests.exceptions.ConnectionError:
            expect(time.monotonic() < deadline, "Caddy does not serve the public host")
            time.sleep(0.1)
    expect(created.status_code == 201, created.text)
    domain = created.json()
    issuer = domain["issuer"]
    expect(issuer == f"https://{DOMAIN}:{https_port}", f"the issuer is {issuer}")

    def has_certificate(host):
        context = ssl.create_default_context(cafile=root)
        try:
            with socket.create_connection(("127.0.0.1", https_port), 10) as plain, context.wrap_socket(plain, server_hostname=host):
                return True
        except (ssl.SSLError, OSError):
            return False

    expect(not has_certificate(DOMAIN), "a claim without a proof has a certificate")
    missing = api.post(f"{domains}/{domain['id']}/verify").json()
    expect(missing["outcome"] == "missing", f"the proof is {missing}")
    record = domain["proof"]["record"]
    resolver.texts[record["name"]] = ["v=spf1 -all", record["value"]]
    found = api.post(f"{domains}/{domain['id']}/verify").json()
    expect(found["outcome"] == "found", f"the proof is {found}")
    deadline = time.monotonic() + 30
    while not has_certificate(DOMAIN):
        expect(time.monotonic() < deadline, "the domain has no certificate")
        time.sleep(0.1)
    expect(not has_certificate(OTHER), "a host of nobody has a certificate")

    register(dev, "com.example.acme.web", domain["return_url"])
    discovery = "/.well-known/openid-configuration"
    document = api.get(issuer + discovery).json()
    expect(document["issuer"] == issuer, f"discovery names {document['issuer']}")
    tokens = sign_in(dev, "acme", document, root)
    claims = json.loads(base64.urlsafe_b64decode(tokens["id_token"].split(".")[1] + "=="))
    expect(claims["iss"] == issuer, f"the id_token is of {claims['iss']}")
    user = requests.get(
        document["userinfo_endpoint"], headers={"Authorization": f"Bearer {tokens['access_token']}"}, verify=str(root), timeout=60)
    expect(user.status_code == 200 and user.json()["sub"] == claims["sub"], user.text)

    shared = api.post(f"{origin}/v1/tenants/globex/domains", json={"host": SHARED_DOMAIN}).json()
    resolver.texts[shared["proof"]["record"]["name"]] = [shared["proof"]["record"]["value"]]
    found = api.post(f"{origin}/v1/tenants/globex/domains/{shared['id']}/verify").json()
    expect(found["outcome"] == "found", f"the proof is {found}")
    deadline = time.monotonic() + 30
    while not has_certificate(SHARED_DOMAIN):
        expect(time.monotonic() < deadline, "the second domain has no certificate")
        time.sleep(0.1)
    return_url = f"{origin}/auth/apple/callback"
    register(dev, "com.example.espalier.web", return_url)
    sign_in(dev, "globex", api.get(shared["issuer"] + discovery).json(), root, return_url)

    for path in ("/t/globex" + discovery, "/t/acme" + discovery, "/v1/tenants/acme", "/v1/tenants/globex", "/metrics", "/certificates/ask"):
        expect(api.get(issuer + path).status_code == 404, f"{path} is at the domain")
    expect(api.get(f"{origin}/t/globex{discovery}").status_code == 200, "the other tenant is not at the public URL")


def register(dev, services_id, return_url):
    """At Apple, beside those that are there."""
    portal = f"{dev.settings['simulator_url']}/simulator"
    team, known = next(
        (team["id"], each) for team in requests.get(f"{portal}/registry", timeout=60).json()["teams"] for each in team["services_ids"]
        if each["id"] == services_id)
    requests.put(f"{portal}/services-ids/{known['id']}", timeout=60, json={
        "team": team, "display_name": known["display_name"], "return_urls": [*known["return_urls"], return_url]}).raise_for_status()


def form_in(page):
    """The target and the fields of the form of a page."""
    action = re.search(r'<form[^>]*\baction="([^"]*)"', page)
    expect(action, f"the page has no form: {page[:500]}")
    return html.unescape(action[1]), {
        html.unescape(name): html.unescape(value)
        for name, value in re.findall(r'<input[^>]*\bname="([^"]*)"[^>]*\bvalue="([^"]*)"', page)}


def sign_in(dev, slug, document, root, shared_return_url=None):
    """A whole login with a plain HTTP client; answers its tokens."""
    application = next(each for each in dev.settings["tenants"] if each["slug"] == slug)["application"]
    browser, verifier = client(root), secrets.token_hex(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    to_apple = browser.get(f"{document['authorization_endpoint']}?" + urlencode({
        "response_type": "code", "client_id": application["client_id"], "redirect_uri": application["redirect_uri"],
        "scope": "openid profile email", "code_challenge": challenge, "code_challenge_method": "S256"}), allow_redirects=False)
    expect(to_apple.status_code == 302, to_apple.text)
    page = requests.get(to_apple.headers["Location"], headers={"Simulator-Person": "new"}, timeout=60).text
    action, form = form_in(page)
    if shared_return_url:
        expect(action == shared_return_url, f"Apple posts to {action}")
        passing = browser.post(action, data=form, allow_redirects=False)
        expect(form["id_token"] not in passing.text and form["code"] not in passing.text, "Apple's answer is in clear text")
        action, form = form_in(passing.text)
    expect(action.startswith(document["issuer"] + "/"), f"the form goes to {action}")
    back = browser.post(action, data=form, allow_redirects=False)
    answer = parse_qs(urlsplit(back.headers.get("Location", "")).query)
    expect(answer.get("iss") == [document["issuer"]], f"the response is {back.status_code} {answer}")
    redemption = {
        "grant_type": "authorization_code", "client_id": application["client_id"], "code_verifier": verifier, "code": answer["code"][0],
        "redirect_uri": application["redirect_uri"]}
    if application.get("client_secret"):
        redemption["client_secret"] = application["client_secret"]
    tokens = browser.post(document["token_endpoint"], data=redemption)
    expect(tokens.status_code == 200, tokens.text)
    return tokens.json()


main()
