create or replace function darkroom.hide_post(of_post bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
begin
    -- The same photo must not come again before a person has decided.
    perform darkroom.keep_hash(of_post);
    update darkroom.posts p set state = 'hidden' where p.post_id = of_post;
    insert into darkroom.outbox (post_id, event) values (of_post, 'hidden');
end $$;
comment on function darkroom.hide_post is
    'Hides a published post, whose row the caller has locked, until a person decides.';
