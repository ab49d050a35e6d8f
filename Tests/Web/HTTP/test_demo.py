"""What `make demo` does: photos are published, its background processes serve, they are replaced, and none is left."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from apps import picture
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


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the demo needs of a checkout."""
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / "demo", folder / "demo")
    (folder / "docs").mkdir()
    shutil.copy(ROOT / "docs/demo.jpg", folder / "docs")
    shutil.copytree(ROOT / "examples/web", folder / "examples/web")
    (folder / ".build").mkdir()
    (folder / ".build/release").symlink_to(PROGRAM.parent)
    return folder


@pytest.fixture
def run(folder: Path) -> Iterator[Run]:
    """Runs a command in the folder, which has a migrated database and a gazetteer."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("DARKROOM_", "DATABASE_"))}

    def run(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=folder, env={**environment, **variables}, capture_output=True, text=True, timeout=120)

    assert run(".build/release/darkroom", "dev", "start").returncode == 0
    try:
        assert run(".build/release/darkroom", "migrate").returncode == 0
        shutil.copy(os.environ["DARKROOM_GAZETTEER"], folder / ".darkroom/gazetteer.drg")
        yield run
    finally:
        cleaned = run("demo/clean")
    assert cleaned.returncode == 0, cleaned.stderr
    assert programs(folder) == set() and not (folder / ".darkroom").exists()


@pytest.mark.check
def test_the_demo_serves_and_leaves_nothing_behind(folder: Path, run: Run) -> None:
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
    # The commands of an operator are found.
    assert "succeeded" in tried.stdout and "not found" not in tried.stderr
    failed = run("demo/serve", DEMO_ADDRESS="nowhere")
    assert failed.returncode == 1 and "does not start" in failed.stderr
    assert programs(folder) == set()
    assert run("demo/serve").returncode == 0


@pytest.mark.check
def test_photos_that_do_not_say_where_they_were_taken_are_named_and_get_a_place(folder: Path, run: Run, photo: bytes) -> None:
    photos = folder / "photos"
    (photos / "a 'b").mkdir(parents=True)
    (photos / "placed.jpg").write_bytes(photo)
    (photos / "a 'b/away.png").write_bytes(picture(3))
    (photos / "notes.txt").write_text("Nothing to see")
    (photos / ".hidden.jpg").write_bytes(b"")

    def lines(**variables: str) -> list[str]:
        done = run("demo/publish", "photos", **variables)
        assert done.returncode == 0, done.stderr
        return done.stderr.splitlines()

    first = lines()
    assert "1 of 3 photos are published" in first
    told = [line for line in first if line.startswith("  ")]
    assert [line.split(": ")[0] for line in told] == ["  a 'b/away.png", "  notes.txt"]
    assert told[0].endswith("(no_location)") and "PLACE=" in first[-1]
    for _ in range(2):
        placed = lines(PLACE="Seattle")
        assert "2 of 3 photos are published" in placed
        assert [line.split(": ")[0] for line in placed if line.startswith("  ")] == ["  notes.txt"] and "PLACE=" not in placed[-1]
    posts = run(".build/release/darkroom", "posts", "list", "--json").stdout.splitlines()
    assert sorted(json.loads(post)["headline"] for post in posts) == ["away", "placed"]


@pytest.mark.parametrize(("folder_name", "told"), [("none", "is not a folder"), ("empty", "contains no files")])
def test_a_wrong_folder_is_noticed_before_anything_is_built(tmp_path: Path, folder_name: str, told: str) -> None:
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        [ROOT / "demo/run", "--check"], env={**os.environ, "PHOTOS": str(tmp_path / folder_name)}, capture_output=True, text=True)
    assert done.returncode == 1 and told in done.stderr
