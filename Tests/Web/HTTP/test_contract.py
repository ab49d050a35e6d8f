"""The server keeps to the document that it serves: schemathesis sends what the document allows and what it does not, and judges the replies."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from world import World

from conftest import ALL, Server

CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance", "response_schema_conformance",
    "negative_data_rejection", "positive_data_acceptance", "missing_required_header", "unsupported_method", "ignored_auth",
]
# A stream of events does not end, and nobody is left to ask after an erasure: test_routes.py has both.
LEFT_OUT = ["watch_unread", "erase_person"]
EXAMPLES = 200 if ALL else 3
PHASES = "examples,coverage,fuzzing,stateful" if ALL else "examples,fuzzing"
CONFIGURATION = """
hooks = "contract_hooks"
continue-on-failure = true
request-timeout = 10

[cache]
enabled = false

[generation]
deterministic = true
max-examples = %(examples)d
# PostgreSQL has no NUL character.
allow-x00 = false

[warnings]
fail-on = ["unresolvable_reference"]

[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 409, 411, 412, 413, 415, 422]
# A rule of the data may refuse what the description allows, such as the cursor of another list.
positive_data_acceptance.expected-statuses = ["2xx", "3xx", 403, 404, 409, 422]

# Random bytes are no photo, header fields, query and body must fit together, and a person has 20 unfinished uploads at most.
[[operations]]
include-operation-id = ["upload", "create_file", "append_to_file", "file_offset", "remove_file"]
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 404, 409, 411, 412, 415, 422, 429]

# Coverage sends numbers of 100,000 digits, for which the hook is not asked.
[[operations]]
include-operation-id = ["posts_by_id"]
phases.coverage.enabled = false

# Without them, nearly all requests would be for what is not there.
[dictionaries]
posts.values = %(posts)s
comments.values = %(comments)s
activities.values = ["picnic"]

[parameters]
"path.post_id" = { dictionary = "posts" }
"path.comment_id" = { dictionary = "comments" }
"path.activity" = { dictionary = "activities" }
"""


def test_the_document_is_valid(server: Server) -> None:
    with server.client() as client:
        OpenAPIV31SpecValidator(client.get("/openapi.json").json()).validate()


@pytest.mark.check
def test_the_server_keeps_to_it(world: World, world_server: Server, tmp_path: Path) -> None:
    Path(tmp_path, "schemathesis.toml").write_text(CONFIGURATION % {
        "examples": EXAMPLES, "posts": json.dumps(list(world.posts().values())),
        "comments": json.dumps([number for (number,) in world.sql("select comment_id from darkroom.comments")])})
    headers = [f"--header={name}: {value}" for name, value in world_server.headers("zoe").items()]
    done = subprocess.run(
        [Path(sys.executable).with_name("st"), "run", f"{world_server.url}/v1/openapi.json", f"--checks={','.join(CHECKS)}",
         f"--phases={PHASES}", *headers,
         *(f"--exclude-operation-id={name}" for name in LEFT_OUT), "--no-color"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_document_names_every_event_of_inboxes(world: World, world_server: Server) -> None:
    with world_server.client() as reader:
        document = reader.get("/openapi.json").json()
    text = json.dumps(document)
    [[events]] = world.sql("select darkroom.inbox_events('anybody')")
    assert f'"enum": {json.dumps(events)}' in text
