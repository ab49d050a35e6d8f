-- It has no settings, so that the planner puts it into a query, which reads the blocks once and looks each row up in a hash table.
create or replace function darkroom.blocked_handles(viewer text) returns setof text
language sql stable rows 100 as $$
    select b.author_handle from darkroom.blocks b where b.person = viewer and (select darkroom.votes_for_people())
$$;
comment on function darkroom.blocked_handles is
    'The handles of the authors whom a person has blocked: nothing of theirs is shown to that person. None if the caller does not '
    'act for people.';
