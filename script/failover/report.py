"""The figures of a phase from the events of the load and the samples of the prober, and the goals."""

import bisect
import json
from collections import Counter, defaultdict

from probe import CONTROL, INTERVAL

# Goals in seconds. A lost node is like a frozen one: the next primary has to wait for the end of the key. Commits wait for a lost replica
# until the next loop of Patroni, which runs every 2 s.
GAPS = {"kill": 5, "lose": 12, "freeze": 12, "cut": 2, "disk": 3}
# The part of a gap that is not the cluster's, in seconds.
GAP_AFTER_PRIMARY = 2
WITHOUT_FAILED_LOGINS = ("steady", "switchover", "return", "rolling")
PROBE_LIMIT = 0.050
LABELS = {"healthz": "/healthz", "jwks": "JWKS"}
# A used refresh token returns its successor this long (Sources/Sessions/Sessions/RefreshToken.swift).
GRACE = 30


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] if values else 0.0


def longest_gap(ends, start, end):
    """The longest time without an end of a successful operation."""
    moments = [start] + sorted(moment for moment in ends if start < moment < end) + [end]
    return max(after - before for before, after in zip(moments, moments[1:]))


class Load:
    """The operations of the applications."""

    def __init__(self, path):
        self.events, self.sessions = [], []
        with open(path, encoding="utf-8") as file:
            for line in file:
                event = json.loads(line)
                if isinstance(event, dict):
                    self.sessions = event["sessions"]
                else:
                    self.events.append(event)

    def of(self, kind, phase=None):
        """The operations that started in a phase."""
        return [each for each in self.events if each[0] == kind and (phase is None or phase.started <= each[1] < phase.ended)]

    def measure(self, kind, phase):
        events = self.of(kind, phase)
        failed = Counter(each[3] for each in events if each[3])
        return {
            "ok": sum(1 for each in events if not each[3]), "failed": sum(failed.values()), "failures": dict(failed.most_common()),
            "gap": longest_gap([each[2] for each in self.events if each[0] == kind and not each[3]], phase.started, phase.ended),
            "median": percentile([each[2] - each[1] for each in events if not each[3]], 0.5),
            "p99": percentile([each[2] - each[1] for each in events if not each[3]], 0.99)}

    def measure_retries(self, phase):
        """Refresh tokens that were sent again, because their first use got no tokens."""
        retries = self.of("retry", phase)
        rejected = [each for each in retries if each[3] and "invalid_grant" in each[3]]
        return {
            "honored": sum(1 for each in retries if not each[3]),
            "rejected within 30 s": sum(1 for each in rejected if each[1] - each[4] < GRACE - 1),
            "rejected later": sum(1 for each in rejected if each[1] - each[4] >= GRACE - 1)}


class Probes:
    """The responses of /healthz and of the JWKS."""

    def __init__(self, path):
        self.samples = defaultdict(list)
        with open(path, encoding="utf-8") as file:
            for line in file:
                name, sent, received, status, waited = line.split()
                self.samples[name].append((float(sent), float(received), int(status), float(waited)))
        control = sorted(self.samples.pop(CONTROL, []))
        self.control_times = [sent for sent, *_ in control]
        self.control_waits = [received - sent for sent, received, *_ in control]

    def control(self, start, end):
        """The longest wait of the control in a period, with the requests before and after it."""
        first = max(0, bisect.bisect_left(self.control_times, start - INTERVAL) - 1)
        last = bisect.bisect_right(self.control_times, end + INTERVAL) + 1
        return max(self.control_waits[first:last], default=0.0)

    def measure(self, kind, phase):
        """The waits for one kind of probe at the servers in service."""
        waits, own, bad = [], 0.0, 0
        for name, samples in self.samples.items():
            server, _, probed = name.partition("/")
            if probed != kind:
                continue
            out = [(start, end) for each, start, end in phase.out_of_service if each == server]
            for sent, received, status, waited in samples:
                if not phase.started <= sent < phase.ended or any(start - INTERVAL <= received and sent <= end for start, end in out):
                    continue
                bad += status != 200
                # The requests that would have been sent during this time also wait, each a bit shorter.
                wait = received - sent
                own = max(own, wait - max(waited, self.control(sent, received)))
                while True:
                    waits.append(wait)
                    wait -= INTERVAL
                    if wait < INTERVAL:
                        break
        return {
            "count": len(waits), "slowest": max(waits, default=0.0), "p99": percentile(waits, 0.99), "own": own, "not_200": bad}

    def measure_control(self, phase):
        waits = [
            wait for sent, wait in zip(self.control_times, self.control_waits) if phase.started <= sent < phase.ended]
        return {"slowest": max(waits, default=0.0), "p99": percentile(waits, 0.99)}


