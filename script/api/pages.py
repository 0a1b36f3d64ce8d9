"""What Chromium makes of whole pages: its parser sees text and no markup in what people and applications chose, a phone shows all of a
page, and each text can be read in light and in dark.
"""

import itertools
import unicodedata

import requests

MARKUP = "<>\"'&"
# Grapheme_Cluster_Break=Prepend. The other characters that join are found by their category.
PREPENDING = [
    *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0xD4E, 0x110BD, 0x110CD, 0x111C2, 0x111C3, 0x113D1, 0x1193F, 0x11941, 0x11A3A,
    *range(0x11A84, 0x11A8A), 0x11D46, 0x11F02]
# Hangul's parts, flags' halves and skin tones.
OTHERS = [*range(0x1100, 0x1200), *range(0xA960, 0xA97D), *range(0xD7B0, 0xD7FC), *range(0x1F1E6, 0x1F200), *range(0x1F3FB, 0x1F400)]

# The elements with the names of their attributes, the comments, the fields, and the text of what a selector names.
PARSE = """
    const page = new DOMParser().parseFromString(arguments[0], "text/html");
    const comments = [], walker = page.createTreeWalker(page, NodeFilter.SHOW_COMMENT);
    while (walker.nextNode()) comments.push(walker.currentNode.data);
    return {
        elements: [...page.querySelectorAll("*")].map(
            element => [element.tagName, ...[...element.attributes].map(attribute => attribute.name)].join(" ")),
        comments: comments,
        fields: Object.fromEntries([...page.querySelectorAll("input")].map(input => [input.name, input.getAttribute("value")])),
        text: [...page.querySelectorAll(arguments[1])].map(element => element.textContent),
    };
"""

# What does not fit into the window's width, and the amounts that can be seen.
LAY_OUT = """
    const width = document.documentElement.clientWidth;
    const boxes = [...document.querySelectorAll("h1, p, dt, dd, td, th, input, select, button")]
        .map(element => [element, element.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
    return {
        width: width, needed: document.documentElement.scrollWidth,
        outside: boxes.filter(([, box]) => box.left < 0 || box.right > width).map(([element]) => element.textContent),
        amounts: boxes.filter(([element]) => element.dataset.name === "Amount").map(([element]) => element.textContent),
    };
"""

# For each text, how much it stands out from what is behind it (WCAG 2.2, "contrast ratio").
MEASURE = """
    const parse = color => color.match(/[0-9.]+/g).map(Number);
    const probe = document.createElement("i");
    probe.style.backgroundColor = "Canvas";
    document.body.append(probe);
    const canvas = parse(getComputedStyle(probe).backgroundColor);
    probe.remove();
    const behind = element => {
        for (let each = element; each; each = each.parentElement) {
            const color = parse(getComputedStyle(each).backgroundColor);
            if (color.length === 3 || color[3] === 1) return color;
            if (color[3] > 0) throw new Error("a color that can be seen through: " + each.outerHTML);
        }
        return canvas;
    };
    const luminance = color => {
        const [r, g, b] = color.slice(0, 3).map(each => each / 255).map(
            each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode.data.trim(), element = walker.currentNode.parentElement;
        if (!text || ["STYLE", "SCRIPT"].includes(element.tagName) || !element.getClientRects().length) continue;
        for (let each = element; each; each = each.parentElement)
            if (getComputedStyle(each).opacity !== "1") throw new Error("a text that can be seen through: " + text);
        const [a, b] = [luminance(parse(getComputedStyle(element).color)), luminance(behind(element))];
        found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), text]);
    }
    return found;
"""


def joining_characters():
    """Every character that may make one grapheme with the one before or after it."""
    codes = {code for code in range(0x80, 0x110000) if unicodedata.category(chr(code)) in ("Mn", "Mc", "Me", "Cf")}
    return [chr(code) for code in sorted(codes | set(PREPENDING) | set(OTHERS))]


def samples(fits):
    """Texts with each of these characters before and after each character of markup; `fits` tells how long a text may be."""
    sample = ""
    for character in joining_characters():
        more = character + "".join(mark + character for mark in MARKUP)
        if not fits(sample + more):
            yield sample
            sample = ""
        sample += more
    yield sample


class Pages:
    def __init__(self, server):
        self.server = server
        self.base, self.key = server.settings["base_url"], {"Authorization": f"Bearer {server.settings['platform_api_key']}"}

    def get(self, path):
        answer = requests.get(self.base + path, headers=self.key)
        assert answer.ok and answer.headers["Content-Type"].startswith("text/html"), (path, answer.status_code)
        return answer

    def rename(self, path, name):
        answer = requests.get(f"{self.base}/v1{path}", headers=self.key)
        requests.patch(
            f"{self.base}/v1{path}", headers=self.key | {"If-Match": answer.headers["ETag"]}, json={"name": name}).raise_for_status()

    def statement(self):
        return self.get("/v1/tenants/acme/statements/upcoming/page")

    def estimate(self, logins=5):
        return self.get(f"/v1/pricing/estimate/page?logins={logins}&tenant=acme")

    def file(self, name, text):
        """The address of a file of its own with a page in it, as `espalierctl` saves one."""
        file = self.server.folder / f"{name}.html"
        file.write_text(text, encoding="utf-8")
        return file.as_uri()


