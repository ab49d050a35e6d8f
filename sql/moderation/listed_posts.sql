create or replace function darkroom.listed_posts(
    after_post bigint, at_most integer default 100, of_list bigint default null,
    out last_post bigint, out examined integer, out found bigint[])
language sql stable set enable_seqscan = off set jit = off as $$
    select max(p.post_id), count(*)::integer,
           coalesce(array_agg(p.post_id order by p.post_id) filter (where exists (
               select from darkroom.listed_hash(p.pdq, p.pdq_quality, of_list) l
               where p.state in ('published', 'hidden', 'held')
                 and not exists (select from darkroom.moderation_decisions d
                                 where d.post_id = p.post_id and d.hash_list = l.list_id))), '{}')
    from (select o.post_id, o.state, o.pdq, o.pdq_quality from darkroom.posts o
          where o.post_id > after_post order by o.post_id limit at_most) p
$$;
comment on function darkroom.listed_posts is
    'Compares the next at_most posts after one with the lists of known photos, or with one list. Returns the last post it looked '
    'at (null at the end), how many there were, and those that hide_listed must put into the review list.';
