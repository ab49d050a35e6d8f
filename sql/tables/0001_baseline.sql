-- The tables, types, indexes and views, and the first rows of an installation.

create type darkroom.job_state as enum (
    'waiting', 'scheduled', 'parked', 'running', 'succeeded', 'rejected', 'failed', 'cancelled');
comment on type darkroom.job_state is
    'An unfinished job is waiting to be claimed, scheduled for a time, parked by a limit or a drain, or running. A '
    'finished one, unless replayed, stays succeeded, rejected (the upload is at fault), failed (the system is) or '
    'cancelled.';

create type darkroom.attempt_outcome as enum (
    'succeeded', 'rejected', 'retry', 'snoozed', 'failed', 'cancelled', 'crashed', 'returned');
comment on type darkroom.attempt_outcome is 'How one attempt at a job ended.';

create type darkroom.post_state as enum ('published', 'held', 'hidden', 'removed', 'expired');
comment on type darkroom.post_state is
    'Readers see published posts only. held waits for its first review, hidden for another one; removed and expired '
    'are over.';

create type darkroom.report_reason as enum (
    'explicit', 'minors', 'violence', 'harassment', 'spam', 'private_information', 'illegal', 'other');
comment on type darkroom.report_reason is
    'What a reporter objects to. minors is explicit content that shows minors. A person decides on every report for minors, '
    'private_information or illegal.';

create type darkroom.job_wait as enum ('time', 'turn', 'resume');
comment on type darkroom.job_wait is
    'What a job that cannot be claimed waits for: its time, its fair key''s turn, or the resume of a drained queue.';

create type darkroom.location_privacy as enum ('exact', 'grid_10m', 'grid_100m', 'grid_1km', 'place');
comment on type darkroom.location_privacy is
    'How precisely a location is published, from most to least exact: as it is, as the centre of a grid cell, or as the '
    'named place only.';

create type darkroom.vote as enum ('like', 'dislike');
comment on type darkroom.vote is 'A person''s vote on a post or comment; null if there is none or it was taken back.';

create type darkroom.place_key as (
    level text, geonameid bigint);
comment on type darkroom.place_key is
    'A place by its level and GeoNames number. The levels from the widest: country, division (state, province, region), '
    'city, and the place itself; a town that is part of no larger city is its own city. Write it as a row: '
    'in_place => (''city'', 658225) takes the posts of Helsinki and of all its parts.';

create type darkroom.post_filter as (
    category text, activity text, author_handle text, country bigint, division bigint, city bigint, place bigint,
    published_since timestamptz, published_until timestamptz, taken_since timestamptz, taken_until timestamptz,
    taken_hours integer, taken_season text);
comment on type darkroom.post_filter is
    'Which posts a list shows, checked and in the form in which they are compared; null stands for any. taken_hours has a '
    'bit for each hour of the day. See darkroom.filter_of and darkroom.passes.';

-- The gate of every public function. PostgreSQL checks an argument against its domain before the function runs, and
-- the message of a refusal shows nothing of the value.

-- Octets come first, since they cost nothing to count. PostgreSQL's normalize() takes quadratic time on unordered combining
-- characters, and cannot be interrupted. So there are at most 30 in a row, as in the Stream-Safe Text Format (Unicode Standard
-- Annex 15, section 13). The class has the characters whose Canonical_Combining_Class is not 0 in Unicode 16, and those that
-- decompose to such. A server of a later Unicode may know others: GateTests names them.
create domain darkroom.written as text
    constraint a_text_has_at_most_20000_bytes_and_30_combining_marks_in_a_row check (
        case when octet_length(value) > 20000 then false
             when octet_length(value) = char_length(value) then true
             else value !~ ('['
            '\u0300-\u034E\u0350-\u036F\u0483-\u0487\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A'
            '\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u0711\u0730-\u074A\u07EB-\u07F3\u07FD'
            '\u0816-\u0819\u081B-\u0823\u0825-\u0827\u0829-\u082D\u0859-\u085B\u0897-\u089F\u08CA-\u08E1\u08E3-\u08FF\u093C'
            '\u094D\u0951-\u0954\u09BC\u09CD\u09FE\u0A3C\u0A4D\u0ABC\u0ACD\u0B3C\u0B4D\u0BCD\u0C3C\u0C4D\u0C55\u0C56\u0CBC'
            '\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA\u0E38-\u0E3A\u0E48-\u0E4B\u0EB8-\u0EBA\u0EC8-\u0ECB\u0F18\u0F19\u0F35\u0F37\u0F39'
            '\u0F71-\u0F75\u0F7A-\u0F7D\u0F80-\u0F84\u0F86\u0F87\u0FC6\u1037\u1039\u103A\u108D\u135D-\u135F\u1714\u1715\u1734'
            '\u17D2\u17DD\u18A9\u1939-\u193B\u1A17\u1A18\u1A60\u1A75-\u1A7C\u1A7F\u1AB0-\u1ABD\u1ABF-\u1ACE\u1B34\u1B44'
            '\u1B6B-\u1B73\u1BAA\u1BAB\u1BE6\u1BF2\u1BF3\u1C37\u1CD0-\u1CD2\u1CD4-\u1CE0\u1CE2-\u1CE8\u1CED\u1CF4\u1CF8\u1CF9'
            '\u1DC0-\u1DFF\u20D0-\u20DC\u20E1\u20E5-\u20F0\u2CEF-\u2CF1\u2D7F\u2DE0-\u2DFF\u302A-\u302F\u3099\u309A\uA66F'
            '\uA674-\uA67D\uA69E\uA69F\uA6F0\uA6F1\uA806\uA82C\uA8C4\uA8E0-\uA8F1\uA92B-\uA92D\uA953\uA9B3\uA9C0\uAAB0'
            '\uAAB2-\uAAB4\uAAB7\uAAB8\uAABE\uAABF\uAAC1\uAAF6\uABED\uFB1E\uFE20-\uFE2F\U000101FD\U000102E0'
            '\U00010376-\U0001037A\U00010A0D\U00010A0F\U00010A38-\U00010A3A\U00010A3F\U00010AE5\U00010AE6'
            '\U00010D24-\U00010D27\U00010D69-\U00010D6D\U00010EAB\U00010EAC\U00010EFD-\U00010EFF\U00010F46-\U00010F50'
            '\U00010F82-\U00010F85\U00011046\U00011070\U0001107F\U000110B9\U000110BA\U00011100-\U00011102\U00011133\U00011134'
            '\U00011173\U000111C0\U000111CA\U00011235\U00011236\U000112E9\U000112EA\U0001133B\U0001133C\U0001134D'
            '\U00011366-\U0001136C\U00011370-\U00011374\U000113CE-\U000113D0\U00011442\U00011446\U0001145E'
            '\U000114C2\U000114C3\U000115BF\U000115C0\U0001163F\U000116B6\U000116B7\U0001172B\U00011839\U0001183A'
            '\U0001193D\U0001193E\U00011943\U000119E0\U00011A34\U00011A47\U00011A99\U00011C3F\U00011D42\U00011D44\U00011D45'
            '\U00011D97\U00011F41\U00011F42\U0001612F\U00016AF0-\U00016AF4\U00016B30-\U00016B36\U00016FF0\U00016FF1\U0001BC9E'
            '\U0001D165-\U0001D169\U0001D16D-\U0001D172\U0001D17B-\U0001D182\U0001D185-\U0001D18B\U0001D1AA-\U0001D1AD'
            '\U0001D242-\U0001D244\U0001E000-\U0001E006\U0001E008-\U0001E018\U0001E01B-\U0001E021\U0001E023\U0001E024'
            '\U0001E026-\U0001E02A\U0001E08F\U0001E130-\U0001E136\U0001E2AE\U0001E2EC-\U0001E2EF\U0001E4EC-\U0001E4EF'
            '\U0001E5EE\U0001E5EF\U0001E8D0-\U0001E8D6\U0001E944-\U0001E94A'
            ']{31}') end);
comment on domain darkroom.written is
    'What a person wrote: at most 20,000 bytes, and at most 30 combining characters in a row.';

-- A text must also be short enough once it is normalized: that can make it longer.
create domain darkroom.word as darkroom.written
    constraint word_is_one_line_of_at_most_100_characters check (
        case when char_length(value) > 100 then false
             when btrim(value, E' \t\n\u000B\f\r\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u200B\u202F\u205F\u2060\u3000\uFEFF') ~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029\u202D\u202E]' then false
             else octet_length(value) <= 100 or char_length(normalize(value, nfc)) <= 100 end)
    -- Else name_key would compare it as an empty text.
    constraint word_has_a_visible_character_or_is_blank check (
        value ~ ('[^\s\u00A0\u1680\u2007\u202F\u2800\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F'
            '\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]')
        or value !~ '[^\s\u00A0\u2007\u202F\u200B-\u200F\u2060\uFEFF]');
comment on domain darkroom.word is
    'A short name, such as a category: one line of at most 100 characters, one of them visible unless it is blank.';
create domain darkroom.category as darkroom.word;
comment on domain darkroom.category is 'The category of a post: what it shows. One line of at most 100 characters.';
create domain darkroom.activity_name as darkroom.word;
comment on domain darkroom.activity_name is 'What people go to, such as a street fair. One line of at most 100 characters.';

create domain darkroom.line as darkroom.written
    constraint line_is_one_line_of_at_most_200_characters check (
        case when char_length(value) > 200 then false
             when value ~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029\u202D\u202E]' then value !~ '[^\s\u00A0\u200B-\u200F\u2060\uFEFF]'
             else octet_length(value) <= 200 or char_length(normalize(value, nfc)) <= 200 end);
comment on domain darkroom.line is 'One line of at most 200 characters, without control characters.';
create domain darkroom.headline as darkroom.line;
comment on domain darkroom.headline is 'The headline of a post: one line of at most 200 characters.';
create domain darkroom.place_text as darkroom.line;
comment on domain darkroom.place_text is 'A place as somebody typed it: one line of at most 200 characters.';

create domain darkroom.prose as darkroom.written
    constraint prose_has_at_most_5000_characters_and_no_control_characters check (
        case when char_length(value) > 5000 then false
             when value ~ '[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\u202D\u202E]' then false
             else octet_length(value) <= 5000 or char_length(normalize(value, nfc)) <= 5000 end);
comment on domain darkroom.prose is 'Lines of at most 5,000 characters together, without control characters but tabs and line ends.';

create domain darkroom.caption as darkroom.prose;
comment on domain darkroom.caption is 'The text of a post: at most 5,000 characters.';

create domain darkroom.remark as darkroom.prose
    constraint remark_is_at_most_2000_characters check (
        char_length(value) <= 2000 and (octet_length(value) <= 2000 or char_length(normalize(value, nfc)) <= 2000));
comment on domain darkroom.remark is 'A comment, or what a reporter adds: at most 2,000 characters.';
create domain darkroom.display_name as darkroom.word;
comment on domain darkroom.display_name is 'The name that readers see: one line of at most 100 characters.';

create domain darkroom.person as text
    constraint person_is_1_to_200_characters check (
        case when octet_length(value) > 800 then false else char_length(value) between 1 and 200 end);
comment on domain darkroom.person is 'The opaque identifier of a person, as the app has it: 1 to 200 characters.';

create domain darkroom.handle as text
    constraint handle_is_24_hexadecimal_digits check (octet_length(value) = 24 and value ~ '^[0-9a-f]+$');
comment on domain darkroom.handle is 'What stands for an author, as author_handle of lists: 24 hexadecimal digits.';

create domain darkroom.idempotency_key as text
    constraint idempotency_key_is_1_to_200_characters check (
        case when octet_length(value) > 800 then false else char_length(value) between 1 and 200 end);
comment on domain darkroom.idempotency_key is 'A key of an uploader that makes an upload happen once: 1 to 200 characters.';

create domain darkroom.media_key as text
    constraint media_key_is_1_to_1024_characters check (
        case when octet_length(value) > 4096 then false else char_length(value) between 1 and 1024 end);
comment on domain darkroom.media_key is 'A path in the media store: 1 to 1,024 characters.';

-- Not named sha256, since that would hide PostgreSQL's function from anyone who has this schema in the search path.
create domain darkroom.sha256_digits as text
    constraint sha256_is_64_hexadecimal_digits check (octet_length(value) = 64 and value ~ '^[0-9A-Fa-f]+$');
comment on domain darkroom.sha256_digits is 'A SHA-256 in 64 hexadecimal digits.';

create domain darkroom.link as darkroom.written
    constraint link_is_an_http_url_of_at_most_2000_characters check (
        char_length(value) <= 2000 and (octet_length(value) <= 2000 or char_length(normalize(value, nfc)) <= 2000));
comment on domain darkroom.link is 'An address on the web: at most 2,000 characters.';

create domain darkroom.place_country as text
    constraint place_country_is_2_capital_letters check (octet_length(value) = 2 and value ~ '^[A-Z]+$');
comment on domain darkroom.place_country is 'A country by ISO 3166-1 alpha-2: two capital letters.';

create domain darkroom.queue_name as text
    constraint queue_name_is_1_to_50_of_a_to_z_0_to_9_and_dashes check (
        octet_length(value) between 1 and 50 and value ~ '^[a-z0-9][a-z0-9_-]*$');
comment on domain darkroom.queue_name is 'The name of a queue: 1 to 50 of a to z, 0 to 9, _ and -.';

create domain darkroom.choice as text constraint choice_has_at_most_100_bytes check (octet_length(value) <= 100);
comment on domain darkroom.choice is 'One of several words; the function says which.';

create domain darkroom.privacy_choice as text
    constraint location_privacy_is_exact_grid_10m_grid_100m_grid_1km_or_place check (
        value in ('exact', 'grid_10m', 'grid_100m', 'grid_1km', 'place'));
comment on domain darkroom.privacy_choice is
    'How exactly a post''s location is published: exact, grid_10m, grid_100m, grid_1km or place. See darkroom.location_privacy.';

create domain darkroom.cursor as text constraint cursor_has_at_most_200_bytes check (octet_length(value) <= 200);
comment on domain darkroom.cursor is 'Where a page begins: the cursor of the last row of the page before.';

create domain darkroom.latitude as double precision
    constraint latitude_is_within_90_degrees check (value between -90 and 90);
comment on domain darkroom.latitude is 'Degrees north, WGS 84: -90 to 90.';
create domain darkroom.longitude as double precision
    constraint longitude_is_within_180_degrees check (value between -180 and 180);
comment on domain darkroom.longitude is 'Degrees east, WGS 84: -180 to 180.';

-- Half the circumference of the Earth: no place is farther from another.
create domain darkroom.metres as double precision
    constraint metres_is_0_to_20040000 check (value between 0 and 20040000);
comment on domain darkroom.metres is 'A distance along the Earth in metres: 0 to 20,040,000.';
create domain darkroom.accuracy_m as double precision
    constraint accuracy_is_above_0_and_at_most_1000000_metres check (value > 0 and value <= 1000000);
comment on domain darkroom.accuracy_m is 'The radius of uncertainty of a position in metres: above 0, at most 1,000,000.';

create domain darkroom.moment as timestamptz
    constraint moment_is_from_1800_to_2199 check (
        value >= timestamptz '1800-01-01 00:00:00+00' and value < timestamptz '2200-01-01 00:00:00+00');
comment on domain darkroom.moment is 'A finite time from 1800 to the end of 2199, UTC.';

create domain darkroom.byte_count as bigint
    constraint byte_count_is_0_to_9007199254740991 check (value between 0 and 9007199254740991);
comment on domain darkroom.byte_count is 'A size in bytes: below 2 to the power of 53, which every JSON reader can hold.';

create domain darkroom.post_numbers as bigint[]
    constraint post_numbers_are_a_list_of_at_most_10000 check (
        coalesce(array_ndims(value), 1) = 1 and cardinality(value) <= 10000);
comment on domain darkroom.post_numbers is 'Up to 10,000 numbers of posts.';
create domain darkroom.view_counts as integer[]
    constraint view_counts_are_a_list_of_at_most_10000 check (
        coalesce(array_ndims(value), 1) = 1 and cardinality(value) <= 10000);
