-- PL/pgSQL keeps the plan for the session.
create or replace function darkroom.pictures_of(post bigint) returns darkroom.picture[]
language plpgsql stable as $$
begin
    return array(select row(r.name, r.media_key, r.format, r.width, r.height, r.bytes)::darkroom.picture
                 from darkroom.renditions r where r.post_id = post order by r.width desc, r.name);
end $$;
comment on function darkroom.pictures_of is 'The renditions of a post as readers see them, largest first.';
