"""The browser of the Mushu client: opens the address, agrees at Apple as `MUSHU_PERSON`, and follows the redirects back to the client.

The client starts it as it starts any browser, by the variable `BROWSER`.
"""

import html
import os
import re
import sys

import requests


def main():
    browser, person = requests.Session(), os.environ["MUSHU_PERSON"]
    answer = browser.get(sys.argv[1], allow_redirects=False)
    if answer.status_code == 302:
        page = requests.get(answer.headers["Location"], headers={"Simulator-Person": person}).text
        form = {
            html.unescape(name): html.unescape(value)
            for name, value in re.findall(r'<input[^>]*\bname="([^"]*)"[^>]*\bvalue="([^"]*)"', page)}
        answer = browser.post(html.unescape(re.search(r'<form[^>]*\baction="([^"]*)"', page)[1]), data=form, allow_redirects=False)
    if "Location" in answer.headers:
        requests.get(answer.headers["Location"])
    else:
        # A person would read the page. The client would wait for minutes.
        print(re.sub(r"<[^>]*>", " ", answer.text), file=sys.stderr)
        sys.exit(1)


main()
