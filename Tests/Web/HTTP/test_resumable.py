"""Uploads that go on after a cut: tus 1.0.0 and draft-ietf-httpbis-resumable-upload."""

import io
from base64 import b64encode
from pathlib import Path

import pytest
from conftest import Installation, Server
from resumable import BYTES, TUS, Raw, address, begin, draft, enlarged, files, jobs, metadata, only_job, patch, until
from tusclient.client import TusClient


@pytest.fixture(scope="session")
def photo(photo: bytes) -> bytes:
    return enlarged(photo)


def test_tuspy_uploads_in_chunks_and_resumes(installation: Installation, server: Server, photo: bytes) -> None:
    client = TusClient(f"{server.url}/v1/files", headers=server.headers("zoe"))
    uploader = client.uploader(
        file_stream=io.BytesIO(photo), chunk_size=1000, metadata={"caption": "Ä ferry", "filename": "a.jpg"}, upload_checksum=True)
    uploader.upload(stop_at=3000)
    again = client.uploader(file_stream=io.BytesIO(photo), chunk_size=100_000, url=uploader.url)
    assert again.offset == 3000
    again.upload()
    with server.client("zoe") as zoe:
        ended = zoe.head(str(again.url).removeprefix(f"{server.url}/v1"), headers=TUS)
        assert ended.status_code == 200
        assert int(ended.headers["Upload-Offset"]) == int(ended.headers["Upload-Length"]) == len(photo)
        job = zoe.get(ended.headers["Darkroom-Upload"].removeprefix("/v1")).json()
        assert job["job_id"] == only_job(installation, photo)
        assert zoe.get("/me/posts").json()["items"][0]["caption"] == "Ä ferry"
    assert not list(installation.uploads.rglob("bytes"))


def test_options_tell_what_is_spoken(installation: Installation) -> None:
    with installation.serve("--most-bytes", "12345", "--origin", "*") as server, server.client() as nobody:
        for path in ["/files", "/files/x"]:
            options = nobody.options(path, headers={"Origin": "https://a.example"})
            assert options.status_code == 204
            assert options.headers["Tus-Version"] == "1.0.0"
            assert options.headers["Tus-Max-Size"] == "12345"
            assert options.headers["Tus-Extension"] == "creation,creation-with-upload,checksum,expiration,termination"
            assert options.headers["Tus-Checksum-Algorithm"] == "sha1,sha256"
            assert options.headers["Upload-Limit"].startswith("max-size=12345")
            assert "Darkroom-Upload" in options.headers["Access-Control-Expose-Headers"]
        assert "Tus-Version" not in nobody.options("/uploads").headers


def test_each_response_has_the_version(server: Server) -> None:
    with server.client("zoe") as zoe, server.client() as nobody:
        for response in [
            zoe.head("/files/x", headers=TUS), zoe.get("/files/x"), nobody.post("/files", headers=TUS), begin(zoe, "abc"),
            zoe.post("/files", headers={"Tus-Resumable": "0.2.2", "Upload-Length": "1"}),
        ]:
            assert response.headers["Tus-Resumable"] == "1.0.0", response.request
        for version in [{}, {"Tus-Resumable": "0.2.2"}, {"Upload-Draft-Interop-Version": "2"}]:
            refused = zoe.post("/files", headers={**version, "Upload-Length": "1"})
            assert refused.status_code == 412
            assert refused.headers["Tus-Version"] == "1.0.0"


