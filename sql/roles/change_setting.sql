create or replace function darkroom.change_setting(name text, value text) returns text
language plpgsql as $$
declare
    earlier text;
    kind    regtype := (select a.atttypid from pg_attribute a join darkroom.installation_settings() s on s.name = a.attname
                        where a.attrelid = 'darkroom.settings'::regclass and s.name = change_setting.name);
begin
    if kind is null then
        raise exception using errcode = 'invalid_parameter_value', message = format('there is no setting %L', name),
            hint = 'See ''darkroom settings list''.';
    end if;
    execute format('with earlier as (select * from darkroom.settings for update)
                    update darkroom.settings s set %1$I = $1::%2$s from earlier e where s.is_only_row returning e.%1$I::text', name, kind)
    into earlier using value;
    return earlier;
end $$;
comment on function darkroom.change_setting is
    'Gives a setting a value, null for none, and returns the earlier one. Errors: 22023 for an unknown setting, 22P02, 22007 or 23514 for a '
    'value that it cannot have (the constraint says which).';
