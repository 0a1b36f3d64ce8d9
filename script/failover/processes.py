"""Starts and ends the processes of the check. The check is in a PID namespace of its own, so all of them end with it."""

import os
import pwd
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path


class Failure(Exception):
    """The check cannot continue. It says nothing about the goals."""


def say(text):
    print(f"check-failover: {text}", file=sys.stderr, flush=True)


def leave_to_a_child():
    """Returns in a child process. The first process of a PID namespace waits here for all children, because killed servers leave
    orphans, and Patroni counts an orphan as running until a process has waited for it."""
    if os.getpid() != 1:
        return
    child = os.fork()
    if child == 0:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda received, _: sys.exit(128 + received))
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _: os.kill(child, received))
    while True:
        ended, status = os.wait()
        if ended == child:
            os._exit(os.waitstatus_to_exitcode(status) % 256)


class Account:
    """The account of PostgreSQL, which refuses root: our own, or `postgres` for root."""

    def __init__(self):
        self.entry = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        self.prefix = [
            "setpriv", "--reuid", str(self.entry.pw_uid), "--regid", str(self.entry.pw_gid), "--clear-groups", "--",
        ] if self.entry else []

    def own(self, folder):
        if self.entry:
            os.chown(folder, self.entry.pw_uid, self.entry.pw_gid)
        folder.chmod(0o700)


class Processes:
    def __init__(self, folder):
        self.logs = folder

    def start(self, name, command, environment=None):
        """Starts a process in the background. Its output goes to the end of NAME.log."""
        with open(self.logs / f"{name}.log", "ab") as log:
            return subprocess.Popen(
                [str(part) for part in command], env=os.environ | (environment or {}), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)

    def output(self, name, command, environment=None, text=None):
        """Runs a command to its end and returns what it printed."""
        done = subprocess.run(
            [str(part) for part in command], env=os.environ | (environment or {}), input=text, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise Failure(f"{name} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return done.stdout


def processes():
    """Each process of the namespace, with its parent."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                # The name in parentheses may contain spaces. The parent is the second field after it.
                found[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                pass
    return found


def with_descendants(process):
    """The process and all that it started, parents first."""
    parents, found = processes(), [process]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found


def send(number, ids):
    for each in ids:
        try:
            os.kill(each, number)
        except ProcessLookupError:
            pass


def wait_until(what, condition, within=60, pause=0.05):
    """Returns the first true value of the condition, and raises after `within` seconds."""
    deadline = time.monotonic() + within
    while True:
        if value := condition():
            return value
        if time.monotonic() > deadline:
            raise Failure(f"after {within} s, still no {what}")
        time.sleep(pause)


given_ports = set()


def free_ports(count):
    """Ports that are free on loopback, below those that the kernel assigns to outgoing connections. None is given twice."""
    found = []
    while len(found) < count:
        port = 10_000 + secrets.randbelow(20_000)
        with socket.socket() as attempt:
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                attempt.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in given_ports:
            given_ports.add(port)
            found.append(port)
    return found
