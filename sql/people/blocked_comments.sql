create or replace function darkroom.blocked_comments(viewer text, of_post bigint, comments bigint) returns bigint
language plpgsql stable as $$
#variable_conflict use_variable
begin
    -- Of few comments, each is looked up among the blocks, in a hash table; of many, those of each author in the index.
    if comments <= 200 then
        return (select count(*) from darkroom.comments c join darkroom.posts p using (post_id)
                where c.post_id = of_post and c.state = 'published' and not (p.anonymous and c.author = p.uploader)
                  and (c.author_handle in (select darkroom.blocked_handles(viewer))) is true);
    end if;
    return (select count(*) from darkroom.blocked_handles(viewer) h
            join darkroom.comments c on c.post_id = of_post and c.author_handle = h
            join darkroom.posts p on p.post_id = c.post_id
            where c.state = 'published' and not (p.anonymous and c.author = p.uploader));
end $$;
comment on function darkroom.blocked_comments is
    'How many comments below a post, which has some comments, are of authors whom a person has blocked. The planner settings are '
    'those of the lists.';
