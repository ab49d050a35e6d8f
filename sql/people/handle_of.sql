create or replace function darkroom.handle_of(person text, within text default '') returns text
language plpgsql stable as $$
#variable_conflict use_variable
begin
    return (select darkroom.author_handle(h.inner_pad, h.outer_pad, within, person) from darkroom.handle_keys h where h.is_only_row);
end $$;
comment on function darkroom.handle_of is
    'The handle that readers see in place of a person: of what they write by name, or within what anonymity_of says.';
