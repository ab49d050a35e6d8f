-- May be called by: api, reader
-- Example:
--   select post_id, headline, cursor from darkroom.latest_posts(20, in_category => 'food')
create or replace function darkroom.latest_posts(
    at_most bigint default 20, in_category darkroom.word default null, in_activity darkroom.word default null,
    in_place darkroom.place_key default null, by_uploader darkroom.person default null, after darkroom.cursor default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_sort = off set jit = off set extra_float_digits = 1
set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    wanted  integer := darkroom.page_size(at_most);
    before  timestamptz := coalesce(to_timestamp(0) + darkroom.cursor_key('latest', after) * interval '1 microsecond', 'infinity');
    from_id bigint := coalesce(darkroom.cursor_post(after), 0);
    ids     bigint[];
    keys    double precision[];
    level   text := darkroom.checked_level(in_place);
    scopes  text[] := array[]::text[];
begin
    if in_category is not null then in_category := coalesce(darkroom.clean_word(in_category), ''); end if;
    if in_activity is not null then in_activity := coalesce(darkroom.activity_named(in_activity), ''); end if;
    if by_uploader is not null then scopes := scopes || 'uploader = $4'::text; end if;
    if level is not null then scopes := scopes || (level || ' = $3'); end if;
    if in_activity is not null then scopes := scopes || 'activity = $2'::text; end if;
    if in_category is not null then scopes := scopes || 'category = $1'::text; end if;
    execute format(
        'select array_agg(post_id), array_agg(extract(epoch from published_at) * 1000000) from (
             select post_id, published_at from darkroom.feed
             where %s (published_at, post_id) < ($5, $6) and expires_at > now()
             order by %s published_at desc, post_id desc limit $7) f',
        (select coalesce(string_agg(s || ' and ', ''), '') from unnest(scopes) s),
        (select coalesce(string_agg(split_part(s, ' ', 1) || ', ', ''), '') from unnest(scopes) s))
    into ids, keys using in_category, in_activity, (in_place).geonameid, by_uploader, before, from_id, wanted;
    return query select * from darkroom.show_posts('latest', ids, keys, null);
end $$;
comment on function darkroom.latest_posts is
    'The newest posts first: of all, of a category, an activity, an uploader, or a country, division, city or place (its '
    'album): in_place => (''city'', 658225) takes Helsinki with all its parts. at_most is 1 to 100 (values outside are '
    'clamped). after is the cursor of the last row of the previous page, with the same arguments. Errors: 22023 for a '
    'cursor of another feed, or an in_place without its level or number.';