def test_creation_may_bring_the_first_bytes_or_all(installation: Installation, server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe:
        made = zoe.post("/files", content=photo[:500], headers={**BYTES, "Upload-Length": str(len(photo))})
        assert made.headers["Upload-Offset"] == "500"
        assert made.headers["Upload-Expires"].endswith("GMT")
        assert "Darkroom-Upload" not in made.headers
        ended = patch(zoe, address(made), 500, photo[500:])
        assert ended.status_code == 204
        assert ended.headers["Darkroom-Upload"] == f"/v1/uploads/{only_job(installation, photo)}"
        # The end may come twice.
        again = patch(zoe, address(made), len(photo), b"")
        assert again.headers["Darkroom-Upload"] == ended.headers["Darkroom-Upload"]
        assert patch(zoe, address(made), len(photo), b"x").status_code == 409
        whole = zoe.post("/files", content=photo, headers={**BYTES, "Upload-Length": str(len(photo)), "Idempotency-Key": "a"})
        assert whole.status_code == 201
        twice = zoe.post("/files", content=photo, headers={**BYTES, "Upload-Length": str(len(photo)), "Idempotency-Key": "a"})
        assert twice.headers["Darkroom-Upload"] == whole.headers["Darkroom-Upload"]
        assert len(jobs(installation)) == 2


def test_metadata_are_returned_as_they_were_sent(server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe:
        sent = metadata(caption="x") + ",anonymous " + b64encode(b"true").decode() + ",filename"
        where = address(begin(zoe, len(photo), **{"Upload-Metadata": sent}))
        head = zoe.head(where, headers=TUS)
        assert head.headers["Upload-Metadata"] == sent
        assert head.headers["Cache-Control"] == "no-store"
        assert head.headers["Upload-Offset"] == "0"


@pytest.mark.parametrize("version", [3, 4, 5, 6, 7, 8])
def test_the_draft_goes_on_where_it_was(installation: Installation, server: Server, photo: bytes, version: int) -> None:
    name = "Upload-Incomplete" if version == 3 else "Upload-Complete"
    yes, no = ("?0", "?1") if version == 3 else ("?1", "?0")
    part = {"Content-Type": "application/partial-upload"}
    with server.client("zoe") as zoe:
        made = zoe.post(
            "/files", params={"caption": "Ferry"}, content=photo[:700], headers=draft(version, False, **{"Content-Type": "image/jpeg"}))
        where = address(made)
        assert made.headers[name] == no
        assert made.headers["Upload-Draft-Interop-Version"] == str(version)
        assert made.headers["Upload-Limit"].startswith("max-size=67108864, max-age=")
        head = zoe.head(where, headers={"Upload-Draft-Interop-Version": str(version)})
        assert (head.status_code, head.headers["Upload-Offset"], head.headers[name]) == (204, "700", no)
        wrong = zoe.patch(where, content=photo[9:], headers=draft(version, True, **part, **{"Upload-Offset": "9"}))
        assert (wrong.status_code, wrong.headers["Upload-Offset"], wrong.headers[name]) == (409, "700", no)
        assert (wrong.json()["expected-offset"], wrong.json()["provided-offset"]) == (700, 9)
        more = zoe.patch(where, content=photo[700:900], headers=draft(version, False, **part, **{"Upload-Offset": "700"}))
        assert (more.status_code, more.headers[name]) == (204, no)
        if version >= 6:
            headers = draft(version, True, **{"Upload-Offset": "900", "Content-Type": "image/jpeg"})
            assert zoe.patch(where, content=photo[900:], headers=headers).status_code == 415
        ended = zoe.patch(where, content=photo[900:], headers=draft(version, True, **part, **{"Upload-Offset": "900"}))
        assert (ended.status_code, ended.headers[name]) == (202, yes), ended.text
        assert ended.json()["job_id"] == only_job(installation, photo)
        head = zoe.head(where, headers={"Upload-Draft-Interop-Version": str(version)})
        assert (head.headers[name], head.headers["Upload-Length"]) == (yes, str(len(photo)))
        assert head.headers["Darkroom-Upload"] == ended.headers["Location"] == f"/v1/uploads/{only_job(installation, photo)}"
        assert zoe.delete(where, headers={"Upload-Draft-Interop-Version": str(version)}).status_code == 204


def test_lengths_of_the_draft_agree(server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe:
        headers = draft(6, True, **{"Content-Type": "image/jpeg"})
        assert zoe.post("/files", content=photo, headers={**headers, "Upload-Length": str(len(photo) + 1)}).status_code == 400
        assert zoe.post("/files", content=photo, headers={**headers, "Upload-Length": str(len(photo) - 1)}).status_code == 413
        assert zoe.post("/files", content=photo, headers={**headers, "Upload-Complete": "1"}).status_code == 400
        where = address(zoe.post("/files", headers=draft(6, False, **{"Upload-Length": "1000"})))
        part = {"Content-Type": "application/partial-upload", "Upload-Offset": "0"}
        assert zoe.patch(where, content=photo[:999], headers=draft(6, True, **part)).status_code == 400
        assert zoe.patch(where, content=photo[:1001], headers=draft(6, False, **part)).status_code == 413
        assert zoe.patch(where, content=photo[:9], headers=draft(6, False, **part, **{"Upload-Length": "9"})).status_code == 400
        assert zoe.head(where, headers=draft(6, True)).headers["Upload-Offset"] == "0"


@pytest.mark.parametrize("version", [3, 6, 8])
def test_an_interim_response_says_where_to_go_on(installation: Installation, server: Server, photo: bytes, version: int) -> None:
    post = Raw(server, "zoe", "POST", "/files?caption=Ferry", draft(version, True), photo)
    post.send(0, len(post.bytes) - len(photo))
    interim = post.read()
    assert interim.startswith("HTTP/1.1 104 Upload Resumption Supported\r\n")
    assert f"Upload-Draft-Interop-Version: {version}\r\n" in interim
    where = interim.split("Location: /v1")[1].split("\r\n")[0]
    post.send(len(post.bytes) - len(photo), len(post.bytes) - 1000)
    post.cut()
    with server.client("zoe") as zoe:
        head = until(lambda: zoe.head(where, headers=draft(version, True)), lambda r: r.headers["Upload-Offset"] == str(len(photo) - 1000))
        assert head.headers["Upload-Length"] == str(len(photo))
        headers = draft(version, True, **{"Content-Type": "application/partial-upload", "Upload-Offset": str(len(photo) - 1000)})
        # The request that was cut may still be writing to a slow disk.
        ended = until(lambda: zoe.patch(where, content=photo[-1000:], headers=headers), lambda r: r.status_code != 423)
        assert ended.status_code == 202
    only_job(installation, photo)


def test_no_interim_response_passes_a_proxy(installation: Installation, photo: bytes) -> None:
    with installation.serve("--behind-proxy") as server:
        post = Raw(server, "zoe", "POST", "/files", draft(6, True), photo).send()
        assert post.read().startswith("HTTP/1.1 202 ")
        # Nobody knows the address of this one.
        cut = Raw(server, "zoe", "POST", "/files", draft(6, True), photo)
        cut.send(0, len(cut.bytes) - 1000)
        until(lambda: sum(one.endswith("/bytes") for one in files(installation)), lambda count: count == 1)
        cut.cut()
        until(lambda: sum(one.endswith("/bytes") for one in files(installation)), lambda count: count == 0)


def test_a_version_of_tomorrow_is_an_upload_in_one_request(installation: Installation, server: Server, photo: bytes) -> None:
    assert Raw(server, "zoe", "POST", "/files", draft(9, True), photo).send().read().startswith("HTTP/1.1 202 ")
    only_job(installation, photo)


def test_the_document_describes_the_files(server: Server) -> None:
    with server.client() as nobody:
        paths = nobody.get("/openapi.json").json()["paths"]
        assert set(paths["/v1/files/{file_id}"]) == {"head", "patch", "delete"}
        assert "Upload-Offset" in paths["/v1/files/{file_id}"]["head"]["responses"]["200"]["headers"]
        assert {"Upload-Length", "Upload-Metadata", "Tus-Resumable"} <= {
            parameter["name"] for parameter in paths["/v1/files"]["post"]["parameters"]}


if Path("/proc").is_dir():

    def test_a_large_upload_needs_little_memory(installation: Installation, server: Server, photo: bytes) -> None:
        def resident() -> int:
            status = Path(f"/proc/{server.process.pid}/status").read_text()
            return int(status.split("VmRSS:")[1].split()[0])

        content = photo + bytes(40_000_000)
        with server.client("zoe") as zoe:
            before = resident()
            address(zoe.post("/files", content=content, headers={**BYTES, "Upload-Length": str(len(content))}))
            assert resident() - before < 10_000
        only_job(installation, content)
