-- What looks alike is alike: names of categories and events, people's names, links; and nothing in a text that no page shows.

-- No regular expression takes the spaces off the ends: one would take a text of many spaces as often as it has them.
create function darkroom.clean_word(content text) returns text
language sql immutable parallel safe
return case when content ~ '[^\s\u00A0\u200B-\u200F\u2060\uFEFF]'
            then normalize(btrim(content, E' \t\n\u000B\f\r\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u200B\u202F\u205F\u2060\u3000\uFEFF'), nfc) end;
comment on function darkroom.clean_word is
    'A name as it is kept and looked for: in the normal form C, without spaces at its ends; null where it is blank.';

create function darkroom.has_no_control_characters(content text, lines boolean default false) returns boolean
language sql immutable parallel safe
return case when lines then content !~ '[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\u202D\u202E]'
            else content !~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029\u202D\u202E]' end;
comment on function darkroom.has_no_control_characters is
    'Whether a text has no control characters (where lines says so, line feeds, carriage returns and tabs are taken) and none that turn the direction of what follows: as darkroom.is_plain_text, of blank texts too.';

create function darkroom.is_blank(content text) returns boolean
language sql immutable parallel safe
return content !~ '[^\s\u00A0\u200B-\u200F\u2060\uFEFF]';
comment on function darkroom.is_blank is 'Whether a text has nothing but spaces and characters that are not seen.';

-- Functions that others change too are changed by their words, as they are by now.
create function pg_temp.put_in(function regprocedure, old text, new text) returns void
language plpgsql as $$
declare
    body text := pg_get_functiondef(function);
begin
    if (length(body) - length(replace(body, old, ''))) / length(old) <> 1 then
        raise exception '% is not once in %', old, function;
    end if;
    execute replace(body, old, new);
end $$;

-- Filters. Texts of posts are in the normal form, so a filter has to be. A blank one still finds nothing, and is not none.
do $$
declare
    one  record;
    body text;
    seen integer := 0;
begin
    for one in
        select p.oid::regprocedure as function, p.prosrc as source,
               array(select a from unnest(p.proargnames) a where a in ('in_category', 'in_event') order by a) as filters
        from pg_proc p join darkroom.public_functions() f on f.name = p.proname
        where p.pronamespace = (select s.pronamespace from pg_proc s where s.oid = 'darkroom.public_functions'::regproc)
          and p.proargnames && array['in_category', 'in_event']
        order by 1
    loop
        -- What is reckoned before may ask whether there is a filter, but not for which.
        if regexp_replace(split_part(one.source, E'\nbegin\n', 1), 'in_(category|event) is (not )?null', '', 'g')
           ~ 'in_(category|event)'
        then
            raise exception '% looks at its filters before they are made clean', one.function;
        end if;
        select string_agg(format('    if %1$s is not null then %1$s := coalesce(darkroom.clean_word(%1$s), %2$L); end if;', f, ''),
                          E'\n')
        into body from unnest(one.filters) f;
        perform pg_temp.put_in(one.function, E'\nbegin\n', E'\nbegin\n' || body || E'\n');
        seen := seen + 1;
    end loop;
    if seen < 5 then
        raise exception 'only % feeds have filters', seen;
    end if;
end $$;

-- Uploads. Of two that enqueue photos of the same keys in different orders, each waited for the other.
do $$
begin
    perform pg_temp.put_in('darkroom.add_uploads'::regproc, 'darkroom.clean_text(u.category)', 'darkroom.clean_word(u.category)');
    perform pg_temp.put_in('darkroom.add_uploads'::regproc, 'darkroom.clean_text(u.event)', 'darkroom.clean_word(u.event)');
    perform pg_temp.put_in('darkroom.add_uploads'::regproc, 'order by ordinality
        on conflict', 'order by u.uploader, u.idempotency_key, ordinality
        on conflict');
end $$;

-- Times. An infinite one, or one before Christ, is none to whoever reads it, and the upload was tried again and again.
-- The oldest photograph there is was taken about 1826; cameras' clocks end in 2107 at the latest (FAT's), and some go wrong.
create function darkroom.is_photo_time(taken_at timestamptz) returns boolean
language sql immutable parallel safe
return taken_at >= timestamptz '1800-01-01 00:00:00+00' and taken_at < timestamptz '2200-01-01 00:00:00+00';
comment on function darkroom.is_photo_time is 'Whether a photo can be said to be of a time: from 1800 to the end of 2199, of UTC.';

