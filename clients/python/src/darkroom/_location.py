"""The text that says where an object store is, with the syntax of DARKROOM_MEDIA (Sources/Media/ObjectStorage)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, Self, cast
from urllib.parse import quote, unquote

from ._photo import invalid

_EXAMPLE = "s3://photos/darkroom?endpoint=https://s3.example.org&region=us-east-1"
_KEYS = "keys do not belong there; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
_BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|0*[0-9]{1,2})"
_IPV4 = re.compile(rf"{_BYTE}(\.{_BYTE}){{3}}")


def _check(is_right: object, why: str) -> None:
    # The text is not shown: somebody may have written a secret into it.
    if not is_right:
        raise invalid("media_is_a_store", f"this is not the location of an object store: {why}; write it like {_EXAMPLE}")


@dataclass(frozen=True, slots=True)
class Location:
    """`s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION&style=path`; without an endpoint it is Amazon S3."""

    bucket: str
    #: Empty, or ends with a slash. Every key begins with it.
    prefix: str
    endpoint: str
    region: str
    #: `path` for https://HOST/BUCKET/KEY, or `virtual` for https://BUCKET.HOST/KEY.
    style: Literal["path", "virtual"]

    @classmethod
    def read(cls, text: str) -> Self:
        """:raises InvalidArgument: the text is no such location; the message says what to write."""
        _check(re.fullmatch("[!-~]*", text), "it has a character that is not visible ASCII")
        _check(text.lower().startswith("s3://"), "it does not begin with s3://")
        _check("#" not in text, "it has a #")
        place, mark, query = text[5:].partition("?")
        bucket, slash, prefix = place.partition("/")
        given = _parameters(query) if mark else {}
        _check_bucket(bucket)
        prefix = _prefix(prefix)
        if "endpoint" in given:
            endpoint, region = _endpoint(given["endpoint"]), given.get("region", "us-east-1")
        else:
            _check("region" in given, "it needs a region, or the endpoint of another store than Amazon's")
            region = given["region"]
            endpoint = f"https://s3.{region}.amazonaws.com"
        _check(re.fullmatch("[A-Za-z0-9_-]{1,64}", region), "a region has letters, digits and hyphens, such as eu-central-1")
        style = given.get("style", "path" if "endpoint" in given else "virtual")
        _check(style in ("path", "virtual"), "the style is path or virtual")
        if style == "virtual":
            scheme, _, host = endpoint.partition("://")
            is_address = host.startswith("[") or _IPV4.fullmatch(host.partition(":")[0])
            _check(not is_address, "an endpoint without a name needs style=path")
            _check(
                scheme == "http" or "." not in bucket,
                "no certificate covers a bucket with a dot in its name as a part of the host; add style=path")
        return cls(bucket, prefix, endpoint, region, cast(Literal["path", "virtual"], style))

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}?endpoint={self.endpoint}&region={self.region}&style={self.style}"

    def url(self, key: str) -> str:
        """Of an object."""
        scheme, _, host = self.endpoint.partition("://")
        path = quote(self.prefix + key)
        return f"{scheme}://{self.bucket}.{host}/{path}" if self.style == "virtual" else (
            f"{scheme}://{host}/{self.bucket}/{path}")


def _parameters(query: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        _check(
            name in ("endpoint", "region", "style"),
            "after the question mark come endpoint, region and style, joined by &, and nothing else")
        _check(value, f"{name} has no value")
        _check(
            not re.search("%(?![0-9A-Fa-f]{2})", value), f"the value of {name} has a % without two hexadecimal digits")
        _check(name not in found, f"{name} is there twice")
        found[name] = unquote(value)
    return found


def _check_bucket(name: str) -> None:
    _check("@" not in name, _KEYS)
    _check(
        re.fullmatch("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", name) and ".." not in name and not _IPV4.fullmatch(name),
        "a bucket's name has 3 to 63 lower-case letters, digits, dots and hyphens, and begins and ends with a letter or digit")


def _prefix(text: str) -> str:
    trimmed = text.removesuffix("/")
    _check(trimmed or not text, "the prefix is empty")
    _check(len(trimmed) <= 256, "the prefix has more than 256 characters")
    for part in trimmed.split("/") if trimmed else ():
        _check(part not in ("", ".", ".."), "the prefix has an empty part, or one that is . or ..")
        _check(re.fullmatch("[A-Za-z0-9._~-]+", part), "the prefix has letters, digits, - . _ ~ and slashes, and nothing else")
    return trimmed and trimmed + "/"


def _endpoint(text: str) -> str:
    scheme, mark, rest = text.lower().partition("://")
    _check(mark and scheme in ("http", "https"), "the endpoint begins with https:// or http://")
    rest = rest.removesuffix("/")
    _check("@" not in rest, _KEYS)
    _check(not re.search("[/?]", rest), "the endpoint is a host and perhaps a port, without a path")
    host, port = rest, ""
    if ":" in rest and not rest.endswith("]"):
        host, _, port = rest.rpartition(":")
        _check(
            re.fullmatch("[0-9]+", port) and 0 < int(port) < 65536, "the endpoint's port is a number from 1 to 65535")
    _check(
        len(host) <= 255 and re.fullmatch(r"[a-z0-9._-]+|\[[a-f0-9:.]+\]", host),
        "the endpoint's host is a name, an IPv4 address, or an IPv6 address in brackets")
    usual = {"http": 80, "https": 443}[scheme]
    return f"{scheme}://{host}" + (f":{int(port)}" if port and int(port) != usual else "")
