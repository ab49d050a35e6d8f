create or replace function darkroom.clock_at(instant timestamptz, zone text) returns timestamp
language plpgsql strict stable parallel safe as $$
begin
    return instant at time zone zone;
exception when invalid_parameter_value then
    return null;
end
$$;
comment on function darkroom.clock_at is
    'What clocks of an IANA time zone show at an instant; null if the zone is unknown.';
