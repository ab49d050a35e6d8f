create or replace function darkroom.audience(post_id bigint) returns bigint
language sql stable set enable_seqscan = off as $$
    select coalesce((select c.views from darkroom.post_counters c where c.post_id = audience.post_id), 0)
         + coalesce((select sum(w.views) from darkroom.counter_changes w where w.post_id = audience.post_id), 0)
$$;
comment on function darkroom.audience is 'How often a post was viewed.';
