-- What the camera's clock meant, from the time zone of the place.

-- The two read clocks of zones that this server may not know, such as one renamed since its last update.
create function darkroom.instant_at(clock timestamp, zone text) returns timestamptz
    language plpgsql stable strict parallel safe as $$
begin
    return clock at time zone zone;
exception when invalid_parameter_value then
    return null;
end
$$;
comment on function darkroom.instant_at(timestamp, text) is
    'The instant at which clocks of an IANA time zone show a time; null where the zone is not known.';

create function darkroom.clock_at(instant timestamptz, zone text) returns timestamp
    language plpgsql stable strict parallel safe as $$
begin
    return instant at time zone zone;
exception when invalid_parameter_value then
    return null;
end
$$;
comment on function darkroom.clock_at(timestamptz, text) is
    'What clocks of an IANA time zone show at an instant; null where the zone is not known.';

alter table darkroom.posts
    add column time_zone text,
    add column taken_at_offset_source text
        check (taken_at_offset_source in ('offset_tag', 'gps_time_stamp', 'place'));
comment on column darkroom.posts.time_zone is 'The IANA time zone of the place; null where it is not known.';
comment on column darkroom.posts.taken_at_offset_source is
    'How the camera''s clock reading became an instant: by the offset that the photo says, by its GPS time stamp, or, inferred, by the time zone of the place. Null where it did not, and for times that the uploader gave.';
