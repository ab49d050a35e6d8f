-- May be called by: api, reader
-- Example:
--   select headline_required, categories, headline_at_most, report_reasons from darkroom.posting_rules()
create or replace function darkroom.posting_rules(in_category darkroom.category default null)
returns table (headline_required boolean, caption_required boolean, category_required boolean, categories text[], link_rule text,
               link_hosts text[], accuracy_at_most_m double precision, photos_a_day integer, bytes_a_day bigint,
               headline_at_most integer, caption_at_most integer, category_at_most integer, link_at_most integer,
               comment_at_most integer, display_name_at_most integer, reports_a_day integer, report_reasons text[],
               location_privacy text, pictures_within_m double precision, takes_dislikes boolean, photo_types text[], photo_bytes_at_most bigint,
               photo_pixels_at_most bigint, attributions text[])
language sql stable rows 1 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
    select p.headline_required, p.caption_required, p.category_required, p.categories, p.link_rule, p.link_hosts, p.accuracy_at_most_m,
           g.photos_a_day, g.bytes_a_day, 200, 5000, 100, 2000, 2000, 100, s.reports_a_day,
           enum_range(null::darkroom.report_reason)::text[], l.privacy::text, nullif(p.pictures_within_m, 20040000), s.takes_dislikes,
           i.photo_types, i.bytes_at_most, i.pixels_at_most, i.attributions
    from darkroom.posting_policy_for(darkroom.clean_word(in_category)) p
    cross join lateral (select o.photos_a_day, o.bytes_a_day from darkroom.posting_policies o
                        where o.category is null order by o.version desc limit 1) g
    cross join lateral darkroom.location_policy_for(darkroom.clean_word(in_category), null) l
    join darkroom.settings s on s.is_only_row
    left join darkroom.intake i on i.is_only_row
$$;
comment on function darkroom.posting_rules is
    'What may be posted here, for the forms of an app: which fields are required, of all posts or of those of a category; the categories, and '
    'the hosts of links, null for any; link_rule is optional, required or refused. The largest radius of uncertainty of a position is in metres. '
    'photos_a_day and bytes_a_day are for 24 hours; null for no limit. The lengths, which end in at_most, are in characters. report_reasons are those of report_post, '
    'and location_privacy is how exactly positions are published if the uploader says nothing. pictures_within_m is how near a reader must be to see pictures, in metres; null for anywhere. takes_dislikes: people can dislike posts and comments. '
    'photo_types are the media types of the files that are taken, such as image/heic, and a photo has at most that many bytes and pixels; attributions are what a '
    'page with names of places must show. These four are as the worker that started last has them (one that only drains the queues changes nothing that another has said), and null before the first one.';
