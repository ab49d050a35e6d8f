create or replace function darkroom.votes_of(viewer text, ids bigint[]) returns text[]
language plpgsql stable as $$
begin
    if not darkroom.votes_for_people() then
        return null;
    end if;
    return array(
        select v.vote::text
        from unnest(ids) with ordinality as i (post_id, number)
        left join darkroom.votes v on v.post_id = i.post_id and v.voter = viewer
        order by i.number);
end $$;
comment on function darkroom.votes_of is
    'A person''s votes on posts with these numbers, in their order; null for a post without one. Null if the caller does not act for '
    'people. The planner settings are those of the lists.';
