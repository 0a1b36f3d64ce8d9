"""Runs the section "Use it" of README.md: registers the application, and signs a user in with the Flask application."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from dev_server import DevServer, through_apple
from spec import ROOT

HOME = "http://127.0.0.1:5000"

text = (ROOT / "README.md").read_text(encoding="utf-8")
section = text[text.index("## Use it"):]
command, code = re.search(r"```sh\n(.*?)```.*?```python\n(.*?)```", section, re.S).groups()
assert (ROOT / "admin-cli/.build/debug/espalierctl").exists(), "build espalierctl: swift build --package-path admin-cli"

with DevServer() as server, tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ |= {
        "PATH": f"{ROOT}/admin-cli/.build/debug:{os.environ['PATH']}", "HOME": folder, "ESPALIER_BASE_URL": server.settings["base_url"],
        "ESPALIER_API_KEY": server.settings["platform_api_key"]}
    output = subprocess.run(["bash", "-ec", command], capture_output=True, text=True)
    if output.returncode != 0:
        sys.exit(f"readme: the command failed:\n{output.stdout}{output.stderr}")
    client_id = re.search(r"\bapp_[0-9a-z]+", output.stdout)[0]

    # The README has the port and the client ID of a reader.
    code = code.replace("http://localhost:8080", server.settings["base_url"]).replace("app_…", client_id)
    Path("shop.py").write_text(code, encoding="utf-8")
    names = {"__name__": "shop"}
    exec(compile(code, "README.md", "exec"), names)
    browser = names["app"].test_client()
    to_espalier = browser.get("/", base_url=HOME)
    assert to_espalier.status_code == 302, to_espalier.text
    back = urlsplit(through_apple(to_espalier.headers["Location"], "Ada Lovelace"))
    assert f"{back.scheme}://{back.netloc}" == HOME, back
    user = browser.get(f"{back.path}?{back.query}", base_url=HOME)
    assert user.status_code == 200, user.text
    assert user.json["name"] == "Ada Lovelace", user.json
    if complaints := server.complaints():
        sys.exit("readme: the server logged errors:\n" + "\n".join(complaints))
print("readme: the application signs a user in")
