create or replace function darkroom.anonymous_handles(ids bigint[]) returns text[]
language plpgsql stable as $$
begin
    return array(
        select case when p.anonymous then darkroom.author_handle(
                   (select h.inner_pad from darkroom.handle_keys h), (select h.outer_pad from darkroom.handle_keys h),
                   darkroom.anonymity_of(
                       (select s.anonymous_within from darkroom.settings s), p.post_id,
                       (select u.category from darkroom.uploads u where u.upload_id = p.upload_id), p.activity), p.uploader) end
        from unnest(ids) with ordinality as i (post_id, number)
        left join darkroom.posts p on p.post_id = i.post_id
        order by i.number);
end $$;
comment on function darkroom.anonymous_handles is
    'The handles of the uploaders of anonymous posts with these numbers, in their order; null for a post that is not anonymous. '
    'The planner settings are those of the lists.';
