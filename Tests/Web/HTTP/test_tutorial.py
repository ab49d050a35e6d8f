"""docs/tutorial.md: pasted into one terminal, its commands lead from an empty folder to a picture in a page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from conftest import PROGRAM
from test_demo import programs
from test_nginx import free_port

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/tutorial.md").read_text()


def test_its_commands_lead_to_a_picture_in_a_page(tmp_path: Path) -> None:
    # What `make demo` leaves in a checkout.
    checkout = tmp_path / "checkout"
    (checkout / "docs").mkdir(parents=True)
    shutil.copy(ROOT / "docs/demo.jpg", checkout / "docs")
    (checkout / ".build").mkdir()
    (checkout / ".build/release").symlink_to(PROGRAM.parent)
    (checkout / ".darkroom").mkdir()
    shutil.copy(os.environ["DARKROOM_GAZETTEER"], checkout / ".darkroom/gazetteer.drg")
    blocks = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    # A reader looks at the page before the end, with its pictures.
    look = """
    grep -o 'src="[^"]*"' index.html | cut -d'"' -f2 | xargs curl -sS --fail-with-body -o picture -w 'shown as %{content_type}\\n'
    cp index.html ../index.html
    curl -sS --retry 20 --retry-all-errors --fail "$URL/v1/posts" >../posts.json
    until grep -q '"likes": *2' ../posts.json; do curl -sS "$URL/v1/posts" >../posts.json; done
    """
    script = "\n".join([*blocks[:-1], look, blocks[-1]]).replace("127.0.0.1:8090", f"127.0.0.1:{free_port()}")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("DARKROOM_", "DATABASE_"))}
    done = subprocess.run(
        # As a terminal does, with job control; and it ends at what fails.
        ["bash", "-emuo", "pipefail", "-c", script], cwd=checkout, env={**environment, "HOME": str(tmp_path)},
        capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '{"items": [], "next": null}' in done.stdout or '{"items":[],"next":null}' in done.stdout
    assert '"state":"succeeded"' in done.stdout and "shown as image/" in done.stdout
    assert re.search(r'"event": ?"published"', done.stdout) and "Which pier is it?" in done.stdout
    page = (tmp_path / "index.html").read_text()
    assert "The ferry, " in page and "None" not in page
    assert not (tmp_path / "first-app").exists() and programs(tmp_path / "first-app") == set()
