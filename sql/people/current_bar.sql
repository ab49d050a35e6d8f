create or replace function darkroom.current_bar(person text, out is_barred boolean, out ends_at timestamptz, out reason text)
language plpgsql stable as $$
#variable_conflict use_variable
begin
    select b.ends_at, b.reason into current_bar.ends_at, current_bar.reason from darkroom.bars b where b.person = current_bar.person order by b.bar_id desc limit 1;
    is_barred := found and reason is not null and (ends_at is null or ends_at > now());
end $$;
comment on function darkroom.current_bar is 'Whether a person is barred now, until when and why.';
