create or replace function darkroom.refuse_barred(person text) returns void
language plpgsql stable as $$
declare
    told record;
begin
    if (darkroom.current_bar(person)).is_barred then
        select b.* into told from darkroom.bar_of(person) b;
        raise exception using errcode = 'insufficient_privilege', constraint = 'person_is_barred', message = told.message,
            detail = coalesce(told.ends_at::text, ''), hint = 'The function bar_of tells the reason and the end.';
    end if;
end $$;
comment on function darkroom.refuse_barred is
    'Raises 42501 (person_is_barred) if a person is barred. The message is for that person, and the detail is when the bar ends, or '
    'blank if it does not.';
