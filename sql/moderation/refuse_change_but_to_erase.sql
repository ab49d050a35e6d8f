create or replace function darkroom.refuse_change_but_to_erase() returns trigger
language plpgsql as $$
begin
    if not exists (select from darkroom.person_erasures where state = 'running') then
        raise exception using errcode = 'restrict_violation', message = format('%s is append-only', tg_table_name),
            hint = 'Add a row; existing rows never change.';
    end if;
    return null;
end $$;
comment on function darkroom.refuse_change_but_to_erase is
    'The trigger of tables that accept no change unless a person is being erased.';
