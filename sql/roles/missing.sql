create or replace function darkroom.missing(argument text) returns void
language plpgsql as $$
begin
    raise exception using errcode = 'not_null_violation', message = format('%s is null', argument),
        hint = format('Give %s.', argument);
end $$;
comment on function darkroom.missing is
    'Raises 23502 for an argument that must not be null. The table would refuse it too, but show the row.';