def measure(phase, load, probes):
    return {
        "phase": phase.name, "failure": phase.failure, "seconds": phase.ended - phase.started, "new_primary_after": phase.new_primary_after,
        "login": load.measure("login", phase), "refresh": load.measure("refresh", phase), "retries": load.measure_retries(phase),
        "healthz": probes.measure("healthz", phase), "jwks": probes.measure("jwks", phase), "control": probes.measure_control(phase)}


def goals(measured, books, load):
    """Each goal with the measured value and whether it is met."""
    found = []
    for each in measured:
        name, gap = each["phase"], max(each["login"]["gap"], each["refresh"]["gap"])
        if each["failure"]:
            found.append((f"{name}: everything is healthy again", each["failure"], False))
        if (primary := each["new_primary_after"]) is not None:
            rest = gap - primary
            found.append((
                f"{name}: gap at most {GAP_AFTER_PRIMARY} s longer than without a primary", f"{rest:.1f} s", rest <= GAP_AFTER_PRIMARY))
        if name in GAPS:
            found.append((f"{name}: longest gap at most {GAPS[name]} s", f"{gap:.1f} s", gap <= GAPS[name]))
        if name in WITHOUT_FAILED_LOGINS:
            failed, succeeded = each["login"]["failed"], each["login"]["ok"]
            found.append((f"{name}: failed logins: 0", f"{failed} of {failed + succeeded}", failed == 0 and succeeded > 0))
        for kind in ("healthz", "jwks"):
            probe = each[kind]
            found.append((
                f"{name}: {LABELS[kind]} under {PROBE_LIMIT * 1000:.0f} ms, without waits for a processor",
                f"{milliseconds(probe['own'])} ms; slowest with such waits {milliseconds(probe['slowest'])} ms; "
                f"{probe['not_200']} of {probe['count']} without 200",
                probe["own"] < PROBE_LIMIT and probe["not_200"] == 0 and probe["count"] > 0))
    rejected = sum(each["retries"]["rejected within 30 s"] for each in measured)
    found.append((f"refresh tokens rejected within {GRACE} s of their first use: 0", str(rejected), rejected == 0))
    # A token request without a response may have started one session. Others would be logins that were billed twice.
    failed = sum(1 for each in load.of("login") if each[3] and each[3].startswith("token: "))
    unknown = books.counts["sessions without tokens"]
    found.append(("sessions without tokens: at most the failed token requests", f"{unknown} of {failed}", unknown <= failed))
    held = books.counts["logins with tokens"]
    found.append(("logins with tokens: more than 0", str(held), held > 0))
    return found + [(f"{name}: 0", str(count), count == 0) for name, count in books.wrong.items()]


def columns(head, rows):
    """Lines with aligned columns. The first one is left-aligned."""
    widths = [max(len(row[number]) for row in [head, *rows]) for number in range(len(head))]
    return ["  ".join(
        cell.ljust(width) if number == 0 else cell.rjust(width) for number, (cell, width) in enumerate(zip(row, widths))).rstrip()
        for row in [head, *rows]]


def milliseconds(seconds):
    return f"{seconds * 1000:.0f}"


def table(measured, books, found, settings):
    load, probes, failures = [], [], []
    for each in measured:
        login, refresh, primary = each["login"], each["refresh"], each["new_primary_after"]
        load.append([
            each["phase"], "" if primary is None else f"{primary:.1f}",
            str(login["ok"]), str(login["failed"]), f"{login['gap']:.1f}", milliseconds(login["median"]), milliseconds(login["p99"]),
            str(refresh["ok"]), str(refresh["failed"]), f"{refresh['gap']:.1f}", milliseconds(refresh["p99"]),
            str(each["retries"]["honored"])])
        probes.append([each["phase"]] + [
            milliseconds(each[kind][figure]) for kind in ("healthz", "jwks") for figure in ("slowest", "p99", "own")
        ] + [milliseconds(each["control"][figure]) for figure in ("slowest", "p99")])
        failures += [
            f"{each['phase']:<11} {count:>5}  {kind} {reason}"
            for kind in ("login", "refresh") for reason, count in each[kind]["failures"].items()]
    return "\n".join([
        f"Load: {settings['logins_per_second']:g} logins/s and {settings['refreshes_per_second']:g} refreshes/s. "
        "Primary: time until a new one. Gap: longest time without a success. Both in s. Median and p99 in ms.",
        *columns([
            "phase", "primary", "logins", "failed", "gap", "median", "p99", "refreshes", "failed", "gap", "p99", "retries honored"
        ], load), "",
        "Probes every 20 ms: slowest, p99, and the slowest without waits for a processor, in ms.",
        *columns(["phase", "healthz", "p99", "own", "JWKS", "p99", "own", "control", "p99"], probes), "",
        "Failures:", *(failures or ["none"]), "",
        "Ledger:", *(f"{count:>7}  {name}" for name, count in (books.counts | books.wrong).items()), "",
        "Goals:", *(f"{'met   ' if is_met else 'MISSED'}  {goal} ({value})" for goal, value, is_met in found)])
