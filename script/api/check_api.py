"""Runs schemathesis with all of openapi.yaml against its own server, first as an operator, then as a tenant."""

import argparse
import base64
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import requests

from dev_server import DevServer
from spec import FILE, ROOT, Specification

HERE = Path(__file__).parent
# WorkOS's interface has other errors. Tests/ContractTests/OrganizationKeyTests.swift and script/api/authkit.py check it.
AUTHKIT = "authkit"


def prepare(server):
    """Creates the data of the run: users with sessions, spare tenants, and resources that the run must not change."""
    settings = server.settings
    operator = {"Authorization": f"Bearer {settings['platform_api_key']}"}
    root = settings["base_url"] + "/v1"
    for slug in 12 * ["acme"] + 3 * ["globex"]:
        server.sign_in(slug)
    access = server.sign_in("acme")
    requests.patch(
        f"{root}/tenants/acme/applications/{settings['tenants'][0]['application']['client_id']}", headers=operator,
        json={"allows_device_grant": True}).raise_for_status()
    claims = json.loads(base64.urlsafe_b64decode(access["access_token"].split(".")[1] + "=="))
    spare = []
    for number in range(6):
        slug = f"spare-{number}"
        if requests.post(f"{root}/tenants", headers=operator, json={"slug": slug, "name": slug}).status_code == 201:
            spare.append(slug)
    protected = [tenant["application"]["client_id"] for tenant in settings["tenants"]] + [claims["sub"], claims["sid"]]
    # A second key for each existing connection, registered at the simulator.
    apple_keys = {}
    for action, team in (("addAppleKey", "ACMETEAM01"), ("addPlatformAppleKey", "ESPALIER01")):
        made = requests.post(f"{settings['simulator_url']}/simulator/keys", json={"team": team}).json()
        apple_keys[action] = {"key_id": made["id"], "private_key": made["private_key"]}
    connections = requests.get(f"{root}/tenants/acme/connections", headers=operator)
    connection = next((each["id"] for each in connections.json().get("data", [])), None)
    protected.append(connection)
    # A client that registered itself, and the token with which the run registers others.
    initial = requests.post(
        f"{root}/tenants/acme/initial-access-tokens", headers=operator,
        json={"name": "check-api", "max_registrations": 400, "kinds": ["web", "spa", "native", "machine"]}).json()
    registered = requests.post(
        f"{settings['base_url']}/t/acme/oauth2/register", headers={"Authorization": f"Bearer {initial['secret']}"},
        json={"redirect_uris": ["https://registered.test/callback"]}).json()
    protected += [initial["id"]]
    secrets = [settings["platform_api_key"], *(tenant["api_key"] for tenant in settings["tenants"])]
    for place in ("platform", "tenants/acme", "tenants/globex"):
        answer = requests.get(f"{root}/{place}/api-keys", headers=operator)
        if answer.ok:
            protected += [key["id"] for key in answer.json()["data"] if any(secret.endswith(key["last_four"]) for secret in secrets)]
    return {
        "base_url": settings["base_url"], "tenants": [tenant["slug"] for tenant in settings["tenants"]], "spare_tenants": spare, "protected": protected,
        "applications": {tenant["slug"]: tenant["application"] for tenant in settings["tenants"]},
        # For another person, because the run may delete the access token's user.
        "refresh_token": server.sign_in("acme")["refresh_token"], "access_token": access["access_token"],
        "initial_access_token": initial["secret"], "registered_client": registered["client_id"],
        "registration_access_token": registered["registration_access_token"], "apple_keys": apple_keys, "connection": connection, "spare_login": server.sign_in("acme"),
        "simulator_url": settings["simulator_url"],
        "private_key": subprocess.run(
            ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], check=True, capture_output=True,
            text=True).stdout,
        "client": {
            name: settings["tenants"][0]["application"][name] for name in ("client_id", "client_secret")
            if settings["tenants"][0]["application"].get(name)},
    }


def run(server, known, who, key, phases, arguments):
    report = server.folder / f"{who}.json"
    environment = os.environ | {
        "ESPALIER_CHECK_API_KEY": key, "ESPALIER_CHECK_ACCESS_TOKEN": known["access_token"], "ESPALIER_CHECK_REPORT": str(report),
        "ESPALIER_CHECK_INITIAL_ACCESS_TOKEN": known["initial_access_token"],
        "ESPALIER_CHECK_REGISTRATION_ACCESS_TOKEN": known["registration_access_token"],
        "ESPALIER_CHECK_SETTINGS": json.dumps(known), "ESPALIER_CHECK_SEED": "1", "PYTHONPATH": str(HERE), "SCHEMATHESIS_HOOKS": str(HERE / "hooks.py"),
        "NO_COLOR": "1",
    }
    command = [
        Path(sys.executable).parent / "st", "--config-file", HERE / "schemathesis.toml", "run", FILE, "--url", server.settings["base_url"],
        "--exclude-tag", AUTHKIT, "--max-examples", str(arguments.examples), "--phases", phases]
    for operation in arguments.operation:
        command += ["--include-operation-id", operation]
    began = time.monotonic()
    result = subprocess.run(command, cwd=server.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    statuses = json.loads(report.read_text()) if report.exists() else {}
    if result.returncode != 0 or arguments.verbose:
        print(result.stdout)
    print(f"check-api: as {who}, {sum(sum(each.values()) for each in statuses.values())} requests in {time.monotonic() - began:.0f} s")
    return result.returncode == 0, statuses


def main():
    parser = argparse.ArgumentParser(prog="script/check-api", description=__doc__)
    parser.add_argument("--examples", type=int, default=5, help="number of random cases per operation (default: %(default)s)")
    parser.add_argument("--phases", default="examples,coverage,fuzzing", help="of schemathesis (%(default)s)")
    parser.add_argument("--operation", action="append", default=[], help="run only this operationId; may be repeated")
    parser.add_argument("--verbose", action="store_true", help="show the output of schemathesis even after a success")
    arguments = parser.parse_args()
    reached, well = {}, True
    with DevServer() as server:
        known = prepare(server)
        for who, key in (("operator", server.settings["platform_api_key"]), ("tenant", server.settings["tenants"][0]["api_key"])):
            # Validity does not depend on the caller, so the long phase runs once.
            phases = arguments.phases if who == "operator" else arguments.phases.replace("coverage,", "")
            passed, statuses = run(server, known, who, key, phases, arguments)
            well = well and passed
            for operation, counts in statuses.items():
                for status, count in counts.items():
                    reached.setdefault(operation, {}).setdefault(status, 0)
                    reached[operation][status] += count
        for line in server.complaints():
            well = False
            print(f"check-api: the server logged an error: {line}", file=sys.stderr)
    all_operations = [each.id for each in Specification().operations
                      if AUTHKIT not in each.value["tags"] and (not arguments.operation or each.id in arguments.operation)]
    good = [each for each in all_operations if any(status[0] in "23" for status in reached.get(each, {}))]
    print(f"check-api: {len(good)} of {len(all_operations)} operations succeeded")
    for operation in all_operations:
        if operation not in good:
            answers = ", ".join(f"{status}: {count}" for status, count in sorted(reached.get(operation, {}).items()))
            print(f"    not {operation} ({answers or 'never called'})")
    sys.exit(0 if well else "check-api: failed")


main()
