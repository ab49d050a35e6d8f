#!/bin/sh
# PostgreSQL's image runs this once, when the database is empty, as the superuser, which nothing logs in as later.
set -eu
password() {
    if ! sed -n 's/^password=//p' "/run/secrets/$1" | grep .; then
        # The image does not run this again once there is a database, even one without logins. down --volumes would remove photos.
        echo "docker/secrets/$1 cannot be read or has no password: correct it, stop all, run docker volume rm darkroom_database, and start again" >&2
        return 1
    fi
}
migrator=$(password migrator)
worker=$(password worker)
serve=$(password serve)
psql --no-psqlrc --quiet --username="$POSTGRES_USER" --dbname=postgres --set=ON_ERROR_STOP=1 \
    --set=migrator="$migrator" --set=worker="$worker" --set=serve="$serve" <<'END'
create role darkroom_owner;
create role darkroom_worker;
create role darkroom_api;
create role migrator login createrole password :'migrator' in role darkroom_owner;
create role worker login password :'worker' in role darkroom_worker;
create role serve login password :'serve' in role darkroom_api;
create database darkroom owner darkroom_owner;
END
