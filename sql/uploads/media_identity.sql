-- May be called by: api
-- Example:
--   select identity, proposal from darkroom.media_identity()
create or replace function darkroom.media_identity(
    seen darkroom.choice default null, out identity text, out proposal text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    own text;
begin
    -- Refused here rather than by the table, whose message would show all settings.
    if seen !~ '^[0-9a-f]{16}$' then
        raise exception using errcode = 'check_violation', constraint = 'media_identity_is_16_hexadecimal_digits',
            message = 'the identity is not 16 hexadecimal digits',
            hint = 'Give the text of originals/.darkroom-store without its line feed.';
    end if;
    select s.media_identity, s.installation into identity, own from darkroom.settings s;
    if identity is null and left(seen, 8) = own then
        -- Of several who find stores at once, one records it, and the others wait for that and return its identity.
        update darkroom.settings s set media_identity = seen where s.media_identity is null;
        identity := (select s.media_identity from darkroom.settings s);
    end if;
    proposal := own || lpad(to_hex((random() * 4294967295)::bigint), 8, '0');
end $$;
comment on function darkroom.media_identity is
    'The identity of the media store, which is in the store''s file originals/.darkroom-store. It is null if no store '
    'was ever used. Then a program may write the `proposal` into that file to make the store, and give it as `seen` to '
    'record it. A store that another database has made is not recorded: `darkroom store adopt` '
    'does that. A program that stores originals can compare the identity with the file, to notice that a disk is not '
    'mounted. '
    'Errors: 23514 if `seen` is not 16 hexadecimal digits.';
