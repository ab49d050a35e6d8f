"""The background processes of `make demo`: they serve, they are replaced, and none is left."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest
from conftest import PROGRAM

ROOT = Path(__file__).resolve().parents[3]


def pids(folder: Path) -> set[int]:
    return {int(file.read_text()) for file in (folder / ".darkroom/demo").glob("*.pid")}


def programs(folder: Path) -> set[int]:
    """The servers and workers that run in the folder, no matter who remembers them."""
    parents = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if os.readlink(process / "cwd") == str(folder) and words[0].endswith(b"darkroom") and words[1] in (b"serve", b"work"):
                parents[int(process.name)] = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    # A program that starts another has its name twice for a moment.
    return {program for program, parent in parents.items() if parent not in parents}


def test_the_app_keeps_all_of_its_files_for_when_there_is_no_connection() -> None:
    app = ROOT / "examples/web"
    worker = (app / "worker.js").read_text()
    kept = {f"js/{part}.js" for part in re.findall(r'"(\w+)"', re.search(r"const scripts = \[(.*?)\]", worker)[1])}  # type: ignore[index]
    assert kept == {f"js/{file.name}" for file in (app / "js").iterdir()}
    others = {file.name for file in app.iterdir() if file.is_file()} - {"index.html", "worker.js"}
    assert [name for name in others if f'"{name}"' not in worker] == []


@pytest.mark.check
def test_the_demo_serves_and_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / "demo", folder / "demo")
    (folder / "docs").mkdir()
    shutil.copy(ROOT / "docs/demo.jpg", folder / "docs")
    shutil.copytree(ROOT / "examples/web", folder / "examples/web")
    (folder / ".build").mkdir()
    (folder / ".build/release").symlink_to(PROGRAM.parent)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("DARKROOM_", "DATABASE_"))}

    def run(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=folder, env={**environment, **variables}, capture_output=True, text=True, timeout=120)

    assert run(".build/release/darkroom", "dev", "start").returncode == 0
    try:
        assert run(".build/release/darkroom", "migrate").returncode == 0
        shutil.copy(os.environ["DARKROOM_GAZETTEER"], folder / ".darkroom/gazetteer.drg")
        first = run("demo/serve")
        assert first.returncode == 0, first.stderr
        before = pids(folder)
        again = run("demo/serve")
        assert again.returncode == 0, again.stderr
        assert len(before) == 2 and not before & pids(folder) and programs(folder) == pids(folder)
        commands = "\n".join(line for line in again.stdout.splitlines() if line.startswith("    "))
        address = next(line.strip() for line in again.stdout.splitlines() if line.startswith("  http://"))
        assert "<title>Around</title>" in httpx.get(address).text
        tried = run("bash", "-euc", commands)
        assert '"post_state":"published"' in tried.stdout, tried.stdout + tried.stderr
        failed = run("demo/serve", DEMO_ADDRESS="nowhere")
        assert failed.returncode == 1 and "does not start" in failed.stderr
        assert programs(folder) == set()
        assert run("demo/serve").returncode == 0
    finally:
        cleaned = run("demo/clean")
    assert cleaned.returncode == 0, cleaned.stderr
    assert programs(folder) == set() and not (folder / ".darkroom").exists()
