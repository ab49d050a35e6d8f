#!/bin/sh
# PostgreSQL's image runs this once, when the database is empty, as the superuser, which nothing logs in as later.
set -eu
password() { sed -n 's/^password=//p' "/run/secrets/$1"; }
psql --no-psqlrc --quiet --username="$POSTGRES_USER" --dbname=postgres --set=ON_ERROR_STOP=1 \
    --set=migrator="$(password migrator)" --set=worker="$(password worker)" <<'END'
create role darkroom_owner;
create role darkroom_worker;
create role migrator login createrole password :'migrator' in role darkroom_owner;
create role worker login password :'worker' in role darkroom_worker;
create database darkroom owner darkroom_owner;
END
