"""docs/http-api.md: its commands run, and its table of codes is complete."""

import os
import re
import subprocess
from pathlib import Path

import httpx
from conftest import PROGRAM, Installation

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/http-api.md").read_text()


def blocks(name: str) -> list[str]:
    found = re.findall(rf"<!-- {name} -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)
    assert found, name
    return found


def test_the_commands_run_as_they_are(installation: Installation, photo: bytes) -> None:
    make, start = blocks("start")[0].splitlines()
    programs = installation.folder / "bin"
    programs.mkdir()
    (programs / "darkroom").symlink_to(PROGRAM)
    (installation.folder / "photo.jpg").write_bytes(photo)
    environment = {**installation.environment, "PATH": f"{programs}:{os.environ['PATH']}"}

    def run(script: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], env=environment, cwd=installation.folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    environment["KEY"] = run(f"{make}\necho $KEY").strip()
    options = start.removeprefix("darkroom serve ").replace(":8080", ":0").replace(" api-keys", f" {installation.folder}/api-keys")
    with installation.serve(*options.split()) as server:
        environment["URL"] = server.url
        for script in blocks("curl"):
            # A command at a time: a failure in the middle must show.
            for command in re.split(r"\n(?=curl )", script.strip()):
                run(command)
        server.key = environment["KEY"]
        with server.client("zoe") as zoe:
            captions = {item["caption"] for item in zoe.get("/me/posts").json()["items"]}
        assert {"The ferry", "From a form"} <= captions


def test_the_signed_link_is_accepted(installation: Installation, photo: bytes) -> None:
    secret = installation.folder / "link-key"
    secret.write_bytes(os.urandom(32))
    namespace: dict[str, object] = {}
    exec(blocks("python")[0], namespace)
    link = namespace["link"]
    assert callable(link)
    with installation.serve("--link-key", str(secret)) as server, server.client("zoe") as zoe:
        zoe.post("/uploads", content=photo, headers={"Content-Type": "image/jpeg"})
        installation.drain()
        key = zoe.get("/posts").json()["items"][0]["pictures"][0]["media_key"]
        signed = link(key, secret.read_bytes())
        assert httpx.get(server.url + signed).status_code == 200
        assert httpx.get(server.url + link(key, b"x" * 32)).status_code == 403
        assert httpx.get(server.url + link(key, secret.read_bytes(), seconds=-1)).status_code == 403


def test_the_table_has_every_code() -> None:
    source = (ROOT / "Sources/Web/API/Problem.swift").read_text()
    codes = re.search(r"enum Code: .*?\{\n(.*?)\n\n", source, re.DOTALL)
    assert codes
    cases = dict(re.findall(r"case `?(\w+)`?(?: = \"(\w+)\")?", codes[1]))
    status = {
        name: int(number) for names, number in re.findall(r"case ((?:\.\w+(?:, )?)+): (\d{3})\n", source)
        for name in re.findall(r"\w+", names)}
    shown = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", PAGE.split("<!-- codes -->")[1], re.MULTILINE))
    assert {raw or name: str(status[name]) for name, raw in cases.items()} == shown
