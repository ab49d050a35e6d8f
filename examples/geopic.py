#!/usr/bin/env python3
"""The back end of GeoPic: people put photos on a map, and see, like, discuss and report those around them.
DATABASE_URL is a login with the role darkroom_api, DARKROOM_MEDIA the media store. The header X-Person says who asks; the
service in front that logs people in sets it."""
import functools
import json
import os
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

import darkroom
import psycopg

geopic = darkroom.Darkroom(os.environ["DARKROOM_MEDIA"])
STATUS = {darkroom.NotFound: 404, darkroom.Conflict: 409, darkroom.StoreUnavailable: 503, darkroom.StoreFull: 507}


def respond(connection, person, request, query, body):
    def given(*names):
        return {name: query.get(name) for name in names}

    call = functools.partial(geopic.call, connection)
    match request:
        case ["POST", "photos"]:  # The body is the photo.
            return geopic.enqueue(connection, body, uploader=person, **given("caption", "latitude", "longitude"))
        case ["GET", "jobs", job_id]: return call("job_status", job_id=job_id, uploader=person)
        case ["GET", "nearby"]: return call("nearest_posts", **given("latitude", "longitude", "in_category", "after"))
        case ["GET", "map"]: return call("map_clusters", **given("south", "west", "north", "east", "zoom"))
        case ["POST", "posts", post_id, "votes"]: return call("vote_on_post", post_id=post_id, voter=person, **given("vote"))
        case ["POST", "posts", post_id, "comments"]: return call("add_comment", post_id=post_id, author=person, **given("body"))
        case ["POST", "posts", post_id, "reports"]: return call("report_post", post_id=post_id, reporter=person, **given("reason", "details"))
    raise darkroom.NotFound("there is no such page")


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        left, (path, _, arguments) = int(self.headers.get("Content-Length", 0)), self.path.partition("?")
        with tempfile.TemporaryFile() as body:  # A slow phone holds no transaction open.
            while left and (piece := self.rfile.read(min(left, 65536))):
                left -= body.write(piece)
            if left:
                return  # The phone has hung up.
            body.seek(0)
            request, query = [self.command, *path.split("/")[1:]], dict(parse_qsl(arguments))
            try:
                with psycopg.connect(os.environ["DATABASE_URL"]) as connection:  # A request is a transaction.
                    answer = respond(connection, self.headers.get("X-Person", ""), request, query, body)
                self.send_response(200)
            except darkroom.DarkroomError as error:
                answer = {"error": error.constraint or str(error)}
                self.send_response(STATUS.get(type(error), 400))
        self.end_headers()
        self.wfile.write(json.dumps(answer, default=str).encode())

    do_POST = do_GET


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Handler).serve_forever()
