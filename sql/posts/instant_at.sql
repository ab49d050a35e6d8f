-- The server may not know a zone, such as one that was renamed since the server's last update.
create or replace function darkroom.instant_at(clock timestamp, zone text) returns timestamptz
language plpgsql strict stable parallel safe as $$
begin
    return clock at time zone zone;
exception when invalid_parameter_value then
    return null;
end
$$;
comment on function darkroom.instant_at is
    'The instant at which clocks of an IANA time zone show a time; null if the zone is unknown.';