def show_text_as_text(browser, server, party):
    """The parser sees exactly the text, and no other element, attribute or comment than on the page with a harmless one."""
    pages = Pages(server)
    application = f"/tenants/acme/applications/{party.credentials['client_id']}"
    old = requests.get(f"{pages.base}/v1/tenants/acme", headers=pages.key).json()["name"]
    browser.open("about:blank")

    def parsed(page, selector="title"):
        return browser.run(PARSE, page.text, selector)

    def form_post(state):
        party.state = state
        return parsed(requests.get(party.authorization("form_post", prompt="none")))

    def mismatch(text):
        # A change can remove the tenant from the server's memory during the request. Then the page does not have its name.
        address = party.authorization("query", redirect_uri=f"https://elsewhere.test/{text}")
        while "HEADER" not in (found := parsed(requests.get(address), "dd bdi"))["elements"]:
            pass
        return found

    def same(found, harmless, what):
        assert found["elements"] == harmless["elements"] and not found["comments"], (what, found)

    state, harmless = party.state, form_post("harmless")
    for sample in samples(lambda text: len(text.encode()) <= 1000):
        found = form_post(sample)
        same(found, harmless, sample)
        assert found["fields"]["state"] == sample, (sample, found["fields"]["state"])
    party.state = state

    printed = [(pages.estimate, parsed(pages.estimate())), (pages.statement, parsed(pages.statement()))]
    notice = mismatch("harmless")
    for number, sample in enumerate(samples(lambda text: len(text) <= 200)):
        pages.rename("/tenants/acme", sample)
        # The pages about money have one frame: a statement is looked at now and then.
        for page, harmless in printed if number % 10 == 0 else printed[:1]:
            found = parsed(page(), "dd")
            same(found, harmless, sample)
            assert found["text"][0] == f"{sample} (acme)", (sample, found["text"])
        if number % 10 == 0:
            pages.rename(application, sample)
            found = mismatch(sample)
            same(found, notice, sample)
            assert found["text"][0] == sample, (sample, found["text"])
            assert found["text"][1].removesuffix("…").isascii() and "<" in found["text"][1], found["text"]
    pages.rename("/tenants/acme", old)
    pages.rename(application, "Browser")
    return len(joining_characters())


def have_a_policy_on_disk(browser, server):
    """A script in a saved page does not run: the page has its policy in itself."""
    pages = Pages(server)
    for name, answer in (("statement", pages.statement()), ("estimate", pages.estimate())):
        browser.open(pages.file(name, answer.text))
        assert not (complaints := browser.complaints()), complaints
        planted = answer.text.replace("<h1>", "<script>document.title = 'planted'</script><h1>")
        assert planted != answer.text
        browser.open(pages.file(f"planted-{name}", planted))
        browser.expect_complaint("Content Security Policy")
        assert browser.driver.title != "planted"


def fit_a_phone(browser, server):
    """At 390 pixels nothing is cut off, and each line's amount can be seen, with amounts as long as any."""
    pages = Pages(server)
    browser.set_width(390)
    for name, text, amounts in (
        ("statement", pages.statement().text, 1), ("estimate", pages.estimate(987654321).text, 1),
        ("pricing", pages.get("/pricing?logins=987654321&plan=scale").text, 1), ("form", pages.get("/pricing").text, 0)
    ):
        for variant in (text, text.replace(" USD<", " USD 1,234,567,890.12 USD<")):
            browser.open(pages.file(f"phone-{name}", variant))
            found = browser.run(LAY_OUT)
            assert found["width"] == 390 and found["needed"] <= 390 and not found["outside"], (name, found)
            assert len(found["amounts"]) >= amounts, (name, found)
    browser.set_width(None)


def are_legible(browser, server, party):
    """4.5 to 1 for each text, in light and in dark: ours, the simulator's, the demo application's."""
    pages = Pages(server)
    to_apple = requests.get(party.authorization("query"), allow_redirects=False).headers["Location"]
    simulator = "/".join(to_apple.split("/")[:3])
    addresses = [
        to_apple, f"{to_apple}&simulator_person=new", f"{simulator}/auth/authorize?client_id=x",
        party.authorization("query", redirect_uri="https://elsewhere.test/"), f"{pages.base}/pricing?logins=12345", f"{pages.base}/pricing?logins=x",
        f"{pages.base}/nothing", pages.file("legible", pages.statement().text), server.settings["demo_url"],
    ]
    for address, scheme in itertools.product(addresses, ("light", "dark")):
        browser.set_color_scheme(scheme)
        browser.open(address)
        found = browser.run(MEASURE)
        assert found and not (pale := [each for each in found if each[0] < 4.5]), (address, scheme, pale)
    browser.set_color_scheme("light")
    browser.complaints()
