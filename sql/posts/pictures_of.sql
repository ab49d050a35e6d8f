-- PL/pgSQL keeps the plan for the session.
create or replace function darkroom.pictures_of(post bigint) returns jsonb
language plpgsql stable as $$
begin
    return (select coalesce(jsonb_agg(to_jsonb(p) order by p.width desc, p.name), '[]')
            from (select r.name, r.media_key, r.format, r.width, r.height, r.bytes
                  from darkroom.renditions r where r.post_id = post) p);
end $$;
comment on function darkroom.pictures_of is 'The renditions of a post as readers see them, largest first.';
