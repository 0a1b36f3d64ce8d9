"""Runs the check: starts everything, disturbs it in phases under load, and compares the figures with the goals."""

import argparse
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cluster import Cluster
from installation import Installation
from ledger import Books
from phases import DESCRIPTIONS, Phases
from processes import Failure, Processes, free_ports, leave_to_a_child, say
from probe import CONTROL
from report import Load, Probes, goals, measure, table

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
LOGS = ROOT / ".espalier/failover"


def options():
    parser = argparse.ArgumentParser(prog="script/check-failover", add_help=False)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--phase", action="append", choices=list(DESCRIPTIONS))
    parser.add_argument("--logins-per-second", type=float, default=10)
    parser.add_argument("--refreshes-per-second", type=float, default=20)
    parser.add_argument("--json", action="store_true")
    found = parser.parse_args()
    if found.logins_per_second <= 0 or found.refreshes_per_second <= 0:
        parser.error("a rate must be more than 0")
    return found


class Background:
    """The load and the prober, as processes of their own."""

    def __init__(self, installation, settings, folder, processes):
        self.events, self.samples = folder / "events", folder / "samples"
        control_port, = free_ports(1)
        processes.start("control", [sys.executable, "-B", HERE / "probe.py", "--control", control_port])
        path = installation.applications[0]["issuer"].removeprefix(installation.url) + "/oauth2/jwks"
        targets = [{"name": CONTROL, "port": control_port, "path": "/", "pid": None}]
        for server in installation.servers:
            pid = str(server.id_file)
            targets.append({"name": f"{server.name}/healthz", "port": server.operations_port, "path": "/healthz", "pid": pid})
            targets.append({"name": f"{server.name}/jwks", "port": server.port, "path": path, "pid": pid})
        self.running = [
            processes.start(name, [sys.executable, "-B", HERE / f"{name}.py", self._write(folder / f"{name}.json", content), output])
            for name, content, output in (
                ("load", settings | {"applications": installation.applications}, self.events),
                ("probe", {"targets": targets}, self.samples))]

    @staticmethod
    def _write(path, content):
        path.write_text(json.dumps(content))
        return path

    def stop(self):
        for process in self.running:
            process.send_signal(signal.SIGTERM)
        for process in self.running:
            if code := process.wait(180):
                raise Failure(f"the load or the prober ended with {code}")


def run(chosen, folder):
    processes = Processes(folder)
    say("starting etcd and three PostgreSQL under Patroni")
    cluster = Cluster(folder, processes)
    say("starting the Apple simulator, three servers and haproxy")
    installation = Installation(cluster, folder, chosen.programs.resolve(), processes)
    settings = {"logins_per_second": chosen.logins_per_second, "refreshes_per_second": chosen.refreshes_per_second}
    background = Background(installation, settings, folder, processes)
    # The first login of a tenant creates its signing key, and each connection prepares its statements. This is not measured.
    time.sleep(5)
    phases = Phases(cluster, installation)
    for name in DESCRIPTIONS:
        if (not chosen.phase or name in chosen.phase) and not phases.run(name):
            break
    background.stop()

    load, probes = Load(background.events), Probes(background.samples)
    books = Books(installation, load.sessions)
    installation.stop()
    measured = [measure(phase, load, probes) for phase in phases.done]
    found = goals(measured, books, load)
    if chosen.json:
        print(json.dumps({
            "load": settings, "phases": measured, "counts": books.counts | books.wrong,
            "goals": [{"goal": goal, "value": value, "met": is_met} for goal, value, is_met in found]}, indent=2))
    else:
        print(table(measured, books, found, settings))
    return all(is_met for _, _, is_met in found)


def main():
    chosen = options()
    leave_to_a_child()
    folder = Path(tempfile.mkdtemp(prefix="espalier-failover-"))
    # PostgreSQL runs under another account if we are root, and has to pass.
    folder.chmod(0o755)
    is_met = False
    try:
        is_met = run(chosen, folder)
    except Failure as failure:
        say(str(failure))
    finally:
        if not is_met:
            shutil.rmtree(LOGS, ignore_errors=True)
            LOGS.mkdir(parents=True)
            for file in folder.iterdir():
                if file.suffix == ".log" or file.name in ("events", "samples"):
                    shutil.copy(file, LOGS)
            say(f"the logs are in {LOGS.relative_to(ROOT)}")
        # PostgreSQL still runs, and ends with the namespace.
        for node in folder.glob("node?"):
            subprocess.run(["umount", "--lazy", node], check=False)
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0 if is_met else 1)


if __name__ == "__main__":
    main()
