create or replace function darkroom.quota_objections(person text, photos integer, bytes bigint, added bigint[] default '{}')
returns table (reason text, message text, retry_after_s integer)
language sql stable as $$
    select q.reason,
           format('Within 24 hours, at most %s can be uploaded here', case
               when q.reason = 'too_many_bytes_today' then case
                   when q.bytes_a_day < 1000 then format('%s bytes', q.bytes_a_day)
                   when q.bytes_a_day < 1000000 then format('%s kB', trim_scale(round(q.bytes_a_day / 1000.0, 1)))
                   else format('%s MB', trim_scale(round(q.bytes_a_day / 1000000.0, 1))) end
               when q.photos_a_day = 1 then '1 photo or text' else format('%s photos or texts', q.photos_a_day) end)
           || case when w.s is null then ', and this is more.'
                   when w.s > 5400 then format('. You can go on in %s h.', ceil(w.s / 3600.0))
                   else format('. You can go on in %s min.', ceil(w.s / 60.0)) end,
           w.s
    from darkroom.quota_for(person, photos, bytes, added) q
    cross join lateral (select ceil(extract(epoch from q.more_at - now()))::integer) w (s)
    where q.reason is not null
$$;
comment on function darkroom.quota_objections is
    'What the quotas of the posting policy in force object to if a person uploads photos with bytes more: a reason for programs, '
    'a sentence for the uploader, and in how many seconds they can go on; null for never.';
