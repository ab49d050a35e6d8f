"""What is refused of uploads in parts: wrong offsets, lengths, checksums, details and names, and what belongs to others."""

import hashlib
import io
from base64 import b64encode
from collections.abc import Iterator

import httpx
import pytest
from conftest import Installation, Server
from resumable import BYTES, TUS, address, begin, enlarged, jobs, metadata, only_job, patch
from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError


@pytest.fixture(scope="session")
def photo(photo: bytes) -> bytes:
    return enlarged(photo)


def test_details_in_the_query_are_not_ignored(server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe:
        refused = zoe.post("/files?caption=Ferry", headers={**TUS, "Upload-Length": str(len(photo))})
        assert (refused.status_code, refused.json()["code"], refused.json()["argument"]) == (400, "unknown_parameter", "caption")


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_a_wrong_checksum_keeps_no_byte(installation: Installation, server: Server, photo: bytes, algorithm: str) -> None:
    def checksum(content: bytes) -> str:
        return f"{algorithm} {b64encode(hashlib.new(algorithm, content).digest()).decode()}"

    with server.client("zoe") as zoe:
        where = address(begin(zoe, len(photo)))
        assert patch(zoe, where, 0, photo[:400], **{"Upload-Checksum": checksum(photo[:400])}).status_code == 204
        wrong = patch(zoe, where, 400, photo[400:], **{"Upload-Checksum": checksum(photo[:400])})
        assert (wrong.status_code, wrong.json()["code"]) == (460, "checksum_mismatch")
        assert zoe.head(where, headers=TUS).headers["Upload-Offset"] == "400"
        [kept] = installation.uploads.rglob("bytes")
        assert kept.read_bytes() == photo[:400]
        for broken in ["md5 aaaa", "sha1", f"{algorithm} abc", checksum(b"")[:-5], "sha1  x"]:
            assert patch(zoe, where, 400, photo[400:], **{"Upload-Checksum": broken}).status_code == 400
        assert patch(zoe, where, 400, photo[400:], **{"Upload-Checksum": checksum(photo[400:])}).status_code == 204
        only_job(installation, photo)


def test_an_offset_that_is_not_the_next_is_refused(server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe:
        where = address(begin(zoe, len(photo)))
        assert patch(zoe, where, 0, photo[:300]).status_code == 204
        for offset in [0, 299, 301, len(photo), 2**63, 2**70]:
            wrong = patch(zoe, where, offset, photo[300:])
            assert (wrong.status_code, wrong.headers["Upload-Offset"]) == (409, "300")
        for offset in ["-1", "abc", "", "0x1", "1.0", "300, 300", "٣", "+300"]:
            broken = zoe.patch(
                where, content=b"x", headers=[*BYTES.items(), ("Upload-Offset", offset.encode())])  # type: ignore[list-item]
            assert broken.status_code == 400, offset
        assert zoe.patch(where, content=b"x", headers=BYTES).status_code == 400
        assert zoe.patch(where, content=b"x", headers={**TUS, "Upload-Offset": "300", "Content-Type": "image/jpeg"}).status_code == 415
        assert zoe.head(where, headers=TUS).headers["Upload-Offset"] == "300"


def test_lengths_that_cannot_be(installation: Installation, server: Server) -> None:
    with server.client("zoe") as zoe:
        for length, status in [
            ("-1", 400), ("abc", 400), ("1e3", 400), ("", 400), ("10, 10", 400), (str(2**63), 413), (str(2**80), 413),
            ("67108865", 413), ("0", 415), (None, 411),
        ]:
            headers = {**TUS, **({} if length is None else {"Upload-Length": length})}
            assert zoe.post("/files", headers=headers).status_code == status, length
            assert not list(installation.uploads.rglob("record")), length


HOSTILE_METADATA = [
    "captoin eA==", "caption !!!", "caption /w==", "caption eA==,caption eA==", ",", "caption eA==,", "caption eA== eA==",
    "latitude bm9ydGg=", "latitude OTE=,longitude MA==", "uploader eA==", "original_key eA==", "queue eA==", "caption AA==",
    "caption " + "A" * 8000, "\x7f eA==",
]


def test_hostile_metadata(installation: Installation, server: Server) -> None:
    with server.client("zoe") as zoe:
        for sent in HOSTILE_METADATA:
            made = begin(zoe, 1000, **{"Upload-Metadata": sent})
            assert 400 <= made.status_code < 500, sent
            assert made.headers["Content-Type"] == "application/problem+json"
            assert not list(installation.uploads.rglob("record")), sent
        # A name without a value is none.
        assert begin(zoe, 1000, **{"Upload-Metadata": "caption"}).status_code == 201


NAMES_OF_NO_UPLOAD = [
    "x", "..", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc", "0" * 31, "0" * 33, "0" * 32, "A" * 32, ".sweep", ".new-" + "0" * 32, "%00", "0" * 5000,
    "%F0%9F%93%B7", "..%2F" + "0" * 32,
]


def test_names_of_no_upload(server: Server) -> None:
    with httpx.Client() as raw:
        for name in NAMES_OF_NO_UPLOAD:
            for method in ["HEAD", "PATCH", "DELETE"]:
                headers = {**server.headers("zoe"), **BYTES, "Upload-Offset": "0"}
                response = raw.request(method, f"{server.url}/v1/files/{name}", headers=headers)
                assert response.status_code in ((400, 404) if "%" in name or "." in name else (404, 414)), response


def test_another_person_finds_nothing(installation: Installation, server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe, server.client("mallory") as mallory, server.client() as nobody:
        where = address(begin(zoe, len(photo)))
        assert mallory.head(where, headers=TUS).status_code == 404
        assert patch(mallory, where, 0, photo).status_code == 404
        assert mallory.delete(where, headers=TUS).status_code == 404
        assert nobody.head(where, headers=TUS).status_code == 401
        assert zoe.delete(where, headers=TUS).status_code == 204
        assert zoe.head(where, headers=TUS).status_code == 404
        assert patch(zoe, where, 0, photo).status_code == 404
    assert jobs(installation) == []


def test_what_is_no_photo_ends_with_its_first_bytes(installation: Installation, server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe:
        where = address(begin(zoe, 100_000))
        assert patch(zoe, where, 0, b"no photo" * 20).status_code == 204
        refused = patch(zoe, where, 160, b"no photo" * 20)
        assert (refused.status_code, refused.json()["code"]) == (415, "unsupported_type")
        assert zoe.head(where, headers=TUS).status_code == 404
        short = address(begin(zoe, 10))
        assert patch(zoe, short, 0, photo[:9] + b"x").status_code in (204, 415)
        too_much = address(begin(zoe, 300))
        assert patch(zoe, too_much, 0, photo[:301]).status_code == 413

        def chunks() -> Iterator[bytes]:
            yield photo[:301]

        endless = zoe.patch(too_much, content=chunks(), headers={**BYTES, "Upload-Offset": "0"})
        assert endless.status_code == 413


def test_a_person_has_few_unfinished_uploads(installation: Installation, photo: bytes) -> None:
    with installation.serve("--most-bytes", "1000") as server, server.client("zoe") as zoe, server.client("yan") as yan:
        made = [address(begin(zoe, 400)) for _ in range(20)]
        refused = begin(zoe, 400)
        assert (refused.status_code, refused.json()["reason"]) == (429, "too_many_unfinished")
        assert len(list(installation.uploads.rglob("record"))) == 20
        assert begin(yan, 400).status_code == 201
        assert zoe.delete(made[0], headers=TUS).status_code == 204
        assert begin(zoe, 400).status_code == 201
        # The announced bytes count as well.
        big = [begin(yan, 1000).status_code for _ in range(12)]
        assert (big.count(201), big[-1]) == (9, 429)


def test_what_would_be_refused_later_is_refused_first(server: Server, photo: bytes) -> None:
    with server.client("zoe") as zoe:
        refused = begin(zoe, len(photo), **{"Upload-Metadata": metadata(link="ftp://example.org", caption="x")})
        assert (refused.status_code, refused.json()["argument"]) == (422, "link")


def test_tuspy_hears_of_refusals(server: Server, photo: bytes) -> None:
    client = TusClient(f"{server.url}/v1/files", headers=server.headers("zoe"))
    with pytest.raises(TusCommunicationError) as refused:
        client.uploader(file_stream=io.BytesIO(photo), chunk_size=1000, metadata={"captoin": "x"}).upload()
    assert refused.value.status_code == 400
