create or replace function darkroom.checked_choice(argument text, value text, choices text[]) returns text
language plpgsql immutable as $$
begin
    if value = any (choices) then
        return value;
    end if;
    raise exception using errcode = 'invalid_parameter_value',
        message = argument || case when value is null then ' is missing' else ' has an unknown value' end,
        hint = format('Give %s or %s.', array_to_string(trim_array(choices, 1), ', '), choices[cardinality(choices)]);
end $$;
comment on function darkroom.checked_choice is
    'Returns value, which must be one of at least two choices. Errors: 22023, with a hint that lists them.';
