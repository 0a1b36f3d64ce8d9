"""Draws the pictures of README.md and docs/architecture.md into docs/pictures, and checks the tables of docs/architecture.md.

The picture of the targets shows the dependencies of Package.swift, and the plots show docs/performance.json. The other pictures are
descriptions in this file. `--check` writes nothing. It fails if a picture is not current, if a target is missing in
docs/architecture.md, or if a table of the database does not have exactly one owner there.
"""

import re
import sys

from picture import WIDTH, Picture
from plots import performance
from spec import ROOT

FOLDER = ROOT / "docs/pictures"
ARCHITECTURE = ROOT / "docs/architecture.md"
# Programs for measurements and tests. No other target imports them.
OUTSIDE = {"Bench", "Fuzz"}


# MARK: The targets

# The center of each box, and the row.
PLACES = {
    "espalier": (130, 0), "espalier-dev": (322, 0),
    "Server": (130, 1), "Development": (322, 1),
    "AuthKit": (33, 2), "Devices": (94, 2), "Mushu": (154, 2), "Registration": (225, 2), "Terminal": (210, 3), "PeopleSignIn": (210, 4),
    "Branding": (140, 3), "PeopleSSO": (286, 5), "Domains": (218, 6), "AppleSimulator": (324, 2),
    "SignIn": (58, 3), "DemoApplication": (322, 3),
    "Accounts": (58, 4), "EmbeddedPostgres": (322, 4),
    "Sessions": (58, 5), "Billing": (146, 5), "Sinks": (214, 5),
    "BrowserSessions": (136, 6), "AppleButton": (290, 6),
    "Signing": (40, 7), "APIs": (102, 7), "Users": (160, 7), "Ledger": (222, 7),
    "Tenancy": (150, 8), "Pages": (216, 9), "ClientKeys": (150, 9), "Delivery": (150, 10), "Mail": (40, 10), "People": (86, 9), "Outbox": (104, 11), "Access": (190, 11), "Factors": (300, 11),
    "Postgres": (92, 12), "Sealing": (170, 12), "Web": (236, 12), "QRCode": (296, 12), "Apple": (350, 12), "Passkeys": (72, 13), "Encoding": (196, 13)}
WIDE = {"PeopleSSO": 72, "Domains": 58, "People": 52, "PeopleSignIn": 84, "Factors": 56, "QRCode": 54, "Web": 52, "Apple": 44, "AppleButton": 84, "espalier-dev": 92, "Development": 96, "AppleSimulator": 116, "DemoApplication": 116, "EmbeddedPostgres": 116, "Sinks": 56, "BrowserSessions": 102, "AuthKit": 58, "Devices": 58, "Mushu": 54, "Registration": 78, "Signing": 58, "APIs": 48, "Users": 52, "Pages": 52, "Ledger": 58}
ROW, BOX = 50, 26


def dependencies():
    """The targets of Package.swift in Sources, each with the targets that it imports."""
    text = (ROOT / "Package.swift").read_text(encoding="utf-8")
    found = {}
    for kind, name, rest in re.findall(r'\.(target|executableTarget)\(\s*name: "([\w-]+)"(.*?)\)(?=,?\s*(?:\.|//|\]))', text, re.DOTALL):
        if "path:" not in rest and name not in OUTSIDE:
            found[name] = set(re.findall(r'"([\w-]+)"', rest))
    return {name: used & found.keys() for name, used in found.items()}


def reduced(graph):
    """The edges that no longer path replaces."""
    def reachable(name):
        return graph[name].union(*(reachable(used) for used in graph[name]))

    return [(name, used) for name in graph for used in sorted(graph[name])
            if not any(used in reachable(other) for other in graph[name] - {used})]


def targets():
    graph = dependencies()
    if graph.keys() != PLACES.keys():
        sys.exit(f"pictures: place these targets in script/api/pictures.py: {', '.join(sorted(graph.keys() ^ PLACES.keys()))}")
    picture = Picture("The targets: each imports only targets below it", 14 * ROW + 12)

    def top(name):
        return PLACES[name][0], PLACES[name][1] * ROW + 18

    for name, used in reduced(graph):
        (x, y), (end_x, end_y) = top(name), top(used)
        rows = PLACES[used][1] - PLACES[name][1]
        if name == "Development" and used != "Server" and rows > 1:
            picture.line((x + 40, y + BOX), (x + 40, y + BOX + 8), (392, y + BOX + 8), (392, end_y + BOX / 2), (end_x + 58, end_y + BOX / 2))
        elif used == "Pages":
            picture.line((x + 14, y + BOX), (x + 14, y + BOX + 12), (end_x, y + BOX + 12), (end_x, end_y))
        elif used == "Web" and x > 300:
            picture.line((x - 58, y + BOX / 2), (246, y + BOX / 2), (246, end_y))
        elif used == "Apple":
            picture.line((x + 32, y + BOX / 2), (end_x, y + BOX / 2), (end_x, end_y))
        elif name == "EmbeddedPostgres":
            picture.line((x + 54, y + BOX), (x + 54, end_y + BOX / 2), (end_x + 32, end_y + BOX / 2))
        elif rows == 0:
            side = 1 if end_x < x else -1
            picture.line((x - side * WIDE.get(name, 64) / 2, y + BOX / 2), (end_x + side * WIDE.get(used, 64) / 2, end_y + BOX / 2))
        else:
            shift = max(-22, min(22, (end_x - x) / 3))
            picture.line((x + shift, y + BOX), (end_x - shift / 2, end_y))
    for name in graph:
        (x, y), width = top(name), WIDE.get(name, 64)
        picture.box(x - width / 2, y, width, BOX, "mark" if name in ("espalier", "espalier-dev") else "box")
        picture.text(x, y + 17.5, name, "small" if width == 116 else "")
    return picture


