create or replace function darkroom.blocked_handles(viewer text) returns text[]
language plpgsql stable as $$
#variable_conflict use_variable
begin
    if viewer is null or not darkroom.votes_for_people() then
        return null;
    end if;
    return nullif(array(select b.author_handle from darkroom.blocks b where b.person = viewer), '{}');
end $$;
comment on function darkroom.blocked_handles is
    'The handles of the authors whom a person has blocked: nothing of theirs is shown to that person. Null if there are none, or '
    'if the caller does not act for people. The planner settings are those of the lists.';
