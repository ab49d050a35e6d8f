-- May be called by: api
-- Example:
--   select darkroom.media_identity()
create or replace function darkroom.media_identity(seen text default null) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    recorded text := (select s.media_identity from darkroom.settings s);
begin
    -- Refused here rather than by the table, whose message would show all settings.
    if seen !~ '^[0-9a-f]{16}$' then
        raise exception using errcode = 'check_violation', constraint = 'media_identity_is_16_hexadecimal_digits',
            message = 'the identity is not 16 hexadecimal digits',
            hint = 'Give the text of originals/.darkroom-store without its line feed.';
    end if;
    if recorded is null and seen is not null then
        -- Of several who find stores at once, one records it, and the others wait for that and return its identity.
        update darkroom.settings s set media_identity = seen where s.media_identity is null;
        recorded := (select s.media_identity from darkroom.settings s);
    end if;
    return recorded;
end $$;
comment on function darkroom.media_identity is
    'The identity of the media store, which is in the store''s file originals/.darkroom-store; null if no store was '
    'ever used. If none is recorded yet, `seen` becomes it. A program that stores originals can compare it with the '
    'file, to notice that a disk is not mounted. Errors: 23514 if `seen` is not 16 hexadecimal digits.';
