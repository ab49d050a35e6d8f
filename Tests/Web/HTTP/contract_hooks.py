"""What schemathesis does not know of the HTTP API."""

from typing import Any
from urllib.parse import urlencode

import schemathesis


@schemathesis.serializer("application/offset+octet-stream", "application/partial-upload")
def of_bytes(context: Any, value: Any) -> Any:
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def filter_query(context: Any, query: Any) -> bool:
    """The library that reads requests has 32 KiB for each: it refuses longer ones by itself, with a page of its own."""
    return not isinstance(query, dict) or len(urlencode(query, doseq=True)) < 8192