comment on domain darkroom.view_counts is 'Up to 10,000 numbers of views.';

create type darkroom.stage_time as (
    stage text, milliseconds real);
comment on type darkroom.stage_time is 'How long an attempt took for a stage, in milliseconds.';

create type darkroom.new_upload as (
    uploader darkroom.person, original_key darkroom.media_key, original_sha256 darkroom.sha256_digits,
    original_bytes darkroom.byte_count, headline darkroom.headline, caption darkroom.caption, link darkroom.link,
    category darkroom.category, activity darkroom.activity_name, latitude darkroom.latitude, longitude darkroom.longitude,
    place_text darkroom.place_text, taken_at darkroom.moment, idempotency_key darkroom.idempotency_key,
    accuracy_m darkroom.accuracy_m, location_privacy darkroom.privacy_choice, place_near_latitude darkroom.latitude,
    place_near_longitude darkroom.longitude, place_country darkroom.place_country, anonymous boolean,
    replaces bigint, is_draft boolean, venue_id darkroom.word, venue_name darkroom.line, credit darkroom.line,
    licence darkroom.line);
comment on type darkroom.new_upload is
    'One photo for darkroom.enqueue_uploads, or one text without original_*: its fields are those of the objects.';

create type darkroom.cluster as (
    cluster_id bigint, posts integer, latitude double precision, longitude double precision, best_post_id bigint);
comment on type darkroom.cluster is
    'The posts of one square of the map: how many, their mean position in degrees, and the number of the best of them '
    'by hot.';

create type darkroom.upload_status as (
    job_id bigint, state text, reason text, message text, attempts integer, enqueued_at
    timestamptz, run_at timestamptz, finished_at timestamptz, post_id
    bigint, post_state text, stripped text[], exif_fields integer, location_privacy text);
comment on type darkroom.upload_status is
    'The state of a job. reason is a code for programs, message a sentence for the uploader, post_id the post that an '
    'upload became, and post_state its state now: published, held, hidden, removed or expired. stripped names the kinds of metadata that '
    'the photo had and the post does not, exif_fields counts the fields of its EXIF block, and location_privacy says how exactly '
    'its position is published.';

create type darkroom.own_post as (
    job_id bigint, post_id bigint, state text, reason text, message text, uploaded_at timestamptz, published_at timestamptz,
    expires_at timestamptz, headline text, caption text, link text, category text, activity text, venue_id text, venue_name text,
    credit text, licence text, pictures jsonb,
    likes integer, dislikes integer, comments integer, views bigint, cursor text);
comment on type darkroom.own_post is
    'An upload as its uploader sees it. state is draft, waiting, rejected, failed or cancelled, or that of the post it became: '
    'published, held, hidden, removed or expired. reason is a code for programs and message a sentence for the uploader: why '
    'it was rejected, failed, held, hidden or removed. pictures are as in darkroom.feed_post; likes, dislikes, comments and '
    'views are those of the post, 0 without one; cursor is the value of after for the rows that follow.';

create type darkroom.post_event as (
    number bigint, event text, post_id bigint, comment_id bigint, occurred_at timestamptz,
    uploader text, job_id bigint, reason text, likes integer, author_handle text, by_uploader boolean, is_told boolean,
    latitude double precision, longitude double precision);
comment on type darkroom.post_event is
    'Something that happened to a post: published, held (for review, before anyone has seen it), hidden, restored, '
    'removed, expired, edited, rerendered, relocated, corrected, appeal_answered, liked, with how many likes by others came since '
    'the last such event, or commented and comment_deleted, with the comment''s number. rejected has no post but the '
    'number of the job, and the reason''s code. comment_held, comment_hidden, comment_restored, comment_removed and '
    'comment_appeal_answered tell of the moderation of a comment. number is its place in the reading order. uploader is whose post or '
    'upload it is, or, of decisions on a comment, who wrote it; null once that is erased. author_handle stands for the author of the comment, else of the post, and latitude and '
    'longitude are where the post is shown, in degrees. by_uploader: the uploader edited, deleted or commented on the post. is_told: the uploader''s inbox tells of it, so a '
    'push message may; not what they did, what they do not want to be told of, or comments of authors whom they have blocked.';

create type darkroom.known_activity as (
    activity text, latitude double precision, longitude double precision, radius_m double precision, begins_at timestamptz,
    ends_at timestamptz, aliases text[], posts_moved bigint, distance_m double precision, cursor text);
comment on type darkroom.known_activity is
    'An activity of darkroom.activities: its name, its area (the centre in degrees and the radius in metres), when it begins '
    'and ends, and its other names. While posts are yet to follow a change, posts_moved says of how many this was seen to so far; '
    'it is null when all have followed. distance_m is from the reader''s coordinate to the area, and cursor the value of after '
    'for the activities that follow.';

create type darkroom.feed_post as (
    post_id bigint, published_at timestamptz, uploader text, display_name text, author_handle text, anonymous boolean, headline text,
    caption text, link text, category text, activity text, venue_id text, venue_name text, credit text, licence text,
    taken_at timestamptz, taken_at_local
    timestamp, time_zone text, latitude double precision, longitude double precision,
    location_precision text, location_accuracy_m double precision, direction double precision, altitude_m double precision,
    country_geonameid bigint, country_code text, country_name text, division_geonameid bigint, division_code text, division_name text, city_geonameid bigint, city_name text, place_geonameid bigint, place_name text, width integer, height integer, placeholder bytea, pictures jsonb, likes integer, dislikes
    integer, comments integer, views bigint, my_vote text, distance_m double precision, score double precision, cursor text);
comment on type darkroom.feed_post is
    'A post as readers see it. uploader is null if the post is anonymous, or the caller''s role does not act for people; '
    'author_handle stands for the uploader, and an anonymous one has another handle. venue_id and venue_name are the app''s number and the name of '
    'where it was, credit and licence who made the photo and what others may do with it, as the uploader said. location_precision and location_accuracy_m are those of darkroom.posts: a post of a whole '
    'country or division lies in its middle, so show no pin for it. direction is where the camera pointed, in degrees clockwise from north (or from magnetic north, as the camera wrote '
    'it), and altitude_m metres above the sea: of photos at an exact position, if the installation keeps them. The geonameids are the numbers of GeoNames, for in_place; width and height '
    'are the upright original''s, and null in a post without a photo; placeholder is a ThumbHash; pictures is a list, largest first, of objects with name, media_key, format, width, height and bytes. '
    'my_vote is the viewer''s own vote, like or dislike. distance_m is from the reader''s coordinate, score is what the feed '
    'is ordered by, and cursor is the value of after for the posts that follow.';

create type darkroom.feed_comment as (
    comment_id bigint, post_id bigint, author text, author_handle text, display_name text, body text, likes integer, dislikes integer,
    created_at timestamptz, my_vote text, cursor text);
comment on type darkroom.feed_comment is
    'A comment as readers see it. author and display_name are null for the uploader of an anonymous post, and author if the '
    'caller''s role does not act for people; author_handle stands for the author. my_vote is the viewer''s own vote, like or dislike; cursor '
    'is the value of after for the comments that follow.';

-- Pinned: state_of, worker_of, has_no_control_characters, is_blank, has_no_unseen_characters, name_key, is_plain_text, is_link, is_photo_time, tile_at, plane_of, day_number, week_number

-- Who waits for whom. A login that sees no table may still hold any advisory lock, so Darkroom locks rows. Few are on a page, as
-- each lock writes to its row.
create table darkroom.locks (
    name   text not null,
    number integer not null,
    primary key (name, number)
) with (fillfactor = 40);
comment on table darkroom.locks is
    'One row per lock. Functions lock these rows until their transactions end: take_lock, try_lock and share_lock. acts are 64, '
    'by person; media, person, display_name, activity, activity_name and quota are 1,024 each, by lock_number.';

-- The queue. Unfinished jobs are in a narrow, hot table; finished jobs move to history, with one partition per day.

create table darkroom.job_kinds (
    kind text primary key check (kind ~ '^[a-z][a-z0-9_]{0,39}$')
);
comment on table darkroom.job_kinds is
    'The kinds of jobs. Each kind has its handler in the workers; prepare_queue registers the kinds of a release.';

create table darkroom.queues (
    name       text primary key,
    created_at timestamptz not null default now(),
    constraint queue_name_is_1_to_50_of_a_to_z_0_to_9_and_dashes check (name ~ '^[a-z0-9][a-z0-9_-]{0,49}$')
);
comment on table darkroom.queues is
    'Queues by name. The first job that is enqueued into a queue creates it. Workers choose which queues they serve.';

create table darkroom.lanes (
    lane     smallint primary key,
    queue    text not null references darkroom.queues (name),
    kind     text not null references darkroom.job_kinds (kind),
    priority smallint not null,
    position regclass not null,
    constraint priority_is_within_100 check (priority between -100 and 100),
    constraint lanes_queue_kind_priority_key unique (queue, kind, priority)
);
comment on table darkroom.lanes is
    'A lane is a queue''s jobs of one kind and priority, in order. A claim walks the lanes by priority; lanes of the '
    'same priority take turns.';
comment on column darkroom.lanes.position is
    'A sequence that holds the lane''s virtual time: the slot that claims have reached. A sequence has one version, '
    'whatever snapshots are held, and takes no row lock.';

