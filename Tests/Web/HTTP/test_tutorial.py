"""docs/tutorial.md: pasted into one terminal, its commands lead from an empty folder to a picture in a page."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAM
from test_demo import programs
from test_nginx import free_port

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/tutorial.md").read_text()


@pytest.mark.check
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
    app, told = tmp_path / "first-app", tmp_path / "told"
    try:
        # As a terminal does, with job control; and it ends at what fails. Not into a pipe: a server that is left would hold it open.
        with told.open("w") as output:
            done = subprocess.run(
                ["bash", "-emuo", "pipefail", "-c", script], cwd=checkout, env={**environment, "HOME": str(tmp_path)},
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=300)
    finally:
        # Nothing runs on if a command has failed.
        left = programs(app)
        for program in left:
            os.kill(program, signal.SIGKILL)
        if app.exists():
            subprocess.run([PROGRAM, "dev", "stop"], cwd=app, env=environment, capture_output=True, check=False)
    text = told.read_text()
    assert done.returncode == 0, text
    assert '{"items": [], "next": null}' in text or '{"items":[],"next":null}' in text
    assert '"state":"succeeded"' in text and "shown as image/" in text
    assert re.search(r'"event": ?"published"', text) and "Which pier is it?" in text
    page = (tmp_path / "index.html").read_text()
    assert "The ferry, " in page and "None" not in page
    assert not app.exists() and left == set()