-- Links. What ends a host is that of the WHATWG URL Standard, section 3.2 (forbidden host code points); beyond that a host has
-- no spaces, and nothing that is not seen or turns the direction of what follows (Unicode's Default_Ignorable_Code_Point).
create function darkroom.is_link(link text) returns boolean
language sql immutable parallel safe
return link ~ (
    '^[Hh][Tt][Tt][Pp][Ss]?://'
    || '(\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\]'
    || '|[-_]*[^\u0001-$&-/:-@\[-`{-\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]'
    || '[^\u0001- #/:<>?@\[\\\]^|\u007F-\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]*)'
    || '(:[0-9]*)?'
    || '([/?#][^\u0001- \u007F-\u009F\u1680\u2000-\u2006\u2008-\u200A\u2028\u2029\u202D\u202E\u205F\u3000]*)?$');
comment on function darkroom.is_link is
    'Whether a text is a URL of http or https with a host, maybe a port, and neither credentials nor spaces nor control characters. The host begins with a letter or digit of any script, or a bracket of IPv6, where hyphens, underscores and percent signs before it are passed over. The same rule as WebLink of the workers.';

-- Of what is there, only what could never be seen is taken away, so that every row satisfies the rules that follow. They are
-- not looked through again under the lock, so the rules stay "not valid"; a row that broke one could never be changed
-- again, and originals that have to be erased would stay. (Uploads whose originals are erased stay as they are: nothing changes
-- them any more.) What was published keeps its texts, but for links.

create function pg_temp.mended(content text, lines boolean default false) returns text
language sql immutable as $$
    select case when not darkroom.is_blank(c) then c end
    from (select case when lines then regexp_replace(content, '[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\u202D\u202E]', ' ', 'g')
                      else regexp_replace(content, '[\u0001-\u001F\u007F-\u009F\u2028\u2029\u202D\u202E]', ' ', 'g') end as c) m
$$;

-- Browsers leave out what is not seen in a host (Unicode Technical Standard 46, "ignored"): such a link led where it does now.
-- Whatever else is no link by now led nowhere.
create function pg_temp.mended_link(link text) returns text
language sql immutable as $$
    select case when darkroom.is_link(l) then l end
    from (select regexp_replace(a, '[\u00AD\u034F\u180B-\u180D\u200B\u2060\u2064\uFE00-\uFE0F\uFEFF]', '', 'g') || substr(link, length(a) + 1) as l
          from (select substring(link from '^[^/?#]*/*[^/?#]*') as a) h) m
$$;

create function pg_temp.mend_uploads(since timestamptz) returns void
language plpgsql as $$
begin
    update darkroom.uploads u
    set headline = case when darkroom.is_plain_text(headline) then headline else pg_temp.mended(headline) end,
        caption = case when darkroom.is_plain_text(caption, true) then caption else pg_temp.mended(caption, true) end,
        category = case when darkroom.is_plain_text(category) then category else pg_temp.mended(category) end,
        event = case when darkroom.is_plain_text(event) then event else pg_temp.mended(event) end,
        place_text = case when darkroom.is_plain_text(place_text) then place_text else pg_temp.mended(place_text) end,
        link = case when darkroom.is_link(link) then link else pg_temp.mended_link(link) end,
        taken_at = case when darkroom.is_photo_time(taken_at) then taken_at end
    where u.original_erased_at is null and u.created_at > since
      and (not darkroom.is_plain_text(headline) or not darkroom.is_plain_text(caption, true)
           or not darkroom.is_plain_text(category) or not darkroom.is_plain_text(event)
           or not darkroom.is_plain_text(place_text) or not darkroom.is_link(link)
           or not darkroom.is_photo_time(taken_at));
end $$;
select pg_temp.mend_uploads('-infinity');
update darkroom.posts set link = pg_temp.mended_link(link) where not darkroom.is_link(link);

update darkroom.reports set details = pg_temp.mended(details, true)
where not darkroom.has_no_control_characters(details, true);
-- A dash is what deleted comments have too.
update darkroom.appeals set text = coalesce(pg_temp.mended(text, true), '-')
where darkroom.is_blank(text) or not darkroom.has_no_control_characters(text, true);

-- Posts' categories and events as filters are by now. Uploads keep theirs as they were said: a worker makes them clean.
do $$
declare
    one bigint;
begin
    -- By number, as tallies take the posts' rows of the feed too.
    for one in
        select p.post_id from darkroom.posts p
        where p.category is distinct from darkroom.clean_word(p.category)
           or p.event is distinct from darkroom.clean_word(p.event)
        order by p.post_id
    loop
        update darkroom.posts p
        set category = darkroom.clean_word(p.category), event = darkroom.clean_word(p.event) where p.post_id = one;
    end loop;
end $$;

-- Events get their clean names, the last to end where there were several. One whose clean name is there besides stays as it
-- is: the clean one counts, and a person may delete the other. So does one of blanks, which no post can have.
with known as materialized (
    select e.event, darkroom.clean_word(e.event) as name,
           row_number() over (partition by darkroom.clean_word(e.event) order by e.ends_at desc, e.event) as place,
           bool_or(e.event = darkroom.clean_word(e.event)) over (partition by darkroom.clean_word(e.event)) as is_there
    from darkroom.events e)
update darkroom.events e set event = k.name from known k
where e.event = k.event and e.event <> k.name and k.place = 1 and not k.is_there;

-- Policies are appended to, not changed: of those whose names were not clean, what was in force is appended with the clean one.
-- A policy for a name of blanks is not: none of a category is one for all.
insert into darkroom.location_policies (category, event, privacy, minimum_population, note)
select darkroom.clean_word(p.category), darkroom.clean_word(p.event), p.privacy, p.minimum_population,
       left(format('The name in its normal form, of version %s: %s', p.version, p.note), 10000)
from (select distinct on (darkroom.clean_word(o.category), darkroom.clean_word(o.event)) o.*
      from darkroom.location_policies o where num_nonnulls(darkroom.clean_word(o.category), darkroom.clean_word(o.event)) = 1
      order by darkroom.clean_word(o.category), darkroom.clean_word(o.event), o.version desc) p
where (p.category, p.event) is distinct from (darkroom.clean_word(p.category), darkroom.clean_word(p.event))
order by p.version;
insert into darkroom.expiry_policies (category, event, lifetime, ends_with_event, note)
select darkroom.clean_word(p.category), darkroom.clean_word(p.event), p.lifetime, p.ends_with_event,
       left(format('The name in its normal form, of version %s: %s', p.version, p.note), 10000)
from (select distinct on (darkroom.clean_word(o.category), darkroom.clean_word(o.event)) o.*
      from darkroom.expiry_policies o where num_nonnulls(darkroom.clean_word(o.category), darkroom.clean_word(o.event)) = 1
      order by darkroom.clean_word(o.category), darkroom.clean_word(o.event), o.version desc) p
where (p.category, p.event) is distinct from (darkroom.clean_word(p.category), darkroom.clean_word(p.event))
order by p.version;
insert into darkroom.posting_policies (
    headline_required, caption_required, category_required, categories, link, link_hosts, note)
select p.headline_required, p.caption_required, p.category_required, c.clean, p.link, p.link_hosts,
       left(format('Categories in their normal form, of version %s: %s', p.version, p.note), 10000)
from (select o.* from darkroom.posting_policies o order by o.version desc limit 1) p,
     lateral (select array_agg(darkroom.clean_word(u.name) order by u.place) filter (where darkroom.clean_word(u.name) is not null) as clean
              from unnest(p.categories) with ordinality u (name, place)) c
where c.clean <> p.categories;

-- What comes from now on.

create function darkroom.clean_names() returns trigger
language plpgsql as $$
begin
    if tg_table_name = 'events' then
        new.event := coalesce(darkroom.clean_word(new.event), '');
    elsif tg_table_name = 'posting_policies' then
        new.categories := (select array_agg(darkroom.clean_word(u.name) order by u.place)
                           from unnest(new.categories) with ordinality u (name, place));
    else
        if new.category is not null then new.category := coalesce(darkroom.clean_word(new.category), ''); end if;
        if new.event is not null then new.event := coalesce(darkroom.clean_word(new.event), ''); end if;
    end if;
    return new;
end $$;
comment on function darkroom.clean_names is
    'The trigger that keeps the names of events, and of the categories and events of policies, as those of posts are kept. Blank ones are refused by the table.';
create trigger clean_names before insert or update of event on darkroom.events
    for each row execute function darkroom.clean_names();
create trigger clean_names before insert on darkroom.posting_policies
    for each row when (new.categories is not null) execute function darkroom.clean_names();
create trigger clean_names before insert on darkroom.location_policies
    for each row when (new.category is not null or new.event is not null) execute function darkroom.clean_names();
create trigger clean_names before insert on darkroom.expiry_policies
    for each row when (new.category is not null or new.event is not null) execute function darkroom.clean_names();
alter table darkroom.location_policies
    add constraint category_and_event_are_not_blank
        check (coalesce(category, '-') <> '' and coalesce(event, '-') <> '') not valid;
alter table darkroom.expiry_policies
    add constraint category_and_event_are_not_blank
        check (coalesce(category, '-') <> '' and coalesce(event, '-') <> '') not valid;
do $$
begin
    perform pg_temp.put_in('darkroom.location_policy_for'::regproc, '= location_policy_for.event',
                           '= darkroom.clean_word(location_policy_for.event)');
    perform pg_temp.put_in('darkroom.location_policy_for'::regproc, '= location_policy_for.category',
                           '= darkroom.clean_word(location_policy_for.category)');
    perform pg_temp.put_in('darkroom.expiry_for'::regproc, 'e.event = expiry_for.event',
                           'e.event = darkroom.clean_word(expiry_for.event)');
    perform pg_temp.put_in('darkroom.expiry_for'::regproc, 'p.event = expiry_for.event',
                           'p.event = darkroom.clean_word(expiry_for.event)');
    perform pg_temp.put_in('darkroom.expiry_for'::regproc, '= expiry_for.category',
                           '= darkroom.clean_word(expiry_for.category)');
end $$;

create function darkroom.clean_report() returns trigger
language plpgsql as $$
begin
    new.details := darkroom.clean_text(new.details);
    -- Refused here rather than by the table, whose message would show the reporter's record.
    if not darkroom.has_no_control_characters(new.details, true) then
        raise exception using errcode = 'check_violation', constraint = 'details_have_no_control_characters',
            message = 'the details have control characters', hint = 'Give text; it may have several lines.';
    end if;
    return new;
end $$;
comment on function darkroom.clean_report is
    'The trigger that keeps the details of a report as other texts are kept, and refuses what no page could show.';
create trigger clean_report before insert on darkroom.reports
    for each row when (new.details is not null) execute function darkroom.clean_report();
alter table darkroom.reports
    add constraint details_have_no_control_characters check (darkroom.has_no_control_characters(details, true)) not valid;

create function darkroom.clean_appeal() returns trigger
language plpgsql as $$
begin
    new.text := coalesce(darkroom.clean_text(new.text), new.text);
    return new;
end $$;
comment on function darkroom.clean_appeal is 'The trigger that keeps the text of an appeal as other texts are kept.';
create trigger clean_appeal before insert on darkroom.appeals
    for each row execute function darkroom.clean_appeal();
alter table darkroom.appeals
    add constraint appeal_has_no_control_characters check (darkroom.has_no_control_characters(text, true)) not valid,
    add constraint appeal_is_not_blank check (not darkroom.is_blank(text)) not valid;

-- The comments there are satisfy both, as they satisfied the one.
alter table darkroom.comments
    drop constraint comment_has_no_control_characters,
    add constraint comment_has_no_control_characters check (darkroom.has_no_control_characters(body, true)) not valid,
    add constraint comment_is_not_blank check (not darkroom.is_blank(body)) not valid;

alter table darkroom.uploads
    drop constraint link_is_an_http_url_of_at_most_2000_characters,
    add constraint link_is_an_http_url_of_at_most_2000_characters
        check (link ~* '^https?://' and char_length(link) <= 2000) not valid,
    drop constraint link_names_a_host_without_credentials_or_control_characters,
    add constraint link_names_a_host_without_credentials_or_control_characters check (darkroom.is_link(link)) not valid,
    add constraint taken_at_is_from_1800_to_2199 check (darkroom.is_photo_time(taken_at)) not valid;
-- Those that were under way while the others were mended: by now nobody writes.
select pg_temp.mend_uploads(now() - interval '10 minutes');

-- Display names.

create function darkroom.has_no_unseen_characters(content text) returns boolean
language sql immutable parallel safe
return content !~ (
    -- Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties), but for those of the lines below.
    '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0E\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E001F\U000E0080-\U000E0FFF]'
    -- U+FE0F makes what it follows an emoji, keycaps included; U+200D joins emoji (Unicode Technical Standard 51).
    || '|(?<![\u00A9\u00AE\u203C\u2049\u2122\u2139\u2190-\u21FF\u2300-\u23FF\u24C2\u25A0-\u27BF\u2900-\u297F\u2B00-\u2BFF\u3030\u303D\u3297\u3299\U0001F000-\U0001FAFF0-9#*])\uFE0F'
    || '|(?<=[0-9#*])\uFE0F(?!\u20E3)'
    -- It and U+200C also shape words of the scripts from Arabic to Sinhala (RFC 5892, appendices A.1 and A.2).
    || '|(?<![\u2190-\u21FF\u2300-\u23FF\u25A0-\u27BF\u2B00-\u2BFF\U0001F000-\U0001FAFF\uFE0F\u0620-\u0DFF])\u200D'
    || '|(?<![\u0620-\u0DFF])\u200C'
    -- Tags tell flags of a country's parts apart.
    || '|(?<![\U0001F3F4\U000E0020-\U000E007E])[\U000E0020-\U000E007F]');
