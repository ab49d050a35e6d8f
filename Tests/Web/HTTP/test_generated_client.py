"""A client that a program made from the document alone, with types for everything, does what an app does."""

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from world import SEATTLE

from conftest import Installation, Server

# Bytes are bytes. The generator knows no other names for them.
CONFIGURATION = "content_type_overrides: {%s}" % ", ".join(
    f"{name}: application/octet-stream"
    for name in ("image/*", "image/jpeg", "image/webp", "image/avif", "application/offset+octet-stream", "application/partial-upload"))
Call = Callable[..., Any]


@pytest.fixture
def api(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package of the client, which can be imported."""
    with server.client() as client:
        Path(tmp_path, "openapi.json").write_bytes(client.get("/openapi.json").content)
    Path(tmp_path, "generator.yaml").write_text(CONFIGURATION)
    programs = Path(sys.executable).parent
    made = subprocess.run(
        [programs / "openapi-python-client", "generate", "--path=openapi.json", "--output-path=generated", "--meta=none",
         "--config=generator.yaml", "--fail-on-warning"],
        cwd=tmp_path, env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}, capture_output=True, text=True)
    assert (made.returncode, made.stdout, made.stderr) == (0, "Generating generated\n", "")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "generated"


@pytest.mark.check
def test_every_member_has_a_type(api: Path) -> None:
    members = 0
    for file in (api / "models").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef):
                for member in node.body:
                    if isinstance(member, ast.AnnAssign) and ast.unparse(member.target) != "additional_properties":
                        assert "Any" not in ast.unparse(member.annotation), (file, ast.unparse(member))
                        members += 1
    assert members > 200


@pytest.mark.check
def test_an_app(installation: Installation, server: Server, photo: bytes, api: Path) -> None:
    models: Any = import_module("generated.models")
    generated: Any = import_module("generated")
    file: Any = import_module("generated.types").File

    def function(name: str) -> Call:
        call: Call = import_module(f"generated.api.{name}").sync
        return call

    def person(name: str) -> Any:
        return generated.AuthenticatedClient(server.url, server.key, headers={"Darkroom-Person": name})

    nobody, zoe, ada = generated.Client(server.url), person("zoe"), person("ada")
    with installation.worker():
        status = function("uploads.upload")(
            client=zoe, body=file(BytesIO(photo)), headline="A pin", latitude=SEATTLE[0], longitude=SEATTLE[1], idempotency_key="1")
        assert isinstance(status, models.UploadStatus), status
        while status.finished_at is None:
            status = function("uploads.upload_status")(status.job_id, client=zoe)
        assert (status.state, status.post_state) == ("succeeded", "published")
        post = status.post_id

        page = function("posts.nearest_posts")(client=nobody, latitude=SEATTLE[0], longitude=SEATTLE[1])
        assert isinstance(page, models.FeedPostPage)
        assert [found.post_id for found in page.items] == [post]
        picture = page.items[0].pictures[0]
        assert isinstance(picture, models.Picture)
        assert len(function("pictures.picture")(picture.media_key, client=nobody).payload.read()) == picture.bytes_

        reply = nobody.get_httpx_client().get("/v1/posts", headers={"Accept": "application/geo+json"})
        [feature] = models.FeedPostFeatureCollection.from_dict(reply.json()).features
        assert feature.geometry.coordinates == [feature.properties.longitude, feature.properties.latitude]
        assert feature.properties.headline == "A pin"

        like = models.VoteOnPostBody(models.VoteOnPostBodyVote.LIKE)
        assert function("posts.vote_on_post")(post, client=ada, body=like) is None
        comment = function("posts.add_comment")(post, client=ada, body=models.AddCommentBody("Which pier?")).comment_id
        assert [shown.comment_id for shown in function("posts.post_comments")(post, client=nobody).items] == [comment]
        spam = models.ReportPostBody(models.ReportPostBodyReason.SPAM)
        assert function("posts.report_post")(post, client=ada, body=spam).is_new

        events: set[str] = set()
        while not events >= {"published", "liked", "commented"}:
            events = {entry.event for entry in function("me.inbox")(client=zoe).items}

    assert function("posts.delete_post")(post, client=zoe) is None
    for problem, code, argument in (
        (function("posts.post_details")(post, client=zoe), "not_found", None),
        (function("posts.nearest_posts")(client=nobody, latitude=91.0, longitude=0.0), "invalid_argument", "latitude"),
        (function("me.inbox")(client=nobody), "unauthenticated", None),
    ):
        assert isinstance(problem, models.Problem), problem
        assert problem.code == models.ProblemCode(code)
        assert (problem.argument or None) == argument
