"""Why a call failed."""

from __future__ import annotations

from typing import NoReturn

import psycopg


class DarkroomError(Exception):
    """What the functions of Darkroom refuse. `__cause__` is the error of psycopg or of the operating system.

    Errors of the database that are not about the call, such as a lost connection or a serialization failure, stay
    errors of psycopg.
    """

    #: The code of PostgreSQL for what happened; None if the database was not asked.
    sqlstate: str | None = None
    #: Which rule was broken, such as `caption_is_at_most_5000_characters`.
    constraint: str | None = None
    #: What to do about it.
    hint: str | None = None


class InvalidArgument(DarkroomError):
    """An argument is out of range (`constraint` says which), or a cursor belongs to another feed."""


class Conflict(DarkroomError):
    """An idempotency key was used for another photo, or a name is taken: `constraint` says which."""


class NotFound(DarkroomError):
    """There is no such post or comment, or it is no longer visible."""


class NotPossible(DarkroomError):
    """The state of the post does not allow it, or the login has as many activities as it may have."""


class NotPermitted(DarkroomError):
    """The role of this login may not call the function."""


class UnknownState(DarkroomError):
    """The database is of a later release, which has a state that this module does not know: update the module."""


class MediaError(DarkroomError):
    """The media store cannot be used: `__cause__` has the error of the operating system or of botocore."""


class StoreUnavailable(MediaError):
    """The media store is away, or it is not the one that the database knows."""


class StoreFull(MediaError):
    """The disk or the quota of the media store is full, or that of the temporary directory."""


def raise_typed(error: psycopg.Error) -> NoReturn:
    """Raises the error of this module for an error of psycopg; other errors stay as they are."""
    kind = _kind(error.sqlstate or "")
    if kind is None:
        raise error
    made = kind(error.diag.message_primary or str(error))
    made.sqlstate = error.sqlstate
    made.constraint = error.diag.constraint_name
    made.hint = error.diag.message_hint
    raise made from error


def _kind(sqlstate: str) -> type[DarkroomError] | None:
    match sqlstate:
        case "P0002":
            return NotFound
        case "55000" | "53400":
            return NotPossible
        case "42501":
            return NotPermitted
        case "23505":
            return Conflict
    # Data exceptions and violated constraints: the caller's values.
    return InvalidArgument if sqlstate[:2] in ("22", "23") else None