comment on function darkroom.has_no_unseen_characters is
    'Whether a text has no characters that are not seen or set a direction. Those that emoji and the scripts from Arabic to Sinhala are written with are taken where they follow such a character.';

create function darkroom.name_key(name text) returns text
language sql immutable parallel safe
return normalize(btrim(regexp_replace(replace(replace(lower(upper(
    regexp_replace(normalize(regexp_replace(name,
        '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]', '', 'g'), nfkc),
        '[\u115F\u1160]', '', 'g'))),
    E'\u1E9E', 'ss'), E'\u00DF', 'ss'), '[\s\u00A0\u1680\u2800]+', ' ', 'g')), nfkc);
comment on function darkroom.name_key is
    'What tells one display name from another: without what is not seen, in compatibility form (NFKC), whatever the case, sharp s as ss, and any spaces as one, none at the ends.';

alter table darkroom.people drop constraint display_name_has_no_control_characters;
drop index darkroom.display_name_is_taken;
-- Names lose what was not seen in them. Of those that are then the same one remains: one that was so before rather than one
-- that was made so, then that of whoever came first; whoever has none by that can choose another.
with cleaned as materialized (
    select p.person, p.first_seen_at, p.display_name as old, darkroom.clean_word(case
               when darkroom.has_no_unseen_characters(m.name) then m.name
               else regexp_replace(m.name, '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]', '', 'g')
               end) as name
    from darkroom.people p, lateral (select pg_temp.mended(p.display_name) as name) m where p.display_name is not null),
