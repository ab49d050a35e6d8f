-- Two who upload for one person at once would each count without the other. They take turns until their transactions end, but
-- none waits for long: a wait that is shorter than deadlock_timeout can be no deadlock.
create or replace function darkroom.refuse_above_quota(upload_ids bigint[]) returns void
language plpgsql set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan set lock_timeout = '500ms' as $$
declare
    one       record;
    objection record;
begin
    perform from darkroom.locks l
    where l.name = 'quota' and l.number = any (array(
        select darkroom.lock_number(u.uploader) from unnest(upload_ids) n join darkroom.uploads u on u.upload_id = n))
    order by l.number for update;
    -- Separate statements, so that they see what was committed while the first one waited.
    for one in
        select u.uploader, count(*)::integer as photos,
               -- More than any quota, and no overflow.
               least(coalesce(sum(u.original_bytes), 0), 9007199254740992)::bigint as bytes, array_agg(u.upload_id) as added
        from unnest(upload_ids) n join darkroom.uploads u on u.upload_id = n
        group by u.uploader order by u.uploader
    loop
        select * into objection from darkroom.quota_objections(one.uploader, one.photos, one.bytes, one.added);
        if found then
            raise exception using errcode = 'check_violation', constraint = objection.reason, message = objection.message,
                detail = coalesce(objection.retry_after_s::text, ''),
                hint = 'The function upload_quota tells what is left.';
        end if;
    end loop;
end $$;
comment on function darkroom.refuse_above_quota is
    'Raises 23514 if uploads that were added exceed the quota of a person; the constraint''s name is the reason, and the detail '
    'the number of seconds until they can go on, or blank if they never can. Raises 55P03 if another transaction that adds '
    'uploads of the person does not end soon.';
