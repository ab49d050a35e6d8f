create or replace function darkroom.refuse_by_policy(upload_ids bigint[]) returns void
language plpgsql stable set enable_seqscan = off set jit = off as $$
declare
    objection record;
begin
    select o.reason, o.message into objection
    from unnest(upload_ids) n join darkroom.uploads u on u.upload_id = n
    cross join lateral darkroom.posting_objections(u.headline, u.caption, u.category, u.link, u.accuracy_m) o limit 1;
    if found then
        raise exception using errcode = 'check_violation', constraint = objection.reason, message = objection.message,
            hint = 'The posting policy requires it; check_upload tells everything that it objects to.';
    end if;
end $$;
comment on function darkroom.refuse_by_policy is
    'Raises 23514 if the posting policy objects to one of the uploads; the constraint''s name is the reason.';