ranked as (
    select c.*, row_number() over (
               partition by darkroom.name_key(c.name) order by c.old is distinct from c.name, c.first_seen_at, c.person) as place
    from cleaned c)
update darkroom.people p
set display_name = case when r.place = 1 and darkroom.name_key(r.name) <> '' then r.name end
from ranked r
where p.person = r.person
  and p.display_name is distinct from case when r.place = 1 and darkroom.name_key(r.name) <> '' then r.name end;
create unique index display_name_is_taken on darkroom.people (darkroom.name_key(display_name)) where display_name is not null;
alter table darkroom.people
    add constraint display_name_has_no_control_characters check (darkroom.has_no_control_characters(display_name)) not valid,
    add constraint display_name_has_no_unseen_characters
        check (darkroom.has_no_unseen_characters(display_name) and darkroom.name_key(display_name) <> '') not valid;

create or replace function darkroom.set_display_name(person text, name text) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    wanted text := darkroom.clean_word(name);
begin
    -- Refused here rather than by the table, whose message would show the person's whole row.
    if not darkroom.has_no_control_characters(wanted) then
        raise exception using errcode = 'check_violation', constraint = 'display_name_has_no_control_characters',
            message = 'the name has control characters', hint = 'Give one line of text.';
    elsif char_length(wanted) > 100 then
        raise exception using errcode = 'check_violation', constraint = 'display_name_is_1_to_100_characters',
            message = format('the name has %s characters', char_length(wanted)), hint = 'Give at most 100.';
    elsif not darkroom.has_no_unseen_characters(wanted) or darkroom.name_key(wanted) = '' then
        raise exception using errcode = 'check_violation', constraint = 'display_name_has_no_unseen_characters',
            message = 'the name has characters that are not seen', hint = 'Leave them out.';
    end if;
    perform darkroom.meet(person);
    update darkroom.people p set display_name = wanted where p.person = set_display_name.person;
