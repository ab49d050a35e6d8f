create or replace function darkroom.refuse_change() returns trigger
language plpgsql as $$
begin
    raise exception using errcode = 'restrict_violation',
        message = format('%s is append-only', tg_table_name),
        hint = 'Add a row; existing rows never change.';
end $$;
comment on function darkroom.refuse_change is 'The trigger of tables whose rows are never changed or deleted.';
