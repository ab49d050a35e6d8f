"""The measured endpoints of `darkroom serve` as a FastAPI program: the same functions, and JSON that PostgreSQL makes.

DATABASE_URL names the database, CONNECTIONS is how many connections each process opens, and KEY_SHA256 is the hash of the only
API key. `uvicorn fastapi_side:app` runs it.
"""

import hashlib
import hmac
import os
from contextlib import asynccontextmanager
from typing import Annotated, Literal

import asyncpg
from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from pydantic import BaseModel

KEY = os.environ["KEY_SHA256"]


@asynccontextmanager
async def lifespan(app: FastAPI):
    size = int(os.environ["CONNECTIONS"])
    async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=size, max_size=size) as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


def person(authorization: Annotated[str, Header()], darkroom_person: Annotated[str, Header()]) -> str:
    key = authorization.removeprefix("Bearer ")
    if not hmac.compare_digest(hashlib.sha256(key.encode()).hexdigest(), KEY):
        raise HTTPException(401)
    return darkroom_person


def items(rows: list[asyncpg.Record]) -> Response:
    return Response('{"items":[' + ",".join(row[0] for row in rows) + "]}", media_type="application/json")


@app.get("/v1/posts/nearest")
async def nearest(request: Request, latitude: float, longitude: float) -> Response:
    return items(
        await request.app.state.pool.fetch(
            "select to_json(f)::text from darkroom.nearest_posts($1, $2) f", latitude, longitude
        )
    )


@app.get("/v1/map/clusters")
async def clusters(
    request: Request, south: float, west: float, north: float, east: float, zoom: float
) -> Response:
    return items(
        await request.app.state.pool.fetch(
            "select to_json(f)::text from darkroom.map_clusters($1, $2, $3, $4, $5) f",
            south, west, north, east, zoom,
        )
    )  # fmt: skip


@app.get("/v1/posts/{post_id}")
async def post(request: Request, post_id: int) -> Response:
    row = await request.app.state.pool.fetchrow(
        "select to_json(f)::text from darkroom.post_details($1) f", post_id
    )
    if row is None:
        raise HTTPException(404)
    return Response(row[0], media_type="application/json")


class Vote(BaseModel):
    vote: Literal["like", "dislike", "none"]


@app.put("/v1/posts/{post_id}/vote", status_code=204)
async def vote(request: Request, post_id: int, body: Vote, voter: Annotated[str, Depends(person)]) -> None:
    await request.app.state.pool.fetchval(
        "select darkroom.vote_on_post($1, $2, $3)", post_id, voter, body.vote
    )