end $$;
comment on function darkroom.set_display_name is
    'Sets the name that feeds show for a person, of 1 to 100 characters without control characters and, but for those of emoji and of scripts that need them, without characters that are not seen or set a direction; null or blank for none. It is kept in the normal form C, without spaces at its ends. Names that differ in case, sharp s, compatibility forms or spaces alone are one. Errors: 23505 (display_name_is_taken) where another person has it, 23514 for a name that cannot be shown.';

-- What a login may cancel is what the role may that it has set.
do $$
begin
    perform pg_temp.put_in('darkroom.cancel_job'::regproc, 'session_user', 'darkroom.caller()');
end $$;

comment on function darkroom.enqueue_upload is
    'Queues one photo for publishing, in the caller''s transaction, and answers its job''s number. The original must already be in the media store under original_key, with the SHA-256 (64 hexadecimal digits) and the size in bytes that are given. latitude and longitude are degrees (WGS 84) and go together; accuracy_m is metres. taken_at is from 1800 to the end of 2199, UTC. Texts are kept in the normal form C; category and event, by which posts are found and policies chosen, without spaces at their ends. priority is -100 to 100, lower runs first. The same uploader and idempotency_key give the same job again. Errors: 22023 for a priority or hash that is none, 23514 for a text, link, time or number out of its range (the constraint''s name says which), 23505 where the idempotency key was used for another photo.';
comment on function darkroom.add_comment is
    'Writes a comment of 1 to 2,000 characters under a post that can be seen and answers its number. It may have several lines and no control characters, and is not blank; it is kept in Unicode''s normal form C. Errors: P0002 where no such post can be seen, 23514 for a text or author out of range.';
comment on function darkroom.expiry_for is
    'When a post published at a time expires by the policy in force for its category and event, in whatever normal form; null for never. Days and months are those of UTC.';
comment on function darkroom.location_policy_for is
    'The location policy in force for a category and an event, in whatever normal form. version is the highest of all policies.';

drop function pg_temp.put_in(regprocedure, text, text);
drop function pg_temp.mend_uploads(timestamptz);
drop function pg_temp.mended_link(text);
drop function pg_temp.mended(text, boolean);
-- Functions that were replaced run as their callers until this gives them the owner's rights again.
select darkroom.grant_roles();