-- A claim of a job without a limit or dedupe_key changes no indexed column (a HOT update), so it writes no index
-- entry and leaves none behind. The fill factor leaves room on each page for a second version of every row. A job
-- with a lease is running. Jobs that wait for something other than a worker are not in the index jobs_claim.
-- No check constraint, because each insert would parse its text: what columns say of each other, the tests check after
-- each step of their histories.
create table darkroom.jobs (
    job_id           bigint generated by default as identity primary key,
    subject_id       bigint not null,
    slot             bigint not null,
    fair_hash        bigint not null,
    lease            bigint,
    leased_at        timestamptz,
    run_at           darkroom.moment not null default now(),
    created_at       timestamptz not null default now(),
    running_key      bigint,
    dedupe_key       bigint,
    lane             smallint not null,
    failures         smallint not null default 0,
    crashes          smallint not null default 0,
    deaths           smallint not null default 0,
    tried_s          real not null default 0,
    kind             text not null,
    waits_for        darkroom.job_wait,
    attempt          integer not null default 0,
    is_paced         boolean not null default false,
    came_back        boolean not null default false,
    cancel_requested boolean not null default false,
    fair_key         text not null,
    stage            text
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
comment on table darkroom.jobs is
    'Unfinished jobs. subject_id is an upload (ingest, ingest_text) or a post (moderate). In a lane, the job with the lowest slot '
    'runs first.';
comment on column darkroom.jobs.lease is
    'Null unless the job runs. A lease is a worker''s number times 2^36, plus the number of the worker''s claim, so it never '
    'comes twice. Every write of a worker names it.';
comment on column darkroom.jobs.fair_hash is
    'hashtextextended(fair_key, 0): eight bytes to index instead of a text. Keys with the same hash share turns.';
comment on column darkroom.jobs.running_key is
    'fair_hash while a job of a limited key runs, so that the running jobs of the key can be counted.';
comment on column darkroom.jobs.dedupe_key is
    'At most one job of a kind with the same value waits for its first claim. Null once claimed.';
comment on column darkroom.jobs.failures is 'Attempts that count against the retry policy.';
comment on column darkroom.jobs.crashes is
    'Attempts in which the renderer died. Counted separately: this is evidence against the photo.';
comment on column darkroom.jobs.deaths is
    'Attempts in which the worker died or was cut off. A job with any is a suspect: a worker runs one suspect at a time.';
comment on column darkroom.jobs.tried_s is
    'Seconds in attempts that failed, by the workers'' own clocks, and in the waits that the retry policy made of them.';
comment on column darkroom.jobs.waits_for is
    'Null: a worker. time: run_at. turn: its key''s limit. resume: the end of a drain.';
comment on column darkroom.jobs.attempt is 'How many attempts have begun. Numbers the rows of job_attempts.';
comment on column darkroom.jobs.is_paced is 'Whether the job has had its turn under its key''s rate limit.';
comment on column darkroom.jobs.came_back is
    'Whether the job has been at the front of its key before: it is tried again, or a limit held it back. Such jobs of a key '
    'have a line of their own, because they must not wait for the key''s backlog.';
comment on column darkroom.jobs.slot is
    'The place in the lane. A job that waits for something other than a worker has none, which is 0; it gets one when it is ready.';
comment on column darkroom.jobs.stage is 'The last stage that a running job reported.';
create index jobs_claim on darkroom.jobs (lane, slot) where waits_for is null;
create index jobs_fair on darkroom.jobs (lane, fair_hash, slot);
create index jobs_back on darkroom.jobs (lane, fair_hash, slot) where came_back;
create index jobs_due on darkroom.jobs (run_at) where waits_for = 'time';
create index jobs_postponed on darkroom.jobs (run_at) where waits_for = 'time' and attempt > 0;
create index jobs_parked on darkroom.jobs (fair_hash, lane, created_at, job_id) where waits_for = 'turn';
create index jobs_limited on darkroom.jobs (running_key) where running_key is not null;
create unique index jobs_one_waiting on darkroom.jobs (kind, dedupe_key) where dedupe_key is not null;
create index jobs_awaiting_resume on darkroom.jobs (lane, job_id) where waits_for = 'resume';
create index jobs_suspect on darkroom.jobs (lane, slot) where deaths > 0;

create sequence darkroom.exceptions;
comment on sequence darkroom.exceptions is
    'Has a value while there may be a drain, or a weight other than 1: then enqueue_job looks for them. A sequence has one version, '
    'whatever snapshots are held, and costs less to look at than the tables.';

create sequence darkroom.unpark_position minvalue -9223372036854775808 start 0;
comment on sequence darkroom.unpark_position is
    'The fair_hash of the last key whose jobs unpark_all released. A sequence has one version, whatever snapshots are held.';

-- One row per claim that found jobs. An index on jobs.lease would make every claim write to it; here a claim of any
-- size writes one entry. The array stays in the row: a claim takes at most 500 jobs.
create table darkroom.leases (
    lease   bigint primary key,
    job_ids bigint[] not null check (cardinality(job_ids) between 1 and 500)
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
alter table darkroom.leases alter column job_ids set storage plain;
comment on table darkroom.leases is
    'The jobs that each claim took, in the order of their numbers. A review of the worker shortens or removes the row once '
    'jobs no longer have the lease. From these rows the database finds what a worker holds, and what nobody runs.';

-- One row per worker process. Its heartbeat renews every lease it holds.
create table darkroom.workers (
    worker_id       bigint generated always as identity primary key,
    host            text not null,
    pid             integer not null,
    version         text not null,
    concurrency     integer not null check (concurrency > 0),
    started_at      timestamptz not null default clock_timestamp(),
    heartbeats      bigint not null default 0,
    heartbeat_at    timestamptz not null default clock_timestamp(),
    first_lease     bigint not null default 0,
    running         integer not null default 0,
    drain_requested boolean not null default false,
    away            text[] not null default '{}'
) with (fillfactor = 50);
comment on table darkroom.workers is
    'Living workers. Any worker that sees the heartbeats of another stand still for 12 seconds takes back its jobs, and '
    'removes the row.';
comment on column darkroom.workers.heartbeats is
    'How many heartbeats it has sent. Others watch this number by their own clocks, so no clocks are compared.';
comment on column darkroom.workers.heartbeat_at is 'When the last heartbeat came, for people.';
comment on column darkroom.workers.first_lease is
    'No lease below this one has a row in leases, so that nobody passes over what VACUUM has yet to remove.';
comment on column darkroom.workers.away is
    'What its jobs need and it cannot reach, each with the reason: it claims no such jobs. As of its last heartbeat.';
comment on column darkroom.workers.running is 'How many jobs it ran at its last heartbeat.';

create table darkroom.worker_queues (
    worker_id   bigint not null references darkroom.workers (worker_id) on delete cascade,
    queue       text not null,
    concurrency integer not null check (concurrency > 0),
    awaited     text[],
    primary key (worker_id, queue)
);
comment on table darkroom.worker_queues is
    'The queues that each worker serves, and how many jobs of each it runs at once.';
comment on column darkroom.worker_queues.awaited is
    'The kinds of jobs of this queue that the worker waits to be told of; null if it is busy. Commits that notify take turns, so '
    'of a job that nobody awaits nobody is told.';
create index worker_queues_awaited on darkroom.worker_queues (queue) where awaited is not null;

create table darkroom.drained_workers (
    worker_id  bigint primary key,
    rescued_at timestamptz not null default clock_timestamp()
);
comment on table darkroom.drained_workers is
    'Workers that were told to drain and then counted as dead. A process that comes back gets the order again with its new '
    'number. Rows are kept for a week.';

-- The attempt that finished a job is kept in this row, so that most jobs need only one row of history.
-- job_attempts has the attempts before it.
create table darkroom.finished_jobs (
    job_id      bigint not null,
    kind        text not null,
    state       darkroom.job_state not null check (state in ('succeeded', 'rejected', 'failed', 'cancelled')),
    subject_id  bigint not null,
    fair_key    text not null,
    attempt     integer not null,
    failures    integer not null,
    crashes     integer not null,
    deaths      integer not null,
    reason      text,
    message     text,
    created_at  timestamptz not null,
    finished_at timestamptz not null,
    lane        smallint not null,
    lease       bigint,
    started_at  timestamptz,
    cause       text,
    verdict     text,
    stages      darkroom.stage_time[],
    primary key (job_id, finished_at)
) partition by range (finished_at);
comment on table darkroom.finished_jobs is
    'Finished jobs, by day. reason is a code for programs, message a sentence for people.';
comment on column darkroom.finished_jobs.lease is
    'The lease of the attempt that finished the job; null if none did, as when a waiting job is cancelled.';
comment on column darkroom.finished_jobs.cause is 'The error behind reason and message, for engineers.';
comment on column darkroom.finished_jobs.verdict is 'What the renderer said about the photo.';
create index finished_jobs_unsuccessful on darkroom.finished_jobs (state, finished_at desc)
    where state <> 'succeeded';
create index finished_jobs_time on darkroom.finished_jobs using brin (finished_at);

create table darkroom.finished_jobs_default partition of darkroom.finished_jobs default;

create table darkroom.job_attempts (
    job_id     bigint not null,
    attempt    integer not null,
    lease      bigint not null,
    outcome    darkroom.attempt_outcome not null,
    reason     text,
    message    text,
    started_at timestamptz not null,
    ended_at   timestamptz not null,
    cause      text,
    verdict    text,
    stages     darkroom.stage_time[],
    primary key (job_id, attempt, ended_at)
) partition by range (ended_at);
comment on table darkroom.job_attempts is
    'How the attempts that did not finish their job ended, by day. Each row is written once, when its attempt ends.';

create table darkroom.job_attempts_default partition of darkroom.job_attempts default;

create table darkroom.replays (
    replay_id   bigint generated always as identity primary key,
    job_id      bigint not null,
    from_state  darkroom.job_state not null,
    reason      text,
    message     text,
    replayed_by text not null,
    replayed_at timestamptz not null default clock_timestamp(),
    why         text,
    finished_at timestamptz
);
comment on table darkroom.replays is 'Who replayed which finished job, and how it had ended.';
comment on column darkroom.replays.why is 'The operator''s reason.';
create index replays_job on darkroom.replays (job_id);
create index replays_replayed_by on darkroom.replays (replayed_by);
create index replays_time on darkroom.replays (replayed_at);

create table darkroom.pauses (
    queue     text references darkroom.queues (name),
    kind      text references darkroom.job_kinds (kind),
    drains    boolean not null,
    paused_by text not null,
    paused_at timestamptz not null default clock_timestamp(),
    constraint pauses_queue_kind_key unique nulls not distinct (queue, kind),
    constraint a_pause_names_a_queue_or_a_kind check (num_nonnulls(queue, kind) >= 1)
);
comment on table darkroom.pauses is
    'What is not claimed now: a queue, a kind, or a kind in a queue. If drains is true, jobs that were there before '
    'still run and later ones are parked.';

create table darkroom.kind_policies (
    kind             text primary key references darkroom.job_kinds (kind),
    max_failures     integer not null default 8 check (max_failures between 1 and 1000),
    max_crashes      integer not null default 3 check (max_crashes between 1 and 100),
    max_deaths       integer not null default 8 check (max_deaths between 2 and 100),
    backoff_base     interval not null default '00:00:02' check (backoff_base > '00:00:00' and backoff_base <= '30 days'),
    backoff_cap      interval not null default '00:15:00' check (backoff_cap > '00:00:00' and backoff_cap <= '30 days'),
    jitter           double precision not null default 0.5 check (jitter between 0 and 1),
    attempt_deadline interval default '00:05:00' check (attempt_deadline > '00:00:00' and attempt_deadline <= '30 days'),
    total_deadline   interval default '7 days' check (total_deadline > '00:00:00' and total_deadline <= '3650 days')
);
comment on table darkroom.kind_policies is
    'How often, how soon and how long jobs of a kind are tried. Every worker reads it every few seconds; kinds without '
    'a row have the defaults.';
comment on column darkroom.kind_policies.max_crashes is
    'Deaths of the renderer in attempts at a job after which the job is quarantined.';
comment on column darkroom.kind_policies.max_deaths is
    'Deaths of workers in attempts at a job after which the job is quarantined. In all but the first, the job was the only '
    'suspect of the worker that died.';
comment on column darkroom.kind_policies.jitter is 'The share of a delay that is random.';
comment on column darkroom.kind_policies.attempt_deadline is
    'An attempt that takes longer is stopped and counts as failed; null for no limit.';
comment on column darkroom.kind_policies.total_deadline is
    'A job is not tried again once its failed attempts, and the waits after them, have taken that long; null for no limit. The time '
    'before its first attempt, and that in which what it needs is away, does not count.';

create table darkroom.fair_keys (
    fair_key    text primary key check (char_length(fair_key) between 1 and 200),
    weight      double precision not null default 1 check ((weight >= 0.001) and (weight <= 1000)),
    max_running integer check (max_running > 0),
    per_minute  double precision constraint rate_is_0_001_to_1_000_000_per_minute check (per_minute between 0.001 and 1000000),
    burst       integer not null default 1 constraint burst_is_1_to_1_000_000 check (burst between 1 and 1000000)
);
comment on table darkroom.fair_keys is
    'Shares and limits of single keys (uploaders). The row of the key * applies to every key that has no row.';
comment on column darkroom.fair_keys.weight is 'Turns that the key gets for every turn of a key of weight 1.';
comment on column darkroom.fair_keys.max_running is
    'How many jobs of the key run at once, across all workers; null for no limit.';
comment on column darkroom.fair_keys.per_minute is
    'How many jobs of the key start per minute, of which burst may start together; null for no limit. From 0.001 to 1,000,000.';

create table darkroom.fair_key_paces (
    fair_hash bigint primary key,
    next_at   timestamptz not null
) with (fillfactor = 50);
comment on table darkroom.fair_key_paces is
    'When a key with a rate limit may start its next job, by the generic cell rate algorithm (ITU-T I.371).';

create table darkroom.schedules (
    name        text primary key,
    cron        text not null,
    time_zone   text not null default 'UTC',
    kind        text not null references darkroom.job_kinds (kind),
    subject_id  bigint not null default 0,
    queue       text not null default 'default',
    priority    smallint not null default 50 check (priority between -100 and 100),
    is_enabled  boolean not null default true,
    next_run_at timestamptz,
    planned_at  timestamptz,
    last_run_at timestamptz,
    last_job_id bigint,
    constraint schedule_name_is_1_to_50_of_a_to_z_0_to_9_and_dashes check (name ~ '^[a-z0-9][a-z0-9_-]{0,49}$'),
    constraint schedule_queue_is_1_to_50_of_a_to_z_0_to_9_and_dashes check (queue ~ '^[a-z0-9][a-z0-9_-]{0,49}$')
);
comment on table darkroom.schedules is
    'Periodic jobs. Runs missed while no worker was alive are made up for once. next_run_at is null until a worker has '
    'computed it.';
comment on column darkroom.schedules.planned_at is
    'When next_run_at was computed. If that is in the future, the server''s clock was wrong then, and it is computed again.';

create table darkroom.intake (
    is_only_row     boolean primary key default true check (is_only_row),
    photo_types     text[] not null,
    bytes_at_most   bigint not null,
    pixels_at_most  bigint not null,
    attributions    text[] not null,
    noted_at        timestamptz not null default clock_timestamp()
);
comment on table darkroom.intake is
    'At most one row: which photos the worker that started last takes, and whom the places of its gazetteer must be credited to. '
    'Apps read it with posting_rules.';

create table darkroom.settings (
    is_only_row     boolean primary key default true check (is_only_row),
    history_days    integer not null default 30,
    original_days   integer not null default 7,
    original_grace  interval not null default '01:00:00',
    rendition_grace interval not null default '1 day',
    unclaimed_days  integer default 30,
    expired_days    integer default 30,
    undecided_days  integer not null default 90,
    event_days      integer not null default 30,
    like_gathering  interval not null default '10 minutes',
    inbox_days      integer not null default 90,
    activities_at_most integer not null default 1000,
    blocks_at_most  integer not null default 1000,
    follows_at_most integer not null default 50,
    anonymous_within text not null default 'category',
    activity_days   integer default 365,
    removed_days    integer not null default 180,
    decision_days   integer default 730,
    record_days     integer not null default 730,
    most_queues     integer not null default 50,
    most_lanes      integer not null default 2000,
    most_consumers  integer not null default 100,
    reports_a_day   integer not null default 100,
    unique_names    boolean not null default true,
    takes_dislikes  boolean not null default true,
    given_up_name_days integer not null default 30,
    draft_days      integer not null default 90,
    media_identity  text,
    installation    text not null default lpad(to_hex((random() * 4294967295)::bigint), 8, '0'),
    constraint decision_days_is_1_to_3650 check (decision_days between 1 and 3650),
    constraint decisions_outlast_removed_posts check (decision_days >= removed_days),
    constraint event_days_is_1_to_3650 check (event_days between 1 and 3650),
    constraint history_days_is_1_to_3650 check (history_days between 1 and 3650),
    constraint expired_days_is_0_to_3650 check (expired_days between 0 and 3650),
    constraint anonymous_within_is_post_activity_category_or_app check (anonymous_within in ('post', 'activity', 'category', 'app')),
    constraint activities_at_most_is_0_to_30000 check (activities_at_most between 0 and 30000),
    constraint blocks_at_most_is_0_to_1000 check (blocks_at_most between 0 and 1000),
    constraint follows_at_most_is_0_to_200 check (follows_at_most between 0 and 200),
    constraint activity_days_is_1_to_3650 check (activity_days between 1 and 3650),
    constraint given_up_name_days_is_0_to_3650 check (given_up_name_days between 0 and 3650),
    constraint draft_days_is_1_to_3650 check (draft_days between 1 and 3650),
    constraint like_gathering_is_0_to_1_day check (like_gathering between '00:00:00' and '1 day'),
    constraint inbox_days_is_1_to_3650 check (inbox_days between 1 and 3650),
    constraint installation_is_8_hexadecimal_digits check (installation ~ '^[0-9a-f]{8}$'),
    constraint media_identity_is_16_hexadecimal_digits check (media_identity ~ '^[0-9a-f]{16}$'),
    constraint most_consumers_is_1_to_10000 check (most_consumers between 1 and 10000),
    constraint most_lanes_is_1_to_30000 check (most_lanes between 1 and 30000),
    constraint most_queues_is_1_to_30000 check (most_queues between 1 and 30000),
    constraint original_days_is_0_to_3650 check (original_days between 0 and 3650),
    constraint original_grace_is_0_to_3650_days check (original_grace between '00:00:00' and '3650 days'),
    constraint record_days_is_1_to_3650 check (record_days between 1 and 3650),
    constraint records_outlast_removed_posts check (record_days >= removed_days),
    constraint removed_days_is_0_to_3650 check (removed_days between 0 and 3650),
    constraint reports_a_day_is_1_to_100000 check (reports_a_day between 1 and 100000),
    constraint rendition_grace_is_0_to_3650_days check (rendition_grace between '00:00:00' and '3650 days'),
    constraint unclaimed_days_is_0_to_3650 check (unclaimed_days between 0 and 3650),
    constraint undecided_days_is_1_to_3650 check (undecided_days between 1 and 3650)
);
comment on table darkroom.settings is
    'One row. history_days: for how many whole days finished jobs and their attempts are kept.';
comment on column darkroom.settings.most_queues is
    'How many queues there may be, since anyone who may enqueue can name a new one; most_lanes: how many queues, kinds and '
    'priorities; most_consumers: how many readers of events.';
comment on column darkroom.settings.history_days is
    'Whole days for which finished jobs, their attempts and replays are kept. An upload that became no post ends with its '
    'job''s history, and the row of a deleted comment after as many days.';
comment on column darkroom.settings.original_days is
    'Days for which an original is kept after its upload, for replays and re-rendering.';
comment on column darkroom.settings.original_grace is
    'The least time that an original is kept after it was last stored: another upload of the same bytes may be about '
    'to be enqueued.';
comment on column darkroom.settings.unclaimed_days is
    'Days after which an original that was stored, and that no upload refers to, is removed by the schedule sweep; null '
    'keeps it.';
comment on column darkroom.settings.rendition_grace is
    'How long pictures that a re-rendering replaced are kept for readers who still have their addresses.';
comment on column darkroom.settings.expired_days is
    'Days after which an expired post is erased with everything that belongs to it; null keeps it.';
comment on column darkroom.settings.undecided_days is
    'Days after which a post that its uploader deleted during a review is erased, even if nobody has decided on it.';
comment on column darkroom.settings.event_days is 'For how many whole days events are kept, read or not.';
comment on column darkroom.settings.anonymous_within is
    'Where the anonymous posts of a person have the same handle: in each post only, in each activity or category, or in the '
    'whole app. Posts keep the handle that they were published with.';
comment on column darkroom.settings.activities_at_most is
    'How many activities each login can have with create_activity.';
comment on column darkroom.settings.blocks_at_most is
    'How many authors a person can have blocked: each list is compared with them.';
comment on column darkroom.settings.follows_at_most is
    'How many places and areas a person can follow: followed_posts reads each.';
comment on column darkroom.settings.unique_names is
    'Whether no two people can choose the same display name. Those who have the same one when this becomes true keep it.';
comment on column darkroom.settings.takes_dislikes is
    'Whether people can dislike posts and comments. Dislikes that there are stay.';
comment on column darkroom.settings.given_up_name_days is
    'Days for which nobody else can choose a display name that a person has given up; 0 for none. Only with unique_names.';
comment on column darkroom.settings.draft_days is 'Days for which a draft is kept, with its original.';
comment on column darkroom.settings.activity_days is
    'Days after its end for which an activity is kept with its area and aliases; null keeps it. Its posts stay.';
comment on column darkroom.settings.inbox_days is
    'For how many days people find an entry in their inboxes after the last event in it, read or not.';
comment on column darkroom.settings.like_gathering is
    'The least time between two events that tell of a post''s likes: likes that come sooner are gathered into one.';
comment on column darkroom.settings.removed_days is
    'Days after which a post that a review removed is erased, unless an appeal is open. Uploaders may appeal for six months.';
comment on column darkroom.settings.decision_days is
    'Days for which a decision on a post is kept, with its evidence and its note; null keeps it. Not while a review or '
    'appeal needs it.';
comment on column darkroom.settings.record_days is
    'Days for which it is kept that a post was removed, with its photo''s hash, and that a post or person was erased. A '
    'removal stays at least as long as the policy''s removals_within.';
comment on column darkroom.settings.media_identity is
    'The identity of the media store, from its marker; null until a store is used. Nothing is read from or written to '
    'another store. `darkroom store adopt` changes it.';
comment on column darkroom.settings.installation is
    'With these digits begin the identities of the stores that this database makes. So a new database does not take the '
    'store of another one for its own.';

-- Uploads

create table darkroom.uploads (
    upload_id          bigint generated always as identity primary key,
    uploader           text not null,
    idempotency_key    text,
    job_id             bigint not null,
    original_key       text,
    original_sha256    bytea,
    original_bytes     bigint,
    headline           text,
    caption            text,
    link               text,
    category           text,
    activity              text,
    latitude           double precision,
    longitude          double precision,
    place_text         text,
    taken_at           timestamptz,
    created_at         timestamptz not null default now(),
    accuracy_m         double precision,
    location_privacy   darkroom.location_privacy,
    original_erased_at timestamptz,
    place_near_latitude  double precision,
    place_near_longitude double precision,
    place_country      text,
    anonymous          boolean not null default false,
    replaces           bigint,
    is_draft           boolean not null default false,
    venue_id           text,
    venue_name         text,
    credit             text,
    licence            text,
    constraint accuracy_goes_with_coordinates check ((accuracy_m is null) or (latitude is not null)),
    constraint accuracy_is_above_0_and_at_most_1000000_metres check ((accuracy_m > 0) and (accuracy_m <= 1000000)),
    constraint caption_has_no_control_characters check (darkroom.is_plain_text(caption, true)),
    constraint caption_is_at_most_5000_characters check (char_length(caption) <= 5000),
    constraint category_has_no_control_characters check (darkroom.is_plain_text(category)),
    constraint category_is_at_most_100_characters check (char_length(category) <= 100),
    constraint activity_has_no_control_characters check (darkroom.is_plain_text(activity)),
    constraint activity_is_at_most_100_characters check (char_length(activity) <= 100),
    constraint headline_has_no_control_characters check (darkroom.is_plain_text(headline)),
    constraint headline_is_at_most_200_characters check (char_length(headline) <= 200),
    constraint idempotency_key_is_1_to_200_characters check (char_length(idempotency_key) between 1 and 200),
    constraint latitude_and_longitude_go_together check ((latitude is null) = (longitude is null)),
    constraint latitude_is_within_90_degrees check (latitude between -90 and 90),
    constraint link_is_an_http_url_of_at_most_2000_characters check ((link ~* '^https?://') and (char_length(link) <= 2000)),
    constraint link_names_a_host_without_credentials_or_control_characters check (darkroom.is_link(link)),
    constraint longitude_is_within_180_degrees check (longitude between -180 and 180),
    constraint original_bytes_is_not_negative check (original_bytes >= 0),
    constraint original_key_is_1_to_1024_characters check (char_length(original_key) between 1 and 1024),
    constraint original_sha256_is_32_bytes check (octet_length(original_sha256) = 32),
    constraint original_is_whole_or_absent check (num_nonnulls(original_key, original_sha256, original_bytes) in (0, 3)),
    constraint upload_without_a_photo_has_a_headline_a_caption_or_a_link check (num_nonnulls(original_key, headline, caption, link) > 0),
    constraint upload_without_a_photo_says_where_it_is check (num_nonnulls(original_key, latitude, place_text) > 0),
    constraint place_country_is_2_capital_letters check (place_country ~ '^[A-Z]{2}$'),
    constraint place_has_no_control_characters check (darkroom.is_plain_text(place_text)),
    constraint place_near_is_a_latitude_and_a_longitude check ((place_near_latitude is null) = (place_near_longitude is null)),
    constraint place_near_latitude_is_within_90_degrees check (place_near_latitude between -90 and 90),
    constraint place_near_longitude_is_within_180_degrees check (place_near_longitude between -180 and 180),
    constraint place_is_at_most_200_characters check (char_length(place_text) <= 200),
    constraint taken_at_is_from_1800_to_2199 check (darkroom.is_photo_time(taken_at)),
    constraint uploader_is_1_to_200_characters check (char_length(uploader) between 1 and 200),
    constraint venue_with_a_number_has_a_name check (venue_name is not null or venue_id is null)
);
comment on table darkroom.uploads is
    'One photo with what its uploader said about it, or a text without one: then original_key is null. The bytes of a '
    'photo are in the media store, under original_key.';
comment on column darkroom.uploads.anonymous is 'Whether readers shall not learn who the uploader is.';
comment on column darkroom.uploads.replaces is
    'The number of the uploader''s post that is deleted once the new one is published; the post may be gone by then.';
comment on column darkroom.uploads.venue_id is
    'The app''s own number of where it was, such as a restaurant''s in a map service; venue_name is what readers see.';
comment on column darkroom.uploads.credit is
    'Who made the photo. licence: what others may do with it, such as CC-BY-4.0 (an identifier of spdx.org) or "All rights reserved".';
comment on column darkroom.uploads.accuracy_m is
    'The accuracy radius that the device gave, in metres; null if it gave none.';
comment on column darkroom.uploads.place_near_latitude is
    'Where the uploader is, in degrees: decides between several places that place_text may mean, with '
    'place_near_longitude and place_country.';
comment on column darkroom.uploads.location_privacy is
    'What the uploader asked for: the post is published at least as privately. Null: what the policy says.';
comment on column darkroom.uploads.original_erased_at is
    'When the original stopped being kept for this upload; null while it is kept.';
create unique index uploads_idempotency on darkroom.uploads (uploader, idempotency_key)
    where idempotency_key is not null;
create index uploads_original on darkroom.uploads (original_key) where original_erased_at is null;
create index uploads_with_original on darkroom.uploads (created_at, upload_id)
    where original_erased_at is null and original_key is not null;
comment on column darkroom.uploads.is_draft is 'Whether it has no job yet, until its uploader publishes it.';
create index uploads_drafts on darkroom.uploads (job_id) where is_draft;
create index uploads_drafts_time on darkroom.uploads (created_at) where is_draft;
create index uploads_replaces on darkroom.uploads (replaces) where replaces is not null;
create index uploads_uploader on darkroom.uploads (uploader, upload_id);

create table darkroom.posting_policies (
    version           integer generated always as identity primary key,
    category          text,
    headline_required boolean,
    caption_required  boolean,
    category_required boolean,
    categories        text[],
    link              text,
    link_hosts        text[],
    accuracy_at_most_m double precision,
    photos_a_day      integer,
    bytes_a_day       bigint,
    pictures_within_m double precision,
    note              text not null,
    created_at        timestamptz not null default now(),
    constraint a_general_posting_policy_says_what_is_required check ((category is not null) or (num_nonnulls(headline_required, caption_required, category_required, link) = 4)),
    constraint accuracy_at_most_m_is_above_0_and_at_most_1000000 check ((accuracy_at_most_m > 0) and (accuracy_at_most_m <= 1000000)),
    constraint category_is_not_blank check (category <> ''),
    constraint only_the_general_posting_policy_lists_categories check ((category is null) or (num_nonnulls(category_required, categories) = 0)),
    constraint only_the_general_posting_policy_has_quotas check ((category is null) or (num_nonnulls(photos_a_day, bytes_a_day) = 0)),
    constraint photos_a_day_is_1_to_10000 check (photos_a_day between 1 and 10000),
    constraint bytes_a_day_is_1_to_9007199254740991 check (bytes_a_day between 1 and 9007199254740991),
    constraint pictures_within_m_is_above_0_and_at_most_20040000 check ((pictures_within_m > 0) and (pictures_within_m <= 20040000)),
    constraint categories_are_1_to_1000_names check ((cardinality(categories) between 1 and 1000) and (array_position(categories, null) is null)),
    constraint link_hosts_are_1_to_1000_names_in_lower_case check (((cardinality(link_hosts) between 1 and 1000) and (array_position(link_hosts, null) is null) and (array_to_string(link_hosts, ' ') ~ '^[a-z0-9.-]+( [a-z0-9.-]+)*$') and (cardinality(string_to_array(array_to_string(link_hosts, ' '), ' ')) = cardinality(link_hosts)))),
    constraint link_is_optional_required_or_refused check (link in ('optional', 'required', 'refused'))
);
comment on table darkroom.posting_policies is
    'Append a row to change the policy for uploads from then on. The latest row of an upload''s category is in force; what it '
    'leaves null, the latest general row decides.';
comment on column darkroom.posting_policies.accuracy_at_most_m is
    'The largest radius of uncertainty that the position of an upload may state, in metres; null in a general row for any.';
comment on column darkroom.posting_policies.pictures_within_m is
    'How near a reader must be to a post to see its pictures, in metres; null in a general row for anywhere.';
comment on column darkroom.posting_policies.categories is 'The categories that exist; null for any.';
comment on column darkroom.posting_policies.photos_a_day is
    'How many photos and texts a person may upload within 24 hours; null for any number.';
comment on column darkroom.posting_policies.bytes_a_day is
    'How many bytes the photos may have together that a person uploads within 24 hours; null for any number.';
comment on column darkroom.posting_policies.link_hosts is
    'The hosts to which links may lead, with all their subdomains; null for any.';

-- Posts

create table darkroom.posts (
    post_id                bigint generated always as identity primary key,
    upload_id              bigint not null references darkroom.uploads (upload_id),
    state                  darkroom.post_state not null default 'published',
    uploader               text not null,
    headline               text,
    caption                text,
    link                   text,
    category               text,
    activity                  text,
    venue_id               text,
    venue_name             text,
    credit                 text,
    licence                text,
    taken_at               timestamptz,
    taken_at_local         timestamp,
    taken_at_source        text check (taken_at_source in ('uploader', 'exif')),
    published_at           timestamptz not null default now(),
    latitude               double precision not null check (latitude between -90 and 90),
    longitude              double precision not null check (longitude between -180 and 180),
    location_source        text not null check (location_source in ('device', 'exif', 'xmp', 'text', 'person')),
    country_geonameid      bigint,
    country_code           text,
    country_name           text,
    division_geonameid       bigint,
    division_code            text,
    division_name            text,
    city_geonameid         bigint,
    city_name              text,
    place_geonameid        bigint,
    place_name             text,
    place_distance_m       double precision check (place_distance_m >= 0),
    typed_geonameid        bigint,
    width                  integer check (width > 0),
    height                 integer check (height > 0),
    format                 text,
    stripped               text[] not null default '{}'::text[],
    exif_fields            integer check (exif_fields >= 0),
    report_count           integer not null default 0 check (report_count >= 0),
    placeholder            bytea check (octet_length(placeholder) between 5 and 25),
    perceptual_hash        bigint,
    pdq                    bit(256),
    pdq_quality            smallint check (pdq_quality between 0 and 100),
    camera_make            text,
    camera_model           text,
    direction              double precision check (direction between 0 and 360),
    altitude_m             double precision check (altitude_m between -12000 and 100000),
    time_zone              text,
    taken_at_offset_source text check (taken_at_offset_source in ('offset_tag', 'gps_time_stamp', 'place')),
    location_accuracy_m    double precision check ((location_accuracy_m > 0) and (location_accuracy_m <= 20040000)),
    location_precision     text not null default 'point' check (location_precision in ('point', 'area', 'place', 'city', 'division', 'country')),
    location_privacy       darkroom.location_privacy not null default 'exact',
    location_policy        integer not null default 0,
    minimum_population     integer not null default 0 check (minimum_population >= 0),
    place_source           text not null default 'gazetteer' check (place_source in ('gazetteer', 'person')),
    located_by             bigint not null default 0,
    expires_at             timestamptz,
    rendered_with          bigint,
    pictures               jsonb not null default '[]',
    anonymous              boolean not null default false,
    author_handle          text not null,
    constraint one_post_an_upload unique (upload_id),
    constraint photo_is_whole_or_absent check (num_nonnulls(width, height, format) in (0, 3))
);
comment on table darkroom.posts is
    'What readers see. width and height are those of the upright original, and null in a post without a photo; '
    'stripped names the metadata that the original had. taken_at_local is the local time at the place; if its zone is unknown, what the camera''s own clock showed.';
comment on column darkroom.posts.direction is
    'Where the camera pointed, in degrees clockwise from north as its EXIF has it; altitude_m: metres above the sea. Readers get both only while '
    'location_privacy is exact.';
comment on column darkroom.posts.anonymous is
    'Whether readers get neither its uploader nor their name, but a handle of darkroom.author_handle.';
comment on column darkroom.posts.author_handle is
    'What stands for its uploader, by darkroom.handle_of; an anonymous post has another handle than the uploader''s name. A '
    'trigger writes it.';
comment on column darkroom.posts.latitude is
    'As published: see location_privacy. post_exact_locations has the exact one. The same goes for longitude.';
comment on column darkroom.posts.division_geonameid is
    'The GeoNames number of the division. Null if the gazetteer''s sources give none; the same goes for country_geonameid.';
comment on column darkroom.posts.city_geonameid is
    'The city around the published coordinates, or the place itself if it is part of none. Null if the place is null.';
comment on column darkroom.posts.typed_geonameid is
    'The GeoNames number of the place, division or country that the uploader typed, or that a person corrected the post to '
    'by name. The post stays there whatever gazetteer is used. Null if the place was named from coordinates.';
comment on column darkroom.posts.place_distance_m is 'Metres from the published coordinates to the place.';
comment on column darkroom.posts.placeholder is
    'A ThumbHash (https://evanw.github.io/thumbhash/) of the picture; null in posts of older releases.';
comment on column darkroom.posts.perceptual_hash is
    'The 64-bit DCT hash of the picture; copies differ in few bits. Null in posts of older releases.';
comment on column darkroom.posts.pdq is
    'The PDQ hash of the picture, by which it is looked up in hash_lists. pdq_quality, 0 to 100, says how much of it there is to '
    'compare: below 50 it is like no other.';
comment on column darkroom.posts.camera_make is
    'As in EXIF if the rendering configuration sets keep_camera; else null. The same goes for camera_model.';
comment on column darkroom.posts.time_zone is 'The IANA time zone of the place; null if unknown.';
comment on column darkroom.posts.taken_at_offset_source is
    'How the camera''s clock reading became an instant: by the photo''s offset, by its GPS time stamp, or, inferred, '
    'by the time zone of the place. Null if it did not, and for times that the uploader gave.';
comment on column darkroom.posts.location_accuracy_m is
    'The accuracy radius that the device or camera gave, in metres, or the radius of what the uploader typed, up to half '
    'the circumference of the Earth; null if there is none.';
comment on column darkroom.posts.location_precision is
    'How well the location is known: point, if nothing says otherwise; area, with an accuracy of more than 100 m; '
    'place, city, division or country: that is what the uploader typed.';
comment on column darkroom.posts.location_privacy is
    'How precisely latitude and longitude are published. Never lowered after publishing.';
comment on column darkroom.posts.minimum_population is
    'How many inhabitants the named place and city must have, by the strictest policy since publishing.';
comment on column darkroom.posts.location_policy is
    'The highest version of location_policies when the location was published; 0 from a release without them.';
comment on column darkroom.posts.place_source is
    'gazetteer, or person if somebody corrected the place: see place_corrections.';
comment on column darkroom.posts.located_by is
    'The checksum of the gazetteer index that named the place, as a signed number; 0 if an older release named it.';
comment on column darkroom.posts.expires_at is
    'When readers stop seeing the post, even if the expire job is late; null for never.';
comment on column darkroom.posts.rendered_with is
    'The checksum of the recipe that rendered its pictures, as a signed number; null in posts of older releases.';
comment on column darkroom.posts.pictures is
    'The renditions as readers see them, largest first: repeated here so that a feed need not look them up. A trigger '
    'maintains it.';
create index posts_venue on darkroom.posts (venue_id, published_at desc, post_id desc)
    where venue_id is not null and state = 'published';
create index posts_uploader on darkroom.posts (uploader, post_id desc);
-- A relocation looks here for posts that readers may see, now or after a restoration, and that another gazetteer index or
-- policy located.
create index posts_located on darkroom.posts (located_by, location_policy, post_id)
    where ((state in ('published', 'held', 'hidden', 'removed')) and (place_source = 'gazetteer'));
create index posts_activity on darkroom.posts (darkroom.name_key(activity), post_id) where activity is not null;
create index posts_expiring on darkroom.posts (expires_at, post_id)
    where ((state in ('published', 'hidden')) and (expires_at is not null));
create index posts_expired on darkroom.posts (expires_at, post_id) where state = 'expired';

create table darkroom.renditions (
    post_id   bigint not null references darkroom.posts (post_id) on delete cascade,
    name      text not null,
    media_key text not null,
    sha256    bytea not null check (octet_length(sha256) = 32),
    width     integer not null check (width > 0),
    height    integer not null check (height > 0),
    bytes     bigint not null check (bytes > 0),
    format    text not null default 'jpeg' check (format in ('jpeg', 'webp', 'avif')),
    primary key (post_id, name)
);
comment on table darkroom.renditions is
    'The pictures of a post. media_key is a path in the media store, named by the SHA-256 of the bytes, so two posts '
    'may share one.';
create index renditions_key on darkroom.renditions (media_key);

create table darkroom.post_exact_locations (
    post_id   bigint primary key references darkroom.posts (post_id) on delete cascade,
    latitude  double precision not null,
    longitude double precision not null,
    constraint exact_latitude_is_within_90_degrees check (latitude between -90 and 90),
    constraint exact_longitude_is_within_180_degrees check (longitude between -180 and 180)
);
comment on table darkroom.post_exact_locations is
    'Where posts really are, as exactly as it is known. Readers get posts.latitude and longitude instead: grant access '
    'to this table only to roles that need it.';

create table darkroom.location_policies (
    version            integer generated always as identity primary key,
    category           text,
    activity              text,
    privacy            darkroom.location_privacy,
    minimum_population integer,
    note               text not null,
    created_at         timestamptz not null default now(),
    constraint a_general_location_policy_says_privacy_and_minimum_population check ((num_nonnulls(category, activity) >= 1) or (num_nonnulls(privacy, minimum_population) = 2)),
    constraint a_location_policy_is_of_a_category_or_an_activity_or_general check (num_nonnulls(category, activity) <= 1),
    constraint category_and_activity_are_not_blank check ((coalesce(category, '-') <> '') and (coalesce(activity, '-') <> '')),
    constraint minimum_population_is_not_negative check (minimum_population >= 0)
);
comment on table darkroom.location_policies is
    'Append a row to change the policy, at once and without a restart. The latest row of a post''s activity is in force; '
    'what it leaves open, the latest row of the category decides, and then the latest general row.';
comment on column darkroom.location_policies.privacy is 'Null, for a category or activity: the wider policy decides.';
comment on column darkroom.location_policies.minimum_population is
    'A smaller place is replaced by the nearest one with so many people in its division, or country, within 100 km. '
    'Null, for a category or activity: the wider policy decides.';

create table darkroom.place_corrections (
    correction_id       bigint generated always as identity primary key,
    post_id             bigint not null references darkroom.posts (post_id) on delete cascade,
    corrected_by        text not null,
    note                text,
    place_text          text,
    latitude            double precision,
    longitude           double precision,
    old_country_code    text,
    old_division_code     text,
    old_city_geonameid  bigint,
    old_city_name       text,
    old_place_geonameid bigint,
    old_place_name      text,
    new_country_code    text,
    new_division_code     text,
    new_city_geonameid  bigint,
    new_city_name       text,
    new_place_geonameid bigint,
    new_place_name      text,
    corrected_at        timestamptz not null default now(),
    constraint a_correction_says_a_place_or_coordinates check (num_nonnulls(place_text, latitude) = 1),
    constraint corrected_by_is_1_to_200_characters check (char_length(corrected_by) between 1 and 200),
    constraint latitude_and_longitude_go_together check ((latitude is null) = (longitude is null)),
    constraint note_is_at_most_2000_characters check (char_length(note) <= 2000)
);
comment on table darkroom.place_corrections is
    'Who corrected where a post is, against the gazetteer or the photo: when, why, and from what. Append-only.';
create index place_corrections_post on darkroom.place_corrections (post_id, correction_id desc);
create index place_corrections_corrected_by on darkroom.place_corrections (corrected_by);

create table darkroom.post_edits (
    edit_id   bigint generated always as identity primary key,
    post_id   bigint not null references darkroom.posts (post_id) on delete cascade,
    headline  text,
    caption   text,
    category  text,
    edited_at timestamptz not null default clock_timestamp()
);
comment on table darkroom.post_edits is
    'What posts said before their uploaders edited them, for reviews. headline, caption and category are those until edited_at.';
create index post_edits_post on darkroom.post_edits (post_id, edit_id desc);

create table darkroom.activities (
    activity    text primary key,
    ends_at     timestamptz,
    begins_at   timestamptz,
    latitude    double precision,
    longitude   double precision,
    radius_m    double precision,
    activity_id bigint generated always as identity,
    created_by  name,
    by_operator boolean not null default true,
    slot        integer,
    created_at  timestamptz not null default now(),
    new_ends_at timestamptz,
    is_changed  boolean not null default false,
    moved_to    bigint,
    posts_moved bigint,
    constraint activities_activity_id_key unique (activity_id),
    constraint activities_created_by_slot_key unique (created_by, slot),
    constraint activity_has_no_control_characters check (darkroom.is_plain_text(activity)),
    constraint activity_is_1_to_100_characters check (char_length(activity) between 1 and 100),
    constraint an_activity_ends_after_it_begins check ((begins_at < ends_at) and (begins_at < new_ends_at)),
    constraint an_area_has_a_latitude_a_longitude_and_a_radius check (num_nonnulls(latitude, longitude, radius_m) in (0, 3)),
    constraint latitude_is_within_90_degrees check (latitude between -90 and 90),
    constraint longitude_is_within_180_degrees check (longitude between -180 and 180),
    constraint radius_is_above_0_and_at_most_1000000_metres check ((radius_m > 0) and (radius_m <= 1000000))
);
comment on table darkroom.activities is
    'What happens at a place and time, with an area around a coordinate. Policies may let posts end with their activity. '
    'A post may have an activity that is not here.';
comment on column darkroom.activities.ends_at is 'When it ends, for its posts too; null for never.';
comment on column darkroom.activities.created_by is
    'The login that called create_activity; null for a row that an operator wrote. It has slots 1 to settings.activities_at_most.';
comment on column darkroom.activities.by_operator is
    'Whether an operator made it, so that apps cannot change it.';
comment on column darkroom.activities.is_changed is
    'Whether an app has set new_ends_at or new names that posts do not have yet. move_activities sees to it.';
comment on column darkroom.activities.moved_to is
    'The last post that move_activities has looked at since it put a change into force; null when all have followed.';
comment on column darkroom.activities.posts_moved is 'How many posts it has looked at so far; null when all have followed.';
create index activities_changed on darkroom.activities (activity_id) where is_changed or moved_to is not null;
create index activities_ending on darkroom.activities (ends_at);

create table darkroom.activity_names (
    key      text primary key,
    activity text not null references darkroom.activities (activity) on update cascade on delete cascade,
    name     text not null,
    constraint alias_has_no_control_characters check (darkroom.is_plain_text(name)),
    constraint alias_is_1_to_100_characters check (char_length(name) between 1 and 100)
);
comment on table darkroom.activity_names is
    'The names by which activities are known: their own and their aliases. key is the name without regard to case, so no two '
    'activities share one.';
create index activity_names_activity on darkroom.activity_names (activity);

create table darkroom.expiry_policies (
    version         integer generated always as identity primary key,
    category        text,
    activity           text,
    lifetime        interval,
    ends_with_activity boolean not null default false,
    note            text not null,
    created_at      timestamptz not null default now(),
    constraint an_expiry_policy_is_of_a_category_or_an_activity_or_general check (num_nonnulls(category, activity) <= 1),
    constraint category_and_activity_are_not_blank check ((coalesce(category, '-') <> '') and (coalesce(activity, '-') <> '')),
    constraint lifetime_is_positive_and_at_most_36500_days check (lifetime > '00:00:00' and lifetime <= '36500 days')
);
comment on table darkroom.expiry_policies is
    'Append a row to change the policy for posts from then on. The latest row of a post''s activity is in force, else the '
    'latest of its category, else the latest general one.';
comment on column darkroom.expiry_policies.lifetime is 'How long after publishing a post is visible; null: forever.';
comment on column darkroom.expiry_policies.ends_with_activity is
    'Whether a post also ends with its activity, by darkroom.activities; the earlier of the two counts.';

create table darkroom.votes (
    post_id    bigint not null,
    voter      text not null,
    vote       darkroom.vote,
    voted_at   timestamptz not null default now(),
    changed_at timestamptz not null default now(),
    primary key (post_id, voter),
    constraint voter_is_1_to_200_characters check (char_length(voter) between 1 and 200)
);
comment on table darkroom.votes is
    'One row per person and post. vote is null once it was taken back; voted_at is when the person voted first, '
    'changed_at when last.';
create index votes_voter on darkroom.votes (voter, changed_at desc);

create table darkroom.comments (
    comment_id bigint generated always as identity primary key,
    post_id    bigint not null,
    author     text not null,
    author_handle text not null,
    body       text not null,
    likes      integer not null default 0,
    dislikes   integer not null default 0,
    created_at timestamptz not null default now(),
    state      darkroom.post_state not null default 'published',
    is_deleted boolean not null default false,
    ended_at   timestamptz,
    constraint author_is_1_to_200_characters check (char_length(author) between 1 and 200),
    constraint comment_has_no_control_characters check (darkroom.has_no_control_characters(body, true)),
    constraint comment_is_1_to_2000_characters check (char_length(body) between 1 and 2000),
    constraint comment_is_not_blank check (not darkroom.is_blank(body))
) with (fillfactor = 80);
comment on table darkroom.comments is 'What people wrote under posts. likes and dislikes are the tallied ones.';
comment on column darkroom.comments.author_handle is
    'What stands for its author, by darkroom.handle_of, but for the uploader of an anonymous post. A trigger writes it.';
comment on column darkroom.comments.state is
    'published, held or hidden until a person has looked, or removed by a review, or, if is_deleted, by its author or the uploader of the '
    'post. The text of a deleted comment is - once no report on it waits for a person. Never expired.';
comment on column darkroom.comments.ended_at is 'When it was deleted or removed; null while it is not.';
create index comments_post on darkroom.comments (post_id, comment_id desc) where state = 'published';
create index comments_post_author on darkroom.comments (post_id, author_handle) where state = 'published';
create index comments_popular on darkroom.comments (post_id, (likes - dislikes) desc, comment_id desc)
    where state = 'published';
create index comments_author on darkroom.comments (author, comment_id desc);
create index comments_unseen on darkroom.comments (post_id) where state <> 'published';
create index comments_ended_at on darkroom.comments (ended_at, comment_id) where ended_at is not null;

create table darkroom.comment_votes (
    comment_id bigint not null,
    voter      text not null,
    vote       darkroom.vote,
    voted_at   timestamptz not null default now(),
    changed_at timestamptz not null default now(),
    primary key (comment_id, voter),
    constraint voter_is_1_to_200_characters check (char_length(voter) between 1 and 200)
);
comment on table darkroom.comment_votes is 'One row per person and comment, like darkroom.votes for posts.';
create index comment_votes_voter on darkroom.comment_votes (voter, changed_at desc);

create table darkroom.post_counters (
    post_id  bigint primary key,
    likes    integer not null default 0,
    dislikes integer not null default 0,
    comments integer not null default 0,
    views    bigint not null default 0,
    likes_by_others integer not null default 0,
    likes_told integer not null default 0,
    told_at  timestamptz
) with (fillfactor = 70);
comment on table darkroom.post_counters is
    'The tallied counters of each post; no row for a post to which nothing has happened. Together with counter_changes '
    'they always equal the votes and comments.';
comment on column darkroom.post_counters.likes_by_others is 'The likes of people other than the post''s uploader.';
comment on column darkroom.post_counters.likes_told is
    'The most likes by others that an event has told so far, last at told_at. A like that is taken back and given again is '
    'not told twice.';

create table darkroom.counter_changes (
    change_id  bigint generated always as identity primary key,
    post_id    bigint not null,
    comment_id bigint,
    likes      integer not null default 0,
    dislikes   integer not null default 0,
    comments   integer not null default 0,
    views      bigint not null default 0,
    likes_by_others integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
comment on table darkroom.counter_changes is
    'What must be added to the counters: of the comment if comment_id is set, else of the post. The tally job removes '
    'what it has added.';
create index counter_changes_post on darkroom.counter_changes (post_id);

create table darkroom.untold_likes (
    post_id bigint primary key,
    due_at  timestamptz not null
);
comment on table darkroom.untold_likes is
    'Posts that have likes by others of which no event tells yet, and when one will: settings.like_gathering after the last.';
create index untold_likes_due on darkroom.untold_likes (due_at);

create table darkroom.retired_media (
    media_key  text primary key,
    due_at     timestamptz not null default now(),
    post_id    bigint,
    uploader   text,
    retired_at timestamptz not null default now()
);
comment on table darkroom.retired_media is
    'Files of the media store that will be deleted, unless something refers to them again by then.';
comment on column darkroom.retired_media.post_id is 'The post whose file it was, if it was a post''s.';
comment on column darkroom.retired_media.uploader is
    'Whose file it was. The erasure of a person waits until no file of theirs is in this table.';
create index retired_media_due on darkroom.retired_media (due_at, media_key);
create index retired_media_post on darkroom.retired_media (post_id) where post_id is not null;
create index retired_media_uploader on darkroom.retired_media (uploader) where uploader is not null;

-- A row is written before its files are linked, and goes in the transaction that refers to them or retires them. So each
-- file is in a list at all times, whatever dies. The table has a row only for each attempt that is storing pictures now.
create table darkroom.unpublished_media (
    job_id     bigint not null,
    lease      bigint not null,
    upload_id  bigint not null,
    post_id    bigint,
    uploader   text not null,
    media_keys text[] not null,
    noted_at   timestamptz not null default clock_timestamp(),
    primary key (job_id, lease)
);
comment on table darkroom.unpublished_media is
    'The files that attempts are about to store and that no row refers to yet. If no job has the lease any more, the '
    'attempt died, and retire_unpublished takes over its files.';
comment on column darkroom.unpublished_media.post_id is 'The post that is rendered again; null for an upload''s first rendering.';
create index unpublished_media_upload on darkroom.unpublished_media (upload_id);
create index unpublished_media_uploader on darkroom.unpublished_media (uploader);

create table darkroom.post_erasures (
    post_id      bigint primary key,
    upload_id    bigint not null,
    cause        text not null,
    requested_at timestamptz not null default clock_timestamp(),
    erased_at    timestamptz,
    constraint cause_is_known check (cause in ('uploader', 'expired', 'removed', 'person'))
);
comment on table darkroom.post_erasures is
    'Posts that are being erased (erased_at is null), some after a review that is open, or were erased. Nothing else is '
    'left of an erased post, and nothing here is personal.';
create index post_erasures_erased on darkroom.post_erasures (erased_at);

-- Feeds and boards

create table darkroom.feed (
    post_id      bigint primary key,
    published_at timestamptz not null,
    expires_at   timestamptz not null default 'infinity',
    position     point not null,
    tile         bigint not null,
    wide_tile    bigint not null,
    country      bigint,
    division     bigint,
    city         bigint,
    place        bigint,
    category     text,
    activity        text,
    author_handle text not null,
    taken_at     timestamptz,
    taken_hour   smallint,
    taken_season text,
    leaf         bigint generated always as (darkroom.tile_at(position[0], position[1], 20)) stored not null,
    is_stacked   boolean not null default false,
    is_stacked_in_category boolean not null default false,
    is_stacked_in_activity    boolean not null default false
) with (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 10000);
comment on table darkroom.feed is
    'One row for every post that readers see. leaf is its tile of zoom level 20 (38 m at the equator), tile the one of '
    'level 15 (1.2 km), wide_tile the one of level 11.';
comment on column darkroom.feed.author_handle is
    'The post''s author_handle: an anonymous post has another one than its uploader''s name, so no search by uploader finds it.';
comment on column darkroom.feed.taken_hour is
    'The hour, 0 to 23, of the local time when the photo was taken; taken_season is the season then and there. Both are null '
    'if the time is unknown.';
comment on column darkroom.feed.is_stacked is
    'Whether the post is missing in the index of positions, because stack_size others at exactly its position are there. '
    'The same goes for is_stacked_in_category and is_stacked_in_activity, and the positions of a category and an activity.';
create index feed_country on darkroom.feed (country, published_at desc, post_id desc) where country is not null;
create index feed_country_tile on darkroom.feed (country, wide_tile) where country is not null;
create index feed_division on darkroom.feed (division, published_at desc, post_id desc) where division is not null;
create index feed_city on darkroom.feed (city, published_at desc, post_id desc) where city is not null;
create index feed_place on darkroom.feed (place, published_at desc, post_id desc) where place is not null;
create index feed_category on darkroom.feed (category, published_at desc, post_id desc)
    where category is not null;
create index feed_activity on darkroom.feed (activity, published_at desc, post_id desc) where activity is not null;
create index feed_author_handle on darkroom.feed (author_handle, published_at desc, post_id desc) include (position);
create index feed_position on darkroom.feed using gist (position)
    include (post_id, published_at, expires_at, category, activity) where not is_stacked;
create index feed_stacked on darkroom.feed ((position[0]), (position[1]), post_id desc) where is_stacked;
create index feed_category_position on darkroom.feed using gist (darkroom.plane_of(category, position))
    where (category is not null) and (not is_stacked_in_category);
create index feed_category_stacked on darkroom.feed (category, (position[0]), (position[1]), post_id desc)
    where is_stacked_in_category;
create index feed_activity_position on darkroom.feed using gist (darkroom.plane_of(activity, position))
    where (activity is not null) and (not is_stacked_in_activity);
create index feed_activity_stacked on darkroom.feed (activity, (position[0]), (position[1]), post_id desc)
    where is_stacked_in_activity;
create index feed_tile on darkroom.feed (tile, published_at desc, post_id desc)
    include (position, expires_at, category, activity, taken_hour, taken_season);
create index feed_wide_tile on darkroom.feed (wide_tile, published_at desc, post_id desc)
    include (position, expires_at, category, activity, taken_hour, taken_season);
create index feed_taken on darkroom.feed (darkroom.day_number(taken_at), published_at desc, post_id desc)
    include (taken_at, expires_at) where taken_at is not null;
create index feed_season on darkroom.feed (taken_season, published_at desc, post_id desc) where taken_season is not null;
create index feed_latest on darkroom.feed (published_at desc, post_id desc) include (expires_at);
create index feed_leaf on darkroom.feed (leaf, published_at desc, post_id desc)
    include (position, expires_at, category, activity, taken_hour, taken_season);

create table darkroom.rating_averages (
    is_only_row    boolean primary key default true check (is_only_row),
    average_rating double precision not null default 0 check (average_rating > '-infinity' and average_rating < 'infinity'),
    average_votes  double precision not null default 0 check (average_votes >= 0 and average_votes < 'infinity'),
    most_views     bigint not null default 0 check (most_views >= 0),
    computed_at    timestamptz not null default now()
);
comment on table darkroom.rating_averages is
    'One row: the mean lead in likes and the mean number of votes of the posts that readers see, by which boards weigh ratings, '
    'and the most views that any post had. The tally computes the means anew each hour, and each time for the first thousand posts.';

create table darkroom.ranks (
    post_id      bigint primary key,
    published_at timestamptz not null,
    expires_at   timestamptz not null,
    position     point not null,
    tile         bigint not null,
    wide_tile    bigint not null,
    country      bigint,
    division     bigint,
    city         bigint,
    place        bigint,
    category     text,
    activity        text,
    likes        integer not null,
    dislikes     integer not null,
    wilson       double precision not null,
    magnitude    double precision not null,
    hot          double precision not null,
    day          integer generated always as (darkroom.day_number(published_at)) stored not null,
    week         integer generated always as (darkroom.week_number(published_at)) stored not null,
    leaf         bigint generated always as (darkroom.tile_at(position[0], position[1], 20)) stored not null
) with (fillfactor = 80);
comment on table darkroom.ranks is
    'One row for every post that readers see and that has votes. hot is vote_magnitude + age_magnitude.';
comment on column darkroom.ranks.day is 'The UTC day of publishing: a list by likes and one by hot.';
comment on column darkroom.ranks.week is 'The week of publishing: two such lists for each country, division, city, place, activity and category.';
create index ranks_likes on darkroom.ranks (likes desc, post_id desc);
create index ranks_wilson on darkroom.ranks (wilson desc, post_id desc);
create index ranks_hot on darkroom.ranks (hot desc, post_id desc);
create index ranks_magnitude on darkroom.ranks (magnitude) where magnitude < 0;
create index ranks_day_likes on darkroom.ranks (day, likes desc, post_id desc);
create index ranks_day_hot on darkroom.ranks (day, hot desc, post_id desc);
create index ranks_category_likes on darkroom.ranks (category, week, likes desc, post_id desc)
    where category is not null;
create index ranks_category_hot on darkroom.ranks (category, week, hot desc, post_id desc)
    where category is not null;
create index ranks_activity_likes on darkroom.ranks (activity, week, likes desc, post_id desc) where activity is not null;
create index ranks_activity_hot on darkroom.ranks (activity, week, hot desc, post_id desc) where activity is not null;
create index ranks_tile_likes on darkroom.ranks (tile, likes desc, post_id desc)
    include (position, published_at, expires_at, category, activity);
create index ranks_tile_hot on darkroom.ranks (tile, hot desc, post_id desc)
    include (position, published_at, expires_at, category, activity, magnitude);
create index ranks_wide_tile_hot on darkroom.ranks (wide_tile, hot desc, post_id desc)
    include (position, published_at, expires_at, category, activity, magnitude);
create index ranks_leaf_hot on darkroom.ranks (leaf, hot desc, post_id desc);
create index ranks_country_likes on darkroom.ranks (country, week, likes desc, post_id desc)
    include (published_at, expires_at)
    where country is not null;
create index ranks_country_hot on darkroom.ranks (country, week, hot desc, post_id desc)
    include (published_at, expires_at)
    where country is not null;
create index ranks_division_likes on darkroom.ranks (division, week, likes desc, post_id desc)
    include (published_at, expires_at)
    where division is not null;
create index ranks_division_hot on darkroom.ranks (division, week, hot desc, post_id desc)
    include (published_at, expires_at)
    where division is not null;
create index ranks_city_likes on darkroom.ranks (city, week, likes desc, post_id desc)
    include (published_at, expires_at)
    where city is not null;
create index ranks_city_hot on darkroom.ranks (city, week, hot desc, post_id desc)
    include (published_at, expires_at)
    where city is not null;
create index ranks_place_likes on darkroom.ranks (place, week, likes desc, post_id desc)
    include (published_at, expires_at)
    where place is not null;
create index ranks_place_hot on darkroom.ranks (place, week, hot desc, post_id desc)
    include (published_at, expires_at)
    where place is not null;

-- The map

-- Levels 2 to 20. A tile of level 20 adds up its changes; each one above is computed from the four below it. The sums
-- are whole numbers, so adding and subtracting leaves no error behind.
create table darkroom.map_tiles (
    level    smallint not null,
    x        integer not null,
    y        integer not null,
    posts    integer not null check (posts > 0),
    sum_x    bigint not null,
    sum_y    bigint not null,
    best     bigint not null,
    best_hot double precision not null,
    primary key (level, x, y)
) with (fillfactor = 80);
comment on table darkroom.map_tiles is
    'The posts in each tile of the map that has any: how many, their positions summed in sixteenths of the plane''s unit '
    '(3.7 cm at the equator), and the best of them by hot.';

create table darkroom.stack_changes (
    change_id bigint generated always as identity primary key,
    position  point not null,
    category  text,
    activity     text
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
comment on table darkroom.stack_changes is
    'Positions of stacked posts where one came or one below left. The tally sees to it that stack_size are below.';

create table darkroom.map_changes (
    change_id bigint generated always as identity primary key,
    leaf      bigint not null,
    post_id   bigint not null,
    posts     smallint not null,
    sum_x     bigint not null,
    sum_y     bigint not null
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
comment on table darkroom.map_changes is
    'What the tally job must add to tiles of level 20: a post that comes (posts is 1), leaves (-1), or has another hot (0).';

-- People

create table darkroom.people (
    person        text primary key,
    author_handle text not null,
    first_seen_at timestamptz not null default now(),
    agreed        integer not null default 0,
    disagreed     integer not null default 0,
    removals      integer not null default 0,
    display_name  text,
    constraint agreed_is_not_negative check (agreed >= 0),
    constraint disagreed_is_not_negative check (disagreed >= 0),
    constraint display_name_has_no_control_characters check (darkroom.has_no_control_characters(display_name)),
    constraint display_name_has_no_unseen_characters check (darkroom.has_no_unseen_characters(display_name) and (darkroom.name_key(display_name) <> '')),
    constraint display_name_is_1_to_100_characters check (char_length(display_name) between 1 and 100),
    constraint first_seen_at_is_a_time_from_1970_on check (isfinite(first_seen_at) and (first_seen_at >= timestamptz '1970-01-01 00:00:00+00')),
    constraint person_is_1_to_200_characters check (char_length(person) between 1 and 200),
    constraint removals_is_not_negative check (removals >= 0)
) with (fillfactor = 80);
comment on table darkroom.people is
    'Uploaders and reporters by their opaque identifiers: since when they are known, and how reviews judged them.';
comment on column darkroom.people.author_handle is
    'What stands for the person in what they write by name, by darkroom.handle_of. A trigger writes it.';
comment on column darkroom.people.agreed is
    'How many of the person''s reports reviews agreed with; disagreed: how many they did not.';
comment on column darkroom.people.removals is 'How many of the person''s posts are removed.';
create unique index people_author_handle on darkroom.people (author_handle);
create index people_name_key on darkroom.people (darkroom.name_key(display_name)) where display_name is not null;

create table darkroom.given_up_names (
    name_key    text primary key,
    person      text not null,
    given_up_at timestamptz not null default clock_timestamp(),
    constraint person_is_1_to_200_characters check (char_length(person) between 1 and 200)
);
comment on table darkroom.given_up_names is
    'Display names that people had, by their darkroom.name_key, so that nobody else takes one while it is fresh in memory. The latest 10 of '
    'each person. Rows count for settings.given_up_name_days.';
create index given_up_names_person on darkroom.given_up_names (person);
create index given_up_names_given_up_at on darkroom.given_up_names (given_up_at);

create table darkroom.blocks (
    person        text not null,
    author_handle text not null,
    blocked_at    timestamptz not null default now(),
    block_id      bigint generated always as identity,
    is_applied    boolean not null default false,
    primary key (person, author_handle),
    constraint handle_is_24_hexadecimal_digits check (author_handle ~ '^[0-9a-f]{24}$'),
    constraint person_is_1_to_200_characters check (char_length(person) between 1 and 200)
);
comment on table darkroom.blocks is
    'Whom people do not want to see, by the handle that lists show. The handle alone counts: a block of an anonymous author must '
    'not hide what the same person writes by name.';
comment on column darkroom.blocks.is_applied is
    'Whether fill_inboxes has taken the author''s comments out of the person''s inbox.';
create index blocks_unapplied on darkroom.blocks (block_id) where not is_applied;
create unique index blocks_order on darkroom.blocks (person, block_id desc);
-- The erasure of a person finds the blocks of their handles.
create index blocks_author_handle on darkroom.blocks (author_handle);

create table darkroom.follows (
    follow_id   bigint generated always as identity primary key,
    person      text not null,
    level       text,
    geonameid   bigint,
    latitude    double precision,
    longitude   double precision,
    radius_m    double precision,
    area        box,
    category    text,
    followed_at timestamptz not null default now(),
    constraint a_follow_has_a_place_or_an_area check (
        num_nonnulls(level, geonameid) = 2 and num_nonnulls(latitude, longitude, radius_m, area) = 0
        or num_nonnulls(level, geonameid) = 0 and num_nonnulls(latitude, longitude, radius_m, area) = 4),
    constraint category_is_at_most_100_characters check (char_length(category) <= 100),
    constraint level_is_known check (level in ('country', 'division', 'city', 'place')),
    constraint person_is_1_to_200_characters check (char_length(person) between 1 and 200)
);
comment on table darkroom.follows is
    'Of which places or areas people want to know what is posted there, of all categories or one. area is what finds the rows around a '
    'post: the first of darkroom.boxes_around, which may lie beyond 180 degrees.';
create unique index follows_order on darkroom.follows (person, follow_id desc);
create unique index follows_once on darkroom.follows (
    person, level, geonameid, latitude, longitude, radius_m, darkroom.name_key(category)) nulls not distinct;
create index follows_place on darkroom.follows (geonameid, level, person) where geonameid is not null;
create index follows_area on darkroom.follows using gist (area) where area is not null;

create table darkroom.bars (
    bar_id     bigint generated always as identity primary key,
    person     text not null,
    decider    text not null,
    decided_at timestamptz not null default clock_timestamp(),
    reason     text,
    ends_at    timestamptz,
    note       text,
    constraint a_bar_has_a_reason_and_its_end_a_time check (num_nonnulls(reason, ends_at) >= 1),
    constraint decider_is_1_to_200_characters check (char_length(decider) between 1 and 200),
    constraint note_is_at_most_5000_characters check (char_length(note) <= 5000),
    constraint person_is_1_to_200_characters check (char_length(person) between 1 and 200),
    constraint reason_is_1_to_200_characters check (char_length(reason) between 1 and 200)
);
comment on table darkroom.bars is
    'Who may not upload, comment, vote and report. The latest row of a person is in force until ends_at, null for no end; one '
    'without a reason ended the bar before it. Rows are only added.';
create index bars_person on darkroom.bars (person, bar_id desc);
create index bars_decider on darkroom.bars (decider);
create index bars_decided_at on darkroom.bars (decided_at);

create table darkroom.person_erasures (
    erasure_id   bigint generated always as identity primary key,
    person       text,
    pseudonym    text default ('erased-' || gen_random_uuid()),
    state        text not null default 'waiting',
    requested_by text,
    requested_at timestamptz not null default clock_timestamp(),
    started_at   timestamptz,
    finished_at  timestamptz,
    posts        integer not null default 0,
    uploads      integer not null default 0,
    jobs         integer not null default 0,
    votes        integer not null default 0,
    comments     integer not null default 0,
    reports      integer not null default 0,
    decisions    integer not null default 0,
    history      integer not null default 0,
    files        integer not null default 0,
    recorded_at  timestamptz,
    constraint only_finished_erasures_forget_the_person check ((state = 'finished') = (person is null)),
    constraint person_is_1_to_200_characters check (char_length(person) between 1 and 200),
    constraint person_is_not_the_star_of_all_keys check (person <> '*'),
    constraint state_is_known check (state in ('waiting', 'running', 'finished')),
    constraint the_person_and_the_pseudonym_go_together check ((person is null) = (pseudonym is null))
);
comment on table darkroom.person_erasures is
    'Orders to erase persons, with how much was erased. The person, and the pseudonym that replaced the name, are '
    'forgotten at the end.';
comment on column darkroom.person_erasures.pseudonym is
    'Random, so that it says nothing about the person. What must stay, such as the moderation log, carries it.';
comment on column darkroom.person_erasures.recorded_at is
    'When the record was last erased: the end of the erasure checks for history that came since.';
create unique index one_open_erasure_a_person on darkroom.person_erasures (person);
create index person_erasures_finished on darkroom.person_erasures (finished_at) where state = 'finished';

-- Moderation

create table darkroom.moderation_policies (
    version                    integer generated always as identity primary key,
    hide_threshold             double precision not null,
    note                       text not null,
    created_at                 timestamptz not null default now(),
    restore_share              double precision not null default 0.5,
    approved_factor            double precision not null default 3,
    hide_rate                  double precision not null default 0.0001,
    hide_ceiling               double precision not null default 25,
    high_rate                  double precision not null default 0.2,
    least_threshold            double precision not null default 3,
    report_lifetime            interval not null default '180 days',
    prior_agreed               double precision not null default 2,
    prior_disagreed            double precision not null default 2,
    record_floor               double precision not null default 0.1,
    record_ceiling             double precision not null default 1.5,
    new_account_weight         double precision not null default 0.2,
    account_half_life          interval not null default '7 days',
    mature_age                 interval not null default '30 days',
    burst_window               interval not null default '00:10:00',
    cohort_window              interval not null default '1 day',
    shared_posts               integer not null default 3,
    shared_share               double precision not null default 0.5,
    group_cap                  double precision not null default 2.5,
    weight_explicit            double precision not null default 1.5,
    weight_minors              double precision not null default 2,
    weight_violence            double precision not null default 1.2,
    weight_harassment          double precision not null default 1,
    weight_spam                double precision not null default 1,
    weight_private_information double precision not null default 1.5,
    weight_illegal             double precision not null default 2,
    weight_other               double precision not null default 0.5,
    urgent_reasons             darkroom.report_reason[] not null default '{minors,illegal,explicit,private_information}',
    urgent_record              double precision not null default 0.75,
    removals_to_hold           integer not null default 3,
    removals_within            interval not null default '90 days',
    look_alike_distance        integer not null default 6,
    terms                      text not null default 'the rules of this service',
    law                        text not null default 'the law that applies where this service is offered',
    redress                    text not null default 'You can appeal to us, free of charge, within six months; turn to a certified out-of-court dispute settlement body; or go to court.',
    constraint account_half_life_is_positive check (account_half_life > '00:00:00'),
    constraint approved_factor_is_1_to_1000 check (approved_factor between 1 and 1000),
    constraint burst_window_is_not_negative check (burst_window >= '00:00:00'),
    constraint cohort_window_is_not_negative check (cohort_window >= '00:00:00'),
    constraint group_cap_is_positive check (group_cap > 0),
    constraint hide_ceiling_is_positive check (hide_ceiling > 0),
    constraint hide_rate_is_0_to_1 check (hide_rate between 0 and 1),
    constraint hide_threshold_is_positive check (hide_threshold > 0),
    constraint high_rate_is_above_0_to_1 check (high_rate > 0 and high_rate <= 1),
    constraint law_is_1_to_400_characters check (char_length(law) between 1 and 400),
    constraint least_threshold_is_positive check (least_threshold > 0),
    constraint look_alike_distance_is_0_to_7 check (look_alike_distance between 0 and 7),
    constraint mature_age_is_not_negative check (mature_age >= '00:00:00'),
    constraint new_account_weight_is_0_to_1 check (new_account_weight between 0 and 1),
    constraint prior_agreed_is_positive check (prior_agreed > 0),
    constraint prior_disagreed_is_positive check (prior_disagreed > 0),
    constraint record_ceiling_is_1_to_100 check (record_ceiling between 1 and 100),
    constraint record_floor_is_0_to_1 check (record_floor between 0 and 1),
    constraint redress_is_1_to_2000_characters check (char_length(redress) between 1 and 2000),
    constraint removals_to_hold_is_not_negative check (removals_to_hold >= 0),
    constraint removals_within_is_positive_and_at_most_3650_days check (removals_within > '00:00:00' and removals_within <= '3650 days'),
    constraint report_lifetime_is_positive_and_at_most_3650_days check (report_lifetime > '00:00:00' and report_lifetime <= '3650 days'),
    constraint restore_share_is_from_0_to_below_1 check ((restore_share >= 0) and (restore_share < 1)),
    constraint shared_posts_is_positive check (shared_posts > 0),
    constraint shared_share_is_above_0_to_1 check ((shared_share > 0) and (shared_share <= 1)),
    constraint terms_is_1_to_2000_characters check (char_length(terms) between 1 and 2000),
    constraint urgent_record_is_0_to_1 check (urgent_record between 0 and 1),
    constraint weight_explicit_is_0_to_100 check (weight_explicit between 0 and 100),
    constraint weight_harassment_is_0_to_100 check (weight_harassment between 0 and 100),
    constraint weight_illegal_is_0_to_100 check (weight_illegal between 0 and 100),
    constraint weight_minors_is_0_to_100 check (weight_minors between 0 and 100),
    constraint weight_other_is_0_to_100 check (weight_other between 0 and 100),
    constraint weight_private_information_is_0_to_100 check (weight_private_information between 0 and 100),
    constraint weight_spam_is_0_to_100 check (weight_spam between 0 and 100),
    constraint weight_violence_is_0_to_100 check (weight_violence between 0 and 100)
);
comment on table darkroom.moderation_policies is
    'Append a row to change the policy: the highest version is in force, at once and without a restart.';
comment on column darkroom.moderation_policies.hide_threshold is
    'Score at which a post is hidden. Many views raise it by hide_rate, up to hide_ceiling; few lower it by high_rate.';
comment on column darkroom.moderation_policies.restore_share is
    'A hidden post comes back automatically once its score has fallen to this share of its threshold.';
comment on column darkroom.moderation_policies.approved_factor is
    'The threshold of a post that a person approved is multiplied by this.';
comment on column darkroom.moderation_policies.hide_rate is
    'Score needed per view to hide a post, if that exceeds hide_threshold: a post with many views needs more reports, but '
    'never more than hide_ceiling.';
comment on column darkroom.moderation_policies.high_rate is
    'Score per view that hides a post which few have seen, if that is below hide_threshold and at least least_threshold.';
comment on column darkroom.moderation_policies.report_lifetime is 'Reports older than this count for nothing.';
comment on column darkroom.moderation_policies.prior_agreed is
    'How many right reports everybody is assumed to start with; prior_disagreed: how many wrong ones.';
comment on column darkroom.moderation_policies.record_floor is
    'The least factor that a bad record gives a report; record_ceiling is the greatest that a good one gives.';
comment on column darkroom.moderation_policies.new_account_weight is
    'The weight of a report from an account that was never seen before. It grows to 1: every account_half_life closes '
    'half of the gap.';
comment on column darkroom.moderation_policies.mature_age is
    'Accounts of this age or older are never part of a cohort.';
comment on column darkroom.moderation_policies.burst_window is
    'Reports this close together, from accounts first seen within cohort_window of each other, are one burst and count '
    'as a group.';
comment on column darkroom.moderation_policies.shared_posts is
    'Reporters who both reported this many other posts, and shared_share of all that either reported, count as a group.';
comment on column darkroom.moderation_policies.group_cap is
    'The most that a group counts; below that, it counts the root of the sum of its weights'' squares.';
comment on column darkroom.moderation_policies.urgent_reasons is
    'Reasons for which one reporter with a record of at least urgent_record hides a post until it is reviewed.';
comment on column darkroom.moderation_policies.removals_to_hold is
    'Uploads of a person who had this many posts removed within removals_within are held for review. 0 holds every upload, so that '
    'nothing is public before a person has looked.';
comment on column darkroom.moderation_policies.look_alike_distance is
    'Photos whose perceptual hash differs in at most this many of 64 bits from a removed one are held for review.';
comment on column darkroom.moderation_policies.terms is
    'What statements of reasons name as the contractual ground. redress is what they say about redress.';
comment on column darkroom.moderation_policies.law is
    'What statements of reasons name as the legal ground when one report of something illegal has hidden a post.';

create table darkroom.moderation_decisions (
    decision_id       bigint generated always as identity primary key,
    post_id           bigint not null,
    comment_id        bigint not null default 0,
    author            text,
    decision          text not null,
    policy_version    integer not null references darkroom.moderation_policies (version),
    reports           integer not null,
    decided_at        timestamptz not null default now(),
    cause             text,
    from_state        darkroom.post_state,
    to_state          darkroom.post_state,
    decider           text,
    note              text,
    score             double precision,
    threshold         double precision,
    views             bigint,
    similar_to        bigint,
    similar_distance  smallint,
    uploader_removals integer,
    hash_list         bigint,
    hash_list_name    text,
    hash_distance     smallint,
    ground            text,
    ground_reference  text,
    appeal_id         bigint,
    content_at        timestamptz,
    content_has_photo boolean,
    content_has_text  boolean,
    constraint cause_is_known check (cause in ('below_threshold', 'score', 'urgent_report', 'score_fell', 'waits_for_review', 'not_shown', 'uploader_record', 'look_alike', 'listed_hash', 'every_upload', 'review', 'appeal')),
    constraint decision_is_known check (decision in ('keep', 'hide', 'show', 'hold', 'approve', 'remove', 'restore')),
    constraint ground_is_law_or_terms check (ground in ('law', 'terms')),
    constraint ground_reference_is_at_most_2000_characters check (char_length(ground_reference) <= 2000),
    constraint note_is_at_most_5000_characters check (char_length(note) <= 5000),
    constraint people_decide_by_name check ((decision not in ('approve', 'remove', 'restore')) or (decider is not null))
);
comment on table darkroom.moderation_decisions is 'Every decision with its evidence. Append only.';
comment on column darkroom.moderation_decisions.comment_id is 'The comment below the post that it is on; 0 for the post itself.';
comment on column darkroom.moderation_decisions.author is 'Who wrote the comment; null for a post.';
comment on column darkroom.moderation_decisions.decider is 'Who decided; null for a rule.';
comment on column darkroom.moderation_decisions.similar_to is
    'The removed or hidden post whose photo this one resembles; their hashes differ in similar_distance bits.';
comment on column darkroom.moderation_decisions.hash_list is
    'The list of known hashes that the photo is on, with its name at that time; the hashes differ in hash_distance bits of 256.';
comment on column darkroom.moderation_decisions.ground is
    'What a removal rests on: the law or the terms. ground_reference says which provision.';
comment on column darkroom.moderation_decisions.content_at is
    'When the post was published, and content_has_photo and content_has_text what it has: statements of reasons need them, and the post '
    'may be erased before.';
create index moderation_decisions_post on darkroom.moderation_decisions (post_id, comment_id, decision_id desc);
create index moderation_decisions_decider on darkroom.moderation_decisions (decider) where decider is not null;
create index moderation_decisions_author on darkroom.moderation_decisions (author) where author is not null;
create index moderation_decisions_time on darkroom.moderation_decisions (decided_at, decision_id);

create table darkroom.moderation_evidence (
    decision_id    bigint not null references darkroom.moderation_decisions (decision_id),
    reporter       text not null,
    reason         darkroom.report_reason not null,
    reported_at    timestamptz not null,
    account_since  timestamptz not null,
    agreed         integer not null,
    disagreed      integer not null,
    record_weight  double precision not null,
    account_weight double precision not null,
    reason_weight  double precision not null,
    group_number   integer,
    counted        double precision not null,
    disregarded    text,
    primary key (decision_id, reporter),
    constraint disregarded_is_known check (disregarded in ('expired', 'before_approval', 'not_weighed'))
);
comment on table darkroom.moderation_evidence is
    'What each report counted in a decision that changed a post''s state. counted is the product of the weights, after '
    'the group''s discount.';
create index moderation_evidence_reporter on darkroom.moderation_evidence (reporter);

create table darkroom.reports (
    report_id          bigint generated always as identity,
    post_id            bigint not null,
    comment_id         bigint not null default 0,
    reporter           text not null,
    reason             darkroom.report_reason not null,
    details            text,
    created_at         timestamptz not null default now(),
    reporter_since     timestamptz,
    reporter_agreed    integer not null default 0,
    reporter_disagreed integer not null default 0,
    is_agreed          boolean,
    judged_by          bigint,
    record_weight      double precision,
    account_weight     double precision,
    reason_weight      double precision,
    group_number       integer,
    counted            double precision,
    disregarded        text,
    is_grouped         boolean not null default false,
    primary key (post_id, comment_id, reporter),
    constraint details_have_no_control_characters check (darkroom.has_no_control_characters(details, true)),
    constraint details_is_at_most_2000_characters check (char_length(details) <= 2000),
    constraint reporter_is_1_to_200_characters check (char_length(reporter) between 1 and 200),
    constraint reporter_since_is_a_time_from_1970_on check (isfinite(reporter_since) and (reporter_since >= timestamptz '1970-01-01 00:00:00+00'))
);
comment on table darkroom.reports is
    'One report per reporter and post or comment, with what was known of the reporter when it was filed, so that weighing it '
    'again gives the same result.';
comment on column darkroom.reports.comment_id is 'The comment below the post that it is on; 0 for the post itself.';
comment on column darkroom.reports.is_agreed is
    'Whether the review judged_by agreed with the report; null until there is one.';
comment on column darkroom.reports.counted is
    'What the report counted when it was last weighed: the product of the weights, after the group''s discount. Null before.';
comment on column darkroom.reports.is_grouped is
    'Whether a weighing has found that the reporter reports the same posts as others.';
create index reports_reporter on darkroom.reports (reporter, created_at desc);
create index reports_undecided on darkroom.reports (reporter) where is_agreed is null;
create index reports_comment on darkroom.reports (comment_id) where comment_id > 0;

create table darkroom.moderation_backlog (
    change_id  bigint generated always as identity primary key,
    post_id    bigint not null,
    comment_id bigint not null default 0
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
comment on table darkroom.moderation_backlog is
    'Posts and comments whose reports must be weighed, a row for every report; comment_id is 0 for the post itself. enqueue_backlogs turns '
    'them into jobs.';

create table darkroom.appeals (
    appeal_id   bigint generated always as identity primary key,
    post_id     bigint not null references darkroom.posts (post_id) on delete cascade,
    comment_id  bigint not null default 0,
    uploader    text not null,
    text        text not null,
    created_at  timestamptz not null default clock_timestamp(),
    decision_id bigint references darkroom.moderation_decisions (decision_id),
    constraint appeal_has_no_control_characters check (darkroom.has_no_control_characters(text, true)),
    constraint appeal_is_1_to_5000_characters check (char_length(text) between 1 and 5000),
    constraint appeal_is_not_blank check (not darkroom.is_blank(text))
);
comment on table darkroom.appeals is
    'What uploaders say against decisions on their posts, and, with the number of a comment, authors against those on their comments. '
    'decision_id decides the appeal; null while it is open.';
create unique index one_open_appeal on darkroom.appeals (post_id, comment_id) where decision_id is null;
-- The deletion of a post finds its appeals with this index.
create index appeals_post on darkroom.appeals (post_id);
create index appeals_uploader on darkroom.appeals (uploader);
-- The deletion of a decision looks for appeals that it decided.
create index appeals_decision on darkroom.appeals (decision_id) where decision_id is not null;

create table darkroom.reviews (
    post_id    bigint not null references darkroom.posts (post_id) on delete cascade,
    comment_id bigint not null default 0,
    severity   smallint not null,
    score      double precision not null,
    cause      text not null,
    appeal_id  bigint references darkroom.appeals (appeal_id),
    opened_at  timestamptz not null default clock_timestamp(),
    is_binding boolean not null default true,
    weighed_by integer not null default 0,
    weigh_at   timestamptz,
    primary key (post_id, comment_id),
    constraint severity_is_0_to_9 check (severity between 0 and 9)
);
comment on table darkroom.reviews is
    'The review list, in the order of the index reviews_order: every post and comment that is held, hidden, appealed for or reported.';
comment on column darkroom.reviews.comment_id is 'The comment below the post that waits; 0 for the post itself.';
comment on column darkroom.reviews.cause is
    'The cause of the decision that listed the post, appeal, or reported: it has reports, but not enough to be hidden.';
comment on column darkroom.reviews.is_binding is
    'Whether the post waits for a person''s decision. False if it is only reported, and for no reason on which a person must '
    'decide: then it can expire or be deleted, and leaves the list with its last report.';
comment on column darkroom.reviews.weighed_by is
    'The policy by which the reports on the post were last weighed, or soon will be; 0 in reviews of older releases.';
comment on column darkroom.reviews.weigh_at is
    'When the next report on the post reaches the end of its lifetime; null if none will.';
create index reviews_order on darkroom.reviews (((- severity)), ((- score)), opened_at, post_id) where comment_id = 0;
create index reviews_comment_order on darkroom.reviews (((- severity)), ((- score)), opened_at, comment_id) where comment_id > 0;
-- Only what reports alone have listed changes automatically.
create index reviews_weighed_by on darkroom.reviews (weighed_by, post_id)
    where (cause in ('score', 'reported')) and (appeal_id is null);
create index reviews_weigh_at on darkroom.reviews (weigh_at, post_id)
    where (cause in ('score', 'reported')) and (appeal_id is null);

create table darkroom.removals (
    post_id    bigint primary key,
    uploader   text not null,
    removed_at timestamptz not null default clock_timestamp(),
    is_settled boolean not null default false
);
comment on table darkroom.removals is
    'Posts that reviews removed: their uploaders'' record. Restoring deletes the row.';
comment on column darkroom.removals.is_settled is
    'Whether the post''s erasure was ordered, or the post was gone, when settings.removed_days were over.';
create index removals_uploader on darkroom.removals (uploader, removed_at);
create index removals_time on darkroom.removals (removed_at);
create index removals_unsettled on darkroom.removals (removed_at) where not is_settled;

create table darkroom.removed_hashes (
    post_id bigint primary key,
    hash    bigint not null
);
comment on table darkroom.removed_hashes is
    'Perceptual hashes of removed posts, and of posts that reports have hidden, or that their uploaders deleted, until a '
    'review has ended.';
create index removed_hashes_band_0 on darkroom.removed_hashes (((hash & (65535)::bigint)));
create index removed_hashes_band_1 on darkroom.removed_hashes ((((hash >> 16) & (65535)::bigint)));
create index removed_hashes_band_2 on darkroom.removed_hashes ((((hash >> 32) & (65535)::bigint)));
create index removed_hashes_band_3 on darkroom.removed_hashes ((((hash >> 48) & (65535)::bigint)));

create table darkroom.hash_lists (
    list_id    bigint generated always as identity primary key,
    name       text not null unique,
    action     text not null,
    distance   smallint not null default 31,
    note       text,
    added_by   text not null,
    added_at   timestamptz not null default clock_timestamp(),
    version    integer not null default 1,
    constraint action_is_hold_or_refuse check (action in ('hold', 'refuse')),
    constraint distance_is_0_to_31 check (distance between 0 and 31),
    constraint list_name_is_1_to_100_characters check (char_length(name) between 1 and 100),
    constraint list_name_is_plain_text check (darkroom.is_plain_text(name) and not darkroom.is_blank(name)),
    constraint list_note_is_at_most_5000_characters check (char_length(note) <= 5000),
    constraint added_by_is_1_to_200_characters check (char_length(added_by) between 1 and 200)
);
comment on table darkroom.hash_lists is
    'Lists of known photos. A photo whose PDQ hash differs from one of a list in at most distance of 256 bits is held for review '
    'or refused.';
comment on column darkroom.hash_lists.version is
    'How often the list was changed: a photo that was screened by an older version is screened again before it is published.';

create table darkroom.listed_hashes (
    list_id bigint not null references darkroom.hash_lists (list_id) on delete cascade,
    hash    bit(256) not null,
    primary key (list_id, hash)
);
comment on table darkroom.listed_hashes is 'The PDQ hashes of the lists. The highest bits come first, as in their hexadecimal form.';
create index listed_hashes_word_0 on darkroom.listed_hashes ((substring(hash, 1, 16)::integer));
create index listed_hashes_word_1 on darkroom.listed_hashes ((substring(hash, 17, 16)::integer));
create index listed_hashes_word_2 on darkroom.listed_hashes ((substring(hash, 33, 16)::integer));
create index listed_hashes_word_3 on darkroom.listed_hashes ((substring(hash, 49, 16)::integer));
create index listed_hashes_word_4 on darkroom.listed_hashes ((substring(hash, 65, 16)::integer));
create index listed_hashes_word_5 on darkroom.listed_hashes ((substring(hash, 81, 16)::integer));
create index listed_hashes_word_6 on darkroom.listed_hashes ((substring(hash, 97, 16)::integer));
create index listed_hashes_word_7 on darkroom.listed_hashes ((substring(hash, 113, 16)::integer));
create index listed_hashes_word_8 on darkroom.listed_hashes ((substring(hash, 129, 16)::integer));
create index listed_hashes_word_9 on darkroom.listed_hashes ((substring(hash, 145, 16)::integer));
create index listed_hashes_word_10 on darkroom.listed_hashes ((substring(hash, 161, 16)::integer));
create index listed_hashes_word_11 on darkroom.listed_hashes ((substring(hash, 177, 16)::integer));
create index listed_hashes_word_12 on darkroom.listed_hashes ((substring(hash, 193, 16)::integer));
create index listed_hashes_word_13 on darkroom.listed_hashes ((substring(hash, 209, 16)::integer));
create index listed_hashes_word_14 on darkroom.listed_hashes ((substring(hash, 225, 16)::integer));
create index listed_hashes_word_15 on darkroom.listed_hashes ((substring(hash, 241, 16)::integer));

create table darkroom.hash_refusals (
    upload_id  bigint not null references darkroom.uploads (upload_id) on delete cascade,
    list_id    bigint not null,
    list_name  text not null,
    distance   smallint not null,
    refused_at timestamptz not null default clock_timestamp(),
    primary key (upload_id)
);
comment on table darkroom.hash_refusals is
    'Uploads that were refused because of a list, for moderators: their uploaders are not told which list it was. The hashes '
    'differ in distance bits.';
create index hash_refusals_time on darkroom.hash_refusals (refused_at, upload_id);

-- Events for apps

create sequence darkroom.event_numbers as bigint;
comment on sequence darkroom.event_numbers is 'The last number given to an event.';

create table darkroom.outbox (
    event_id    bigint generated always as identity primary key,
    post_id     bigint,
    event       text not null,
    occurred_at timestamptz not null default now(),
    comment_id  bigint,
    job_id      bigint,
    upload_id   bigint,
    reason      text,
    likes       integer,
    constraint an_event_is_of_a_post_or_a_job check (num_nonnulls(post_id, job_id) = 1),
    constraint outbox_event_is_known check (event in (
        'published', 'held', 'hidden', 'restored', 'removed', 'expired', 'edited', 'rerendered', 'relocated', 'corrected', 'commented',
        'comment_deleted', 'comment_held', 'comment_hidden', 'comment_restored', 'comment_removed', 'comment_appeal_answered', 'rejected', 'liked', 'appeal_answered'))
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
comment on table darkroom.outbox is
    'What has happened to posts and uploads and has no number yet: written in the transaction that caused it. number_events '
    'moves it to event_log. A post that is held for review starts with held, and gets published when it is approved.';

-- Numbers and days rise together, so the oldest events are whole partitions.
create table darkroom.event_log (
    number      bigint not null,
    post_id     bigint,
    event       text not null,
    occurred_at timestamptz not null,
    numbered_at timestamptz not null,
    comment_id  bigint,
    job_id      bigint,
    upload_id   bigint,
    reason      text,
    likes       integer,
    primary key (number, numbered_at)
) partition by range (numbered_at);
comment on table darkroom.event_log is
    'The events that readers get, by day. number is the place in their order, independent of when their transactions began.';

create table darkroom.event_log_default partition of darkroom.event_log default;

create table darkroom.event_consumers (
    consumer text primary key,
    number   bigint not null default 0,
    acked_at timestamptz not null default clock_timestamp(),
    constraint consumer_is_1_to_100_characters check (char_length(consumer) between 1 and 100)
) with (fillfactor = 50);
comment on table darkroom.event_consumers is
    'Who reads events, and the number of the last event that each has handled.';

-- The inbox

create table darkroom.inboxes (
    person     text primary key,
    read_up_to bigint not null default 0,
    events     text[],
    constraint person_is_1_to_200_characters check (char_length(person) between 1 and 200)
) with (fillfactor = 80);
comment on table darkroom.inboxes is
    'How far people have read their inboxes, and which events they want to be told of; null for all. No row for a person who '
    'has said neither.';

create table darkroom.inbox_entries (
    person           text not null,
    subject_id       bigint not null,
    event            text not null,
    number           bigint not null,
    times            integer not null,
    comment_ids      bigint[] not null default '{}',
    reason           text,
    occurred_at      timestamptz not null,
    primary key (person, subject_id, event)
) with (fillfactor = 80);
comment on table darkroom.inbox_entries is
    'What people are told: for each person, post and event one entry, with the number of the latest event in it. An entry is '
    'read if the person has read up to its number; what happens then starts it again. fill_inboxes writes it.';
comment on column darkroom.inbox_entries.subject_id is 'The post; of rejected, the job.';
comment on column darkroom.inbox_entries.times is 'How many likes or comments came since the person read the entry.';
comment on column darkroom.inbox_entries.comment_ids is
    'The comments that times counts, the latest last; of more than 1,000 the latest. One that is deleted, or whose author is blocked, is '
    'taken out.';
create unique index inbox_entries_order on darkroom.inbox_entries (person, number desc);
create index inbox_entries_time on darkroom.inbox_entries (occurred_at);

create table darkroom.inbox_progress (
    is_only_row boolean primary key default true check (is_only_row),
    number      bigint not null default 0
) with (fillfactor = 50);
comment on table darkroom.inbox_progress is 'One row: the number of the last event that inboxes have.';

create table darkroom.handle_keys (
    is_only_row boolean primary key default true check (is_only_row),
    inner_pad   bytea not null check (octet_length(inner_pad) = 64),
    outer_pad   bytea not null check (octet_length(outer_pad) = 64)
);
comment on table darkroom.handle_keys is
    'One row: the secret of the handles of authors. inner_pad and outer_pad are the key, combined with the constants of HMAC '
    '(RFC 2104). Only the owner may read it: who knows it and the identifier of a person can tell what they wrote.';

create table darkroom.console_invitations (
    secret_sha256 bytea primary key check (octet_length(secret_sha256) = 32),
    name          text not null check (length(name) between 1 and 100 and darkroom.is_plain_text(name)),
    role          text not null check (role in ('operator', 'moderator')),
    may_act       boolean not null,
    invited_by    text not null,
    created_at    timestamptz not null default clock_timestamp(),
    expires_at    timestamptz not null
);
comment on table darkroom.console_invitations is
    'The links to the console that nobody has used yet. The secret of a link is not kept, only its SHA-256.';

create table darkroom.console_sessions (
    session_id    bigint generated always as identity primary key,
    secret_sha256 bytea not null unique check (octet_length(secret_sha256) = 32),
    name          text not null check (length(name) between 1 and 100 and darkroom.is_plain_text(name)),
    role          text not null check (role in ('operator', 'moderator')),
    may_act       boolean not null,
    signed_in_at  timestamptz not null default clock_timestamp(),
    seen_at       timestamptz not null default clock_timestamp(),
    expires_at    timestamptz not null
);
comment on table darkroom.console_sessions is
    'Who is signed in to the console. The secret of the cookie is not kept, only its SHA-256.';
comment on column darkroom.console_sessions.may_act is 'Whether the person may change something, or only look.';

create table darkroom.operator_actions (
    action_id     bigint generated always as identity primary key,
    requested_by  text not null,
    role          text not null,
    source        text not null check (source in ('console', 'command line')),
    action        text not null,
    target        text,
    filter        text,
    uploader      text,
    why           text,
    started_at    timestamptz not null default clock_timestamp(),
    matching      bigint not null default 1,
    done          bigint not null default 0,
    progressed_at timestamptz not null default clock_timestamp(),
    ended_at      timestamptz,
    fault         text
);
comment on table darkroom.operator_actions is
    'What operators did, from the console and from the command line: one row for each order, however many jobs it changes.';
comment on column darkroom.operator_actions.target is 'What was changed, such as job 17 or queue bulk; null if a filter selects it.';
comment on column darkroom.operator_actions.filter is 'The conditions that selected what was changed, but for the uploader.';
comment on column darkroom.operator_actions.matching is 'How many there were to change when the action began.';
comment on column darkroom.operator_actions.done is 'How many have been changed so far.';
create index operator_actions_requested_by on darkroom.operator_actions (requested_by);
create index operator_actions_uploader on darkroom.operator_actions (uploader) where uploader is not null;
create index operator_actions_time on darkroom.operator_actions (started_at);

create view darkroom.all_jobs as
    select j.job_id, j.kind, darkroom.state_of(j.lease, j.waits_for) as state, l.queue, l.priority,
           j.subject_id, j.fair_key, j.attempt, j.failures, j.crashes, j.deaths, null::text as reason, null::text as message,
           null::text as cause, darkroom.worker_of(j.lease) as worker_id, j.waits_for, j.stage, j.cancel_requested, j.created_at, j.run_at, j.leased_at as started_at,
           null::timestamptz as finished_at
    from darkroom.jobs j join darkroom.lanes l using (lane)
    union all
    select f.job_id, f.kind, f.state, l.queue, l.priority, f.subject_id, f.fair_key, f.attempt, f.failures, f.crashes, f.deaths,
           f.reason, f.message, f.cause, darkroom.worker_of(f.lease), null, null, false, f.created_at, null, f.started_at, f.finished_at
    from darkroom.finished_jobs f join darkroom.lanes l using (lane);
comment on view darkroom.all_jobs is 'Unfinished and finished jobs together, for people and tools.';

create view darkroom.all_attempts as
    select job_id, attempt, lease, darkroom.worker_of(lease) as worker_id, outcome, reason, message, cause, verdict, stages,
           started_at, ended_at
    from darkroom.job_attempts
    union all
    select job_id, attempt, lease, darkroom.worker_of(lease), state::text::darkroom.attempt_outcome, reason, message, cause, verdict,
           stages, started_at, finished_at
    from darkroom.finished_jobs where lease is not null;
comment on view darkroom.all_attempts is 'How every attempt ended, including those that finished their jobs.';

-- Statistics are samples that outlive the rows: none of persons, their texts and exact coordinates.

do $$
declare
    one record;
begin
    for one in
        select c.oid::regclass as of_table, a.attname as of_column
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
        where c.relnamespace = (select relnamespace from pg_class where oid = 'darkroom.posts'::regclass) and c.relkind in ('r', 'p')
          and (a.attname in (
                   'person', 'uploader', 'voter', 'author', 'reporter', 'decider', 'corrected_by', 'fair_key', 'paused_by',
                   'replayed_by', 'requested_by', 'pseudonym', 'display_name', 'name_key', 'headline', 'caption', 'link', 'body', 'text',
                   'details', 'note', 'place_text', 'message', 'why', 'idempotency_key', 'original_key', 'original_sha256',
                   'media_key', 'media_keys', 'sha256')
               or a.attname = 'cause' and c.relname ~ '^(finished_jobs|job_attempts)'
               or a.attname ~ '(latitude|longitude)$')
    loop
        execute format('alter table %s alter column %I set statistics 0', one.of_table, one.of_column);
    end loop;
end $$;
-- The index's expression has statistics of its own.
alter index darkroom.people_name_key alter column 1 set statistics 0;

-- The first rows of an installation.

insert into darkroom.inbox_progress default values;
insert into darkroom.handle_keys (inner_pad, outer_pad)
select decode(string_agg(lpad(to_hex(b.byte # 54), 2, '0'), '' order by b.place), 'hex'),
       decode(string_agg(lpad(to_hex(b.byte # 92), 2, '0'), '' order by b.place), 'hex')
from (select s.place, case when s.place < 32 then get_byte(r.key, s.place) else 0 end as byte
      from (select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) as key offset 0) r,
           generate_series(0, 63) as s (place)) b;
insert into darkroom.settings default values;
insert into darkroom.locks (name, number)
select l.name, n from (values ('acts', 64), ('media', 1024), ('person', 1024), ('display_name', 1024), ('activity', 1024),
    ('activity_name', 1024), ('quota', 1024),
    ('apply_limits', 1), ('enqueue_backlogs', 1), ('exceptions', 1), ('grant_roles', 1), ('hash_lists', 2), ('history', 1), ('make_lane', 1), ('number_events', 1),
    ('tally_counters', 1), ('tally_map', 1), ('unpark_all', 1)) l (name, numbers)
cross join lateral generate_series(0, l.numbers - 1) n;
insert into darkroom.queues (name) values ('default');
insert into darkroom.posting_policies (headline_required, caption_required, category_required, link, note)
values (false, false, false, 'optional', 'Default: nothing is required and nothing refused.');
insert into darkroom.location_policies (privacy, minimum_population, note)
values ('grid_10m', 0, 'Default: the centre of a cell of 10 m, and the nearest place of any size.');
insert into darkroom.expiry_policies (note) values ('Default: posts do not expire.');
insert into darkroom.moderation_policies (hide_threshold, note)
values (5, 'Default: five distinct reporters hide a post until it is reviewed.');
insert into darkroom.rating_averages default values;
