"""Locations of object stores: the syntax of DARKROOM_MEDIA."""

from __future__ import annotations

import pytest
from darkroom import Darkroom, InvalidArgument
from darkroom._calls import media_store
from darkroom._location import Location
from darkroom._objects import ObjectStore


@pytest.mark.parametrize(("text", "url"), [
    ("s3://photos/?region=eu-central-1", "https://photos.s3.eu-central-1.amazonaws.com/k"),
    ("S3://photos/a/b/?region=eu-central-1", "https://photos.s3.eu-central-1.amazonaws.com/a/b/k"),
    ("s3://photos/a?endpoint=http://LOCALHOST:9000/", "http://localhost:9000/photos/a/k"),
    ("s3://my.photos?endpoint=https%3A%2F%2Fs3.example.org%3A443&region=here", "https://s3.example.org/my.photos/k"),
    ("s3://photos?endpoint=https://s3.example.org&style=virtual", "https://photos.s3.example.org/k"),
    ("s3://photos?endpoint=http://[::1]:80", "http://[::1]/photos/k"),
    ("s3://my.photos?region=eu-central-1&style=path", "https://s3.eu-central-1.amazonaws.com/my.photos/k"),
])
def test_locations(text: str, url: str) -> None:
    assert Location.read(text).url("k") == url
    assert isinstance(media_store(text), ObjectStore)
    assert Location.read(str(Location.read(text))) == Location.read(text)


@pytest.mark.parametrize(("text", "why"), [
    ("s3:photos?region=x", "does not begin with s3://"),
    ("s3://photos", "needs a region"),
    ("s3://photos ?region=x", "not visible ASCII"),
    ("s3://photos?region=x#y", "has a #"),
    ("s3://photos?region=x&secret=hush", "endpoint, region and style"),
    ("s3://photos?", "endpoint, region and style"),
    ("s3://photos?region=", "region has no value"),
    ("s3://photos?region=x&region=y", "region is there twice"),
    ("s3://photos?region=%4", "without two hexadecimal digits"),
    ("s3://photos?region=a.b", "a region has letters"),
    ("s3://key:hush@photos?region=x", "keys do not belong there"),
    ("s3://ab?region=x", "3 to 63"),
    ("s3://Photos?region=x", "3 to 63"),
    ("s3://10.0.0.1?region=x", "3 to 63"),
    ("s3://a..b?region=x", "3 to 63"),
    ("s3://photos/a//b?region=x", "an empty part"),
    ("s3://photos//?region=x", "the prefix is empty"),
    ("s3://photos/a/../b?region=x", "one that is . or .."),
    ("s3://photos/a%20b?region=x", "the prefix has letters"),
    (f"s3://photos/{'a' * 257}?region=x", "more than 256"),
    ("s3://photos?endpoint=s3.example.org", "begins with https://"),
    ("s3://photos?endpoint=https://a:hush@s3.example.org", "keys do not belong there"),
    ("s3://photos?endpoint=https://s3.example.org/path", "without a path"),
    ("s3://photos?endpoint=https://s3.example.org:0", "1 to 65535"),
    ("s3://photos?endpoint=https://s3_ä.example.org", "not visible ASCII"),
    ("s3://photos?endpoint=https://s3!", "the endpoint's host is"),
    ("s3://photos?region=x&style=other", "path or virtual"),
    ("s3://photos?endpoint=http://127.0.0.1&style=virtual", "needs style=path"),
    ("s3://my.photos?region=x", "add style=path"),
])
def test_what_is_no_location(text: str, why: str) -> None:
    with pytest.raises(InvalidArgument, match=why.replace("(", r"\(")) as error:
        Darkroom(text)
    assert "hush" not in str(error.value) and error.value.constraint == "media_is_a_store"