# MARK: The flows

class Flow:
    """A sequence of messages between columns, from top to bottom."""

    def __init__(self, title, columns):
        self.title, self.columns, self.steps = title, dict(columns), []

    def step(self, start, end, text, *details):
        """An arrow with a text above it and details below it. Without an end, only text at the column."""
        self.steps.append((start, end, text, details))
        return self

    def picture(self):
        height = 52 + sum(32 + 15 * len(details) for *_, details in self.steps)
        picture = Picture(self.title, height)
        for name, x in self.columns.items():
            picture.parts.append(f'<line class="life" x1="{x}" y1="38" x2="{x}" y2="{height - 10}"/>')
            width = len(name) * 7.4 + 14
            picture.box(x - width / 2, 12, width, BOX, "box")
            picture.text(x, 29.5, name, "name")
        y = 38
        for start, end, text, details in self.steps:
            y += 22
            left, right = sorted((self.columns[start], self.columns[end or start]))
            middle = (left + right) / 2
            longest = max(len(text) * 6.6, *(len(line) * 6.1 for line in details), 0) / 2
            anchor, x = "middle", middle
            if middle - longest < 8:
                anchor, x = "start", 8
            elif middle + longest > WIDTH - 8:
                anchor, x = "end", WIDTH - 8
            picture.text(x, y, text, "halo", anchor)
            if end:
                picture.line((self.columns[start], y + 7), (self.columns[end], y + 7))
            for number, line in enumerate(details):
                picture.text(x, y + (21 if end else 15) + 15 * number, line, "small halo", anchor)
            y += 10 + 15 * len(details)
        return picture


def login():
    flow = Flow("A login", [("application", 50), ("Apple", 148), ("Espalier", 250), ("PostgreSQL", 352)])
    flow.step("application", "Espalier", "GET /t/acme/oauth2/authorize", "Authorize.swift · from memory")
    flow.step("Espalier", "Apple", "302, state = the sealed attempt", "LoginAttempt.swift")
    flow.step("Apple", "Espalier", "POST …/auth/apple/callback", "AppleCallback.swift")
    flow.step("Espalier", "Apple", "code, for Apple's tokens", "RedeemAtApple.swift · 1 call")
    flow.step("Espalier", "PostgreSQL", "identity, tenant_user, if changed", "SaveUser.swift · 1 round trip")
    flow.step("Espalier", "application", "303, the sealed code for one minute", "AuthorizationCode.swift")
    flow.step("application", "Espalier", "POST /t/acme/oauth2/token", "Token.swift, RedeemCode.swift")
    flow.step("Espalier", "PostgreSQL", "session, usage_arrival", "IssueTokens.swift · 1 transaction, 1 round trip")
    return flow.step("Espalier", "application", "200, tokens").picture()


def refresh():
    flow = Flow("A refresh", [("application", 56), ("Espalier", 210), ("PostgreSQL", 344)])
    flow.step("application", "Espalier", "POST /t/acme/oauth2/token", "Token.swift: the application")
    flow.step("Espalier", None, "the MAC of the refresh token", "RefreshToken.swift · from memory")
    flow.step("Espalier", "PostgreSQL", "UPDATE session", "RefreshTokens.swift, Session.swift", "1 round trip")
    flow.step("PostgreSQL", "Espalier", "the next generation, or no row")
    return flow.step("Espalier", "application", "200, new tokens").picture()


def admin_write():
    flow = Flow("Promoting an Apple key", [("operator", 50), ("Espalier", 160), ("PostgreSQL", 262), ("Apple", 358)])
    flow.step("operator", "Espalier", "POST …/apple-keys/{appleKey}/promote", "Authenticate, Idempotency, TenantContext")
    flow.step("Espalier", "PostgreSQL", "read connection, apple_key, tenant", "PromoteAppleKey.swift · 3 round trips")
    flow.step("Espalier", "Apple", "a client secret of the new key", "Doctor.swift · outside of a transaction")
    flow.step("Espalier", "PostgreSQL", "apple_key, connection, audit_event", "1 transaction, 7 round trips")
    flow.step("PostgreSQL", "Espalier", "NOTIFY espalier_configuration", "ConfigurationWatch.swift empties caches")
    return flow.step("Espalier", "operator", "200, the key and its ETag").picture()


