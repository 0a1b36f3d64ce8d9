"""Compares what the applications hold with the database: every login that got tokens has one session and one usage event."""

import datetime
from collections import Counter


class Books:
    """The counts at the end. Each of `wrong` must be 0."""

    def __init__(self, installation, sessions):
        leader = installation.cluster.leader
        events = Counter(str(row[0]) for row in leader.run("SELECT id FROM usage_event UNION ALL SELECT id FROM usage_arrival", "espalier"))
        # Whether the session is open, and the number of its last refresh.
        rows = {
            str(row[0]): row[1:] for row in leader.run("SELECT id, ended_at IS NULL, refresh_generation FROM session", "espalier")}
        held = Counter(each["id"] for each in sessions)
        now = datetime.datetime.now(datetime.timezone.utc)
        day = datetime.timedelta(days=1)
        window = [moment.strftime("%Y-%m-%dT%H:%M:%SZ") for moment in (now - day, now + day)]
        reported = sum(installation.counted_logins(slug, *window) for slug in installation.tenants)

        def generation_is_wrong(each):
            """The database lost a refresh, or made one that no application asked for."""
            row = rows.get(each["id"])
            return row is not None and row[0] and row[1] - each["generation"] not in ((0, 1) if each["is_uncertain"] else (0,))

        self.counts = {
            "logins with tokens": len(sessions), "sessions": len(rows), "usage events": sum(events.values()),
            "sessions without tokens": len(set(rows) - set(held)),
            "sessions ended": sum(1 for row in rows.values() if not row[0]),
        }
        self.wrong = {
            "acknowledged logins lost": sum(1 for id in held if id not in rows or id not in events),
            "logins billed twice": sum(1 for count in events.values() if count > 1),
            "sessions not billed": len(set(rows) - set(events)),
            "usage events without a session": len(set(events) - set(rows)),
            "tokens without a session": sum(1 for id in held if id not in rows or not rows[id][0]),
            "sessions whose tokens two logins got": sum(1 for count in held.values() if count > 1),
            "acknowledged refreshes lost": sum(1 for each in sessions if generation_is_wrong(each)),
            "difference between usage events and the REST API": abs(reported - sum(events.values())),
        }
