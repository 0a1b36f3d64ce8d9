"""Tests of the goals: a run that meets all of them, and one change for each goal that misses it. And of the time that the host takes."""

import copy
import tempfile
import unittest

from probe import INTERVAL, Host
from report import GAPS, LABELS, WITHOUT_FAILED_LOGINS, goals, longest_gap

PHASES = ["steady", "kill", "lose", "return", "freeze", "switchover", "cut", "rolling", "disk"]
WRONG = "logins billed twice"


class Load:
    """Logins: kind, start, end, error."""

    def __init__(self, *failures):
        self.failures = failures

    def of(self, kind):
        return [["login", 0, 1, failure] for failure in (None, *self.failures)] if kind == "login" else []


class Books:
    def __init__(self):
        self.counts = {"logins with tokens": 10, "sessions without tokens": 0}
        self.wrong = {WRONG: 0}


def phase(name):
    # A wait for a processor is in "slowest" and does not count.
    probe = {"own": 0.049, "slowest": 0.2, "not_200": 0, "count": 1}
    return {
        "phase": name, "failure": None, "new_primary_after": 1.0 if name in ("kill", "lose", "freeze", "switchover") else None,
        "login": {"gap": 1.5, "failed": 0, "ok": 10}, "refresh": {"gap": 1.9},
        "retries": {"rejected within 30 s": 0, "rejected later": 3}, "healthz": dict(probe), "jwks": dict(probe)}


class GoalsTest(unittest.TestCase):
    def setUp(self):
        self.measured, self.books, self.load = [phase(name) for name in PHASES], Books(), Load()

    def missed(self):
        return [goal for goal, _, is_met in goals(self.measured, self.books, self.load) if not is_met]

    def test_a_good_run_meets_all_goals(self):
        self.assertEqual(self.missed(), [])

    def test_each_phase_has_its_goals(self):
        for number, name in enumerate(PHASES):
            good = self.measured[number]
            changes = [(f"{name}: everything is healthy again", lambda each: each.update(failure="no primary"))]
            if name in WITHOUT_FAILED_LOGINS:
                changes.append((f"{name}: failed logins: 0", lambda each: each["login"].update(failed=1)))
            if name in GAPS:
                gap = GAPS[name]
                changes.append((f"{name}: longest gap at most {gap} s", lambda each: each.update(
                    refresh={"gap": gap + 0.1}, new_primary_after=each["new_primary_after"] and gap)))
            if good["new_primary_after"] is not None:
                changes.append((
                    f"{name}: gap at most 2 s longer than without a primary", lambda each: each["login"].update(gap=3.1)))
            for kind, label in LABELS.items():
                goal = f"{name}: {label} under 50 ms, without waits for a processor"
                for bad in ({"own": 0.05}, {"not_200": 1}, {"count": 0}):
                    changes.append((goal, lambda each, kind=kind, bad=bad: each[kind].update(bad)))
            for goal, change in changes:
                with self.subTest(goal=goal):
                    self.measured[number] = copy.deepcopy(good)
                    change(self.measured[number])
                    self.assertEqual(self.missed(), [goal])
            self.measured[number] = good

    def test_a_phase_without_logins_is_not_met(self):
        self.measured[0]["login"]["ok"] = 0
        self.assertEqual(self.missed(), ["steady: failed logins: 0"])

    def test_the_ledger_has_its_goals(self):
        self.books.wrong[WRONG] = 1
        self.assertEqual(self.missed(), [f"{WRONG}: 0"])

    def test_a_run_without_tokens_is_not_met(self):
        self.books.counts["logins with tokens"] = 0
        self.assertEqual(self.missed(), ["logins with tokens: more than 0"])

    def test_a_refresh_token_that_was_rejected_early(self):
        self.measured[1]["retries"]["rejected within 30 s"] = 1
        self.assertEqual(self.missed(), ["refresh tokens rejected within 30 s of their first use: 0"])

    def test_only_failed_token_requests_explain_sessions_without_tokens(self):
        self.books.counts["sessions without tokens"] = 1
        goal = "sessions without tokens: at most the failed token requests"
        for failures, missed in (((), [goal]), (("callback: 503",), [goal]), (("token: no response",), [])):
            with self.subTest(failures=failures):
                self.load = Load(*failures)
                self.assertEqual(self.missed(), missed)

    def test_the_longest_gap_includes_the_start_and_the_end(self):
        for ends, gap in (([], 10), ([1, 2], 8), ([7, 9], 7), ([4, 5, 9, 12], 4)):
            with self.subTest(ends=ends):
                self.assertEqual(longest_gap(ends, 0, 10), gap)

    def test_the_processor_that_the_host_stopped_longest(self):
        with tempfile.NamedTemporaryFile("w", encoding="ascii") as file:
            def stolen(first, second):
                file.seek(0)
                file.write(f"cpu  9 9 9 9 9 9 9 {first + second} 0 0\ncpu0 9 9 9 9 9 9 9 {first} 0 0\n"
                           f"cpu1 9 9 9 9 9 9 9 {second} 0 0\nintr 9 9 9 9 9 9 9 9 9\n")
                file.flush()

            host = Host(file.name)
            for number, ticks in enumerate([(100, 200), (103, 200), (103, 201)]):
                stolen(*ticks)
                host.sample(number * INTERVAL)
                # Too early for another sample.
                host.sample(number * INTERVAL + INTERVAL / 2)
            stolen(104, 205)
            for sent, ticks in ((-1, 5), (0, 5), (1.5, 5), (2.5, 4)):
                with self.subTest(sent=sent):
                    self.assertEqual(host.since(sent * INTERVAL), ticks / Host.TICK)


if __name__ == "__main__":
    unittest.main()