def monthly_close():
    flow = Flow("A monthly close", [("BillingJobs", 54), ("Espalier", 190), ("PostgreSQL", 340)])
    flow.step("BillingJobs", "Espalier", "every 2 s", "RollUp.swift")
    flow.step("Espalier", "PostgreSQL", "usage_arrival → usage_event, usage_day,", "usage_users, usage_month_user")
    flow.step("BillingJobs", "Espalier", "every 10 minutes", "CloseStatements.swift")
    flow.step("Espalier", "PostgreSQL", "take the month: statement “closing”", "ClosingMonth.swift · 2 round trips")
    flow.step("PostgreSQL", "Espalier", "COPY usage_event", "BilledEvents.swift: count, digest")
    flow.step("PostgreSQL", "Espalier", "tenant_plan, rate_card", "Bill.swift: the lines")
    flow.step("Espalier", "PostgreSQL", "close_statement: terms, lines, “closed”", "WriteStatement.swift · 1 transaction")
    return flow.step("Espalier", None, "webhook statement.closed, audit event", "in the same transaction").picture()


def how_it_works():
    picture = Picture("Espalier between the applications of a tenant and Apple", 246)
    picture.box(70, 12, 260, 28)
    picture.text(200, 30.5, "Application of the tenant acme")
    picture.line((140, 40), (140, 84))
    picture.text(148, 60, "OpenID Connect", "small", "start")
    picture.line((262, 84), (262, 40))
    picture.text(270, 60, "tokens", "small", "start")
    picture.box(16, 66, 368, 110, "frame")
    picture.text(24, 81, "Espalier", "name", "start")
    picture.box(28, 88, 344, 28)
    picture.text(200, 106.5, "Issuer /t/acme")
    picture.box(28, 126, 150, 42)
    picture.text(103, 143, "Connection")
    picture.text(103, 159, "Team ID, Services ID, key", "small")
    picture.box(190, 126, 182, 42, "mark")
    picture.text(281, 143, "Session and usage event")
    picture.text(281, 159, "one transaction", "small")
    picture.line((103, 116), (103, 126))
    picture.line((281, 116), (281, 126))
    picture.line((103, 168), (103, 208))
    picture.text(96, 194, "sign-in", "small", "end")
    picture.line((184, 208), (184, 116))
    picture.text(192, 194, "notifications", "small", "start")
    picture.box(70, 208, 260, 28)
    picture.text(200, 226.5, "Apple")
    return picture


PICTURES = {
    "how-it-works": how_it_works, "targets": targets, "login": login, "refresh": refresh, "admin-write": admin_write,
    "monthly-close": monthly_close, "performance": performance}


# MARK: The check

def errors():
    """What is not current: a picture, or the table of the targets in docs/architecture.md."""
    found = [f"docs/pictures/{name}.svg is not current. Run script/python script/api/pictures.py." for name, draw in PICTURES.items()
             if not (file := FOLDER / f"{name}.svg").is_file() or file.read_text(encoding="utf-8") != str(draw())]
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in ARCHITECTURE.read_text(encoding="utf-8").split("\n") if re.match(r"\| `", line)]
    rows = [row for row in rows if len(row) == 3]
    described = {name for row in rows for name in re.findall(r"`([\w-]+)`", row[0])}
    found += [f"docs/architecture.md: the table of the targets lacks {name}" for name in dependencies() if name not in described]
    owned = [name for row in rows for name in re.findall(r"`(\w+)`", row[2])]
    known = tables()
    found += [f"docs/architecture.md: {name} has {owned.count(name)} owners" for name in sorted(known) if owned.count(name) != 1]
    return found + [f"docs/architecture.md: there is no table {name}" for name in owned if name not in known]


def tables():
    """The tables and views after all migrations."""
    known = {"schema_migration"}
    for file in sorted((ROOT / "migrations").glob("[0-9]*.sql")):
        text = re.sub(r"--.*", "", file.read_text(encoding="utf-8"))
        for word, kind, name, new in re.findall(
                r"^(CREATE|DROP|ALTER) (TABLE|VIEW) (?:IF (?:NOT )?EXISTS )?(\w+)(?: RENAME TO (\w+))?", text, re.MULTILINE):
            if word == "CREATE":
                known.add(name)
            elif word == "DROP" or new:
                known.discard(name)
                known |= {new} - {""}
    return known


def main():
    if sys.argv[1:] == ["--check"]:
        if problems := errors():
            sys.exit("\n".join(f"pictures: {problem}" for problem in problems))
        return
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(str(draw()), encoding="utf-8")


if __name__ == "__main__":
    main()
