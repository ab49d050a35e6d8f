CREATE SCHEMA darkroom;

CREATE DOMAIN darkroom.accuracy_m AS double precision
	CONSTRAINT accuracy_is_above_0_and_at_most_1000000_metres CHECK (((VALUE > (0)::double precision) AND (VALUE <= (1000000)::double precision)));

COMMENT ON DOMAIN darkroom.accuracy_m IS 'The radius of uncertainty of a position in metres: above 0, at most 1,000,000.';

CREATE DOMAIN darkroom.written AS text
	CONSTRAINT a_text_has_at_most_20000_bytes_and_30_combining_marks_in_a_row CHECK (
CASE
    WHEN (octet_length(VALUE) > 20000) THEN false
    WHEN (octet_length(VALUE) = char_length(VALUE)) THEN true
    ELSE (VALUE !~ '[\u0300-\u034E\u0350-\u036F\u0483-\u0487\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u0711\u0730-\u074A\u07EB-\u07F3\u07FD\u0816-\u0819\u081B-\u0823\u0825-\u0827\u0829-\u082D\u0859-\u085B\u0898-\u089F\u08CA-\u08E1\u08E3-\u08FF\u093C\u094D\u0951-\u0954\u09BC\u09CD\u09FE\u0A3C\u0A4D\u0ABC\u0ACD\u0B3C\u0B4D\u0BCD\u0C3C\u0C4D\u0C55\u0C56\u0CBC\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA\u0E38-\u0E3A\u0E48-\u0E4B\u0EB8-\u0EBA\u0EC8-\u0ECB\u0F18\u0F19\u0F35\u0F37\u0F39\u0F71-\u0F75\u0F7A-\u0F7D\u0F80-\u0F84\u0F86\u0F87\u0FC6\u1037\u1039\u103A\u108D\u135D-\u135F\u1714\u1715\u1734\u17D2\u17DD\u18A9\u1939-\u193B\u1A17\u1A18\u1A60\u1A75-\u1A7C\u1A7F\u1AB0-\u1ABD\u1ABF-\u1ACE\u1B34\u1B44\u1B6B-\u1B73\u1BAA\u1BAB\u1BE6\u1BF2\u1BF3\u1C37\u1CD0-\u1CD2\u1CD4-\u1CE0\u1CE2-\u1CE8\u1CED\u1CF4\u1CF8\u1CF9\u1DC0-\u1DFF\u20D0-\u20DC\u20E1\u20E5-\u20F0\u2CEF-\u2CF1\u2D7F\u2DE0-\u2DFF\u302A-\u302F\u3099\u309A\uA66F\uA674-\uA67D\uA69E\uA69F\uA6F0\uA6F1\uA806\uA82C\uA8C4\uA8E0-\uA8F1\uA92B-\uA92D\uA953\uA9B3\uA9C0\uAAB0\uAAB2-\uAAB4\uAAB7\uAAB8\uAABE\uAABF\uAAC1\uAAF6\uABED\uFB1E\uFE20-\uFE2F\U000101FD\U000102E0\U00010376-\U0001037A\U00010A0D\U00010A0F\U00010A38-\U00010A3A\U00010A3F\U00010AE5\U00010AE6\U00010D24-\U00010D27\U00010EAB\U00010EAC\U00010F46-\U00010F50\U00010F82-\U00010F85\U00011046\U00011070\U0001107F\U000110B9\U000110BA\U00011100-\U00011102\U00011133\U00011134\U00011173\U000111C0\U000111CA\U00011235\U00011236\U000112E9\U000112EA\U0001133B\U0001133C\U0001134D\U00011366-\U0001136C\U00011370-\U00011374\U00011442\U00011446\U0001145E\U000114C2\U000114C3\U000115BF\U000115C0\U0001163F\U000116B6\U000116B7\U0001172B\U00011839\U0001183A\U0001193D\U0001193E\U00011943\U000119E0\U00011A34\U00011A47\U00011A99\U00011C3F\U00011D42\U00011D44\U00011D45\U00011D97\U00016AF0-\U00016AF4\U00016B30-\U00016B36\U00016FF0\U00016FF1\U0001BC9E\U0001D165-\U0001D169\U0001D16D-\U0001D172\U0001D17B-\U0001D182\U0001D185-\U0001D18B\U0001D1AA-\U0001D1AD\U0001D242-\U0001D244\U0001E000-\U0001E006\U0001E008-\U0001E018\U0001E01B-\U0001E021\U0001E023\U0001E024\U0001E026-\U0001E02A\U0001E130-\U0001E136\U0001E2AE\U0001E2EC-\U0001E2EF\U0001E8D0-\U0001E8D6\U0001E944-\U0001E94A]{31}'::text)
END);

COMMENT ON DOMAIN darkroom.written IS 'What a person wrote: at most 20,000 bytes, and at most 30 combining characters in a row.';

CREATE DOMAIN darkroom.word AS darkroom.written
	CONSTRAINT word_has_a_visible_character_or_is_blank CHECK ((((VALUE)::text ~ '[^\s\u00A0\u1680\u2007\u202F\u2800\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]'::text) OR ((VALUE)::text !~ '[^\s\u00A0\u2007\u202F\u200B-\u200F\u2060\uFEFF]'::text)))
	CONSTRAINT word_is_one_line_of_at_most_100_characters CHECK (
CASE
    WHEN (char_length((VALUE)::text) > 100) THEN false
    WHEN (btrim((VALUE)::text, ' 	
             ​  ⁠　﻿'::text) ~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029\u202D\u202E]'::text) THEN false
    ELSE ((octet_length((VALUE)::text) <= 100) OR (char_length(NORMALIZE(VALUE, NFC)) <= 100))
END);

COMMENT ON DOMAIN darkroom.word IS 'A short name, such as a category: one line of at most 100 characters, one of them visible unless it is blank.';

CREATE DOMAIN darkroom.activity_name AS darkroom.word;

COMMENT ON DOMAIN darkroom.activity_name IS 'What people go to, such as a street fair. One line of at most 100 characters.';

CREATE TYPE darkroom.attempt_outcome AS ENUM (
    'succeeded',
    'rejected',
    'retry',
    'snoozed',
    'failed',
    'cancelled',
    'crashed',
    'returned'
);

COMMENT ON TYPE darkroom.attempt_outcome IS 'How one attempt at a job ended.';

CREATE DOMAIN darkroom.byte_count AS bigint
	CONSTRAINT byte_count_is_0_to_9007199254740991 CHECK (((VALUE >= 0) AND (VALUE <= '9007199254740991'::bigint)));

COMMENT ON DOMAIN darkroom.byte_count IS 'A size in bytes: below 2 to the power of 53, which every JSON reader can hold.';

CREATE DOMAIN darkroom.prose AS darkroom.written
	CONSTRAINT prose_has_at_most_5000_characters_and_no_control_characters CHECK (
CASE
    WHEN (char_length((VALUE)::text) > 5000) THEN false
    WHEN ((VALUE)::text ~ '[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\u202D\u202E]'::text) THEN false
    ELSE ((octet_length((VALUE)::text) <= 5000) OR (char_length(NORMALIZE(VALUE, NFC)) <= 5000))
END);

COMMENT ON DOMAIN darkroom.prose IS 'Lines of at most 5,000 characters together, without control characters but tabs and line ends.';

CREATE DOMAIN darkroom.caption AS darkroom.prose;

COMMENT ON DOMAIN darkroom.caption IS 'The text of a post: at most 5,000 characters.';

CREATE DOMAIN darkroom.category AS darkroom.word;

COMMENT ON DOMAIN darkroom.category IS 'The category of a post: what it shows. One line of at most 100 characters.';

CREATE DOMAIN darkroom.choice AS text
	CONSTRAINT choice_has_at_most_100_bytes CHECK ((octet_length(VALUE) <= 100));

COMMENT ON DOMAIN darkroom.choice IS 'One of several words; the function says which.';

CREATE TYPE darkroom.cluster AS (
	cluster_id bigint,
	posts integer,
	latitude double precision,
	longitude double precision,
	best_post_id bigint
);

COMMENT ON TYPE darkroom.cluster IS 'The posts of one square of the map: how many, their mean position in degrees, and the number of the best of them by hot.';

CREATE DOMAIN darkroom.cursor AS text
	CONSTRAINT cursor_has_at_most_200_bytes CHECK ((octet_length(VALUE) <= 200));

COMMENT ON DOMAIN darkroom.cursor IS 'Where a page begins: the cursor of the last row of the page before.';

CREATE DOMAIN darkroom.display_name AS darkroom.word;

COMMENT ON DOMAIN darkroom.display_name IS 'The name that readers see: one line of at most 100 characters.';

CREATE TYPE darkroom.feed_comment AS (
	comment_id bigint,
	post_id bigint,
	author text,
	author_handle text,
	display_name text,
	body text,
	likes integer,
	dislikes integer,
	created_at timestamp with time zone,
	my_vote text,
	cursor text
);

COMMENT ON TYPE darkroom.feed_comment IS 'A comment as readers see it. author and display_name are null for the uploader of an anonymous post, and author if the caller''s role does not act for people; author_handle stands for the author. my_vote is the viewer''s own vote, like or dislike; cursor is the value of after for the comments that follow.';

CREATE TYPE darkroom.feed_post AS (
	post_id bigint,
	published_at timestamp with time zone,
	uploader text,
	display_name text,
	author_handle text,
	anonymous boolean,
	headline text,
	caption text,
	link text,
	category text,
	activity text,
	taken_at timestamp with time zone,
	taken_at_local timestamp without time zone,
	time_zone text,
	latitude double precision,
	longitude double precision,
	location_precision text,
	location_accuracy_m double precision,
	country_geonameid bigint,
	country_code text,
	country_name text,
	division_geonameid bigint,
	division_code text,
	division_name text,
	city_geonameid bigint,
	city_name text,
	place_geonameid bigint,
	place_name text,
	width integer,
	height integer,
	placeholder bytea,
	pictures jsonb,
	likes integer,
	dislikes integer,
	comments integer,
	views bigint,
	my_vote text,
	distance_m double precision,
	score double precision,
	cursor text
);

COMMENT ON TYPE darkroom.feed_post IS 'A post as readers see it. uploader is null if the post is anonymous, or the caller''s role does not act for people; author_handle stands for the uploader, and an anonymous one has another handle. location_precision and location_accuracy_m are those of darkroom.posts: a post of a whole country or division lies in its middle, so show no pin for it. the geonameids are the numbers of GeoNames, for in_place; width and height are the upright original''s, and null in a post without a photo; placeholder is a ThumbHash; pictures is a list, largest first, of objects with name, media_key, format, width, height and bytes. my_vote is the viewer''s own vote, like or dislike. distance_m is from the reader''s coordinate, score is what the feed is ordered by, and cursor is the value of after for the posts that follow.';

CREATE DOMAIN darkroom.line AS darkroom.written
	CONSTRAINT line_is_one_line_of_at_most_200_characters CHECK (
CASE
    WHEN (char_length((VALUE)::text) > 200) THEN false
    WHEN ((VALUE)::text ~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029\u202D\u202E]'::text) THEN ((VALUE)::text !~ '[^\s\u00A0\u200B-\u200F\u2060\uFEFF]'::text)
    ELSE ((octet_length((VALUE)::text) <= 200) OR (char_length(NORMALIZE(VALUE, NFC)) <= 200))
END);

COMMENT ON DOMAIN darkroom.line IS 'One line of at most 200 characters, without control characters.';

CREATE DOMAIN darkroom.headline AS darkroom.line;

COMMENT ON DOMAIN darkroom.headline IS 'The headline of a post: one line of at most 200 characters.';

CREATE DOMAIN darkroom.idempotency_key AS text
	CONSTRAINT idempotency_key_is_1_to_200_characters CHECK (
CASE
    WHEN (octet_length(VALUE) > 800) THEN false
    ELSE ((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 200))
END);

COMMENT ON DOMAIN darkroom.idempotency_key IS 'A key of an uploader that makes an upload happen once: 1 to 200 characters.';

CREATE TYPE darkroom.job_state AS ENUM (
    'waiting',
    'scheduled',
    'parked',
    'running',
    'succeeded',
    'rejected',
    'failed',
    'cancelled'
);

COMMENT ON TYPE darkroom.job_state IS 'An unfinished job is waiting to be claimed, scheduled for a time, parked by a limit or a drain, or running. A finished one, unless replayed, stays succeeded, rejected (the upload is at fault), failed (the system is) or cancelled.';

CREATE TYPE darkroom.job_wait AS ENUM (
    'time',
    'turn',
    'resume'
);

COMMENT ON TYPE darkroom.job_wait IS 'What a job that cannot be claimed waits for: its time, its fair key''s turn, or the resume of a drained queue.';

CREATE TYPE darkroom.known_activity AS (
	activity text,
	latitude double precision,
	longitude double precision,
	radius_m double precision,
	begins_at timestamp with time zone,
	ends_at timestamp with time zone,
	aliases text[],
	posts_moved bigint,
	distance_m double precision,
	cursor text
);

COMMENT ON TYPE darkroom.known_activity IS 'An activity of darkroom.activities: its name, its area (the centre in degrees and the radius in metres), when it begins and ends, and its other names. While posts are yet to follow a change, posts_moved says of how many this was seen to so far; it is null when all have followed. distance_m is from the reader''s coordinate to the area, and cursor the value of after for the activities that follow.';

CREATE DOMAIN darkroom.latitude AS double precision
	CONSTRAINT latitude_is_within_90_degrees CHECK (((VALUE >= ('-90'::integer)::double precision) AND (VALUE <= (90)::double precision)));

COMMENT ON DOMAIN darkroom.latitude IS 'Degrees north, WGS 84: -90 to 90.';

CREATE DOMAIN darkroom.link AS darkroom.written
	CONSTRAINT link_is_an_http_url_of_at_most_2000_characters CHECK (((char_length((VALUE)::text) <= 2000) AND ((octet_length((VALUE)::text) <= 2000) OR (char_length(NORMALIZE(VALUE, NFC)) <= 2000))));

COMMENT ON DOMAIN darkroom.link IS 'An address on the web: at most 2,000 characters.';

CREATE TYPE darkroom.location_privacy AS ENUM (
    'exact',
    'grid_10m',
    'grid_100m',
    'grid_1km',
    'place'
);

COMMENT ON TYPE darkroom.location_privacy IS 'How precisely a location is published, from most to least exact: as it is, as the centre of a grid cell, or as the named place only.';

CREATE DOMAIN darkroom.longitude AS double precision
	CONSTRAINT longitude_is_within_180_degrees CHECK (((VALUE >= ('-180'::integer)::double precision) AND (VALUE <= (180)::double precision)));

COMMENT ON DOMAIN darkroom.longitude IS 'Degrees east, WGS 84: -180 to 180.';

CREATE DOMAIN darkroom.media_key AS text
	CONSTRAINT media_key_is_1_to_1024_characters CHECK (
CASE
    WHEN (octet_length(VALUE) > 4096) THEN false
    ELSE ((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 1024))
END);

COMMENT ON DOMAIN darkroom.media_key IS 'A path in the media store: 1 to 1,024 characters.';

CREATE DOMAIN darkroom.metres AS double precision
	CONSTRAINT metres_is_0_to_20040000 CHECK (((VALUE >= (0)::double precision) AND (VALUE <= (20040000)::double precision)));

COMMENT ON DOMAIN darkroom.metres IS 'A distance along the Earth in metres: 0 to 20,040,000.';

CREATE DOMAIN darkroom.moment AS timestamp with time zone
	CONSTRAINT moment_is_from_1800_to_2199 CHECK (((VALUE >= '1800-01-01 00:00:00+00'::timestamp with time zone) AND (VALUE < '2200-01-01 00:00:00+00'::timestamp with time zone)));

COMMENT ON DOMAIN darkroom.moment IS 'A finite time from 1800 to the end of 2199, UTC.';

CREATE DOMAIN darkroom.person AS text
	CONSTRAINT person_is_1_to_200_characters CHECK (
CASE
    WHEN (octet_length(VALUE) > 800) THEN false
    ELSE ((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 200))
END);

COMMENT ON DOMAIN darkroom.person IS 'The opaque identifier of a person, as the app has it: 1 to 200 characters.';

CREATE DOMAIN darkroom.place_country AS text
	CONSTRAINT place_country_is_2_capital_letters CHECK (((octet_length(VALUE) = 2) AND (VALUE ~ '^[A-Z]+$'::text)));

COMMENT ON DOMAIN darkroom.place_country IS 'A country by ISO 3166-1 alpha-2: two capital letters.';

CREATE DOMAIN darkroom.place_text AS darkroom.line;

COMMENT ON DOMAIN darkroom.place_text IS 'A place as somebody typed it: one line of at most 200 characters.';

CREATE DOMAIN darkroom.privacy_choice AS text
	CONSTRAINT location_privacy_is_exact_grid_10m_grid_100m_grid_1km_or_place CHECK ((VALUE = ANY (ARRAY['exact'::text, 'grid_10m'::text, 'grid_100m'::text, 'grid_1km'::text, 'place'::text])));

COMMENT ON DOMAIN darkroom.privacy_choice IS 'How exactly a post''s location is published: exact, grid_10m, grid_100m, grid_1km or place. See darkroom.location_privacy.';

CREATE DOMAIN darkroom.sha256_digits AS text
	CONSTRAINT sha256_is_64_hexadecimal_digits CHECK (((octet_length(VALUE) = 64) AND (VALUE ~ '^[0-9A-Fa-f]+$'::text)));

COMMENT ON DOMAIN darkroom.sha256_digits IS 'A SHA-256 in 64 hexadecimal digits.';

CREATE TYPE darkroom.new_upload AS (
	uploader darkroom.person,
	original_key darkroom.media_key,
	original_sha256 darkroom.sha256_digits,
	original_bytes darkroom.byte_count,
	headline darkroom.headline,
	caption darkroom.caption,
	link darkroom.link,
	category darkroom.category,
	activity darkroom.activity_name,
	latitude darkroom.latitude,
	longitude darkroom.longitude,
	place_text darkroom.place_text,
	taken_at darkroom.moment,
	idempotency_key darkroom.idempotency_key,
	accuracy_m darkroom.accuracy_m,
	location_privacy darkroom.privacy_choice,
	place_near_latitude darkroom.latitude,
	place_near_longitude darkroom.longitude,
	place_country darkroom.place_country,
	anonymous boolean,
	replaces bigint
);

COMMENT ON TYPE darkroom.new_upload IS 'One photo for darkroom.enqueue_uploads, or one text without original_*. From JSON: jsonb_populate_recordset(null::darkroom.new_upload, ...).';

CREATE TYPE darkroom.own_post AS (
	job_id bigint,
	post_id bigint,
	state text,
	reason text,
	message text,
	uploaded_at timestamp with time zone,
	published_at timestamp with time zone,
	expires_at timestamp with time zone,
	headline text,
	caption text,
	link text,
	category text,
	activity text,
	pictures jsonb,
	likes integer,
	dislikes integer,
	comments integer,
	views bigint,
	cursor text
);

COMMENT ON TYPE darkroom.own_post IS 'An upload as its uploader sees it. state is waiting, rejected, failed or cancelled, or that of the post it became: published, held, hidden, removed or expired. reason is a code for programs and message a sentence for the uploader: why it was rejected, failed, held, hidden or removed. pictures are as in darkroom.feed_post; likes, dislikes, comments and views are those of the post, 0 without one; cursor is the value of after for the rows that follow.';

CREATE TYPE darkroom.place_key AS (
	level text,
	geonameid bigint
);

COMMENT ON TYPE darkroom.place_key IS 'A place by its level and GeoNames number. The levels from the widest: country, division (state, province, region), city, and the place itself; a town that is part of no larger city is its own city. Write it as a row: in_place => (''city'', 658225) takes the posts of Helsinki and of all its parts.';

CREATE TYPE darkroom.post_event AS (
	number bigint,
	event text,
	post_id bigint,
	comment_id bigint,
	occurred_at timestamp with time zone,
	uploader text,
	job_id bigint,
	reason text,
	likes integer
);

COMMENT ON TYPE darkroom.post_event IS 'Something that happened to a post: published, held (for review, before anyone has seen it), hidden, restored, removed, expired, edited, rerendered, relocated, corrected, appeal_answered, liked, with how many likes by others came since the last such event, or commented and comment_deleted, with the comment''s number. rejected has no post but the number of the job, and the reason''s code. number is its place in the reading order. uploader is whose post or upload it is; null once that is erased.';

CREATE TYPE darkroom.post_filter AS (
	category text,
	activity text,
	uploader text,
	country bigint,
	division bigint,
	city bigint,
	place bigint,
	published_since timestamp with time zone,
	published_until timestamp with time zone,
	taken_since timestamp with time zone,
	taken_until timestamp with time zone,
	taken_hours integer,
	taken_season text
);

COMMENT ON TYPE darkroom.post_filter IS 'Which posts a list shows, checked and in the form in which they are compared; null stands for any. taken_hours has a bit for each hour of the day. See darkroom.filter_of and darkroom.passes.';

CREATE DOMAIN darkroom.post_numbers AS bigint[]
	CONSTRAINT post_numbers_are_a_list_of_at_most_10000 CHECK (((COALESCE(array_ndims(VALUE), 1) = 1) AND (cardinality(VALUE) <= 10000)));

COMMENT ON DOMAIN darkroom.post_numbers IS 'Up to 10,000 numbers of posts.';

CREATE TYPE darkroom.post_state AS ENUM (
    'published',
    'held',
    'hidden',
    'removed',
    'expired'
);

COMMENT ON TYPE darkroom.post_state IS 'Readers see published posts only. held waits for its first review, hidden for another one; removed and expired are over.';

CREATE DOMAIN darkroom.queue_name AS text
	CONSTRAINT queue_name_is_1_to_50_of_a_to_z_0_to_9_and_dashes CHECK ((((octet_length(VALUE) >= 1) AND (octet_length(VALUE) <= 50)) AND (VALUE ~ '^[a-z0-9][a-z0-9_-]*$'::text)));

COMMENT ON DOMAIN darkroom.queue_name IS 'The name of a queue: 1 to 50 of a to z, 0 to 9, _ and -.';

CREATE DOMAIN darkroom.remark AS darkroom.prose
	CONSTRAINT remark_is_at_most_2000_characters CHECK (((char_length((VALUE)::text) <= 2000) AND ((octet_length((VALUE)::text) <= 2000) OR (char_length(NORMALIZE(VALUE, NFC)) <= 2000))));

COMMENT ON DOMAIN darkroom.remark IS 'A comment, or what a reporter adds: at most 2,000 characters.';

CREATE TYPE darkroom.report_reason AS ENUM (
    'explicit',
    'minors',
    'violence',
    'harassment',
    'spam',
    'private_information',
    'illegal',
    'other'
);

COMMENT ON TYPE darkroom.report_reason IS 'What a reporter objects to. minors is explicit content that shows minors. A person decides on every report for minors, private_information or illegal.';

CREATE TYPE darkroom.stage_time AS (
	stage text,
	milliseconds real
);

COMMENT ON TYPE darkroom.stage_time IS 'How long an attempt took for a stage, in milliseconds.';

CREATE TYPE darkroom.upload_status AS (
	job_id bigint,
	state text,
	reason text,
	message text,
	attempts integer,
	enqueued_at timestamp with time zone,
	run_at timestamp with time zone,
	finished_at timestamp with time zone,
	post_id bigint,
	post_state text,
	stripped text[],
	exif_fields integer,
	location_privacy text
);

COMMENT ON TYPE darkroom.upload_status IS 'The state of a job. reason is a code for programs, message a sentence for the uploader, post_id the post that an upload became, and post_state its state now: published, held, hidden, removed or expired. stripped names the kinds of metadata that the photo had and the post does not, exif_fields counts the fields of its EXIF block, and location_privacy says how exactly its position is published.';

CREATE DOMAIN darkroom.view_counts AS integer[]
	CONSTRAINT view_counts_are_a_list_of_at_most_10000 CHECK (((COALESCE(array_ndims(VALUE), 1) = 1) AND (cardinality(VALUE) <= 10000)));

COMMENT ON DOMAIN darkroom.view_counts IS 'Up to 10,000 numbers of views.';

CREATE TYPE darkroom.vote AS ENUM (
    'like',
    'dislike'
);

COMMENT ON TYPE darkroom.vote IS 'A person''s vote on a post or comment; null if there is none or it was taken back.';

CREATE FUNCTION darkroom.abandon_media(job_id bigint, lease bigint, keys text[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.abandon_media(job_id bigint, lease bigint, keys text[]) IS 'Retires the files that an attempt noted and did not publish. If it did publish them, they stay, since rows refer to them.';

CREATE FUNCTION darkroom.ack_events(consumer darkroom.word, up_to bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.ack_events(consumer darkroom.word, up_to bigint) IS 'Records that a consumer has handled all events up to a number that read_events returned. Returns false if it had acknowledged that already or is unknown. Errors: 22023 for a number that no event has reached.';

CREATE FUNCTION darkroom.activities(latitude darkroom.latitude DEFAULT NULL::double precision, longitude darkroom.longitude DEFAULT NULL::double precision, radius_m darkroom.metres DEFAULT NULL::double precision, at_most bigint DEFAULT 20, after darkroom.cursor DEFAULT NULL::text) RETURNS SETOF darkroom.known_activity
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET extra_float_digits TO '1'
    AS …;

COMMENT ON FUNCTION darkroom.activities(latitude darkroom.latitude, longitude darkroom.longitude, radius_m darkroom.metres, at_most bigint, after darkroom.cursor) IS 'The activities that are not over: with a coordinate in degrees, those that have an area, nearest first; else the latest created first. distance_m is from the coordinate to the area, 0 inside it; radius_m, in metres, leaves out those that are farther away. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page, with the same arguments. Errors: 22023 for a coordinate out of range, half of one, or a cursor of another list.';

CREATE FUNCTION darkroom.activity(activity darkroom.activity_name) RETURNS SETOF darkroom.known_activity
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.activity(activity darkroom.activity_name) IS 'An activity by its name or an alias, also one that is over. No row if there is none in darkroom.activities.';

CREATE FUNCTION darkroom.activity_named(name text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.activity_named(name text) IS 'The activity that is meant by a name or an alias, in any case and normal form; the name as it is stored, if no activity of darkroom.activities has it; null if it is blank.';

CREATE FUNCTION darkroom.acts_number(of_person text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.acts_number(of_person text) IS 'The number of the lock that anyone who acts for a person shares, 0 to 63; the end of an erasure holds it alone.';

CREATE FUNCTION darkroom.add_comment(post_id bigint, author darkroom.person, body darkroom.remark) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.add_comment(post_id bigint, author darkroom.person, body darkroom.remark) IS 'Writes a comment of 1 to 2,000 characters under a visible post and returns its number. It may have several lines but no control characters, and must not be blank; it is stored in Unicode''s normal form C (NFC). Errors: P0002 if there is no such visible post, 23514 for a text or author out of range.';

CREATE FUNCTION darkroom.add_consumer(consumer text, is_from_start boolean DEFAULT false) RETURNS boolean
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.add_consumer(consumer text, is_from_start boolean) IS 'Registers a consumer of events. It gets the events from now on or, from the start, all that are kept. Returns false if it is registered already. Errors: 23502 for no name, 23514 for one out of range.';

CREATE FUNCTION darkroom.add_to_leaves(at_most integer, OUT taken integer, OUT leaves bigint[]) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.add_to_leaves(at_most integer, OUT taken integer, OUT leaves bigint[]) IS 'Takes up to at_most changes of the map and adds them to the tiles of level 20. Returns how many there were, and the tiles that are different now. The best post of a tile is searched for only if it has left or fallen.';

CREATE FUNCTION darkroom.add_uploads(uploads darkroom.new_upload[], queue text DEFAULT 'default'::text, priority integer DEFAULT 0, run_at timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS bigint[]
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.add_uploads(uploads darkroom.new_upload[], queue text, priority integer, run_at timestamp with time zone) IS 'What enqueue_upload and enqueue_uploads do.';

CREATE FUNCTION darkroom.age_magnitude(published_at timestamp with time zone, half_life interval DEFAULT '1 day'::interval) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.age_magnitude(published_at timestamp with time zone, half_life interval) IS 'A time in half-lives since 1970. A post that is one half-life younger than another has 1 more, at any later time, so no row needs rewriting as posts age.';

CREATE FUNCTION darkroom.announce_due(at_time timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.announce_due(at_time timestamp with time zone) IS 'Tells workers of a job that will be due within two seconds. They find later ones in time by themselves.';

CREATE FUNCTION darkroom.anonymity_of(anonymous_within text, post_id bigint, category text, activity text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.anonymity_of(anonymous_within text, post_id bigint, category text, activity text) IS 'Within what the uploader of an anonymous post has its handle, by settings.anonymous_within. The category is that of the upload, since a handle that changed with an edit would link two categories.';

CREATE FUNCTION darkroom.anonymous_handles(ids bigint[]) RETURNS text[]
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.anonymous_handles(ids bigint[]) IS 'The handles of the uploaders of anonymous posts with these numbers, in their order; null for a post that is not anonymous. The planner settings are those of the lists.';

CREATE FUNCTION darkroom.appeal_post(post_id bigint, uploader darkroom.person, text darkroom.prose) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;

COMMENT ON FUNCTION darkroom.appeal_post(post_id bigint, uploader darkroom.person, text darkroom.prose) IS 'Puts a held, hidden or removed post back into the review list with its uploader''s text (1 to 5,000 characters), and returns the appeal''s number. Errors: P0002 if this uploader has no such post, 55000 if there is nothing to appeal against, as for a post that is being erased, 23505 (one_open_appeal_a_post) if an appeal is open already, 23502 for a missing text, 23514 for a text out of range.';

CREATE FUNCTION darkroom.apply_limits(candidates tid[], chosen tid[]) RETURNS tid[]
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.apply_limits(candidates tid[], chosen tid[]) IS 'Of the rows of jobs that a claim is about to start, returns those that the limits of their fair keys allow, or in their place older jobs of the same key and lane that waited for their turn. A job beyond its key''s max_running, or beyond what the rate allows within two seconds, is parked unless it is a suspect; one that the rate allows within two seconds is scheduled. chosen are the rows that the claim has chosen before.';

CREATE FUNCTION darkroom.audience(post_id bigint) RETURNS bigint
    LANGUAGE sql STABLE
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.audience(post_id bigint) IS 'How often a post was viewed.';

CREATE FUNCTION darkroom.author_handle(inner_pad bytea, outer_pad bytea, within text, person text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.author_handle(inner_pad bytea, outer_pad bytea, within text, person text) IS 'What stands for a person within something: 24 hexadecimal digits, which nobody without the key can compute or link to those within something else.';

CREATE FUNCTION darkroom.awaits_judgement(of_post bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.awaits_judgement(of_post bigint) IS 'Whether a binding review of the post is open, or a report on it has yet to be weighed. False once a review has removed it.';

CREATE FUNCTION darkroom.bad_cursor(after text) RETURNS void
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.bad_cursor(after text) IS 'Raises 22023 for a text that is not a cursor of the feed.';

CREATE FUNCTION darkroom.best_in_tile(latitude double precision, longitude double precision, metres double precision, wanted integer, vote_weight double precision, age_weight double precision, distance_weight double precision, view_weight double precision, scale_m double precision, in_category text, in_activity text, since timestamp with time zone, further darkroom.post_filter, from_score double precision, from_id bigint, OUT ids bigint[], OUT scores double precision[], OUT distances double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.best_in_tile(latitude double precision, longitude double precision, metres double precision, wanted integer, vote_weight double precision, age_weight double precision, distance_weight double precision, view_weight double precision, scale_m double precision, in_category text, in_activity text, since timestamp with time zone, further darkroom.post_filter, from_score double precision, from_id bigint, OUT ids bigint[], OUT scores double precision[], OUT distances double precision[]) IS 'The best posts within some metres, for a page of near_and_good_posts, by the tiles of level 15. best_in_wide_tile does the same by the tiles of level 11. The planner settings are those of near_and_good_posts.';

CREATE FUNCTION darkroom.best_in_wide_tile(latitude double precision, longitude double precision, metres double precision, wanted integer, vote_weight double precision, age_weight double precision, distance_weight double precision, view_weight double precision, scale_m double precision, in_category text, in_activity text, since timestamp with time zone, further darkroom.post_filter, from_score double precision, from_id bigint, OUT ids bigint[], OUT scores double precision[], OUT distances double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.best_in_wide_tile(latitude double precision, longitude double precision, metres double precision, wanted integer, vote_weight double precision, age_weight double precision, distance_weight double precision, view_weight double precision, scale_m double precision, in_category text, in_activity text, since timestamp with time zone, further darkroom.post_filter, from_score double precision, from_id bigint, OUT ids bigint[], OUT scores double precision[], OUT distances double precision[]) IS 'The best posts within some metres, for a page of near_and_good_posts, by the tiles of level 11. best_in_tile does the same by the tiles of level 15. The planner settings are those of near_and_good_posts.';

CREATE FUNCTION darkroom.best_of_leaf(of_leaf bigint, OUT best bigint, OUT best_hot double precision) RETURNS record
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.best_of_leaf(of_leaf bigint, OUT best bigint, OUT best_hot double precision) IS 'The best post by hot in a tile of the map''s level 20; nulls if it has none.';

CREATE FUNCTION darkroom.best_voted(board text, filter darkroom.post_filter, wanted integer, latitude double precision, longitude double precision, radius_m double precision, from_key double precision, from_id bigint, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.best_voted(board text, filter darkroom.post_filter, wanted integer, latitude double precision, longitude double precision, radius_m double precision, from_key double precision, from_id bigint, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) IS 'The posts with votes of a page of top_posts, whose planner settings it uses. It reads a list of each day, or of each week of a place, activity or category, as docs/feeds.md explains.';

CREATE FUNCTION darkroom.boxes_around(latitude double precision, longitude double precision, metres double precision) RETURNS box[]
    LANGUAGE plpgsql IMMUTABLE
    AS …;

COMMENT ON FUNCTION darkroom.boxes_around(latitude double precision, longitude double precision, metres double precision) IS 'The boxes of the plane that together hold everything within some metres of a coordinate: two or more where they cross 180 degrees, a strip of the full width around a pole.';

CREATE FUNCTION darkroom.broken_constraints(of_table regclass, candidate jsonb) RETURNS TABLE(argument text, reason text)
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.broken_constraints(of_table regclass, candidate jsonb) IS 'The checks of a table that a row would break, each with the first column that it concerns.';

CREATE FUNCTION darkroom.caller() RETURNS name
    LANGUAGE sql STABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.caller() IS 'The role that calls a function which runs with its owner''s rights: the one of SET ROLE, else the login role.';

CREATE FUNCTION darkroom.can_replace(post_id bigint, uploader text) RETURNS boolean
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.can_replace(post_id bigint, uploader text) IS 'Whether the uploader has such a post, and has not deleted it.';

CREATE FUNCTION darkroom.cancel_any_job(job_id bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.cancel_any_job(job_id bigint) IS 'Cancels a waiting job of any kind at once and asks the worker of a running one to stop. Returns false if the job is finished or unknown.';

CREATE FUNCTION darkroom.cancel_job(job_id bigint, uploader darkroom.person DEFAULT NULL::text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.cancel_job(job_id bigint, uploader darkroom.person) IS 'Cancels a waiting job at once and asks the worker of a running one to stop. If uploader is given, the jobs of others are treated as unknown. An app can cancel only what it enqueued: uploads. Returns false if the job is finished, unknown or not the caller''s to cancel.';

CREATE FUNCTION darkroom.cause_message(state darkroom.post_state, cause text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.cause_message(state darkroom.post_state, cause text) IS 'A sentence for the uploader about a post that is held, hidden or removed, and the cause of that decision.';

CREATE FUNCTION darkroom.check_activity() RETURNS trigger
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.check_activity() IS 'The trigger that refuses an activity whose area or times are not right. The table would refuse it too, but show the row with its coordinates. Errors: 23514, with the name of the table''s constraint.';

CREATE FUNCTION darkroom.check_coordinate(latitude double precision, longitude double precision) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    AS …;

COMMENT ON FUNCTION darkroom.check_coordinate(latitude double precision, longitude double precision) IS 'Raises 22023 for anything but a coordinate in degrees.';

CREATE FUNCTION darkroom.check_decision(decision text, moderator text, note text, law text, terms text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    AS …;

COMMENT ON FUNCTION darkroom.check_decision(decision text, moderator text, note text, law text, terms text) IS 'Checks what a moderator decides before any work. Errors: 22023, 23502 and 23514.';

CREATE FUNCTION darkroom.check_upload(uploader text, headline text DEFAULT NULL::text, caption text DEFAULT NULL::text, link text DEFAULT NULL::text, category text DEFAULT NULL::text, activity text DEFAULT NULL::text, latitude double precision DEFAULT NULL::double precision, longitude double precision DEFAULT NULL::double precision, place_text text DEFAULT NULL::text, taken_at timestamp with time zone DEFAULT NULL::timestamp with time zone, priority integer DEFAULT 0, run_at timestamp with time zone DEFAULT NULL::timestamp with time zone, idempotency_key text DEFAULT NULL::text, queue text DEFAULT 'default'::text, accuracy_m double precision DEFAULT NULL::double precision, location_privacy text DEFAULT NULL::text, place_near_latitude double precision DEFAULT NULL::double precision, place_near_longitude double precision DEFAULT NULL::double precision, place_country text DEFAULT NULL::text, anonymous boolean DEFAULT false, has_photo boolean DEFAULT true, replaces bigint DEFAULT NULL::bigint) RETURNS TABLE(argument text, reason text, message text, retry_after_s integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.check_upload(uploader text, headline text, caption text, link text, category text, activity text, latitude double precision, longitude double precision, place_text text, taken_at timestamp with time zone, priority integer, run_at timestamp with time zone, idempotency_key text, queue text, accuracy_m double precision, location_privacy text, place_near_latitude double precision, place_near_longitude double precision, place_country text, anonymous boolean, has_photo boolean, replaces bigint) IS 'Says what enqueue_upload would refuse, before the photo is uploaded: a row for each objection, and none if there is none. It has the arguments of enqueue_upload without the original; has_photo => false is for a text without a photo; coordinates are degrees, accuracy_m metres. argument is the name of the argument, reason a code: that of a rejection by the posting policy, or the name of the constraint, as enqueue_upload has it. message is for the uploader. If the person''s quota is used up, retry_after_s is the number of seconds until they can go on; otherwise it is null. What only the photo or a gazetteer can tell is not checked.';

CREATE FUNCTION darkroom.check_uploads(uploads darkroom.new_upload[]) RETURNS void
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.check_uploads(uploads darkroom.new_upload[]) IS 'Raises 23502 for an upload that lacks a field, 23514 for fields that do not go together or a link that is none, and 22023 for more than 10,000 uploads.';

CREATE FUNCTION darkroom.checked_choice(argument text, value text, choices text[]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS …;

COMMENT ON FUNCTION darkroom.checked_choice(argument text, value text, choices text[]) IS 'Returns value, which must be one of at least two choices. Errors: 22023, with a hint that lists them.';

CREATE FUNCTION darkroom.choose_inbox_events(person darkroom.person, events text[] DEFAULT NULL::text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.choose_inbox_events(person darkroom.person, events text[]) IS 'Sets which events a person is told of in the inbox from now on: some of published, held, rejected, hidden, restored, removed, expired, corrected, liked, commented and appeal_answered; an empty array for none, null for all. What is in the inbox stays. Errors: 22023 for another event, 23502 for a missing person, 23514 for a person out of range (1 to 200 characters).';

CREATE FUNCTION darkroom.claim_jobs(lease bigint, in_queue text, of_kinds text[], at_most integer, in_lanes smallint[] DEFAULT '{}'::smallint[], from_slot bigint[] DEFAULT '{}'::bigint[], with_suspect boolean DEFAULT true) RETURNS TABLE(job_id bigint, kind text, subject_id bigint, fair_key text, lane smallint, slot bigint, attempt integer, failures smallint, crashes smallint, deaths smallint, tried_s real, run_at timestamp with time zone, created_at timestamp with time zone, leased_at timestamp with time zone)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.claim_jobs(lease bigint, in_queue text, of_kinds text[], at_most integer, in_lanes smallint[], from_slot bigint[], with_suspect boolean) IS 'Leases up to at_most (at most 500) waiting jobs of a queue to the worker of lease, by priority and slot; one claim of four begins with any kind. lease is the worker''s number times 2^36 plus a number that the worker never used before. With in_lanes and from_slot, a claim starts in each lane at a slot that earlier claims reached, instead of passing over what they left behind. with_suspect says whether the worker may take a job whose last worker died; a claim takes one at most. A row without a job says that limits held back so many jobs that the claim ended early: more may wait.';

CREATE FUNCTION darkroom.clean_appeal() RETURNS trigger
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.clean_appeal() IS 'The trigger that stores an appeal''s text in the form of all texts.';

CREATE FUNCTION darkroom.clean_names() RETURNS trigger
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.clean_names() IS 'The trigger that stores the categories and activities that select policies in the form in which they are compared, and an alias as its activity; the names of activities, and the categories that uploaders are told, as they are shown. The tables refuse names without a visible character.';

CREATE FUNCTION darkroom.clean_report() RETURNS trigger
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.clean_report() IS 'The trigger that stores a report''s details in the form of all texts. Errors: 23514 for what no page could show.';

CREATE FUNCTION darkroom.clean_text(content darkroom.written) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.clean_text(content darkroom.written) IS 'A text in Unicode''s normal form C (NFC), with line feeds alone as line ends; null if it is blank.';

CREATE FUNCTION darkroom.clean_word(content darkroom.written) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.clean_word(content darkroom.written) IS 'A name as it is stored and searched for: in the normal form NFC, without spaces at its ends; null if it is blank.';

CREATE FUNCTION darkroom.clock_at(instant timestamp with time zone, zone text) RETURNS timestamp without time zone
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.clock_at(instant timestamp with time zone, zone text) IS 'What clocks of an IANA time zone show at an instant; null if the zone is unknown.';

CREATE FUNCTION darkroom.cluster_location(cluster_id bigint, OUT latitude double precision, OUT longitude double precision) RETURNS record
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.cluster_location(cluster_id bigint, OUT latitude double precision, OUT longitude double precision) IS 'The position, in degrees, to give an upload that should join a cluster: that of its best post, which stays in the cluster when the location policy moves it to its grid; nulls if the cluster no longer has any posts.';

CREATE FUNCTION darkroom.cluster_number(level integer, x integer, y integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.cluster_number(level integer, x integer, y integer) IS 'The number of a cluster: its tile''s level, x and y.';

CREATE FUNCTION darkroom.cluster_posts(cluster_id bigint, at_most bigint DEFAULT 20, in_category text DEFAULT NULL::text, in_activity text DEFAULT NULL::text, in_place darkroom.place_key DEFAULT NULL::darkroom.place_key, by_uploader text DEFAULT NULL::text, published_since timestamp with time zone DEFAULT NULL::timestamp with time zone, published_until timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_since timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_until timestamp with time zone DEFAULT NULL::timestamp with time zone, from_hour integer DEFAULT NULL::integer, to_hour integer DEFAULT NULL::integer, in_season text DEFAULT NULL::text, after text DEFAULT NULL::text, viewer darkroom.person DEFAULT NULL::text) RETURNS SETOF darkroom.feed_post
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET extra_float_digits TO '1'
    AS …;

COMMENT ON FUNCTION darkroom.cluster_posts(cluster_id bigint, at_most bigint, in_category text, in_activity text, in_place darkroom.place_key, by_uploader text, published_since timestamp with time zone, published_until timestamp with time zone, taken_since timestamp with time zone, taken_until timestamp with time zone, from_hour integer, to_hour integer, in_season text, after text, viewer darkroom.person) IS 'The posts of a cluster of the map, or those that the filter keeps, newest first: a billboard. To post to one, enqueue an upload at the coordinate that cluster_location returns. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page, with the same arguments. Errors: 22023 for a number that is not a cluster''s, an invalid filter or a cursor of another feed.';

CREATE FUNCTION darkroom.coarsen_location(of_post bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.coarsen_location(of_post bigint) IS 'If a stricter location policy is in force for a post than the one under which its location was published: publishes its coordinates as coarsely as that policy wants, without a place or city, until the job that this queues has named them again. Leaves posts whose place a person corrected. Returns whether a stricter policy is in force.';

CREATE FUNCTION darkroom.coarsen_new_location() RETURNS trigger
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.coarsen_new_location() IS 'The trigger that applies the location policy that a post''s activity has got, with another name, since the worker looked.';

CREATE FUNCTION darkroom.comment_details(comment_id bigint, viewer darkroom.person DEFAULT NULL::text) RETURNS SETOF darkroom.feed_comment
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.comment_details(comment_id bigint, viewer darkroom.person) IS 'One comment of a visible post as post_comments has it, with up-to-date counters; cursor is null. No row if there is no such comment.';

CREATE FUNCTION darkroom.conditions_of(filter darkroom.post_filter, of text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS …;

COMMENT ON FUNCTION darkroom.conditions_of(filter darkroom.post_filter, of text) IS 'The conditions that a filter has, as SQL about a row of feed with this name: what passes checks, for queries that are executed as a text with the filter as their first parameter, which times refer to.';

CREATE FUNCTION darkroom.count_unread(person darkroom.person) RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.count_unread(person darkroom.person) IS 'How many entries of a person''s inbox are unread; 1,000 stands for that many or more.';

CREATE FUNCTION darkroom.count_views(post_ids darkroom.post_numbers, views darkroom.view_counts DEFAULT NULL::integer[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.count_views(post_ids darkroom.post_numbers, views darkroom.view_counts) IS 'Adds views to posts: one each, or as many as views says, 0 to 1,000,000 each (values outside are clamped). Unknown posts are skipped. Both are lists of at most 10,000 numbers. Collect views and call this once a second rather than once per view.';

CREATE FUNCTION darkroom.create_activity(activity darkroom.activity_name, latitude darkroom.latitude DEFAULT NULL::double precision, longitude darkroom.longitude DEFAULT NULL::double precision, radius_m darkroom.metres DEFAULT NULL::double precision, begins_at darkroom.moment DEFAULT NULL::timestamp with time zone, ends_at darkroom.moment DEFAULT NULL::timestamp with time zone, aliases text[] DEFAULT NULL::text[]) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.create_activity(activity darkroom.activity_name, latitude darkroom.latitude, longitude darkroom.longitude, radius_m darkroom.metres, begins_at darkroom.moment, ends_at darkroom.moment, aliases text[]) IS 'Creates an activity with a name of 1 to 100 characters, and returns the name as it is stored. Its area is a circle: the centre in degrees and the radius in metres, above 0 and at most 1,000,000; give all three or none. ends_at is when its posts end under a policy with ends_with_activity; null or infinity for never. aliases, at most 20, mean the activity wherever a name is given. Names are compared without case. Posts that had one of the names before follow within a second or two; those of a name with many thousands take longer. Only operators can change what an operator made. Errors: 23505 (activity_name_is_taken) if another activity has the name or an alias, or somebody is giving it to one, 23514 for a value out of range, 53400 if the login has settings.activities_at_most activities.';

CREATE FUNCTION darkroom.cursor_key(feed text, after text) RETURNS double precision
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.cursor_key(feed text, after text) IS 'The sort key that a cursor holds; null without a cursor. Errors: 23514 for a text that is too long for a cursor, 22023 for one that is not a cursor of this feed.';

CREATE FUNCTION darkroom.cursor_post(after text) RETURNS bigint
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.cursor_post(after text) IS 'The post number that a cursor holds; it orders posts with equal keys.';

CREATE FUNCTION darkroom.day_number(at timestamp with time zone) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.day_number(at timestamp with time zone) IS 'Days of UTC since 1970-01-01.';

CREATE FUNCTION darkroom.decide_on_post(post_id bigint, decision text, moderator text, note text DEFAULT NULL::text, law text DEFAULT NULL::text, terms text DEFAULT NULL::text, seen bigint DEFAULT NULL::bigint) RETURNS TABLE(decision_id bigint, state text, reports_judged integer, appeal_id bigint, is_erased boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.decide_on_post(post_id bigint, decision text, moderator text, note text, law text, terms text, seen bigint) IS 'Decides on a post for a moderator (1 to 200 characters), and returns the decision''s number, the new state, how many reports it judged, the appeal it answered, and whether the post is erased now because its uploader has deleted it. decision is approve (a held or hidden post becomes visible, a reported one stays), remove or restore (a removed post). note (at most 5,000 characters) is for the record and the statement of reasons; law or terms name the provision or clause that a removed post breaks (at most 2,000). If another moderator has decided within five minutes, pass the decision that you have seen. Errors: P0002 if there is no such post, 22023 for an unknown decision, 23502 and 23514 for texts, 55006 (nobody_decided_meanwhile), 55000 with decision_applies, post_stays (it is being erased) or location_follows_the_policy.';

CREATE FUNCTION darkroom.decide_on_posts(post_ids darkroom.post_numbers, decision text, moderator text, note text DEFAULT NULL::text, law text DEFAULT NULL::text, terms text DEFAULT NULL::text) RETURNS TABLE(post_id bigint, decision_id bigint, state text, problem text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.decide_on_posts(post_ids darkroom.post_numbers, decision text, moderator text, note text, law text, terms text) IS 'Decides the same on up to 100 posts, such as those that posts_to_review lists as alike, each as decide_on_post does. Returns a row for each: the decision, or the problem for which there is none. Errors: 22023 for more than 100 posts or an unknown decision, 23502 and 23514 for texts.';

CREATE FUNCTION darkroom.delete_comment(comment_id bigint, person darkroom.person) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.delete_comment(comment_id bigint, person darkroom.person) IS 'Deletes a comment and its text for a person: its author, or the uploader of the post. Returns false if there is no such comment, or it is neither theirs nor under a post of theirs.';

CREATE FUNCTION darkroom.delete_post(post_id bigint, uploader darkroom.person) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.delete_post(post_id bigint, uploader darkroom.person) IS 'Deletes a post for its uploader. Readers no longer see it once the transaction commits; its pictures, original, coordinates, votes, comments and reports are erased soon after, or once a review of it that is open has ended. Returns false if that is already under way. Errors: P0002 if the uploader has no such post.';

CREATE FUNCTION darkroom.discard_jobs(job_ids bigint[], discarded_by text, why text DEFAULT NULL::text) RETURNS bigint[]
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.discard_jobs(job_ids bigint[], discarded_by text, why text) IS 'Marks finished jobs that did not succeed as not worth a replay: cancelled, with the reason discarded. How they had ended stays in the message, and their last attempt in history. Returns the jobs that were discarded.';

CREATE FUNCTION darkroom.distance_m(latitude_1 double precision, longitude_1 double precision, latitude_2 double precision, longitude_2 double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.distance_m(latitude_1 double precision, longitude_1 double precision, latitude_2 double precision, longitude_2 double precision) IS 'Metres along a sphere with the Earth''s mean radius, 6,371,008.8 m (IUGG), by the haversine formula.';

CREATE FUNCTION darkroom.edit_post(post_id bigint, uploader darkroom.person, headline darkroom.headline, caption darkroom.caption, category darkroom.category) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.edit_post(post_id bigint, uploader darkroom.person, headline darkroom.headline, caption darkroom.caption, category darkroom.category) IS 'Replaces the headline, caption and category of a published, held or hidden post of its uploader; null for none. Returns the state of the post: an edited post is screened again like a new one, and hidden until a person has reviewed it if a new one would be held. It then expires by the policy of its category. Its location is published no more exactly than before: if the category has a stricter location policy, it is made coarser at once, and a job then names its place again. What it said before is kept for reviews. Errors: 23514 for what enqueue_upload would refuse (the constraint''s name says why), P0002 if the uploader has no such post, 55000 if it is removed or expired, or was edited 100 times.';

CREATE FUNCTION darkroom.enqueue_backlogs() RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '1s'
    AS …;

COMMENT ON FUNCTION darkroom.enqueue_backlogs() IS 'Queues the jobs that count votes, number events, fill inboxes and weigh reports, as far as there are any that no job counts or weighs yet. Returns how many jobs it queued, or null while another one does. For workers, each second.';

CREATE FUNCTION darkroom.enqueue_job(kind text, subject_id bigint, fair_key text, queue text DEFAULT 'default'::text, priority integer DEFAULT 0, run_at darkroom.moment DEFAULT NULL::timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.enqueue_job(kind text, subject_id bigint, fair_key text, queue text, priority integer, run_at darkroom.moment) IS 'Queues one job and returns its number.';

CREATE FUNCTION darkroom.enqueue_jobs(kind text, subject_ids bigint[], fair_keys text[], queue text DEFAULT 'default'::text, priority integer DEFAULT 0, run_at darkroom.moment DEFAULT NULL::timestamp with time zone, job_ids bigint[] DEFAULT NULL::bigint[]) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.enqueue_jobs(kind text, subject_ids bigint[], fair_keys text[], queue text, priority integer, run_at darkroom.moment, job_ids bigint[]) IS 'Queues a job for every subject in one statement: thousands at once. fair_keys has one key for all or one for each. Returns how many jobs were queued. Errors: 22004 for a null key, 22023 if the numbers of keys and subjects differ.';

CREATE FUNCTION darkroom.enqueue_once(kind text, subject_id bigint, fair_key text, dedupe_key bigint, queue text DEFAULT 'default'::text, priority integer DEFAULT 0) RETURNS bigint
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.enqueue_once(kind text, subject_id bigint, fair_key text, dedupe_key bigint, queue text, priority integer) IS 'Queues one job and returns its number. Queues nothing and returns null if a job of its kind with the same dedupe_key has yet to be claimed for the first time.';

CREATE FUNCTION darkroom.enqueue_rerenders(checksum bigint, after_post bigint, at_most integer, since timestamp with time zone, of_post bigint, again boolean, OUT last_post bigint, OUT queued integer, OUT gone integer) RETURNS record
    LANGUAGE plpgsql
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.enqueue_rerenders(checksum bigint, after_post bigint, at_most integer, since timestamp with time zone, of_post bigint, again boolean, OUT last_post bigint, OUT queued integer, OUT gone integer) IS 'Queues the re-rendering of the next posts after one: those that a recipe other than checksum rendered or, with again, all. Posts without a photo are left out. Returns the last post looked at (null at the end), how many were queued, and how many have no original.';

CREATE FUNCTION darkroom.enqueue_upload(uploader darkroom.person, original_key darkroom.media_key DEFAULT NULL::text, original_sha256 darkroom.sha256_digits DEFAULT NULL::text, original_bytes darkroom.byte_count DEFAULT NULL::bigint, headline darkroom.headline DEFAULT NULL::text, caption darkroom.caption DEFAULT NULL::text, link darkroom.link DEFAULT NULL::text, category darkroom.category DEFAULT NULL::text, activity darkroom.activity_name DEFAULT NULL::text, latitude darkroom.latitude DEFAULT NULL::double precision, longitude darkroom.longitude DEFAULT NULL::double precision, place_text darkroom.place_text DEFAULT NULL::text, taken_at darkroom.moment DEFAULT NULL::timestamp with time zone, priority integer DEFAULT 0, run_at darkroom.moment DEFAULT NULL::timestamp with time zone, idempotency_key darkroom.idempotency_key DEFAULT NULL::text, queue darkroom.queue_name DEFAULT 'default'::text, accuracy_m darkroom.accuracy_m DEFAULT NULL::double precision, location_privacy darkroom.privacy_choice DEFAULT NULL::text, place_near_latitude darkroom.latitude DEFAULT NULL::double precision, place_near_longitude darkroom.longitude DEFAULT NULL::double precision, place_country darkroom.place_country DEFAULT NULL::text, anonymous boolean DEFAULT false, replaces bigint DEFAULT NULL::bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;

COMMENT ON FUNCTION darkroom.enqueue_upload(uploader darkroom.person, original_key darkroom.media_key, original_sha256 darkroom.sha256_digits, original_bytes darkroom.byte_count, headline darkroom.headline, caption darkroom.caption, link darkroom.link, category darkroom.category, activity darkroom.activity_name, latitude darkroom.latitude, longitude darkroom.longitude, place_text darkroom.place_text, taken_at darkroom.moment, priority integer, run_at darkroom.moment, idempotency_key darkroom.idempotency_key, queue darkroom.queue_name, accuracy_m darkroom.accuracy_m, location_privacy darkroom.privacy_choice, place_near_latitude darkroom.latitude, place_near_longitude darkroom.longitude, place_country darkroom.place_country, anonymous boolean, replaces bigint) IS 'Queues one photo for publishing, in the caller''s transaction, and returns its job''s number. The original must already be in the media store under original_key, with the given SHA-256 (64 hexadecimal digits) and size in bytes. Without these three, it queues a text: a headline or a caption, at coordinates or a place. latitude and longitude are degrees (WGS 84); give both or neither; accuracy_m is metres. place_text is used without them; if it may mean several places, place_near_latitude and place_near_longitude (where the uploader is) and place_country (the uploader''s, ISO 3166-1 alpha-2 in capitals) decide. taken_at is from 1800 to the end of 2199, UTC. Texts are stored in Unicode''s normal form C (NFC). category and activity, which find posts and select policies, are stored without spaces at their ends. priority is -100 to 100, lower runs first. Readers of an anonymous post learn neither its uploader nor their name. replaces is a post of the uploader: it is deleted in the moment in which readers see the new one, and stays if the new one is rejected; of several uploads that replace the same post, the last one stays. location_privacy is exact, grid_10m, grid_100m, grid_1km or place: the post is published at least as privately. The same uploader and idempotency_key return the same job again. Errors: 22023 for an invalid priority, 23514 for a hash, text, link, time or number out of range (the constraint or the type says which) and for what the posting policy refuses (the constraint''s name is the reason; check_upload tells all of them; if it is the person''s quota, the detail is the number of seconds until they can go on), 55P03 if there are quotas and another transaction that adds an upload of the person does not end within half a second, P0002 if the uploader has no post replaces, 23505 if the idempotency key was used for another photo or text.';

CREATE FUNCTION darkroom.enqueue_uploads(uploads darkroom.new_upload[], queue darkroom.queue_name DEFAULT 'default'::text, priority integer DEFAULT 0, run_at darkroom.moment DEFAULT NULL::timestamp with time zone) RETURNS bigint[]
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;

COMMENT ON FUNCTION darkroom.enqueue_uploads(uploads darkroom.new_upload[], queue darkroom.queue_name, priority integer, run_at darkroom.moment) IS 'Queues photos and texts for publishing, thousands in one statement, in the caller''s transaction, and returns their jobs'' numbers in the given order. The originals must already be in the media store. The fields of each are the arguments of enqueue_upload; queue, priority (-100 to 100, lower runs first) and run_at apply to all. Errors: those of enqueue_upload; then nothing was queued.';

CREATE FUNCTION darkroom.ensure_history_partitions(days_ahead integer DEFAULT 3) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '100ms'
    AS …;

COMMENT ON FUNCTION darkroom.ensure_history_partitions(days_ahead integer) IS 'Creates the history partitions of today and the days ahead, moves into each what the default partition has of its day, and returns how many it created. Leaves out those that somebody reading history keeps it from attaching within 100 ms: call it again later.';

CREATE FUNCTION darkroom.erase_ended_uploads(ended_before timestamp with time zone, at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.erase_ended_uploads(ended_before timestamp with time zone, at_most integer) IS 'Removes from history up to at_most jobs that ended without success before a time, with their uploads that became no post, and retires the originals. Returns how many jobs.';

CREATE FUNCTION darkroom.erase_expired(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.erase_expired(at_most integer) IS 'Queues the erasure of up to at_most posts that expired more than settings.expired_days ago. Returns how many.';

CREATE FUNCTION darkroom.erase_leftovers(of_post bigint) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.erase_leftovers(of_post bigint) IS 'Deletes the votes, comments, reports and counters of a post. Called again after its erasure, for late ones.';

CREATE FUNCTION darkroom.erase_person(person darkroom.person, requested_by darkroom.person DEFAULT NULL::text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.erase_person(person darkroom.person, requested_by darkroom.person) IS 'Orders the erasure of everything stored about a person (Regulation (EU) 2016/679, article 17), and returns the order''s number; if an order is open already, returns its number. An erasure cannot be undone. requested_by is stored with the order: who asked, the person or an operator. Errors: 23514 for a person out of range (1 to 200 characters) or *, 23502 for a missing person.';

CREATE FUNCTION darkroom.erase_person_files(of_erasure bigint) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.erase_person_files(of_erasure bigint) IS 'Cancels what stores files of a person, and makes all their files due that are to be deleted. Returns how many attempts have yet to stop.';

CREATE FUNCTION darkroom.erase_person_jobs(of_erasure bigint) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.erase_person_jobs(of_erasure bigint) IS 'Cancels the unfinished jobs of a person. Returns how many are running and were asked to stop.';

CREATE FUNCTION darkroom.erase_person_post(of_erasure bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.erase_person_post(of_erasure bigint) IS 'Erases one post of a person. Returns false if none was left.';

CREATE FUNCTION darkroom.erase_person_reactions(of_erasure bigint, at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.erase_person_reactions(of_erasure bigint, at_most integer) IS 'Erases up to at_most each of a person''s votes and comments, and takes them out of the counters. Returns how many.';

CREATE FUNCTION darkroom.erase_person_record(of_erasure bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.erase_person_record(of_erasure bigint) IS 'Erases what is known of a person by name, and writes a pseudonym where a row must stay. Other steps erase the rest.';

CREATE FUNCTION darkroom.erase_person_uploads(of_erasure bigint, at_most integer DEFAULT 500) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.erase_person_uploads(of_erasure bigint, at_most integer) IS 'Erases up to at_most uploads of a person that have neither a post nor an unfinished job. Returns how many.';

CREATE FUNCTION darkroom.erase_post_rows(of_post bigint, for_erasure bigint DEFAULT NULL::bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.erase_post_rows(of_post bigint, for_erasure bigint) IS 'Erases a post and its upload with everything that belongs to them, and retires its files. Returns false if there is no such post any more.';

CREATE FUNCTION darkroom.erase_removed(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.erase_removed(at_most integer) IS 'Queues the erasure of up to at_most posts that reviews removed more than settings.removed_days ago, unless a review or an appeal is open. Their removals stay on the uploaders'' records. Returns how many it settled.';

CREATE FUNCTION darkroom.erase_undecided(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.erase_undecided(at_most integer) IS 'Queues the erasure of up to at_most posts that their uploaders deleted more than settings.undecided_days ago and on which nobody has decided since. Their reviews end without a decision. Returns how many.';

CREATE FUNCTION darkroom.erased_person(of_erasure bigint) RETURNS text
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.erased_person(of_erasure bigint) IS 'Starts an erasure and returns whose it is; null once it is finished.';

CREATE FUNCTION darkroom.erasure_step(of_post bigint) RETURNS text
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.erasure_step(of_post bigint) IS 'What the job that erases a post does now: erase; wait, because somebody holds the post; weigh: wait until reports on it are weighed; or leave it, because a review is open, whose end queues the job again.';

CREATE FUNCTION darkroom.expire_posts(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.expire_posts(at_most integer) IS 'Expires up to at_most posts that are due, and writes their events in the order of their times. Returns how many. Leaves those whose activity an app has changed until they have followed: see move_activity.';

CREATE FUNCTION darkroom.expiry_for(category text, activity text, published_at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.expiry_for(category text, activity text, published_at timestamp with time zone) IS 'When a post that is published at a time expires, by the policy in force for its category and activity, however they are written; null for never. Of the policies for several names that an app gave to an activity, the one that ends first is in force. Days and months are those of UTC.';

CREATE FUNCTION darkroom.few_at_most() RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS …;

COMMENT ON FUNCTION darkroom.few_at_most() IS 'The most posts that are checked one by one instead of searched for among their neighbours. Checking them takes some milliseconds; with a million posts, the search is as fast once one post in 250 matches.';

CREATE FUNCTION darkroom.few_for_board(filter darkroom.post_filter, latitude double precision, longitude double precision, radius_m double precision, OUT ids bigint[], OUT times timestamp with time zone[], OUT metres double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.few_for_board(filter darkroom.post_filter, latitude double precision, longitude double precision, radius_m double precision, OUT ids bigint[], OUT times timestamp with time zone[], OUT metres double precision[]) IS 'The posts that a filter keeps within some metres of a coordinate, or anywhere, with their times of publishing and distances, if there are few to look at: those of a small circle, of a time in a circle, or of a rare condition. Null if there are more.';

CREATE FUNCTION darkroom.few_posts(filter darkroom.post_filter, at_most integer DEFAULT NULL::integer) RETURNS bigint[]
    LANGUAGE plpgsql STABLE
    SET enable_sort TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.few_posts(filter darkroom.post_filter, at_most integer) IS 'The numbers of all visible posts that have one of the filter''s indexed conditions, from the one that usually has the fewest posts: its uploader, activity, place, city, time of being taken or of publishing, category, division or country. The first that at most few_at_most (or at_most) posts have; null if more have each. Those that have the other conditions too are among them. The other planner settings are those of the lists.';

CREATE FUNCTION darkroom.fill_inboxes(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.fill_inboxes(at_most integer) IS 'Puts up to at_most events, in their order, into the inboxes of the people whose posts and uploads they are of, unless they did it themselves or do not want to be told. Returns how many events it took. For the tally job, so that nobody''s transaction waits for it.';

CREATE FUNCTION darkroom.fill_stacks(at_most integer DEFAULT 10000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.fill_stacks(at_most integer) IS 'Lets stacked posts take places below in the indexes of positions, of a category''s and of an activity''s, where posts have left. Takes up to at_most changes. Returns how many places were taken.';

CREATE FUNCTION darkroom.filter_of(in_category darkroom.word, in_activity darkroom.word, in_place darkroom.place_key, by_uploader darkroom.person, published_since darkroom.moment, published_until darkroom.moment, taken_since darkroom.moment, taken_until darkroom.moment, from_hour integer, to_hour integer, in_season darkroom.choice) RETURNS darkroom.post_filter
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.filter_of(in_category darkroom.word, in_activity darkroom.word, in_place darkroom.place_key, by_uploader darkroom.person, published_since darkroom.moment, published_until darkroom.moment, taken_since darkroom.moment, taken_until darkroom.moment, from_hour integer, to_hour integer, in_season darkroom.choice) IS 'The filter that the arguments of a list stand for. Errors: 23514 for what the domains refuse; 22023 for a place without its level or number, for hours out of 0 to 24 or equal ones, or for what is no season.';

CREATE FUNCTION darkroom.finish_jobs(job_ids bigint[], leases bigint[], state darkroom.job_state, reason text DEFAULT NULL::text, message text DEFAULT NULL::text, cause text DEFAULT NULL::text, verdict text DEFAULT NULL::text, stages darkroom.stage_time[] DEFAULT NULL::darkroom.stage_time[], failures integer DEFAULT 0, crashes integer DEFAULT 0, deaths integer DEFAULT 0) RETURNS integer[]
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.finish_jobs(job_ids bigint[], leases bigint[], state darkroom.job_state, reason text, message text, cause text, verdict text, stages darkroom.stage_time[], failures integer, crashes integer, deaths integer) IS 'Moves jobs to history: those that run under the given leases or, if leases is null, those that wait. state is how they finished; failures, crashes and deaths are added to the jobs'' own. Returns the positions, from 1, of the jobs that were left alone because the lease is no longer the job''s or the job does not wait. The first rejection of an upload is told as an event. Errors: 22023 for leases that do not match job_ids.';

CREATE FUNCTION darkroom.finish_person_erasure(of_erasure bigint) RETURNS boolean
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.finish_person_erasure(of_erasure bigint) IS 'Ends an erasure and forgets whose it was. Returns false if traces of the person remain or came back (rows, files that must be deleted, or attempts that may store some), or if somebody is acting for them or for a person who shares their lock. Once true is committed, the same identifier means a new person.';

CREATE FUNCTION darkroom.finish_post_erasure(of_post bigint) RETURNS text
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.finish_post_erasure(of_post bigint) IS 'Returns null if nothing is left of an erased post: no row, no file, and no attempt that may store one. Else returns what is: rows, attempts, files or reactions. Call it in the transaction that ends the erasure.';

CREATE FUNCTION darkroom.finish_reweigh() RETURNS boolean
    LANGUAGE plpgsql
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.finish_reweigh() IS 'Ends the rewriting of the weighted ratings. Returns false if any rank has yet to be rewritten.';

CREATE FUNCTION darkroom.first_wait(in_lane smallint, at_time timestamp with time zone) RETURNS darkroom.job_wait
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.first_wait(in_lane smallint, at_time timestamp with time zone) IS 'What a new job of a lane waits for: the end of a drain, its time, or nothing (null).';

CREATE FUNCTION darkroom.forget_exceptions() RETURNS void
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.forget_exceptions() IS 'Tells enqueue_job that there are no drains and no weights any more, if that is so. Called by the upkeep, in a transaction of its own.';

CREATE FUNCTION darkroom.forget_reports() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;

COMMENT ON FUNCTION darkroom.forget_reports() IS 'The trigger that deletes the reports of deleted posts.';

CREATE FUNCTION darkroom.full_stacks(at_position point, in_category text, in_activity text, OUT of_all boolean, OUT of_category boolean, OUT of_activity boolean) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.full_stacks(at_position point, in_category text, in_activity text, OUT of_all boolean, OUT of_category boolean, OUT of_activity boolean) IS 'Whether the indexes of all positions, of a category''s and of an activity''s have stack_size posts at exactly this position.';

CREATE FUNCTION darkroom.further_filter(filter darkroom.post_filter) RETURNS darkroom.post_filter
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.further_filter(filter darkroom.post_filter) IS 'The filter, if it has conditions beyond category, activity and published_since, else null. Those three are in the indexes that searches near a coordinate read; what else a filter has is compared with the post''s row.';

CREATE FUNCTION darkroom.grant_roles() RETURNS text[]
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.grant_roles() IS 'Gives this installation''s roles their rights, and revokes everything from PUBLIC. Called after every migration; changes nothing if everything is as it should be. Returns the roles that exist.';

CREATE FUNCTION darkroom.grid_centre(latitude double precision, longitude double precision, cell_m double precision) RETURNS TABLE(centre_latitude double precision, centre_longitude double precision)
    LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.grid_centre(latitude double precision, longitude double precision, cell_m double precision) IS 'The centre of the cell, of about cell_m by cell_m metres, that holds a point. All points of a cell have the same centre, including the centre itself.';

CREATE FUNCTION darkroom.has_bound_names(of_activity text) RETURNS boolean
    LANGUAGE sql STABLE
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.has_bound_names(of_activity text) IS 'Whether an activity has aliases and a policy is for one of its names. Posts that had one name have the other now, so only together do the names say what policies apply to these posts.';

CREATE FUNCTION darkroom.has_no_control_characters(content text, lines boolean DEFAULT false) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.has_no_control_characters(content text, lines boolean) IS 'Whether a text has no control characters (with lines, line feeds, carriage returns and tabs are allowed) and none that change the direction of what follows. Like darkroom.is_plain_text, but blank texts pass.';

CREATE FUNCTION darkroom.has_no_unseen_characters(content text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (content !~ ((((('[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0E\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E001F\U000E0080-\U000E0FFF]'::text || '|(?<![\u00A9\u00AE\u203C\u2049\u2122\u2139\u2190-\u21FF\u2300-\u23FF\u24C2\u25A0-\u27BF\u2900-\u297F\u2B00-\u2BFF\u3030\u303D\u3297\u3299\U0001F000-\U0001FAFF0-9#*])\uFE0F'::text) || '|(?<=[0-9#*])\uFE0F(?!\u20E3)'::text) || '|(?<![\u2190-\u21FF\u2300-\u23FF\u25A0-\u27BF\u2B00-\u2BFF\U0001F000-\U0001FAFF\uFE0F\u0620-\u0DFF])\u200D'::text) || '|(?<![\u0620-\u0DFF])\u200C'::text) || '|(?<![\U0001F3F4\U000E0020-\U000E007E])[\U000E0020-\U000E007F]'::text));

COMMENT ON FUNCTION darkroom.has_no_unseen_characters(content text) IS 'Whether a text has no characters that are invisible or set a direction. Those with which emoji and the scripts from Arabic to Sinhala are written are allowed after a character of these.';

CREATE FUNCTION darkroom.has_traces(of_erasure bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.has_traces(of_erasure bigint) IS 'Whether any row has the name of the person to erase, or the person''s record has not been erased yet.';

CREATE FUNCTION darkroom.hide_listed(of_post bigint, of_list bigint DEFAULT NULL::bigint) RETURNS TABLE(list_id bigint, name text, differing integer, was_seen boolean)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.hide_listed(of_post bigint, of_list bigint) IS 'Puts a post that is on a list of known photos into the review list, and hides it if it is published, until a person decides. Returns the list, the bits in which the hashes differ, and whether readers saw it until now. No row if it is on no list, or if each list that it is on was held against it before.';

CREATE FUNCTION darkroom.hold_activity_names(keys text[]) RETURNS void
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.hold_activity_names(keys text[]) IS 'Keeps others from giving these keys of names to activities, or taking them away, until the transaction ends. Errors: 23505 (activity_name_is_taken) if somebody is doing so.';

CREATE FUNCTION darkroom.hold_media(keys text[]) RETURNS void
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.hold_media(keys text[]) IS 'Keeps files from being deleted until the transaction ends. Call it before you check that files exist and write a reference to them.';

CREATE FUNCTION darkroom.host_of(link text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.host_of(link text) IS 'The host of an http URL with ASCII letters in lower case.';

CREATE FUNCTION darkroom.inbox(person darkroom.person, at_most bigint DEFAULT 20, after darkroom.cursor DEFAULT NULL::text) RETURNS TABLE(number bigint, event text, post_id bigint, job_id bigint, comment_id bigint, times integer, reason text, occurred_at timestamp with time zone, is_read boolean, cursor text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.inbox(person darkroom.person, at_most bigint, after darkroom.cursor) IS 'What has happened to a person''s posts and uploads because of others, latest first: one entry for each post and event, with the number of the latest event in it. times is how many likes or comments by others came since the person read the entry, comment_id the latest comment, reason the code of a rejection. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page; an entry to which something is added meanwhile moves to the first page. Errors: 22023 for a cursor of another list.';

CREATE FUNCTION darkroom.inbox_events(person darkroom.person) RETURNS text[]
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.inbox_events(person darkroom.person) IS 'The events that a person wants to be told of in the inbox: all, if the person has chosen none with choose_inbox_events.';

CREATE FUNCTION darkroom.ingests(kind text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.ingests(kind text) IS 'Whether jobs of a kind turn uploads into posts.';

CREATE FUNCTION darkroom.inner_circle(latitude double precision, longitude double precision, metres double precision) RETURNS circle
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.inner_circle(latitude double precision, longitude double precision, metres double precision) IS 'A circle of the plane that lies entirely within some metres of a coordinate. The plane''s scale is 1 / cos(latitude); this uses the scale at the circle''s edge towards the equator, where a step in the plane covers the most metres. The radius is 0 at the poles.';

CREATE FUNCTION darkroom.instant_at(clock timestamp without time zone, zone text) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.instant_at(clock timestamp without time zone, zone text) IS 'The instant at which clocks of an IANA time zone show a time; null if the zone is unknown.';

CREATE FUNCTION darkroom.is_at_host(host text, hosts text[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.is_at_host(host text, hosts text[]) IS 'Whether a host is one of several or a subdomain of one; null if there is no host, or no list.';

CREATE FUNCTION darkroom.is_blank(content text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.is_blank(content text) IS 'Whether a text has only spaces and invisible characters.';

CREATE FUNCTION darkroom.is_link(link text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.is_link(link text) IS 'Whether a text is an http or https URL with a host and perhaps a port, without credentials, spaces or control characters. The host begins with a letter or digit of any script, or an IPv6 bracket; hyphens, underscores and percent signs before it are skipped.';

CREATE FUNCTION darkroom.is_located_too_exactly(of_post bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.is_located_too_exactly(of_post bigint) IS 'Whether a stricter location policy is in force for a post than the one under which its location was published, so that it must be relocated before readers see it. False if a person corrected its place, as no relocation changes it.';

CREATE FUNCTION darkroom.is_operator() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.is_operator() IS 'Whether the caller has the rights of an operator.';

CREATE FUNCTION darkroom.is_paused(queue text, kind text) RETURNS boolean
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.is_paused(queue text, kind text) IS 'Whether nothing is claimed of a kind in a queue. Jobs that were there before a drain are claimed.';

CREATE FUNCTION darkroom.is_photo_time(taken_at timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.is_photo_time(taken_at timestamp with time zone) IS 'Whether a time is possible for a photo: from 1800 to the end of 2199, UTC.';

CREATE FUNCTION darkroom.is_plain_text(content text, lines boolean DEFAULT false) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.is_plain_text(content text, lines boolean) IS 'Whether a text can be shown as it is: no control characters (with lines, line feeds, carriage returns and tabs are allowed), no characters that change the direction of what follows, and not blank.';

CREATE FUNCTION darkroom.is_read(person text, number bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.is_read(person text, number bigint) IS 'Whether a person has read the inbox up to a number.';

CREATE FUNCTION darkroom.is_upload_of(of_kind text, subject bigint, person text) RETURNS boolean
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.is_upload_of(of_kind text, subject bigint, person text) IS 'Whether a job of a kind and subject ingests an upload of a person.';

CREATE FUNCTION darkroom.is_visible(post_id bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.is_visible(post_id bigint) IS 'Whether readers see a post.';

CREATE FUNCTION darkroom.job_status(job_id bigint, uploader darkroom.person DEFAULT NULL::text) RETURNS SETOF darkroom.upload_status
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.job_status(job_id bigint, uploader darkroom.person) IS 'The state of a job. A rejected or failed job also has a reason code and a message, and a published upload has its post''s number and state (held, for example, while it waits for a review), and what was stripped from its photo. If uploader is given, the jobs of others are treated as unknown. Returns no row for an unknown job, or for one that finished longer ago than settings.history_days.';

CREATE FUNCTION darkroom.keep_author_handle() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;

COMMENT ON FUNCTION darkroom.keep_author_handle() IS 'The trigger that keeps the handle of a post''s uploader with the post.';

CREATE FUNCTION darkroom.keep_evidence(of_decision bigint, of_post bigint) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.keep_evidence(of_decision bigint, of_post bigint) IS 'Adds the reports on a post to a decision on it, with what each counted when they were last weighed.';

CREATE FUNCTION darkroom.keep_feed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.keep_feed() IS 'The trigger that keeps feed and ranks for exactly the posts that readers see, and queues what changes on the map.';

CREATE FUNCTION darkroom.keep_hash(of_post bigint) RETURNS void
    LANGUAGE sql
    AS …;

COMMENT ON FUNCTION darkroom.keep_hash(of_post bigint) IS 'Has photos like the post''s held for review, from now on.';

CREATE FUNCTION darkroom.keep_last_attempts(job_ids bigint[]) RETURNS void
    LANGUAGE sql
    AS …;

COMMENT ON FUNCTION darkroom.keep_last_attempts(job_ids bigint[]) IS 'Copies the attempt that finished each job from the job''s own row of history into job_attempts, before that row changes.';

CREATE FUNCTION darkroom.keep_pictures() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.keep_pictures() IS 'The trigger that copies renditions into the row of their post.';

CREATE FUNCTION darkroom.known_originals(at_most integer) RETURNS TABLE(upload_id bigint, original_key text, original_sha256 text, original_bytes bigint)
    LANGUAGE sql
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.known_originals(at_most integer) IS 'Some originals that workers have read and found right, of the newest posts and of posts of any age, by chance.';

CREATE FUNCTION darkroom.lane_of(in_queue text, of_kind text, at_priority integer) RETURNS smallint
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.lane_of(in_queue text, of_kind text, at_priority integer) IS 'The lane of a queue, kind and priority; created if missing. Errors: 22023.';

CREATE FUNCTION darkroom.lanes_of(in_queue text, of_kind text) RETURNS smallint[]
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.lanes_of(in_queue text, of_kind text) IS 'The lanes of a queue, of a kind, or of a kind in a queue. Errors: P0002.';

CREATE FUNCTION darkroom.latest_posts(at_most bigint DEFAULT 20, in_category text DEFAULT NULL::text, in_activity text DEFAULT NULL::text, in_place darkroom.place_key DEFAULT NULL::darkroom.place_key, by_uploader text DEFAULT NULL::text, published_since timestamp with time zone DEFAULT NULL::timestamp with time zone, published_until timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_since timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_until timestamp with time zone DEFAULT NULL::timestamp with time zone, from_hour integer DEFAULT NULL::integer, to_hour integer DEFAULT NULL::integer, in_season text DEFAULT NULL::text, after text DEFAULT NULL::text, viewer darkroom.person DEFAULT NULL::text) RETURNS SETOF darkroom.feed_post
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    SET extra_float_digits TO '1'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.latest_posts(at_most bigint, in_category text, in_activity text, in_place darkroom.place_key, by_uploader text, published_since timestamp with time zone, published_until timestamp with time zone, taken_since timestamp with time zone, taken_until timestamp with time zone, from_hour integer, to_hour integer, in_season text, after text, viewer darkroom.person) IS 'The newest posts first: of all, or of those that the filter keeps. So it is also the album of a country, division, city or place: in_place => (''city'', 658225) takes Helsinki with all its parts. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page, with the same arguments. Errors: 22023 for a cursor of another feed, or an invalid filter.';

CREATE FUNCTION darkroom.leased_jobs(of_lease bigint, job_ids bigint[]) RETURNS SETOF bigint
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.leased_jobs(of_lease bigint, job_ids bigint[]) IS 'Those of the jobs, which must be in the order of their numbers, that have the lease.';

CREATE FUNCTION darkroom.leave_feed(target bigint) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.leave_feed(target bigint) IS 'Removes a post from feed and ranks, and queues the change of the map. If posts are stacked on it, the tally lets one take its place in the index of positions.';

CREATE FUNCTION darkroom.line_up(chosen tid[], turns bigint DEFAULT NULL::bigint) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.line_up(chosen tid[], turns bigint) IS 'Makes jobs ready to be claimed, in fair order: chosen are their rows, which the caller has locked. A job that waited for the end of a drain waits for its time if that is later. turns is as in next_slot. Returns how many.';

CREATE FUNCTION darkroom.listed_hash(pdq bit, quality integer, of_list bigint DEFAULT NULL::bigint) RETURNS TABLE(list_id bigint, name text, action text, differing integer)
    LANGUAGE plpgsql STABLE ROWS 1
    SET enable_seqscan TO 'off'
    SET enable_indexscan TO 'off'
    SET enable_indexonlyscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.listed_hash(pdq bit, quality integer, of_list bigint) IS 'The lists of known photos that a PDQ hash is on, with the bits of 256 in which it differs: those that refuse before those that hold, then the nearest first. No row if it is on none, or if its quality is below 50. of_list looks only at that list.';

CREATE FUNCTION darkroom.listed_posts(after_post bigint, at_most integer DEFAULT 100, of_list bigint DEFAULT NULL::bigint, OUT last_post bigint, OUT examined integer, OUT found bigint[]) RETURNS record
    LANGUAGE sql STABLE
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.listed_posts(after_post bigint, at_most integer, of_list bigint, OUT last_post bigint, OUT examined integer, OUT found bigint[]) IS 'Compares the next at_most posts after one with the lists of known photos, or with one list. Returns the last post it looked at (null at the end), how many there were, and those that hide_listed must put into the review list.';

CREATE FUNCTION darkroom.location_policy_for(category text, activity text) RETURNS TABLE(version integer, privacy darkroom.location_privacy, minimum_population integer)
    LANGUAGE sql STABLE ROWS 1 PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.location_policy_for(category text, activity text) IS 'The location policy in force for a category and an activity, however they are written. Of the policies for several names of an activity, the strictest is in force. version is the highest of all policies.';

CREATE FUNCTION darkroom.lock_number(of_key text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.lock_number(of_key text) IS 'The number of the lock of a key, 0 to 1023: the locks media, person and display_name are a thousand each. Keys of the same number wait for each other.';

CREATE FUNCTION darkroom.lock_person() RETURNS trigger
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.lock_person() IS 'The trigger that makes the end of a person''s erasure and writes in the person''s name take turns. Its argument is the column that names the person.';

CREATE FUNCTION darkroom.lock_uploaders() RETURNS trigger
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.lock_uploaders() IS 'The trigger that makes the end of a person''s erasure and uploads in the person''s name take turns: like darkroom.lock_person, for all rows of a statement.';

CREATE FUNCTION darkroom.make_lane(in_queue text, of_kind text, at_priority integer) RETURNS smallint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;

COMMENT ON FUNCTION darkroom.make_lane(in_queue text, of_kind text, at_priority integer) IS 'Creates the lane of a queue, kind and priority, and returns it.';

CREATE FUNCTION darkroom.map_at_most() RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS …;

COMMENT ON FUNCTION darkroom.map_at_most() IS 'The most posts that a map with a filter looks at, which takes about a tenth of a second.';

CREATE FUNCTION darkroom.map_clusters(south darkroom.latitude, west darkroom.longitude, north darkroom.latitude, east darkroom.longitude, zoom double precision, in_category text DEFAULT NULL::text, in_activity text DEFAULT NULL::text, in_place darkroom.place_key DEFAULT NULL::darkroom.place_key, by_uploader text DEFAULT NULL::text, published_since timestamp with time zone DEFAULT NULL::timestamp with time zone, published_until timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_since timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_until timestamp with time zone DEFAULT NULL::timestamp with time zone, from_hour integer DEFAULT NULL::integer, to_hour integer DEFAULT NULL::integer, in_season text DEFAULT NULL::text) RETURNS SETOF darkroom.cluster
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 500
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.map_clusters(south darkroom.latitude, west darkroom.longitude, north darkroom.latitude, east darkroom.longitude, zoom double precision, in_category text, in_activity text, in_place darkroom.place_key, by_uploader text, published_since timestamp with time zone, published_until timestamp with time zone, taken_since timestamp with time zone, taken_until timestamp with time zone, from_hour integer, to_hour integer, in_season text) IS 'What a map shows in a box in degrees at a zoom of 0 to 18 (rounded down; larger values count as 18): one cluster for every square of 64 pixels that has posts, with the count and mean position of these posts, and the number of the best one by hot. A filter counts only the posts that it keeps. A box that crosses 180 degrees has west greater than east. Errors: 22023 for an invalid box or filter, a box of more than 20,000 squares at this zoom, or a filter for which more than 50,000 posts would have to be looked at: those of its rarest condition, or those in the box.';

CREATE FUNCTION darkroom.map_photos(south darkroom.latitude, west darkroom.longitude, north darkroom.latitude, east darkroom.longitude, zoom double precision, at_most bigint DEFAULT 20, in_category text DEFAULT NULL::text, in_activity text DEFAULT NULL::text, in_place darkroom.place_key DEFAULT NULL::darkroom.place_key, by_uploader text DEFAULT NULL::text, published_since timestamp with time zone DEFAULT NULL::timestamp with time zone, published_until timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_since timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_until timestamp with time zone DEFAULT NULL::timestamp with time zone, from_hour integer DEFAULT NULL::integer, to_hour integer DEFAULT NULL::integer, in_season text DEFAULT NULL::text, viewer darkroom.person DEFAULT NULL::text) RETURNS SETOF darkroom.feed_post
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 30
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET extra_float_digits TO '1'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.map_photos(south darkroom.latitude, west darkroom.longitude, north darkroom.latitude, east darkroom.longitude, zoom double precision, at_most bigint, in_category text, in_activity text, in_place darkroom.place_key, by_uploader text, published_since timestamp with time zone, published_until timestamp with time zone, taken_since timestamp with time zone, taken_until timestamp with time zone, from_hour integer, to_hour integer, in_season text, viewer darkroom.person) IS 'Which photos to show on a map in a box in degrees at a zoom of 0 to 18, rounded down: the best by hot, at most one from each square of 128 pixels. With a filter, of those that it keeps. at_most is 1 to 100 (values outside are clamped). Errors: 22023 for an invalid box or filter, a box too large for this zoom, or too many posts to look at, as for map_clusters.';

CREATE FUNCTION darkroom.map_zoom(zoom double precision) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE
    AS …;

COMMENT ON FUNCTION darkroom.map_zoom(zoom double precision) IS 'The level of the map''s tiles, 2 to 20, that are squares of 64 pixels at a zoom of web maps. Errors: 22023 for a zoom that is missing or not finite.';

CREATE FUNCTION darkroom.may_notify() RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.may_notify() IS 'Whether a transaction may notify. PostgreSQL does not prepare one that has (PREPARE TRANSACTION), and none can tell whether it will be prepared. So nothing notifies on a server that allows it, and workers poll twice a second.';

CREATE FUNCTION darkroom.may_show(media_key darkroom.media_key, latitude darkroom.latitude DEFAULT NULL::double precision, longitude darkroom.longitude DEFAULT NULL::double precision, radius_m darkroom.metres DEFAULT NULL::double precision) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.may_show(media_key darkroom.media_key, latitude darkroom.latitude, longitude darkroom.longitude, radius_m darkroom.metres) IS 'Whether the file with this key in the media store is a picture of a post that readers see now, or one that a re-rendering of such a post replaced less than settings.rendition_grace ago. False for originals, for pictures of posts that are held, hidden, removed, expired or erased, and for anything else. With radius_m (metres), also false for a post whose published location is farther than that from latitude and longitude, in degrees. Errors: 22023 for some but not all of the three.';

CREATE FUNCTION darkroom.media_identity(seen darkroom.choice DEFAULT NULL::text, OUT identity text, OUT proposal text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;

COMMENT ON FUNCTION darkroom.media_identity(seen darkroom.choice, OUT identity text, OUT proposal text) IS 'The identity of the media store, which is in the store''s file originals/.darkroom-store. It is null if no store was ever used. Then a program may write the `proposal` into that file to make the store, and give it as `seen` to record it. A store that another database has made is not recorded: `darkroom store adopt` does that. A program that stores originals can compare the identity with the file, to notice that a disk is not mounted. Errors: 23514 if `seen` is not 16 hexadecimal digits.';

CREATE FUNCTION darkroom.missing(argument text) RETURNS void
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.missing(argument text) IS 'Raises 23502 for an argument that must not be null. The table would refuse it too, but show the row.';

CREATE FUNCTION darkroom.missing_history_partitions(days_ahead integer DEFAULT 3) RETURNS TABLE(parent text, child text, day date)
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.missing_history_partitions(days_ahead integer) IS 'The history partitions of today and the days ahead that do not exist.';

CREATE FUNCTION darkroom.move_activities(at_most integer DEFAULT 200) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.move_activities(at_most integer) IS 'Puts into force what apps have changed of one activity, for up to at_most of its posts: see move_activity. Returns whether there was one that nobody holds. For the tally job.';

CREATE FUNCTION darkroom.move_activity(target text, at_most integer DEFAULT 200) RETURNS boolean
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.move_activity(target text, at_most integer) IS 'Puts into force what apps have changed of an activity, for up to at_most of its posts, and goes on with the next ones when it is called again: the end of its posts, and the name of posts that have an alias or another spelling of it. Makes the location coarser of those for which a stricter policy is in force now. Returns false if nothing was changed, or another transaction holds the activity. Errors: 55P03 if another one holds a post.';

CREATE FUNCTION darkroom.move_activity_end() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.move_activity_end() IS 'The trigger that sets when an activity''s posts expire, by the policy in force, when the activity''s end is set or moved.';

CREATE FUNCTION darkroom.name_activity() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.name_activity() IS 'The trigger that makes an activity known by its name, and refuses one that another activity has.';

CREATE FUNCTION darkroom.name_key(name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN NORMALIZE(btrim(regexp_replace(replace(replace(lower(upper(regexp_replace(NORMALIZE(regexp_replace(name, '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]'::text, ''::text, 'g'::text), NFKC), '[\u115F\u1160]'::text, ''::text, 'g'::text))), 'ẞ'::text, 'ss'::text), 'ß'::text, 'ss'::text), '[\s\u00A0\u1680\u2800]+'::text, ' '::text, 'g'::text)), NFKC);

COMMENT ON FUNCTION darkroom.name_key(name text) IS 'The key by which display names are compared: without invisible characters, in compatibility form (NFKC), without regard to case, sharp s as ss, any spaces as one, and none at the ends.';

CREATE FUNCTION darkroom.near_and_good_posts(latitude darkroom.latitude, longitude darkroom.longitude, radius_m darkroom.metres DEFAULT 5000, at_most bigint DEFAULT 20, half_life interval DEFAULT '1 day'::interval, vote_weight double precision DEFAULT 1, distance_weight double precision DEFAULT 1, distance_scale_m darkroom.metres DEFAULT 500, view_weight double precision DEFAULT 0, in_category text DEFAULT NULL::text, in_activity text DEFAULT NULL::text, in_place darkroom.place_key DEFAULT NULL::darkroom.place_key, by_uploader text DEFAULT NULL::text, published_since timestamp with time zone DEFAULT NULL::timestamp with time zone, published_until timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_since timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_until timestamp with time zone DEFAULT NULL::timestamp with time zone, from_hour integer DEFAULT NULL::integer, to_hour integer DEFAULT NULL::integer, in_season text DEFAULT NULL::text, after text DEFAULT NULL::text, viewer darkroom.person DEFAULT NULL::text) RETURNS SETOF darkroom.feed_post
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET extra_float_digits TO '1'
    AS …;

COMMENT ON FUNCTION darkroom.near_and_good_posts(latitude darkroom.latitude, longitude darkroom.longitude, radius_m darkroom.metres, at_most bigint, half_life interval, vote_weight double precision, distance_weight double precision, distance_scale_m darkroom.metres, view_weight double precision, in_category text, in_activity text, in_place darkroom.place_key, by_uploader text, published_since timestamp with time zone, published_until timestamp with time zone, taken_since timestamp with time zone, taken_until timestamp with time zone, from_hour integer, to_hour integer, in_season text, after text, viewer darkroom.person) IS 'The best posts within a radius. Doubling the lead in likes is worth vote_weight half-lives of age; doubling the distance beyond distance_scale_m costs distance_weight; doubling the views is worth view_weight. radius_m and distance_scale_m are 1 to 1,000,000 metres, half_life a minute to a century, the weights 0 to 100. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page, with the same arguments. Errors: 22023 for an argument out of range or a cursor of another feed.';

CREATE FUNCTION darkroom.nearest_in_country(filter darkroom.post_filter, latitude double precision, longitude double precision, wanted integer, most_m double precision, from_m double precision, from_id bigint, OUT ids bigint[], OUT metres double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.nearest_in_country(filter darkroom.post_filter, latitude double precision, longitude double precision, wanted integer, most_m double precision, from_m double precision, from_id bigint, OUT ids bigint[], OUT metres double precision[]) IS 'The nearest posts of a country that a filter keeps, up to most_m metres away, for a page of nearest_posts, whose planner settings it uses. It reads the tiles in which the country has posts, nearest first, until no other can have a nearer one.';

CREATE FUNCTION darkroom.nearest_named(scope text, name text, latitude double precision, longitude double precision, wanted integer, most_m double precision, since timestamp with time zone, in_category text, in_activity text, further darkroom.post_filter, from_m double precision, from_id bigint, OUT ids bigint[], OUT metres double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.nearest_named(scope text, name text, latitude double precision, longitude double precision, wanted integer, most_m double precision, since timestamp with time zone, in_category text, in_activity text, further darkroom.post_filter, from_m double precision, from_id bigint, OUT ids bigint[], OUT metres double precision[]) IS 'The nearest posts of a scope, category or activity, up to most_m metres away, for a page of nearest_posts. It reads only the posts of that name. The planner settings are those of nearest_posts.';

CREATE FUNCTION darkroom.nearest_of(few bigint[], latitude double precision, longitude double precision, wanted integer, most_m double precision, since timestamp with time zone, in_category text, in_activity text, further darkroom.post_filter, from_m double precision, from_id bigint, OUT ids bigint[], OUT metres double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.nearest_of(few bigint[], latitude double precision, longitude double precision, wanted integer, most_m double precision, since timestamp with time zone, in_category text, in_activity text, further darkroom.post_filter, from_m double precision, from_id bigint, OUT ids bigint[], OUT metres double precision[]) IS 'The nearest of some posts that a filter keeps, up to most_m metres away, for a page of nearest_posts, whose planner settings it uses.';

CREATE FUNCTION darkroom.nearest_posts(latitude darkroom.latitude, longitude darkroom.longitude, at_most bigint DEFAULT 20, radius_m darkroom.metres DEFAULT NULL::double precision, in_category text DEFAULT NULL::text, in_activity text DEFAULT NULL::text, in_place darkroom.place_key DEFAULT NULL::darkroom.place_key, by_uploader text DEFAULT NULL::text, published_since timestamp with time zone DEFAULT NULL::timestamp with time zone, published_until timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_since timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_until timestamp with time zone DEFAULT NULL::timestamp with time zone, from_hour integer DEFAULT NULL::integer, to_hour integer DEFAULT NULL::integer, in_season text DEFAULT NULL::text, after text DEFAULT NULL::text, viewer darkroom.person DEFAULT NULL::text) RETURNS SETOF darkroom.feed_post
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET extra_float_digits TO '1'
    AS …;

COMMENT ON FUNCTION darkroom.nearest_posts(latitude darkroom.latitude, longitude darkroom.longitude, at_most bigint, radius_m darkroom.metres, in_category text, in_activity text, in_place darkroom.place_key, by_uploader text, published_since timestamp with time zone, published_until timestamp with time zone, taken_since timestamp with time zone, taken_until timestamp with time zone, from_hour integer, to_hour integer, in_season text, after text, viewer darkroom.person) IS 'The posts nearest to a coordinate in degrees, nearest first, and the latest number first at equal distances. Exact: distance_m is along the sphere, in metres. radius_m is the greatest distance in metres; at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page, with the same arguments. Errors: 22023 for an invalid coordinate or filter, or a cursor of another feed.';

CREATE FUNCTION darkroom.nearest_since(latitude double precision, longitude double precision, wanted integer, most_m double precision, since timestamp with time zone, in_category text, in_activity text, further darkroom.post_filter, from_m double precision, from_id bigint, OUT ids bigint[], OUT metres double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.nearest_since(latitude double precision, longitude double precision, wanted integer, most_m double precision, since timestamp with time zone, in_category text, in_activity text, further darkroom.post_filter, from_m double precision, from_id bigint, OUT ids bigint[], OUT metres double precision[]) IS 'The nearest posts since a time, of a filter or of both, up to most_m metres away, for a page of nearest_posts: it reads the lists of tiles by time, in circles that grow until they hold a page. So old posts stay unread. The planner settings are those of nearest_posts.';

CREATE FUNCTION darkroom.needs_row(filter darkroom.post_filter) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.needs_row(filter darkroom.post_filter) IS 'Whether a filter has conditions that the indexes of tiles lack, so that the post''s row must be looked up.';

CREATE FUNCTION darkroom.newest_close_by(latitude double precision, longitude double precision, radius_m double precision, wanted integer, before timestamp with time zone, from_id bigint, earliest timestamp with time zone, in_category text, in_activity text, boxes box[], further darkroom.post_filter, without_votes boolean, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.newest_close_by(latitude double precision, longitude double precision, radius_m double precision, wanted integer, before timestamp with time zone, from_id bigint, earliest timestamp with time zone, in_category text, in_activity text, boxes box[], further darkroom.post_filter, without_votes boolean, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) IS 'Like newest_in_tile, for circles so small that they touch few tiles of level 20, so that it needs no distances to the tiles.';

CREATE FUNCTION darkroom.newest_in_tile(latitude double precision, longitude double precision, radius_m double precision, wanted integer, before timestamp with time zone, from_id bigint, earliest timestamp with time zone, in_category text, in_activity text, boxes box[], further darkroom.post_filter, without_votes boolean, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.newest_in_tile(latitude double precision, longitude double precision, radius_m double precision, wanted integer, before timestamp with time zone, from_id bigint, earliest timestamp with time zone, in_category text, in_activity text, boxes box[], further darkroom.post_filter, without_votes boolean, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) IS 'The newest posts of a circle that come after a cursor and since a time, for posts_within. It reads the lists of the tiles of level 15 that the circle touches. boxes are the one or two around the circle, because comparing with them is faster than computing a distance. The planner settings are those of posts_within.';

CREATE FUNCTION darkroom.newest_in_wide_tile(latitude double precision, longitude double precision, radius_m double precision, wanted integer, before timestamp with time zone, from_id bigint, earliest timestamp with time zone, in_category text, in_activity text, boxes box[], further darkroom.post_filter, without_votes boolean, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.newest_in_wide_tile(latitude double precision, longitude double precision, radius_m double precision, wanted integer, before timestamp with time zone, from_id bigint, earliest timestamp with time zone, in_category text, in_activity text, boxes box[], further darkroom.post_filter, without_votes boolean, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) IS 'Like newest_in_tile, by the tiles of level 11, for wide circles.';

CREATE FUNCTION darkroom.newest_posts(filter darkroom.post_filter, wanted integer, before timestamp with time zone, from_id bigint, without_votes boolean DEFAULT false, OUT ids bigint[], OUT keys double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.newest_posts(filter darkroom.post_filter, wanted integer, before timestamp with time zone, from_id bigint, without_votes boolean, OUT ids bigint[], OUT keys double precision[]) IS 'The newest posts that a filter keeps and that come after a cursor, for a page; without_votes leaves those that no board ranks. The planner settings are those of latest_posts.';

CREATE FUNCTION darkroom.newest_within(filter darkroom.post_filter, latitude double precision, longitude double precision, radius_m double precision, wanted integer, before timestamp with time zone, from_id bigint, without_votes boolean DEFAULT false, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.newest_within(filter darkroom.post_filter, latitude double precision, longitude double precision, radius_m double precision, wanted integer, before timestamp with time zone, from_id bigint, without_votes boolean, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) IS 'The newest posts within a radius in metres that a filter keeps and that come after a cursor, for a page; without_votes leaves those that no board ranks. The planner settings are those of posts_within. Errors: 22023 for an invalid coordinate or a radius out of range.';

CREATE FUNCTION darkroom.next_slot(in_lane smallint, of_key text, has_come_back boolean DEFAULT false, turns bigint DEFAULT NULL::bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.next_slot(in_lane smallint, of_key text, has_come_back boolean, turns bigint) IS 'The slot of a fair key''s next job in a lane: after the key''s last job, never before the lane''s virtual time. A job that has come back goes after the last of those only, and a turn after the virtual time; with turns, after the last that is so many turns away at most.';

CREATE FUNCTION darkroom.note_exception() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;

COMMENT ON FUNCTION darkroom.note_exception() IS 'The trigger that tells enqueue_job to look for drains and weights. It does so before there is one that enqueue_job can see.';

CREATE FUNCTION darkroom.note_media(job_id bigint, lease bigint, keys text[]) RETURNS text
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.note_media(job_id bigint, lease bigint, keys text[]) IS 'Notes the files that an attempt is about to store, and returns null. Else returns why it must not store them: lease_lost, cancelled (the job, or its uploader is being erased), post_gone or upload_erased.';

CREATE TABLE darkroom.people (
    person text NOT NULL,
    first_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    agreed integer DEFAULT 0 NOT NULL,
    disagreed integer DEFAULT 0 NOT NULL,
    removals integer DEFAULT 0 NOT NULL,
    display_name text,
    CONSTRAINT agreed_is_not_negative CHECK ((agreed >= 0)),
    CONSTRAINT disagreed_is_not_negative CHECK ((disagreed >= 0)),
    CONSTRAINT display_name_has_no_control_characters CHECK (darkroom.has_no_control_characters(display_name)),
    CONSTRAINT display_name_has_no_unseen_characters CHECK ((darkroom.has_no_unseen_characters(display_name) AND (darkroom.name_key(display_name) <> ''::text))),
    CONSTRAINT display_name_is_1_to_100_characters CHECK (((char_length(display_name) >= 1) AND (char_length(display_name) <= 100))),
    CONSTRAINT first_seen_at_is_a_time_from_1970_on CHECK ((isfinite(first_seen_at) AND (first_seen_at >= '1970-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT person_is_1_to_200_characters CHECK (((char_length(person) >= 1) AND (char_length(person) <= 200))),
    CONSTRAINT removals_is_not_negative CHECK ((removals >= 0))
)
WITH (fillfactor='80');
ALTER TABLE ONLY darkroom.people ALTER COLUMN person SET STATISTICS 0;
ALTER TABLE ONLY darkroom.people ALTER COLUMN display_name SET STATISTICS 0;

COMMENT ON TABLE darkroom.people IS 'Uploaders and reporters by their opaque identifiers: since when they are known, and how reviews judged them.';

COMMENT ON COLUMN darkroom.people.agreed IS 'How many of the person''s reports reviews agreed with; disagreed: how many they did not.';

COMMENT ON COLUMN darkroom.people.removals IS 'How many of the person''s posts are removed.';

CREATE FUNCTION darkroom.note_person_seen(person text, since timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS darkroom.people
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.note_person_seen(person text, since timestamp with time zone) IS 'Registers a person who is unknown, as of the given time or now, and returns what is known of the person, as of the earlier of both times. Waits for nobody: if another transaction is registering the same person, it leaves that to it. Errors: 22023 for a time before 1970, more than a day from now, or infinite.';

CREATE FUNCTION darkroom.note_progress(of_action bigint, done bigint, is_over boolean DEFAULT false, fault text DEFAULT NULL::text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;

COMMENT ON FUNCTION darkroom.note_progress(of_action bigint, done bigint, is_over boolean, fault text) IS 'Records how far an action of an operator is, and whether it is over. An action that is over no longer changes.';

CREATE FUNCTION darkroom.notify_of_events() RETURNS integer
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.notify_of_events() IS 'Numbers the new events and wakes their readers. For the tally job: writers never notify, since a notification briefly locks all commits of the server.';

CREATE FUNCTION darkroom.number_events(at_most integer DEFAULT 10000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.number_events(at_most integer) IS 'Gives up to at_most committed events their places in the reading order. Returns how many. Called by the tally job and not by readers: a reader''s transaction may take long and would hold up all others.';

CREATE FUNCTION darkroom.oldest_waiting_s(queue darkroom.queue_name DEFAULT NULL::text) RETURNS double precision
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.oldest_waiting_s(queue darkroom.queue_name) IS 'For how many seconds the job of a queue, or of all, that could run and has waited longest has been ready, for an autoscaler; 0 if none waits. Jobs that are paused, parked or due later do not count. It looks at the first 1,000 waiting jobs of each lane (kind and priority of a queue), which have the oldest job of each uploader as long as fewer than 1,000 uploaders wait. With more, the result may be too low.';

CREATE FUNCTION darkroom.order_erasure(of_post bigint, of_upload bigint, for_cause text) RETURNS boolean
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.order_erasure(of_post bigint, of_upload bigint, for_cause text) IS 'Orders the erasure of a post whose row the caller has locked, and queues it unless a review of the post is open. Returns false if that was done before.';

CREATE FUNCTION darkroom.orphaned_leases() RETURNS SETOF bigint
    LANGUAGE sql STABLE
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.orphaned_leases() IS 'The numbers of workers that hold leases but have no row: nobody hears whether they live.';

CREATE FUNCTION darkroom.paced_start(of_key bigint, per_minute double precision, burst integer, turn integer, moment timestamp with time zone, OUT start_at timestamp with time zone, OUT next_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.paced_start(of_key bigint, per_minute double precision, burst integer, turn integer, moment timestamp with time zone, OUT start_at timestamp with time zone, OUT next_at timestamp with time zone) IS 'When the job of a fair key (its hash) that is the turn-th from now may start under a rate, and the key''s next_at in fair_key_paces once it has.';

CREATE FUNCTION darkroom.page_size(at_most bigint) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS …;

COMMENT ON FUNCTION darkroom.page_size(at_most bigint) IS 'The number of rows of a page: 1 to 100, by default 20.';

CREATE FUNCTION darkroom.tile_at(x double precision, y double precision, level integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.tile_at(x double precision, y double precision, level integer) IS 'The number of the tile of a zoom level, 0 to 26, that contains a point of the plane: x in the higher 26 bits, y in the lower.';

CREATE TABLE darkroom.feed (
    post_id bigint NOT NULL,
    published_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    "position" point NOT NULL,
    tile bigint NOT NULL,
    wide_tile bigint NOT NULL,
    country bigint,
    division bigint,
    city bigint,
    place bigint,
    category text,
    activity text,
    uploader text,
    taken_at timestamp with time zone,
    taken_hour smallint,
    taken_season text,
    leaf bigint GENERATED ALWAYS AS (darkroom.tile_at("position"[0], "position"[1], 20)) STORED NOT NULL,
    is_stacked boolean DEFAULT false NOT NULL,
    is_stacked_in_category boolean DEFAULT false NOT NULL,
    is_stacked_in_activity boolean DEFAULT false NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.01', autovacuum_vacuum_insert_threshold='10000');
ALTER TABLE ONLY darkroom.feed ALTER COLUMN uploader SET STATISTICS 0;

COMMENT ON TABLE darkroom.feed IS 'One row for every post that readers see. leaf is its tile of zoom level 20 (38 m at the equator), tile the one of level 15 (1.2 km), wide_tile the one of level 11.';

COMMENT ON COLUMN darkroom.feed.uploader IS 'Null if the post is anonymous, so that no search by uploader finds it.';

COMMENT ON COLUMN darkroom.feed.taken_hour IS 'The hour, 0 to 23, of the local time when the photo was taken; taken_season is the season then and there. Both are null if the time is unknown.';

COMMENT ON COLUMN darkroom.feed.is_stacked IS 'Whether the post is missing in the index of positions, because stack_size others at exactly its position are there. The same goes for is_stacked_in_category and is_stacked_in_activity, and the positions of a category and an activity.';

CREATE FUNCTION darkroom.passes(filter darkroom.post_filter, post darkroom.feed) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.passes(filter darkroom.post_filter, post darkroom.feed) IS 'Whether a post is one of those that a filter keeps. A null filter keeps every post.';

CREATE FUNCTION darkroom.pause_queue(in_queue text, of_kind text, by_whom text, drain boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.pause_queue(in_queue text, of_kind text, by_whom text, drain boolean) IS 'Pauses a queue (kind null), a kind (queue null) or a kind in a queue: from the next claim on, none of its jobs start. With drain, the jobs that are already there still run and later ones are parked.';

CREATE FUNCTION darkroom.person_columns() RETURNS TABLE(of_table regclass, of_column name)
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.person_columns() IS 'The columns that name a person. Give a column one of these names and the erasure of persons finds it.';

CREATE FUNCTION darkroom.person_traces(person text) RETURNS TABLE(what text, rows bigint)
    LANGUAGE sql STABLE
    SET enable_seqscan TO 'on'
    AS …;

COMMENT ON FUNCTION darkroom.person_traces(person text) IS 'What an erasure of a person would find. Erases nothing.';

CREATE FUNCTION darkroom.pictures_of(post bigint) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.pictures_of(post bigint) IS 'The renditions of a post as readers see them, largest first.';

CREATE FUNCTION darkroom.plan_again(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '1s'
    AS …;

COMMENT ON FUNCTION darkroom.plan_again(at_most integer) IS 'Computes again when jobs are tried again whose last attempt ended in the future: the server''s clock was wrong when it ended. Looks at the at_most that are to wait longest. Returns how many it changed.';

CREATE FUNCTION darkroom.plane_latitude(y double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.plane_latitude(y double precision) IS 'The latitude in degrees of a y of the plane.';

CREATE FUNCTION darkroom.plane_longitude(x double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.plane_longitude(x double precision) IS 'The longitude in degrees of an x of the plane.';

CREATE FUNCTION darkroom.plane_of(name text, place point) RETURNS point
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.plane_of(name text, place point) IS 'A point in the copy of the plane that belongs to a name: 1 of 65,536 copies, which lie next to each other. The index of such points finds the nearest of a name without reading others.';

CREATE FUNCTION darkroom.plane_x(longitude double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.plane_x(longitude double precision) IS 'The x of a longitude in degrees in the Web Mercator plane: 0 to 67,108,864 (2^26) from west to east.';

CREATE FUNCTION darkroom.plane_y(latitude double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.plane_y(latitude double precision) IS 'The y of a latitude in degrees in the Web Mercator plane: 0 to 67,108,864 (2^26) from 85.05 degrees north to 85.05 degrees south, outside that range beyond them. The poles count as 89.999999 degrees.';

CREATE FUNCTION darkroom.point_distance_m(latitude double precision, longitude double precision, place point) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.point_distance_m(latitude double precision, longitude double precision, place point) IS 'Metres along the sphere from a coordinate in degrees to a point of the plane.';

CREATE FUNCTION darkroom.policy_keys(name text) RETURNS TABLE(keys text[])
    LANGUAGE sql STABLE ROWS 1 PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.policy_keys(name text) IS 'The keys of the names whose policies apply to a post with a name as its activity, and of several rows the strictest policy is in force. All names that an operator gave to an activity are one row: a policy for any of them is one for all. Each name that an app gave is a row of its own, so that an app can make the policy for a name stricter, but not replace it by that of another name.';

CREATE FUNCTION darkroom.post_comments(post_id bigint, order_by darkroom.choice DEFAULT 'newest'::text, at_most bigint DEFAULT 20, after darkroom.cursor DEFAULT NULL::text, viewer darkroom.person DEFAULT NULL::text) RETURNS SETOF darkroom.feed_comment
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.post_comments(post_id bigint, order_by darkroom.choice, at_most bigint, after darkroom.cursor, viewer darkroom.person) IS 'The comments of a visible post: the newest first, or with order_by => ''popular'' those with the greatest lead in likes (likes less dislikes), of these the newest first. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page, with the same arguments. my_vote is the viewer''s own vote; the role reader, which acts for nobody, gets null for every vote and author. author is null for the uploader of an anonymous post, too; author_handle stands for the author, and is that of the post for its uploader. Errors: 22023 for another order, or a cursor of another order or feed.';

CREATE FUNCTION darkroom.post_details(post_id bigint, viewer darkroom.person DEFAULT NULL::text) RETURNS SETOF darkroom.feed_post
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET extra_float_digits TO '1'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.post_details(post_id bigint, viewer darkroom.person) IS 'One visible post as feeds have it, with up-to-date counters; distance_m, score and cursor are null. my_vote is the viewer''s own vote; the role reader, which acts for nobody, gets null for every vote. No row if there is no such visible post.';

CREATE FUNCTION darkroom.post_to_review(post_id bigint) RETURNS TABLE(post_id bigint, state text, uploader text, headline text, caption text, link text, media_keys text[], may_decide text[], seen bigint, is_deleted boolean, reports jsonb, decisions jsonb, appeals jsonb, uploader_posts bigint, uploader_removals bigint)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.post_to_review(post_id bigint) IS 'A post for its moderators, in any state: its texts and pictures, what can be decided now, and its latest 1,000 reports (without who reported, but with how many reports of the reporter are undecided, counted to 100), decisions and appeals, and how many posts its uploader has (counted to 1,000) and how many of them were removed. Pass seen to decide_on_post, so that a decision that came since is not overlooked. No row if there is no such post.';

CREATE FUNCTION darkroom.posting_objections(headline text, caption text, category text, link text, accuracy_m double precision) RETURNS TABLE(argument text, reason text, message text)
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.posting_objections(headline text, caption text, category text, link text, accuracy_m double precision) IS 'What the posting policy in force objects to in an upload or post, whose texts are in their stored form: the argument, a reason for programs and a sentence for the uploader. Every check of the policy is this one.';

CREATE FUNCTION darkroom.posting_policy_for(of_category text) RETURNS TABLE(version integer, headline_required boolean, caption_required boolean, category_required boolean, categories text[], link_rule text, link_hosts text[], accuracy_at_most_m double precision)
    LANGUAGE sql STABLE ROWS 1
    AS …;

COMMENT ON FUNCTION darkroom.posting_policy_for(of_category text) IS 'The posting policy in force for a category. It has no settings, so that the planner inlines it.';

CREATE FUNCTION darkroom.posts_to_review(in_state darkroom.choice DEFAULT NULL::text, like_post bigint DEFAULT NULL::bigint, reported_with bigint DEFAULT NULL::bigint, at_most bigint DEFAULT 20, after darkroom.cursor DEFAULT NULL::text) RETURNS TABLE(post_id bigint, state text, severity integer, score double precision, cause text, must_decide boolean, report_count integer, appeal_id bigint, is_deleted boolean, opened_at timestamp with time zone, uploader text, title text, media_key text, seen bigint, cursor text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET extra_float_digits TO '1'
    AS …;

COMMENT ON FUNCTION darkroom.posts_to_review(in_state darkroom.choice, like_post bigint, reported_with bigint, at_most bigint, after darkroom.cursor) IS 'The posts that are held, hidden, appealed for or reported: the most severe reason first, then the highest score, then the longest wait. in_state lists only posts in that state (published: reported, but not hidden); like_post only those whose photos differ from that post''s in at most 7 of 64 bits; reported_with only those that its latest 1,000 reporters have reported too, and on which nobody has decided since. media_key is its smallest picture; pass seen to decide_on_post. must_decide: it stays until a person decides. at_most is 1 to 100 (values outside are clamped); after is the cursor of the last row of the previous page. Errors: 22023 for an unknown state or a text that is no cursor of this list.';

CREATE FUNCTION darkroom.posts_within(latitude darkroom.latitude, longitude darkroom.longitude, radius_m darkroom.metres DEFAULT 100, at_most bigint DEFAULT 20, in_category text DEFAULT NULL::text, in_activity text DEFAULT NULL::text, in_place darkroom.place_key DEFAULT NULL::darkroom.place_key, by_uploader text DEFAULT NULL::text, published_since timestamp with time zone DEFAULT NULL::timestamp with time zone, published_until timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_since timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_until timestamp with time zone DEFAULT NULL::timestamp with time zone, from_hour integer DEFAULT NULL::integer, to_hour integer DEFAULT NULL::integer, in_season text DEFAULT NULL::text, after text DEFAULT NULL::text, viewer darkroom.person DEFAULT NULL::text) RETURNS SETOF darkroom.feed_post
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET extra_float_digits TO '1'
    AS …;

COMMENT ON FUNCTION darkroom.posts_within(latitude darkroom.latitude, longitude darkroom.longitude, radius_m darkroom.metres, at_most bigint, in_category text, in_activity text, in_place darkroom.place_key, by_uploader text, published_since timestamp with time zone, published_until timestamp with time zone, taken_since timestamp with time zone, taken_until timestamp with time zone, from_hour integer, to_hour integer, in_season text, after text, viewer darkroom.person) IS 'The posts within radius_m, 1 to 1,000,000 metres along the sphere, newest first. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page, with the same arguments. Errors: 22023 for an argument out of range, an invalid filter or a cursor of another feed.';

CREATE FUNCTION darkroom.prepare_queue() RETURNS void
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.prepare_queue() IS 'Creates what an installation''s queue needs and does not have yet: history partitions, and the kinds of jobs with their lanes, schedules and retry policies. darkroom migrate calls it at its end.';

CREATE FUNCTION darkroom.promote_due(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '1s'
    AS …;

COMMENT ON FUNCTION darkroom.promote_due(at_most integer) IS 'Makes up to at_most scheduled jobs that are due ready to be claimed. Returns how many.';

CREATE FUNCTION darkroom.prune_actions(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.prune_actions(at_most integer) IS 'Removes up to at_most actions of operators that are older than settings.decision_days. Returns how many.';

CREATE FUNCTION darkroom.prune_activities(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.prune_activities(at_most integer) IS 'Removes up to at_most activities that ended more than settings.activity_days ago. Those with aliases stay if a policy is for one of their names. Returns how many.';

CREATE FUNCTION darkroom.prune_comments(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.prune_comments(at_most integer) IS 'Erases up to at_most comments that were deleted more than settings.history_days ago, with the votes on them and their reports. Returns how many.';

CREATE FUNCTION darkroom.prune_decisions(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.prune_decisions(at_most integer) IS 'Removes up to at_most decisions on posts that are older than settings.decision_days, with their evidence, unless the post is in the review list or has an appeal that the decision decided. Returns how many.';

CREATE FUNCTION darkroom.prune_erasures(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.prune_erasures(at_most integer) IS 'Removes up to at_most records each of posts and persons that were erased more than settings.record_days ago. Returns how many.';

CREATE FUNCTION darkroom.prune_history() RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '100ms'
    AS …;

COMMENT ON FUNCTION darkroom.prune_history() IS 'Removes one day of history that is older than settings.history_days, or first some of its unsuccessful jobs with their uploads, or a day of events that are older than settings.event_days, read or not. Returns what it removed; null if nothing is left to remove. Fails with lock_not_available rather than hold up the workers that finish jobs.';

CREATE FUNCTION darkroom.prune_inbox(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.prune_inbox(at_most integer) IS 'Removes up to at_most entries of inboxes that are older than settings.inbox_days. Returns how many.';

CREATE FUNCTION darkroom.prune_paces() RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.prune_paces() IS 'Removes up to 1,000 paces of keys that may start a job at once: such a row says nothing. Returns how many.';

CREATE FUNCTION darkroom.prune_records(at_most integer DEFAULT 1000) RETURNS text
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.prune_records(at_most integer) IS 'Removes some of the records whose time is over, by the settings, and returns what it removed; null if nothing is left to remove.';

CREATE FUNCTION darkroom.prune_removals(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.prune_removals(at_most integer) IS 'Takes up to at_most removals off their uploaders'' records, with the photos'' hashes: those older than settings.record_days, and than the policy''s removals_within, whose posts are erased. Returns how many.';

CREATE FUNCTION darkroom.prune_replays(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.prune_replays(at_most integer) IS 'Removes up to at_most replays that are older than settings.history_days. Returns how many.';

CREATE FUNCTION darkroom.public_functions() RETURNS TABLE(name text, for_apps boolean, for_readers boolean, for_moderators boolean)
    LANGUAGE sql STABLE ROWS 40
    AS …;

COMMENT ON FUNCTION darkroom.public_functions() IS 'The functions that an app calls, by name: those whose files in sql/ say so. The role api may call those of for_apps, reader those of for_readers, moderator those of for_moderators; none of them may call anything else.';

CREATE FUNCTION darkroom.queue_depth(queue darkroom.queue_name DEFAULT NULL::text) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.queue_depth(queue darkroom.queue_name) IS 'How many jobs of a queue, or of all, run or could run now, for an autoscaler. It counts to 10,000, so that a long queue costs no more to look at; that is also the largest result. Jobs that are paused, parked or due later do not count. 0 for a queue that does not exist.';

CREATE FUNCTION darkroom.queue_erasure(of_post bigint) RETURNS void
    LANGUAGE sql
    AS …;

COMMENT ON FUNCTION darkroom.queue_erasure(of_post bigint) IS 'Queues the job that erases a post.';

CREATE FUNCTION darkroom.quota_for(person text, photos integer, bytes bigint, added bigint[] DEFAULT '{}'::bigint[], OUT photos_a_day integer, OUT photos_left integer, OUT bytes_a_day bigint, OUT bytes_left bigint, OUT more_at timestamp with time zone, OUT reason text) RETURNS record
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.quota_for(person text, photos integer, bytes bigint, added bigint[], OUT photos_a_day integer, OUT photos_left integer, OUT bytes_a_day bigint, OUT bytes_left bigint, OUT more_at timestamp with time zone, OUT reason text) IS 'The quotas of the posting policy in force, and what is left of them for a person apart from the uploads `added`; all null without a quota. If photos or bytes more do not fit, reason says why, and more_at when they do; null for never.';

CREATE FUNCTION darkroom.quota_objections(person text, photos integer, bytes bigint, added bigint[] DEFAULT '{}'::bigint[]) RETURNS TABLE(reason text, message text, retry_after_s integer)
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.quota_objections(person text, photos integer, bytes bigint, added bigint[]) IS 'What the quotas of the posting policy in force object to if a person uploads photos with bytes more: a reason for programs, a sentence for the uploader, and in how many seconds they can go on; null for never.';

CREATE FUNCTION darkroom.rank_post(target bigint) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.rank_post(target bigint) IS 'Writes a post''s row of ranks again from its feed row and counters, and queues it for the map; deletes the row if the post cannot be seen or has no votes.';

CREATE FUNCTION darkroom.read_events(consumer darkroom.word, at_most bigint DEFAULT 100) RETURNS SETOF darkroom.post_event
    LANGUAGE plpgsql SECURITY DEFINER ROWS 100
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.read_events(consumer darkroom.word, at_most bigint) IS 'The events after those that a consumer has acknowledged, oldest first, 1 to 1,000 at a time: the same ones again until ack_events is called. A consumer is any name of 1 to 100 characters; the first call registers it, and it gets what happens from then on. The events of a post come in the order in which they happened. uploader is whose post or upload it is; null once that is erased. A consumer that falls behind by more than settings.event_days misses the events removed meanwhile. Errors: 23502 or 23514 for a name out of range, 22023 for a new name if there are as many consumers as settings.most_consumers allows.';

CREATE FUNCTION darkroom.read_inbox(person darkroom.person, up_to bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.read_inbox(person darkroom.person, up_to bigint) IS 'Marks the entries of a person''s inbox up to a number as read. Give the number of the first entry that the person has seen: what came meanwhile stays unread. Returns false if that changed nothing. Errors: 22023 for a number that no event has reached, 23502 for a missing person, 23514 for a person out of range (1 to 200 characters).';

CREATE FUNCTION darkroom.rebuild_feeds() RETURNS void
    LANGUAGE plpgsql
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.rebuild_feeds() IS 'Rebuilds what feeds and the map are read from, out of posts and counters. Publishing waits. For repairs and upgrades.';

CREATE FUNCTION darkroom.recompute_averages() RETURNS boolean
    LANGUAGE plpgsql
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.recompute_averages() IS 'Computes the mean lead in likes and the mean number of votes of the posts that readers see, from a sample of those with votes, and uses them if one of them has moved by half. Returns whether reweigh must rewrite the weighted ratings, also because an earlier run did not end, or because the averages are newer than two hours.';

CREATE FUNCTION darkroom.recount_level(of_level integer, tiles bigint[]) RETURNS bigint[]
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.recount_level(of_level integer, tiles bigint[]) IS 'Computes tiles of a level of the map again, each from its four tiles of the level below. Returns those that are different now, null if none is.';

CREATE FUNCTION darkroom.refuse_above_quota(upload_ids bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET lock_timeout TO '500ms'
    AS …;

COMMENT ON FUNCTION darkroom.refuse_above_quota(upload_ids bigint[]) IS 'Raises 23514 if uploads that were added exceed the quota of a person; the constraint''s name is the reason, and the detail the number of seconds until they can go on, or blank if they never can. Raises 55P03 if another transaction that adds uploads of the person does not end soon.';

CREATE FUNCTION darkroom.refuse_all_but_pseudonyms() RETURNS trigger
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.refuse_all_but_pseudonyms() IS 'The trigger of tables whose rows never change, except for the pseudonyms of persons being erased.';

CREATE FUNCTION darkroom.refuse_by_policy(upload_ids bigint[]) RETURNS void
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.refuse_by_policy(upload_ids bigint[]) IS 'Raises 23514 if the posting policy objects to one of the uploads; the constraint''s name is the reason.';

CREATE FUNCTION darkroom.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.refuse_change() IS 'The trigger of tables whose rows are never changed or deleted.';

CREATE FUNCTION darkroom.refuse_change_but_to_erase() RETURNS trigger
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.refuse_change_but_to_erase() IS 'The trigger of tables that accept no change unless a person is being erased.';

CREATE FUNCTION darkroom.refuse_early_deletion() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.refuse_early_deletion() IS 'The trigger of the moderation log that lets a row be deleted only when its time is over: see prune_decisions.';

CREATE FUNCTION darkroom.refuse_further_reports(of_reporter text) RETURNS void
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.refuse_further_reports(of_reporter text) IS 'Refuses the report that a person has just filed if it is more than settings.reports_a_day within 24 hours; those on comments count too. Errors: 53400 (reports_a_day).';

CREATE FUNCTION darkroom.refuse_return() RETURNS trigger
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.refuse_return() IS 'The trigger that keeps deleted posts from coming back. Errors: 55000.';

CREATE FUNCTION darkroom.release_jobs(job_ids bigint[], released_by text, why text DEFAULT NULL::text) RETURNS bigint[]
    LANGUAGE sql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.release_jobs(job_ids bigint[], released_by text, why text) IS 'Takes running jobs from their workers and makes them wait again. A worker that really runs one stops it within a second, and cannot write its end. Returns the jobs that ran.';

CREATE FUNCTION darkroom.replace_post() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;

COMMENT ON FUNCTION darkroom.replace_post() IS 'Deletes the posts that an upload replaces once readers see the new one, for its uploader and in the same transaction.';

CREATE FUNCTION darkroom.replaced_posts(post_id bigint) RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.replaced_posts(post_id bigint) IS 'The posts that are deleted once readers see this one: those that its upload replaces, and other earlier ones that replace the same.';

CREATE FUNCTION darkroom.replay_jobs(job_ids bigint[], replayed_by text, why text DEFAULT NULL::text) RETURNS bigint[]
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.replay_jobs(job_ids bigint[], replayed_by text, why text) IS 'Queues finished jobs again; those that succeeded stay as they are. The jobs keep their numbers and the history of their attempts; failures and crashes are counted from 0 again. Returns the jobs that were queued.';

CREATE FUNCTION darkroom.report_comment(comment_id bigint, reporter darkroom.person, reason darkroom.choice, details darkroom.remark DEFAULT NULL::text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.report_comment(comment_id bigint, reporter darkroom.person, reason darkroom.choice, details darkroom.remark) IS 'Files one report per reporter and comment of a visible post; moderators find them in darkroom.reported_comments. reason is one of those of report_post; details is at most 2,000 characters. Returns false if this reporter had already reported the comment. Errors: P0002 if there is no such comment, 22023 for an unknown or missing reason, 23502 for a missing reporter, 23514 for a reporter (1 to 200 characters) or details out of range, 53400 as for report_post.';

CREATE FUNCTION darkroom.report_decisions(reporter darkroom.person, at_most bigint DEFAULT 20, after darkroom.cursor DEFAULT NULL::text) RETURNS TABLE(post_id bigint, reason text, reported_at timestamp with time zone, decision text, decided_at timestamp with time zone, is_automatic boolean, redress text, cursor text)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.report_decisions(reporter darkroom.person, at_most bigint, after darkroom.cursor) IS 'What became of a person''s own reports, latest first, so that an app can tell the reporter. decision is waiting (nobody has decided), hidden (the rules have hidden the post until a person decides), removed or kept (a person has decided), or gone (the post expired, or its uploader deleted it, before that). is_automatic says whether rules alone decided; redress says what the reporter can do about it. Reports on an erased post are erased with it. at_most is 1 to 100 (values outside are clamped); after is the cursor of the last row of the previous page. Errors: 22023 for a text that is not a cursor of this list.';

CREATE FUNCTION darkroom.report_post(post_id bigint, reporter darkroom.person, reason darkroom.choice, details darkroom.remark DEFAULT NULL::text, reporter_since darkroom.moment DEFAULT NULL::timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.report_post(post_id bigint, reporter darkroom.person, reason darkroom.choice, details darkroom.remark, reporter_since darkroom.moment) IS 'Files one report per reporter and visible post; workers weigh it a second after it is committed, and list the post for review. reason is explicit, minors (explicit content that shows minors), violence, harassment, spam, private_information, illegal or other. details is at most 2,000 characters. reporter_since is when the reporter''s account was created, by default when it was first seen here: new accounts count less. Returns false if this reporter had already reported the post. Errors: P0002 if there is no such visible post, 22023 for an unknown reason, or for a reporter_since before 1970, more than a day from now, or infinite, 23502 for a missing post, reporter or reason, 23514 for a reporter (1 to 200 characters) or details out of range, 53400 (reports_a_day) if the reporter has filed settings.reports_a_day reports within 24 hours, those on comments included.';

CREATE FUNCTION darkroom.require_replaced(new_uploads bigint[]) RETURNS void
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.require_replaced(new_uploads bigint[]) IS 'Raises P0002 if one of the uploads replaces a post that its uploader does not have, and 23514 if two replace the same.';

CREATE FUNCTION darkroom.rescue_worker(of_worker bigint, heartbeats_seen bigint) RETURNS TABLE(job_id bigint, is_quarantined boolean)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '1s'
    AS …;

COMMENT ON FUNCTION darkroom.rescue_worker(of_worker bigint, heartbeats_seen bigint) IS 'Takes back the jobs of a worker that is dead, and removes the worker. Does nothing if its heartbeats are more than heartbeats_seen by now. A worker without a row is dead. Jobs that somebody has locked are left for the next call.';

CREATE FUNCTION darkroom.resume_queue(in_queue text, of_kind text) RETURNS boolean
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.resume_queue(in_queue text, of_kind text) IS 'Ends a pause or drain, and releases the first of the parked jobs; the upkeep releases the others within seconds. Returns false if nothing was paused under these names. Errors: P0002.';

CREATE FUNCTION darkroom.retire_media(keys text[], due timestamp with time zone DEFAULT now(), of_post bigint DEFAULT NULL::bigint, of_person text DEFAULT NULL::text) RETURNS void
    LANGUAGE sql
    AS …;

COMMENT ON FUNCTION darkroom.retire_media(keys text[], due timestamp with time zone, of_post bigint, of_person text) IS 'Marks files of a post and its uploader for deletion once nothing refers to them, not before due.';

CREATE FUNCTION darkroom.retire_originals(after_time timestamp with time zone, after_upload bigint, at_most integer DEFAULT 1000, OUT seen integer, OUT retired integer, OUT last_time timestamp with time zone, OUT last_upload bigint) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.retire_originals(after_time timestamp with time zone, after_upload bigint, at_most integer, OUT seen integer, OUT retired integer, OUT last_time timestamp with time zone, OUT last_upload bigint) IS 'Retires the originals older than settings.original_days, for up to at_most uploads after a position; seen is 0 at the end. Keeps the originals of unfinished and failed jobs, and of unfinished re-renderings.';

CREATE FUNCTION darkroom.retire_unpublished(of_upload bigint DEFAULT NULL::bigint, of_person text DEFAULT NULL::text, of_post bigint DEFAULT NULL::bigint) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.retire_unpublished(of_upload bigint, of_person text, of_post bigint) IS 'Retires the files that attempts noted whose lease is over, as after the death of a worker: of one upload, of one person, or all. of_post is the post that the upload became. Returns of how many attempts.';

CREATE FUNCTION darkroom.return_job(job_id bigint, lease bigint, outcome darkroom.attempt_outcome, reason text DEFAULT NULL::text, message text DEFAULT NULL::text, cause text DEFAULT NULL::text, verdict text DEFAULT NULL::text, stages darkroom.stage_time[] DEFAULT NULL::darkroom.stage_time[], delay interval DEFAULT NULL::interval, failures integer DEFAULT 0, crashes integer DEFAULT 0, deaths integer DEFAULT 0) RETURNS boolean
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.return_job(job_id bigint, lease bigint, outcome darkroom.attempt_outcome, reason text, message text, cause text, verdict text, stages darkroom.stage_time[], delay interval, failures integer, crashes integer, deaths integer) IS 'Ends an attempt that leaves its job unfinished, and makes the job wait again: for its time if delay is given, else to be claimed. A job that somebody cancelled meanwhile ends instead. failures, crashes and deaths are added to the job''s own. Returns false, and does nothing, if the lease is no longer the job''s.';

CREATE FUNCTION darkroom.review_case(of_post bigint) RETURNS TABLE(state darkroom.post_state, is_appealed boolean, is_over boolean, is_located_too_exactly boolean, is_listed boolean, is_leaving boolean, is_removed boolean, is_new boolean, appeal_id bigint, removal bigint, latest bigint, latest_decider text, latest_at timestamp with time zone, moment timestamp with time zone, may_decide text[])
    LANGUAGE sql STABLE
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.review_case(of_post bigint) IS 'What a review of a post finds now: its state, whether its uploader has appealed, its time is over, a stricter location policy is in force than the one under which its location was published, the review list has it, its erasure is ordered, a removal stands, and readers have never seen it; the open appeal, the decision that removed it, the latest decision of a person, and which decisions apply.';

CREATE FUNCTION darkroom.review_leases(of_worker bigint, up_to bigint, running_jobs bigint[], running_leases bigint[], stages text[]) RETURNS TABLE(returned bigint[], cancelled integer[], lost integer[])
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '1s'
    AS …;

COMMENT ON FUNCTION darkroom.review_leases(of_worker bigint, up_to bigint, running_jobs bigint[], running_leases bigint[], stages text[]) IS 'Compares what a worker runs with what it holds. Every job that it holds under a lease up to up_to, the last claim whose end it knows, and that is not among running_jobs with running_leases, waits again. Writes the stages of the running jobs. Returns the jobs that it took back, and the positions, from 1, of running jobs that somebody cancelled and of those whose lease is lost.';

CREATE FUNCTION darkroom.review_outcome(decision text, state darkroom.post_state, is_appealed boolean DEFAULT false, is_over boolean DEFAULT false, is_listed boolean DEFAULT false, is_leaving boolean DEFAULT false, is_removed boolean DEFAULT false) RETURNS darkroom.post_state
    LANGUAGE sql IMMUTABLE
    AS …;

COMMENT ON FUNCTION darkroom.review_outcome(decision text, state darkroom.post_state, is_appealed boolean, is_over boolean, is_listed boolean, is_leaving boolean, is_removed boolean) IS 'The state of a post after a decision (approve, remove or restore); null if the decision does not apply. A post that would become visible after its time is over expires at once. is_leaving: its erasure is ordered; is_removed: a removal stands.';

CREATE FUNCTION darkroom.reweigh(from_post bigint, at_most integer DEFAULT 1000) RETURNS bigint
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.reweigh(from_post bigint, at_most integer) IS 'Rewrites the weighted ratings of up to at_most ranks after a post, and leaves those that another transaction holds. Returns the last post, null at the end.';

CREATE FUNCTION darkroom.role_name(purpose text) RETURNS text
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.role_name(purpose text) IS 'The name of a role of this installation: its schema''s name, an underscore, and api, reader, moderator, worker, operator or owner.';

CREATE FUNCTION darkroom.season_of(local_time timestamp without time zone, latitude double precision) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.season_of(local_time timestamp without time zone, latitude double precision) IS 'The meteorological season: three whole months each, and winter from December in the northern hemisphere, from June in the southern one. Null without a time.';

CREATE FUNCTION darkroom.set_aliases(of_activity text, aliases text[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.set_aliases(of_activity text, aliases text[]) IS 'Sets the aliases of an activity, at most 20; blank ones count as none. Errors: 23505 (activity_name_is_taken) for a name of another activity, or one that somebody is giving to one, 23514 for one out of range, 55000 (posts_of_the_alias_are_moving) if it would take away an alias whose posts are being moved, 42501 (a_policy_binds_the_alias) if the caller is no operator and would take away an alias while a policy is for a name of the activity.';

CREATE FUNCTION darkroom.set_display_name(person darkroom.person, name darkroom.display_name) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.set_display_name(person darkroom.person, name darkroom.display_name) IS 'Sets the name that feeds show for a person: 1 to 100 characters, without control characters and without characters that are invisible or set a direction, except those that emoji and some scripts need; null or blank for none. It is stored in Unicode''s normal form C (NFC), without spaces at its ends. Names that differ only in case, sharp s, compatibility forms or spaces count as the same. Errors: 23505 (display_name_is_taken) if another person has it, 23514 for a name that cannot be shown.';

CREATE FUNCTION darkroom.set_expiry() RETURNS trigger
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.set_expiry() IS 'The trigger that gives a post its activity''s own name, and sets when it expires, at the time it is published; a held post is published when it is approved.';

CREATE FUNCTION darkroom.settle_review(of_post bigint, by_decision bigint, agrees boolean, undoing bigint DEFAULT NULL::bigint) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.settle_review(of_post bigint, by_decision bigint, agrees boolean, undoing bigint) IS 'Writes the consequences of a decision on a post whose row the caller has locked: judges the reports that no review has judged, and reverses those that the decision undoing, or a later one, judged the other way; keeps the records of reporters and uploader; ends the review and its appeal; queues the weighing of what reporters who were wrong have hidden; and queues the erasure of a post that its uploader has deleted. agrees says whether the post is removed. Returns how many reports it judged.';

CREATE FUNCTION darkroom.share_lock(of_name text, of_number integer DEFAULT 0) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.share_lock(of_name text, of_number integer) IS 'Waits until nobody holds a lock, and shares it with others until the transaction ends.';

CREATE FUNCTION darkroom.short_list(names text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.short_list(names text[]) IS 'At most ten names for a message, and how many more there are.';

CREATE FUNCTION darkroom.show_comments(order_by text, ids bigint[], viewer text) RETURNS SETOF darkroom.feed_comment
    LANGUAGE sql STABLE ROWS 20
    AS …;

COMMENT ON FUNCTION darkroom.show_comments(order_by text, ids bigint[], viewer text) IS 'The rows of comments for their numbers, in this order, with cursors that carry the name of the order, and the viewer''s own votes if the caller acts for people. It has no settings, so that the planner inlines it.';

CREATE FUNCTION darkroom.show_posts(feed text, ids bigint[], keys double precision[], distances double precision[], viewer text) RETURNS SETOF darkroom.feed_post
    LANGUAGE sql STABLE ROWS 20
    AS …;

COMMENT ON FUNCTION darkroom.show_posts(feed text, ids bigint[], keys double precision[], distances double precision[], viewer text) IS 'The rows of a feed for post numbers, in their order, with the feed''s keys, distances in metres, cursors that carry its name, and the viewer''s own votes if the caller acts for people. Leaves out posts that cannot be seen. It has no settings, so that the planner inlines it.';

CREATE FUNCTION darkroom.sign_off(of_worker bigint) RETURNS bigint[]
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.sign_off(of_worker bigint) IS 'Removes a worker that stops. What it still holds waits again; returns those jobs. If somebody has locked one of them, the worker''s row stays, and others rescue the job.';

CREATE FUNCTION darkroom.similar_removed(hash bigint, distance integer) RETURNS TABLE(post_id bigint, differing integer)
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.similar_removed(hash bigint, distance integer) IS 'Removed posts whose photos'' perceptual hashes differ from the given one in at most distance bits, 0 to 7, the most similar first. Errors: 22023 for a distance out of range.';

CREATE FUNCTION darkroom.slot_stride(of_key text) RETURNS bigint
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.slot_stride(of_key text) IS 'The distance between the slots of a key''s jobs: 2^20 at weight 1, less for heavier keys.';

CREATE FUNCTION darkroom.stack_size() RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS …;

COMMENT ON FUNCTION darkroom.stack_size() IS 'The most posts at exactly one position that are in the index of positions. It is more than whole_at_most, so a circle or cluster that holds stacked posts is never read whole.';

CREATE FUNCTION darkroom.state_of(lease bigint, waits_for darkroom.job_wait) RETURNS darkroom.job_state
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.state_of(lease bigint, waits_for darkroom.job_wait) IS 'The state of an unfinished job: running with a lease; else waiting, scheduled for a time, or parked.';

CREATE FUNCTION darkroom.stop_rendering(of_post bigint) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.stop_rendering(of_post bigint) IS 'Cancels what renders an erased post again. Returns how many attempts are storing files of it and have yet to stop.';

CREATE FUNCTION darkroom.stop_storing(of_upload bigint DEFAULT NULL::bigint, of_person text DEFAULT NULL::text, of_post bigint DEFAULT NULL::bigint) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.stop_storing(of_upload bigint, of_person text, of_post bigint) IS 'Cancels the jobs whose attempts are storing files of an upload or a person, and retires the files of attempts that are over. of_post is the post that the upload became. Returns how many attempts have yet to stop.';

CREATE FUNCTION darkroom.suspicion_of(of_uploader text, hash bigint, OUT cause text, OUT severity smallint, OUT similar_to bigint, OUT similar_distance smallint, OUT removals integer, OUT policy_version integer) RETURNS record
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.suspicion_of(of_uploader text, hash bigint, OUT cause text, OUT severity smallint, OUT similar_to bigint, OUT similar_distance smallint, OUT removals integer, OUT policy_version integer) IS 'Why a post of an uploader, whose photo has a perceptual hash, is held for review by the policy in force: look_alike, for a photo that resembles a removed one, or uploader_record, for several removals lately. cause is null if it is not.';

CREATE FUNCTION darkroom.take_back_leases(of_worker bigint, up_to bigint, running_jobs bigint[], running_leases bigint[], outcome darkroom.attempt_outcome, reason text, message text) RETURNS TABLE(job_id bigint, is_quarantined boolean)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.take_back_leases(of_worker bigint, up_to bigint, running_jobs bigint[], running_leases bigint[], outcome darkroom.attempt_outcome, reason text, message text) IS 'Takes back every job that a worker holds under leases up to up_to and does not run: running_jobs and running_leases say what it runs. Forgets claims of which nothing is left. With the outcome crashed, the worker died: each of its jobs becomes a suspect, a suspect waits longer each time, and is quarantined when it has used up its deaths. Returns the jobs.';

CREATE FUNCTION darkroom.take_lock(of_name text, of_number integer DEFAULT 0) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.take_lock(of_name text, of_number integer) IS 'Waits until nobody else holds or shares a lock, and holds it until the transaction ends.';

CREATE FUNCTION darkroom.take_media(key text) RETURNS boolean
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.take_media(key text) IS 'Whether nothing refers to a file. Nothing can until the transaction ends, so delete the file before that.';

CREATE PROCEDURE darkroom.take_ownership()
    LANGUAGE plpgsql
    AS …;

COMMENT ON PROCEDURE darkroom.take_ownership() IS 'Makes this installation''s role owner the owner of the schema and everything in it, if the role exists and the caller is a member. Some functions run with their owner''s rights, so the owner should not be an administrator. Locks one table at a time and commits after each, so it cannot run inside a transaction. A call continues where an earlier one ended.';

CREATE FUNCTION darkroom.tally_counters(at_most integer DEFAULT 10000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.tally_counters(at_most integer) IS 'Adds up to at_most changes to the counters and ranks, notes which posts have likes to tell of, and erases what came to a post after its erasure. Returns for how many posts and comments; changes of rows that another transaction holds are left, and not counted.';

CREATE FUNCTION darkroom.tally_map(at_most integer DEFAULT 2000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.tally_map(at_most integer) IS 'Adds up to at_most changes to the map''s tiles, level by level as long as any differs, and fills stacks. Returns how many changes there were.';

CREATE FUNCTION darkroom.tell_likes(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS …;

COMMENT ON FUNCTION darkroom.tell_likes(at_most integer) IS 'Writes an event for each of up to at_most posts that have likes by others to tell of: one for all likes that came since the last. Returns how many posts it looked at.';

CREATE FUNCTION darkroom.tile_box(level integer, x integer, y integer) RETURNS box
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.tile_box(level integer, x integer, y integer) IS 'The square of the plane that a tile covers, edges included. For a tile at the map''s edge it includes what lies beyond the map. Every point that darkroom.tile_at assigns to the tile lies in it.';

CREATE FUNCTION darkroom.tile_level(latitude double precision, metres double precision) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS …;

COMMENT ON FUNCTION darkroom.tile_level(latitude double precision, metres double precision) IS 'The zoom level, 15 or 11, whose tiles to search for posts within some metres at a latitude: the finer one where that takes few tiles.';

CREATE FUNCTION darkroom.tiles_around(latitude double precision, longitude double precision, metres double precision, level integer, OUT tile bigint, OUT near_m double precision) RETURNS SETOF record
    LANGUAGE plpgsql STABLE ROWS 60
    AS …;

COMMENT ON FUNCTION darkroom.tiles_around(latitude double precision, longitude double precision, metres double precision, level integer, OUT tile bigint, OUT near_m double precision) IS 'The tiles of a zoom level, 11, 15 or 20, that come within some metres of a coordinate, each with the metres to its nearest point. If there would be more than 1,600, only those with posts.';

CREATE TABLE darkroom.map_tiles (
    level smallint NOT NULL,
    x integer NOT NULL,
    y integer NOT NULL,
    posts integer NOT NULL,
    sum_x bigint NOT NULL,
    sum_y bigint NOT NULL,
    best bigint NOT NULL,
    best_hot double precision NOT NULL,
    CONSTRAINT map_tiles_posts_check CHECK ((posts > 0))
)
WITH (fillfactor='80');

COMMENT ON TABLE darkroom.map_tiles IS 'The posts in each tile of the map that has any: how many, their positions summed in sixteenths of the plane''s unit (3.7 cm at the equator), and the best of them by hot.';

CREATE FUNCTION darkroom.tiles_in_box(south double precision, west double precision, north double precision, east double precision, level integer, filter darkroom.post_filter DEFAULT NULL::darkroom.post_filter) RETURNS SETOF darkroom.map_tiles
    LANGUAGE plpgsql STABLE ROWS 500
    AS …;

COMMENT ON FUNCTION darkroom.tiles_in_box(south double precision, west double precision, north double precision, east double precision, level integer, filter darkroom.post_filter) IS 'The tiles of a level of the map that have posts, or posts that a filter keeps, and lie in a box in degrees; west is greater than east where the box crosses 180 degrees. Errors: 22023 for an invalid box, one of more than 20,000 tiles, or a filter with too many posts to look at. The planner settings are those of map_clusters and map_photos.';

CREATE FUNCTION darkroom.tiles_of_filter(filter darkroom.post_filter, level integer, first integer, last integer, top integer, bottom integer) RETURNS SETOF darkroom.map_tiles
    LANGUAGE plpgsql STABLE ROWS 500
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET max_parallel_workers_per_gather TO '0'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.tiles_of_filter(filter darkroom.post_filter, level integer, first integer, last integer, top integer, bottom integer) IS 'Tiles of a level of the map that count only the posts that a filter keeps: those of columns first to last, which may go around the world, and rows top to bottom. Errors: 22023 if it would have to look at more than map_at_most posts.';

CREATE FUNCTION darkroom.top_of_area(board text, filter darkroom.post_filter, wanted integer, latitude double precision, longitude double precision, radius_m double precision, from_key double precision, from_id bigint, rest text, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.top_of_area(board text, filter darkroom.post_filter, wanted integer, latitude double precision, longitude double precision, radius_m double precision, from_key double precision, from_id bigint, rest text, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) IS 'The best posts of a board within some metres of a coordinate, for a page of top_posts, whose planner settings it uses.';

CREATE FUNCTION darkroom.top_of_few(board text, few bigint[], times timestamp with time zone[], distances double precision[], wanted integer, behind double precision, from_key double precision, from_id bigint, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) RETURNS record
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.top_of_few(board text, few bigint[], times timestamp with time zone[], distances double precision[], wanted integer, behind double precision, from_key double precision, from_id bigint, OUT ids bigint[], OUT keys double precision[], OUT metres double precision[]) IS 'A page of top_posts of some posts, given with their times of publishing and their distances. The key of one without votes is its time in microseconds less behind. The planner settings are those of top_posts.';

CREATE FUNCTION darkroom.top_posts(board darkroom.choice, at_most bigint DEFAULT 20, latitude darkroom.latitude DEFAULT NULL::double precision, longitude darkroom.longitude DEFAULT NULL::double precision, radius_m darkroom.metres DEFAULT NULL::double precision, in_category text DEFAULT NULL::text, in_activity text DEFAULT NULL::text, in_place darkroom.place_key DEFAULT NULL::darkroom.place_key, by_uploader text DEFAULT NULL::text, published_since timestamp with time zone DEFAULT NULL::timestamp with time zone, published_until timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_since timestamp with time zone DEFAULT NULL::timestamp with time zone, taken_until timestamp with time zone DEFAULT NULL::timestamp with time zone, from_hour integer DEFAULT NULL::integer, to_hour integer DEFAULT NULL::integer, in_season text DEFAULT NULL::text, after text DEFAULT NULL::text, viewer darkroom.person DEFAULT NULL::text) RETURNS SETOF darkroom.feed_post
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET extra_float_digits TO '1'
    AS …;

COMMENT ON FUNCTION darkroom.top_posts(board darkroom.choice, at_most bigint, latitude darkroom.latitude, longitude darkroom.longitude, radius_m darkroom.metres, in_category text, in_activity text, in_place darkroom.place_key, by_uploader text, published_since timestamp with time zone, published_until timestamp with time zone, taken_since timestamp with time zone, taken_until timestamp with time zone, from_hour integer, to_hour integer, in_season text, after text, viewer darkroom.person) IS 'A rank board: the posts with votes by likes, by wilson (lower bound of the share of likes), by weighted (lead in likes, drawn to the average) or by hot (lead in likes and age), then those without votes, newest first, whose score is below 0. Of all posts, of those that the filter keeps, or of the area of radius_m, 1 to 100,000 metres, around a coordinate. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page, with the same arguments. Errors: 22023 for an unknown or missing board, an invalid filter or coordinate, a coordinate without a radius, a radius out of range or a cursor of another feed.';

CREATE FUNCTION darkroom.try_lock(of_name text, of_number integer DEFAULT 0) RETURNS boolean
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.try_lock(of_name text, of_number integer) IS 'Like take_lock, but does not wait: returns false if somebody else holds or shares the lock.';

CREATE FUNCTION darkroom.unpark(of_keys bigint[]) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.unpark(of_keys bigint[]) IS 'Releases jobs of fair keys, given by their hashes, that wait for their turn: as many as the limits of the keys have room for, and at most 500 in all. Returns how many.';

CREATE FUNCTION darkroom.unpark_all() RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '1s'
    AS …;

COMMENT ON FUNCTION darkroom.unpark_all() IS 'Releases jobs that wait for their turn, key by key: it goes on after the key where the last call stopped, and looks at 1000 keys at most. Stops after 500 jobs. Returns how many. Called by the upkeep.';

CREATE FUNCTION darkroom.unpark_drained(at_most integer DEFAULT 500) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.unpark_drained(at_most integer) IS 'Releases up to at_most jobs that wait for the end of a drain, in lanes that no drain covers any more. Called by the upkeep too: a job whose enqueue saw the drain can be committed after its end. Returns how many.';

CREATE FUNCTION darkroom.unpark_key(of_key bigint, at_most integer) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.unpark_key(of_key bigint, at_most integer) IS 'Releases jobs of a fair key, given by its hash, that wait for their turn: in each lane as many as the key''s limits have room for, less those nearby that already wait for a worker, and at most at_most in all. Returns how many.';

CREATE FUNCTION darkroom.update_activity(activity darkroom.activity_name, latitude darkroom.latitude DEFAULT NULL::double precision, longitude darkroom.longitude DEFAULT NULL::double precision, radius_m darkroom.metres DEFAULT NULL::double precision, begins_at timestamp with time zone DEFAULT NULL::timestamp with time zone, ends_at timestamp with time zone DEFAULT NULL::timestamp with time zone, aliases text[] DEFAULT NULL::text[]) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.update_activity(activity darkroom.activity_name, latitude darkroom.latitude, longitude darkroom.longitude, radius_m darkroom.metres, begins_at timestamp with time zone, ends_at timestamp with time zone, aliases text[]) IS 'Changes an activity, given by its name or an alias. The area is in degrees and metres. What is null stays as it is. ends_at => ''infinity'' and begins_at => ''-infinity'' take the time away; aliases replaces all aliases. Its posts follow within a second or two; if they are many thousands, this takes longer: posts_moved of the function activity says how far it is. Posts that have followed an alias stay when the alias is taken away. Apps can change the activities that apps made, operators all. Returns false if there is no such activity. Errors: those of create_activity; 42501 (activity_is_of_an_operator) if an operator made it and the caller is none; 55000 (posts_of_the_alias_are_moving) if it takes away an alias whose posts are on their way; 42501 (a_policy_binds_the_alias) if an app takes away an alias while a location or expiry policy is for a name of the activity.';

CREATE FUNCTION darkroom.upload_quota(uploader darkroom.person) RETURNS TABLE(photos_a_day integer, photos_left integer, bytes_a_day bigint, bytes_left bigint, more_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;

COMMENT ON FUNCTION darkroom.upload_quota(uploader darkroom.person) IS 'How many photos and bytes a person may upload within 24 hours by the posting policy, and how many are left; null for any number. If there is no room for a photo now, more_at is when there is; otherwise it is null.';

CREATE FUNCTION darkroom.uploader_posts(uploader darkroom.person, at_most bigint DEFAULT 20, after darkroom.cursor DEFAULT NULL::text) RETURNS SETOF darkroom.own_post
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS …;

COMMENT ON FUNCTION darkroom.uploader_posts(uploader darkroom.person, at_most bigint, after darkroom.cursor) IS 'The uploads of a person, latest first, each with its state and, if it was rejected, held, hidden or removed, the reason. Uploads whose posts the person has deleted are left out. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the page before. Errors: 22023 for a cursor of another list.';

CREATE FUNCTION darkroom.uploader_statistics(uploader darkroom.person) RETURNS TABLE(posts bigint, likes bigint, dislikes bigint, share_of_likes double precision, comments bigint, views bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.uploader_statistics(uploader darkroom.person) IS 'The visible posts of one uploader, without anonymous ones: how many, and their votes, comments and views. share_of_likes is 0 to 1, null without votes.';

CREATE FUNCTION darkroom.view_magnitude(of_post bigint) RETURNS double precision
    LANGUAGE sql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.view_magnitude(of_post bigint) IS 'The binary logarithm of 1 + the views of a post: doubling them adds about 1.';

CREATE FUNCTION darkroom.virtual_time(of_lane smallint) RETURNS bigint
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.virtual_time(of_lane smallint) IS 'The slot that claims of the lane have reached.';

CREATE FUNCTION darkroom.vote_magnitude(likes bigint, dislikes bigint) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.vote_magnitude(likes bigint, dislikes bigint) IS 'The binary logarithm of 1 + likes - dislikes, mirrored if there are more dislikes: doubling the lead adds 1.';

CREATE FUNCTION darkroom.vote_on_comment(comment_id bigint, voter darkroom.person, vote darkroom.choice) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.vote_on_comment(comment_id bigint, voter darkroom.person, vote darkroom.choice) IS 'Sets a person''s vote on a comment of a visible post: like, dislike, or none to take it back. Returns whether that changed anything. Errors: P0002 if there is no such comment, 22023 for another vote or null, 23514 for a voter out of range (1 to 200 characters).';

CREATE FUNCTION darkroom.vote_on_post(post_id bigint, voter darkroom.person, vote darkroom.choice) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.vote_on_post(post_id bigint, voter darkroom.person, vote darkroom.choice) IS 'Sets a person''s vote on a visible post: like, dislike, or none to take it back. Returns whether that changed anything. Feeds and boards show it within a second or two, post_details at once. Errors: P0002 if there is no such visible post, 22023 for another vote or null, 23514 for a voter out of range (1 to 200 characters).';

CREATE FUNCTION darkroom.votes_for_people() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.votes_for_people() IS 'Whether the caller may set people''s votes, and so may ask for them. The role reader may not.';

CREATE FUNCTION darkroom.votes_of(viewer text, ids bigint[]) RETURNS text[]
    LANGUAGE plpgsql STABLE
    AS …;

COMMENT ON FUNCTION darkroom.votes_of(viewer text, ids bigint[]) IS 'A person''s votes on posts with these numbers, in their order; null for a post without one. Null if the caller does not act for people. The planner settings are those of the lists.';

CREATE FUNCTION darkroom.wake_workers(in_queue text DEFAULT NULL::text, of_kind text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    AS …;

COMMENT ON FUNCTION darkroom.wake_workers(in_queue text, of_kind text) IS 'Wakes the workers that wait for jobs of a queue and kind (null: of any) when the transaction commits; does nothing if there are none. Workers also poll, so a lost wake-up only causes a delay.';

CREATE FUNCTION darkroom.week_number(at timestamp with time zone) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.week_number(at timestamp with time zone) IS 'Weeks of UTC, from Thursday to Thursday, since 1970-01-01.';

CREATE FUNCTION darkroom.weigh_again(at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;

COMMENT ON FUNCTION darkroom.weigh_again(at_most integer) IS 'Queues the moderation of up to at_most posts that only reports have listed, and whose reports may count something else by now: one has become older than report_lifetime, or the policy that weighed them is no longer in force. Returns how many.';

CREATE FUNCTION darkroom.weighted_rating(likes bigint, dislikes bigint, average_rating double precision, average_votes double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.weighted_rating(likes bigint, dislikes bigint, average_rating double precision, average_votes double precision) IS 'The rating of a post, its likes less its dislikes, drawn to the average rating of all posts: average_votes votes with that rating are added to the post''s own votes.';

CREATE FUNCTION darkroom.whole_at_most() RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS …;

COMMENT ON FUNCTION darkroom.whole_at_most() IS 'The most posts in the square around a circle that posts_within checks one by one; with more it reads the lists of tiles. Small circles use a fifth of it, boards a quarter.';

CREATE FUNCTION darkroom.wilson_score(likes bigint, dislikes bigint) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.wilson_score(likes bigint, dislikes bigint) IS 'Lower bound of the 95 % score interval of the share of likes (E. B. Wilson, Journal of the American Statistical Association 22, 1927); 0 without votes.';

CREATE FUNCTION darkroom.worker_of(lease bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS …;

COMMENT ON FUNCTION darkroom.worker_of(lease bigint) IS 'The number of the worker that has a lease.';

CREATE TABLE darkroom.activities (
    activity text NOT NULL,
    ends_at timestamp with time zone,
    begins_at timestamp with time zone,
    latitude double precision,
    longitude double precision,
    radius_m double precision,
    activity_id bigint NOT NULL,
    created_by name,
    by_operator boolean DEFAULT true NOT NULL,
    slot integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    new_ends_at timestamp with time zone,
    is_changed boolean DEFAULT false NOT NULL,
    moved_to bigint,
    posts_moved bigint,
    CONSTRAINT activity_has_no_control_characters CHECK (darkroom.is_plain_text(activity)),
    CONSTRAINT activity_is_1_to_100_characters CHECK (((char_length(activity) >= 1) AND (char_length(activity) <= 100))),
    CONSTRAINT an_activity_ends_after_it_begins CHECK (((begins_at < ends_at) AND (begins_at < new_ends_at))),
    CONSTRAINT an_area_has_a_latitude_a_longitude_and_a_radius CHECK ((num_nonnulls(latitude, longitude, radius_m) = ANY (ARRAY[0, 3]))),
    CONSTRAINT latitude_is_within_90_degrees CHECK (((latitude >= ('-90'::integer)::double precision) AND (latitude <= (90)::double precision))),
    CONSTRAINT longitude_is_within_180_degrees CHECK (((longitude >= ('-180'::integer)::double precision) AND (longitude <= (180)::double precision))),
    CONSTRAINT radius_is_above_0_and_at_most_1000000_metres CHECK (((radius_m > (0)::double precision) AND (radius_m <= (1000000)::double precision)))
);
ALTER TABLE ONLY darkroom.activities ALTER COLUMN latitude SET STATISTICS 0;
ALTER TABLE ONLY darkroom.activities ALTER COLUMN longitude SET STATISTICS 0;

COMMENT ON TABLE darkroom.activities IS 'What happens at a place and time, with an area around a coordinate. Policies may let posts end with their activity. A post may have an activity that is not here.';

COMMENT ON COLUMN darkroom.activities.ends_at IS 'When it ends, for its posts too; null for never.';

COMMENT ON COLUMN darkroom.activities.created_by IS 'The login that called create_activity; null for a row that an operator wrote. It has slots 1 to settings.activities_at_most.';

COMMENT ON COLUMN darkroom.activities.by_operator IS 'Whether an operator made it, so that apps cannot change it.';

COMMENT ON COLUMN darkroom.activities.is_changed IS 'Whether an app has set new_ends_at or new names that posts do not have yet. move_activities sees to it.';

COMMENT ON COLUMN darkroom.activities.moved_to IS 'The last post that move_activities has looked at since it put a change into force; null when all have followed.';

COMMENT ON COLUMN darkroom.activities.posts_moved IS 'How many posts it has looked at so far; null when all have followed.';

ALTER TABLE darkroom.activities ALTER COLUMN activity_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.activities_activity_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.activity_names (
    key text NOT NULL,
    activity text NOT NULL,
    name text NOT NULL,
    CONSTRAINT alias_has_no_control_characters CHECK (darkroom.is_plain_text(name)),
    CONSTRAINT alias_is_1_to_100_characters CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);

COMMENT ON TABLE darkroom.activity_names IS 'The names by which activities are known: their own and their aliases. key is the name without regard to case, so no two activities share one.';

CREATE TABLE darkroom.finished_jobs (
    job_id bigint NOT NULL,
    kind text NOT NULL,
    state darkroom.job_state NOT NULL,
    subject_id bigint NOT NULL,
    fair_key text NOT NULL,
    attempt integer NOT NULL,
    failures integer NOT NULL,
    crashes integer NOT NULL,
    deaths integer NOT NULL,
    reason text,
    message text,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    lane smallint NOT NULL,
    lease bigint,
    started_at timestamp with time zone,
    cause text,
    verdict text,
    stages darkroom.stage_time[],
    CONSTRAINT finished_jobs_state_check CHECK ((state = ANY (ARRAY['succeeded'::darkroom.job_state, 'rejected'::darkroom.job_state, 'failed'::darkroom.job_state, 'cancelled'::darkroom.job_state])))
)
PARTITION BY RANGE (finished_at);
ALTER TABLE ONLY darkroom.finished_jobs ALTER COLUMN fair_key SET STATISTICS 0;
ALTER TABLE ONLY darkroom.finished_jobs ALTER COLUMN message SET STATISTICS 0;
ALTER TABLE ONLY darkroom.finished_jobs ALTER COLUMN cause SET STATISTICS 0;

COMMENT ON TABLE darkroom.finished_jobs IS 'Finished jobs, by day. reason is a code for programs, message a sentence for people.';

COMMENT ON COLUMN darkroom.finished_jobs.lease IS 'The lease of the attempt that finished the job; null if none did, as when a waiting job is cancelled.';

COMMENT ON COLUMN darkroom.finished_jobs.cause IS 'The error behind reason and message, for engineers.';

COMMENT ON COLUMN darkroom.finished_jobs.verdict IS 'What the renderer said about the photo.';

CREATE TABLE darkroom.job_attempts (
    job_id bigint NOT NULL,
    attempt integer NOT NULL,
    lease bigint NOT NULL,
    outcome darkroom.attempt_outcome NOT NULL,
    reason text,
    message text,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    cause text,
    verdict text,
    stages darkroom.stage_time[]
)
PARTITION BY RANGE (ended_at);
ALTER TABLE ONLY darkroom.job_attempts ALTER COLUMN message SET STATISTICS 0;
ALTER TABLE ONLY darkroom.job_attempts ALTER COLUMN cause SET STATISTICS 0;

COMMENT ON TABLE darkroom.job_attempts IS 'How the attempts that did not finish their job ended, by day. Each row is written once, when its attempt ends.';

CREATE VIEW darkroom.all_attempts AS
 SELECT job_attempts.job_id,
    job_attempts.attempt,
    job_attempts.lease,
    darkroom.worker_of(job_attempts.lease) AS worker_id,
    job_attempts.outcome,
    job_attempts.reason,
    job_attempts.message,
    job_attempts.cause,
    job_attempts.verdict,
    job_attempts.stages,
    job_attempts.started_at,
    job_attempts.ended_at
   FROM darkroom.job_attempts
UNION ALL
 SELECT finished_jobs.job_id,
    finished_jobs.attempt,
    finished_jobs.lease,
    darkroom.worker_of(finished_jobs.lease) AS worker_id,
    ((finished_jobs.state)::text)::darkroom.attempt_outcome AS outcome,
    finished_jobs.reason,
    finished_jobs.message,
    finished_jobs.cause,
    finished_jobs.verdict,
    finished_jobs.stages,
    finished_jobs.started_at,
    finished_jobs.finished_at AS ended_at
   FROM darkroom.finished_jobs
  WHERE (finished_jobs.lease IS NOT NULL);

COMMENT ON VIEW darkroom.all_attempts IS 'How every attempt ended, including those that finished their jobs.';

CREATE TABLE darkroom.jobs (
    job_id bigint NOT NULL,
    subject_id bigint NOT NULL,
    slot bigint NOT NULL,
    fair_hash bigint NOT NULL,
    lease bigint,
    leased_at timestamp with time zone,
    run_at darkroom.moment DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    running_key bigint,
    dedupe_key bigint,
    lane smallint NOT NULL,
    failures smallint DEFAULT 0 NOT NULL,
    crashes smallint DEFAULT 0 NOT NULL,
    deaths smallint DEFAULT 0 NOT NULL,
    tried_s real DEFAULT 0 NOT NULL,
    kind text NOT NULL,
    waits_for darkroom.job_wait,
    attempt integer DEFAULT 0 NOT NULL,
    is_paced boolean DEFAULT false NOT NULL,
    came_back boolean DEFAULT false NOT NULL,
    cancel_requested boolean DEFAULT false NOT NULL,
    fair_key text NOT NULL,
    stage text
)
WITH (fillfactor='45', autovacuum_vacuum_scale_factor='0.0', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_cost_delay='0');
ALTER TABLE ONLY darkroom.jobs ALTER COLUMN fair_key SET STATISTICS 0;

COMMENT ON TABLE darkroom.jobs IS 'Unfinished jobs. subject_id is an upload (ingest, ingest_text) or a post (moderate). In a lane, the job with the lowest slot runs first.';

COMMENT ON COLUMN darkroom.jobs.slot IS 'The place in the lane. A job that waits for something other than a worker has none, which is 0; it gets one when it is ready.';

COMMENT ON COLUMN darkroom.jobs.fair_hash IS 'hashtextextended(fair_key, 0): eight bytes to index instead of a text. Keys with the same hash share turns.';

COMMENT ON COLUMN darkroom.jobs.lease IS 'Null unless the job runs. A lease is a worker''s number times 2^36, plus the number of the worker''s claim, so it never comes twice. Every write of a worker names it.';

COMMENT ON COLUMN darkroom.jobs.running_key IS 'fair_hash while a job of a limited key runs, so that the running jobs of the key can be counted.';

COMMENT ON COLUMN darkroom.jobs.dedupe_key IS 'At most one job of a kind with the same value waits for its first claim. Null once claimed.';

COMMENT ON COLUMN darkroom.jobs.failures IS 'Attempts that count against the retry policy.';

COMMENT ON COLUMN darkroom.jobs.crashes IS 'Attempts in which the renderer died. Counted separately: this is evidence against the photo.';

COMMENT ON COLUMN darkroom.jobs.deaths IS 'Attempts in which the worker died or was cut off. A job with any is a suspect: a worker runs one suspect at a time.';

COMMENT ON COLUMN darkroom.jobs.tried_s IS 'Seconds in attempts that failed, by the workers'' own clocks, and in the waits that the retry policy made of them.';

COMMENT ON COLUMN darkroom.jobs.waits_for IS 'Null: a worker. time: run_at. turn: its key''s limit. resume: the end of a drain.';

COMMENT ON COLUMN darkroom.jobs.attempt IS 'How many attempts have begun. Numbers the rows of job_attempts.';

COMMENT ON COLUMN darkroom.jobs.is_paced IS 'Whether the job has had its turn under its key''s rate limit.';

COMMENT ON COLUMN darkroom.jobs.came_back IS 'Whether the job has been at the front of its key before: it is tried again, or a limit held it back. Such jobs of a key have a line of their own, because they must not wait for the key''s backlog.';

COMMENT ON COLUMN darkroom.jobs.stage IS 'The last stage that a running job reported.';

CREATE TABLE darkroom.lanes (
    lane smallint NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    priority smallint NOT NULL,
    "position" regclass NOT NULL,
    CONSTRAINT priority_is_within_100 CHECK (((priority >= '-100'::integer) AND (priority <= 100)))
);

COMMENT ON TABLE darkroom.lanes IS 'A lane is a queue''s jobs of one kind and priority, in order. A claim walks the lanes by priority; lanes of the same priority take turns.';

COMMENT ON COLUMN darkroom.lanes."position" IS 'A sequence that holds the lane''s virtual time: the slot that claims have reached. A sequence has one version, whatever snapshots are held, and takes no row lock.';

CREATE VIEW darkroom.all_jobs AS
 SELECT j.job_id,
    j.kind,
    darkroom.state_of(j.lease, j.waits_for) AS state,
    l.queue,
    l.priority,
    j.subject_id,
    j.fair_key,
    j.attempt,
    j.failures,
    j.crashes,
    j.deaths,
    NULL::text AS reason,
    NULL::text AS message,
    NULL::text AS cause,
    darkroom.worker_of(j.lease) AS worker_id,
    j.waits_for,
    j.stage,
    j.cancel_requested,
    j.created_at,
    j.run_at,
    j.leased_at AS started_at,
    NULL::timestamp with time zone AS finished_at
   FROM (darkroom.jobs j
     JOIN darkroom.lanes l USING (lane))
UNION ALL
 SELECT f.job_id,
    f.kind,
    f.state,
    l.queue,
    l.priority,
    f.subject_id,
    f.fair_key,
    f.attempt,
    f.failures,
    f.crashes,
    f.deaths,
    f.reason,
    f.message,
    f.cause,
    darkroom.worker_of(f.lease) AS worker_id,
    NULL::darkroom.job_wait AS waits_for,
    NULL::text AS stage,
    false AS cancel_requested,
    f.created_at,
    NULL::timestamp with time zone AS run_at,
    f.started_at,
    f.finished_at
   FROM (darkroom.finished_jobs f
     JOIN darkroom.lanes l USING (lane));

COMMENT ON VIEW darkroom.all_jobs IS 'Unfinished and finished jobs together, for people and tools.';

CREATE TABLE darkroom.appeals (
    appeal_id bigint NOT NULL,
    post_id bigint NOT NULL,
    uploader text NOT NULL,
    text text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    decision_id bigint,
    CONSTRAINT appeal_has_no_control_characters CHECK (darkroom.has_no_control_characters(text, true)),
    CONSTRAINT appeal_is_1_to_5000_characters CHECK (((char_length(text) >= 1) AND (char_length(text) <= 5000))),
    CONSTRAINT appeal_is_not_blank CHECK ((NOT darkroom.is_blank(text)))
);
ALTER TABLE ONLY darkroom.appeals ALTER COLUMN uploader SET STATISTICS 0;
ALTER TABLE ONLY darkroom.appeals ALTER COLUMN text SET STATISTICS 0;

COMMENT ON TABLE darkroom.appeals IS 'What uploaders say against decisions on their posts. decision_id decides the appeal; null while it is open.';

ALTER TABLE darkroom.appeals ALTER COLUMN appeal_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.appeals_appeal_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.comment_reports (
    comment_id bigint NOT NULL,
    reporter text NOT NULL,
    reason darkroom.report_reason NOT NULL,
    details text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT details_have_no_control_characters CHECK (darkroom.has_no_control_characters(details, true)),
    CONSTRAINT details_is_at_most_2000_characters CHECK ((char_length(details) <= 2000)),
    CONSTRAINT reporter_is_1_to_200_characters CHECK (((char_length(reporter) >= 1) AND (char_length(reporter) <= 200)))
);
ALTER TABLE ONLY darkroom.comment_reports ALTER COLUMN reporter SET STATISTICS 0;
ALTER TABLE ONLY darkroom.comment_reports ALTER COLUMN details SET STATISTICS 0;

COMMENT ON TABLE darkroom.comment_reports IS 'One report per reporter and comment. It goes when the comment does.';

CREATE TABLE darkroom.comment_votes (
    comment_id bigint NOT NULL,
    voter text NOT NULL,
    vote darkroom.vote,
    voted_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT voter_is_1_to_200_characters CHECK (((char_length(voter) >= 1) AND (char_length(voter) <= 200)))
);
ALTER TABLE ONLY darkroom.comment_votes ALTER COLUMN voter SET STATISTICS 0;

COMMENT ON TABLE darkroom.comment_votes IS 'One row per person and comment, like darkroom.votes for posts.';

CREATE TABLE darkroom.comments (
    comment_id bigint NOT NULL,
    post_id bigint NOT NULL,
    author text NOT NULL,
    body text NOT NULL,
    likes integer DEFAULT 0 NOT NULL,
    dislikes integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    CONSTRAINT author_is_1_to_200_characters CHECK (((char_length(author) >= 1) AND (char_length(author) <= 200))),
    CONSTRAINT comment_has_no_control_characters CHECK (darkroom.has_no_control_characters(body, true)),
    CONSTRAINT comment_is_1_to_2000_characters CHECK (((char_length(body) >= 1) AND (char_length(body) <= 2000))),
    CONSTRAINT comment_is_not_blank CHECK ((NOT darkroom.is_blank(body)))
)
WITH (fillfactor='80');
ALTER TABLE ONLY darkroom.comments ALTER COLUMN author SET STATISTICS 0;
ALTER TABLE ONLY darkroom.comments ALTER COLUMN body SET STATISTICS 0;

COMMENT ON TABLE darkroom.comments IS 'What people wrote under posts. likes and dislikes are the tallied ones.';

ALTER TABLE darkroom.comments ALTER COLUMN comment_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.comments_comment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.console_invitations (
    secret_sha256 bytea NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    may_act boolean NOT NULL,
    invited_by text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT console_invitations_name_check CHECK ((((length(name) >= 1) AND (length(name) <= 100)) AND darkroom.is_plain_text(name))),
    CONSTRAINT console_invitations_role_check CHECK ((role = ANY (ARRAY['operator'::text, 'moderator'::text]))),
    CONSTRAINT console_invitations_secret_sha256_check CHECK ((octet_length(secret_sha256) = 32))
);

COMMENT ON TABLE darkroom.console_invitations IS 'The links to the console that nobody has used yet. The secret of a link is not kept, only its SHA-256.';

CREATE TABLE darkroom.console_sessions (
    session_id bigint NOT NULL,
    secret_sha256 bytea NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    may_act boolean NOT NULL,
    signed_in_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT console_sessions_name_check CHECK ((((length(name) >= 1) AND (length(name) <= 100)) AND darkroom.is_plain_text(name))),
    CONSTRAINT console_sessions_role_check CHECK ((role = ANY (ARRAY['operator'::text, 'moderator'::text]))),
    CONSTRAINT console_sessions_secret_sha256_check CHECK ((octet_length(secret_sha256) = 32))
);

COMMENT ON TABLE darkroom.console_sessions IS 'Who is signed in to the console. The secret of the cookie is not kept, only its SHA-256.';

COMMENT ON COLUMN darkroom.console_sessions.may_act IS 'Whether the person may change something, or only look.';

ALTER TABLE darkroom.console_sessions ALTER COLUMN session_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.console_sessions_session_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.counter_changes (
    change_id bigint NOT NULL,
    post_id bigint NOT NULL,
    comment_id bigint,
    likes integer DEFAULT 0 NOT NULL,
    dislikes integer DEFAULT 0 NOT NULL,
    comments integer DEFAULT 0 NOT NULL,
    views bigint DEFAULT 0 NOT NULL,
    likes_by_others integer DEFAULT 0 NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0');

COMMENT ON TABLE darkroom.counter_changes IS 'What must be added to the counters: of the comment if comment_id is set, else of the post. The tally job removes what it has added.';

ALTER TABLE darkroom.counter_changes ALTER COLUMN change_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.counter_changes_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.drained_workers (
    worker_id bigint NOT NULL,
    rescued_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

COMMENT ON TABLE darkroom.drained_workers IS 'Workers that were told to drain and then counted as dead. A process that comes back gets the order again with its new number. Rows are kept for a week.';

CREATE TABLE darkroom.event_consumers (
    consumer text NOT NULL,
    number bigint DEFAULT 0 NOT NULL,
    acked_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT consumer_is_1_to_100_characters CHECK (((char_length(consumer) >= 1) AND (char_length(consumer) <= 100)))
)
WITH (fillfactor='50');

COMMENT ON TABLE darkroom.event_consumers IS 'Who reads events, and the number of the last event that each has handled.';

CREATE TABLE darkroom.event_log (
    number bigint NOT NULL,
    post_id bigint,
    event text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    numbered_at timestamp with time zone NOT NULL,
    comment_id bigint,
    job_id bigint,
    upload_id bigint,
    reason text,
    likes integer
)
PARTITION BY RANGE (numbered_at);

COMMENT ON TABLE darkroom.event_log IS 'The events that readers get, by day. number is the place in their order, independent of when their transactions began.';

CREATE TABLE darkroom.event_log_default (
    number bigint NOT NULL,
    post_id bigint,
    event text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    numbered_at timestamp with time zone NOT NULL,
    comment_id bigint,
    job_id bigint,
    upload_id bigint,
    reason text,
    likes integer
);

CREATE SEQUENCE darkroom.event_numbers
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

COMMENT ON SEQUENCE darkroom.event_numbers IS 'The last number given to an event.';

CREATE SEQUENCE darkroom.exceptions
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

COMMENT ON SEQUENCE darkroom.exceptions IS 'Has a value while there may be a drain, or a weight other than 1: then enqueue_job looks for them. A sequence has one version, whatever snapshots are held, and costs less to look at than the tables.';

CREATE TABLE darkroom.expiry_policies (
    version integer NOT NULL,
    category text,
    activity text,
    lifetime interval,
    ends_with_activity boolean DEFAULT false NOT NULL,
    note text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT an_expiry_policy_is_of_a_category_or_an_activity_or_general CHECK ((num_nonnulls(category, activity) <= 1)),
    CONSTRAINT category_and_activity_are_not_blank CHECK (((COALESCE(category, '-'::text) <> ''::text) AND (COALESCE(activity, '-'::text) <> ''::text))),
    CONSTRAINT lifetime_is_positive_and_at_most_36500_days CHECK (((lifetime > '00:00:00'::interval) AND (lifetime <= '36500 days'::interval)))
);
ALTER TABLE ONLY darkroom.expiry_policies ALTER COLUMN note SET STATISTICS 0;

COMMENT ON TABLE darkroom.expiry_policies IS 'Append a row to change the policy for posts from then on. The latest row of a post''s activity is in force, else the latest of its category, else the latest general one.';

COMMENT ON COLUMN darkroom.expiry_policies.lifetime IS 'How long after publishing a post is visible; null: forever.';

COMMENT ON COLUMN darkroom.expiry_policies.ends_with_activity IS 'Whether a post also ends with its activity, by darkroom.activities; the earlier of the two counts.';

ALTER TABLE darkroom.expiry_policies ALTER COLUMN version ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.expiry_policies_version_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.fair_key_paces (
    fair_hash bigint NOT NULL,
    next_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

COMMENT ON TABLE darkroom.fair_key_paces IS 'When a key with a rate limit may start its next job, by the generic cell rate algorithm (ITU-T I.371).';

CREATE TABLE darkroom.fair_keys (
    fair_key text NOT NULL,
    weight double precision DEFAULT 1 NOT NULL,
    max_running integer,
    per_minute double precision,
    burst integer DEFAULT 1 NOT NULL,
    CONSTRAINT burst_is_1_to_1_000_000 CHECK (((burst >= 1) AND (burst <= 1000000))),
    CONSTRAINT fair_keys_fair_key_check CHECK (((char_length(fair_key) >= 1) AND (char_length(fair_key) <= 200))),
    CONSTRAINT fair_keys_max_running_check CHECK ((max_running > 0)),
    CONSTRAINT fair_keys_weight_check CHECK (((weight >= (0.001)::double precision) AND (weight <= (1000)::double precision))),
    CONSTRAINT rate_is_0_001_to_1_000_000_per_minute CHECK (((per_minute >= (0.001)::double precision) AND (per_minute <= (1000000)::double precision)))
);
ALTER TABLE ONLY darkroom.fair_keys ALTER COLUMN fair_key SET STATISTICS 0;

COMMENT ON TABLE darkroom.fair_keys IS 'Shares and limits of single keys (uploaders). The row of the key * applies to every key that has no row.';

COMMENT ON COLUMN darkroom.fair_keys.weight IS 'Turns that the key gets for every turn of a key of weight 1.';

COMMENT ON COLUMN darkroom.fair_keys.max_running IS 'How many jobs of the key run at once, across all workers; null for no limit.';

COMMENT ON COLUMN darkroom.fair_keys.per_minute IS 'How many jobs of the key start per minute, of which burst may start together; null for no limit. From 0.001 to 1,000,000.';

CREATE TABLE darkroom.finished_jobs_default (
    job_id bigint NOT NULL,
    kind text NOT NULL,
    state darkroom.job_state NOT NULL,
    subject_id bigint NOT NULL,
    fair_key text NOT NULL,
    attempt integer NOT NULL,
    failures integer NOT NULL,
    crashes integer NOT NULL,
    deaths integer NOT NULL,
    reason text,
    message text,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    lane smallint NOT NULL,
    lease bigint,
    started_at timestamp with time zone,
    cause text,
    verdict text,
    stages darkroom.stage_time[],
    CONSTRAINT finished_jobs_state_check CHECK ((state = ANY (ARRAY['succeeded'::darkroom.job_state, 'rejected'::darkroom.job_state, 'failed'::darkroom.job_state, 'cancelled'::darkroom.job_state])))
);
ALTER TABLE ONLY darkroom.finished_jobs_default ALTER COLUMN fair_key SET STATISTICS 0;
ALTER TABLE ONLY darkroom.finished_jobs_default ALTER COLUMN message SET STATISTICS 0;
ALTER TABLE ONLY darkroom.finished_jobs_default ALTER COLUMN cause SET STATISTICS 0;

CREATE TABLE darkroom.handle_keys (
    is_only_row boolean DEFAULT true NOT NULL,
    inner_pad bytea NOT NULL,
    outer_pad bytea NOT NULL,
    CONSTRAINT handle_keys_inner_pad_check CHECK ((octet_length(inner_pad) = 64)),
    CONSTRAINT handle_keys_is_only_row_check CHECK (is_only_row),
    CONSTRAINT handle_keys_outer_pad_check CHECK ((octet_length(outer_pad) = 64))
);

COMMENT ON TABLE darkroom.handle_keys IS 'One row: the secret of the handles of authors. inner_pad and outer_pad are the key, combined with the constants of HMAC (RFC 2104). Only the owner may read it: who knows it and the identifier of a person can tell what they wrote.';

CREATE TABLE darkroom.hash_lists (
    list_id bigint NOT NULL,
    name text NOT NULL,
    action text NOT NULL,
    distance smallint DEFAULT 31 NOT NULL,
    note text,
    added_by text NOT NULL,
    added_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT action_is_hold_or_refuse CHECK ((action = ANY (ARRAY['hold'::text, 'refuse'::text]))),
    CONSTRAINT added_by_is_1_to_200_characters CHECK (((char_length(added_by) >= 1) AND (char_length(added_by) <= 200))),
    CONSTRAINT distance_is_0_to_31 CHECK (((distance >= 0) AND (distance <= 31))),
    CONSTRAINT list_name_is_1_to_100_characters CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT list_name_is_plain_text CHECK ((darkroom.is_plain_text(name) AND (NOT darkroom.is_blank(name)))),
    CONSTRAINT list_note_is_at_most_5000_characters CHECK ((char_length(note) <= 5000))
);
ALTER TABLE ONLY darkroom.hash_lists ALTER COLUMN note SET STATISTICS 0;

COMMENT ON TABLE darkroom.hash_lists IS 'Lists of known photos. A photo whose PDQ hash differs from one of a list in at most distance of 256 bits is held for review or refused.';

ALTER TABLE darkroom.hash_lists ALTER COLUMN list_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.hash_lists_list_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.hash_refusals (
    upload_id bigint NOT NULL,
    list_id bigint NOT NULL,
    list_name text NOT NULL,
    distance smallint NOT NULL,
    refused_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

COMMENT ON TABLE darkroom.hash_refusals IS 'Uploads that were refused because of a list, for moderators: their uploaders are not told which list it was. The hashes differ in distance bits.';

CREATE TABLE darkroom.inbox_entries (
    person text NOT NULL,
    subject_id bigint NOT NULL,
    event text NOT NULL,
    number bigint NOT NULL,
    times integer NOT NULL,
    first_comment_id bigint,
    comment_id bigint,
    reason text,
    occurred_at timestamp with time zone NOT NULL
)
WITH (fillfactor='80');
ALTER TABLE ONLY darkroom.inbox_entries ALTER COLUMN person SET STATISTICS 0;

COMMENT ON TABLE darkroom.inbox_entries IS 'What people are told: for each person, post and event one entry, with the number of the latest event in it. An entry is read if the person has read up to its number; what happens then starts it again. fill_inboxes writes it.';

COMMENT ON COLUMN darkroom.inbox_entries.subject_id IS 'The post; of rejected, the job.';

COMMENT ON COLUMN darkroom.inbox_entries.times IS 'How many likes or comments came since the person read the entry.';

COMMENT ON COLUMN darkroom.inbox_entries.first_comment_id IS 'The first comment that times counts; comment_id is the latest.';

CREATE TABLE darkroom.inbox_progress (
    is_only_row boolean DEFAULT true NOT NULL,
    number bigint DEFAULT 0 NOT NULL,
    CONSTRAINT inbox_progress_is_only_row_check CHECK (is_only_row)
)
WITH (fillfactor='50');

COMMENT ON TABLE darkroom.inbox_progress IS 'One row: the number of the last event that inboxes have.';

CREATE TABLE darkroom.inboxes (
    person text NOT NULL,
    read_up_to bigint DEFAULT 0 NOT NULL,
    events text[],
    CONSTRAINT person_is_1_to_200_characters CHECK (((char_length(person) >= 1) AND (char_length(person) <= 200)))
)
WITH (fillfactor='80');
ALTER TABLE ONLY darkroom.inboxes ALTER COLUMN person SET STATISTICS 0;

COMMENT ON TABLE darkroom.inboxes IS 'How far people have read their inboxes, and which events they want to be told of; null for all. No row for a person who has said neither.';

CREATE TABLE darkroom.job_attempts_default (
    job_id bigint NOT NULL,
    attempt integer NOT NULL,
    lease bigint NOT NULL,
    outcome darkroom.attempt_outcome NOT NULL,
    reason text,
    message text,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    cause text,
    verdict text,
    stages darkroom.stage_time[]
);
ALTER TABLE ONLY darkroom.job_attempts_default ALTER COLUMN message SET STATISTICS 0;
ALTER TABLE ONLY darkroom.job_attempts_default ALTER COLUMN cause SET STATISTICS 0;

CREATE TABLE darkroom.job_kinds (
    kind text NOT NULL,
    CONSTRAINT job_kinds_kind_check CHECK ((kind ~ '^[a-z][a-z0-9_]{0,39}$'::text))
);

COMMENT ON TABLE darkroom.job_kinds IS 'The kinds of jobs. Each kind has its handler in the workers; prepare_queue registers the kinds of a release.';

ALTER TABLE darkroom.jobs ALTER COLUMN job_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME darkroom.jobs_job_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.kind_policies (
    kind text NOT NULL,
    max_failures integer DEFAULT 8 NOT NULL,
    max_crashes integer DEFAULT 3 NOT NULL,
    max_deaths integer DEFAULT 8 NOT NULL,
    backoff_base interval DEFAULT '00:00:02'::interval NOT NULL,
    backoff_cap interval DEFAULT '00:15:00'::interval NOT NULL,
    jitter double precision DEFAULT 0.5 NOT NULL,
    attempt_deadline interval DEFAULT '00:05:00'::interval,
    total_deadline interval DEFAULT '7 days'::interval,
    CONSTRAINT kind_policies_attempt_deadline_check CHECK (((attempt_deadline > '00:00:00'::interval) AND (attempt_deadline <= '30 days'::interval))),
    CONSTRAINT kind_policies_backoff_base_check CHECK (((backoff_base > '00:00:00'::interval) AND (backoff_base <= '30 days'::interval))),
    CONSTRAINT kind_policies_backoff_cap_check CHECK (((backoff_cap > '00:00:00'::interval) AND (backoff_cap <= '30 days'::interval))),
    CONSTRAINT kind_policies_jitter_check CHECK (((jitter >= (0)::double precision) AND (jitter <= (1)::double precision))),
    CONSTRAINT kind_policies_max_crashes_check CHECK (((max_crashes >= 1) AND (max_crashes <= 100))),
    CONSTRAINT kind_policies_max_deaths_check CHECK (((max_deaths >= 2) AND (max_deaths <= 100))),
    CONSTRAINT kind_policies_max_failures_check CHECK (((max_failures >= 1) AND (max_failures <= 1000))),
    CONSTRAINT kind_policies_total_deadline_check CHECK (((total_deadline > '00:00:00'::interval) AND (total_deadline <= '3650 days'::interval)))
);

COMMENT ON TABLE darkroom.kind_policies IS 'How often, how soon and how long jobs of a kind are tried. Every worker reads it every few seconds; kinds without a row have the defaults.';

COMMENT ON COLUMN darkroom.kind_policies.max_crashes IS 'Deaths of the renderer in attempts at a job after which the job is quarantined.';

COMMENT ON COLUMN darkroom.kind_policies.max_deaths IS 'Deaths of workers in attempts at a job after which the job is quarantined. In all but the first, the job was the only suspect of the worker that died.';

COMMENT ON COLUMN darkroom.kind_policies.jitter IS 'The share of a delay that is random.';

COMMENT ON COLUMN darkroom.kind_policies.attempt_deadline IS 'An attempt that takes longer is stopped and counts as failed; null for no limit.';

COMMENT ON COLUMN darkroom.kind_policies.total_deadline IS 'A job is not tried again once its failed attempts, and the waits after them, have taken that long; null for no limit. The time before its first attempt, and that in which what it needs is away, does not count.';

CREATE TABLE darkroom.leases (
    lease bigint NOT NULL,
    job_ids bigint[] NOT NULL,
    CONSTRAINT leases_job_ids_check CHECK (((cardinality(job_ids) >= 1) AND (cardinality(job_ids) <= 500)))
)
WITH (autovacuum_vacuum_scale_factor='0.0', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_cost_delay='0');
ALTER TABLE ONLY darkroom.leases ALTER COLUMN job_ids SET STORAGE PLAIN;

COMMENT ON TABLE darkroom.leases IS 'The jobs that each claim took, in the order of their numbers. A review of the worker shortens or removes the row once jobs no longer have the lease. From these rows the database finds what a worker holds, and what nobody runs.';

CREATE TABLE darkroom.listed_hashes (
    list_id bigint NOT NULL,
    hash bit(256) NOT NULL
);

COMMENT ON TABLE darkroom.listed_hashes IS 'The PDQ hashes of the lists. The highest bits come first, as in their hexadecimal form.';

CREATE TABLE darkroom.location_policies (
    version integer NOT NULL,
    category text,
    activity text,
    privacy darkroom.location_privacy,
    minimum_population integer,
    note text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT a_general_location_policy_says_privacy_and_minimum_population CHECK (((num_nonnulls(category, activity) >= 1) OR (num_nonnulls(privacy, minimum_population) = 2))),
    CONSTRAINT a_location_policy_is_of_a_category_or_an_activity_or_general CHECK ((num_nonnulls(category, activity) <= 1)),
    CONSTRAINT category_and_activity_are_not_blank CHECK (((COALESCE(category, '-'::text) <> ''::text) AND (COALESCE(activity, '-'::text) <> ''::text))),
    CONSTRAINT minimum_population_is_not_negative CHECK ((minimum_population >= 0))
);
ALTER TABLE ONLY darkroom.location_policies ALTER COLUMN note SET STATISTICS 0;

COMMENT ON TABLE darkroom.location_policies IS 'Append a row to change the policy, at once and without a restart. The latest row of a post''s activity is in force; what it leaves open, the latest row of the category decides, and then the latest general row.';

COMMENT ON COLUMN darkroom.location_policies.privacy IS 'Null, for a category or activity: the wider policy decides.';

COMMENT ON COLUMN darkroom.location_policies.minimum_population IS 'A smaller place is replaced by the nearest one with so many people in its division, or country, within 100 km. Null, for a category or activity: the wider policy decides.';

ALTER TABLE darkroom.location_policies ALTER COLUMN version ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.location_policies_version_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.locks (
    name text NOT NULL,
    number integer NOT NULL
)
WITH (fillfactor='40');

COMMENT ON TABLE darkroom.locks IS 'One row per lock. Functions lock these rows until their transactions end: take_lock, try_lock and share_lock. acts are 64, by person; media, person, display_name, activity, activity_name and quota are 1,024 each, by lock_number.';

CREATE TABLE darkroom.map_changes (
    change_id bigint NOT NULL,
    leaf bigint NOT NULL,
    post_id bigint NOT NULL,
    posts smallint NOT NULL,
    sum_x bigint NOT NULL,
    sum_y bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0');

COMMENT ON TABLE darkroom.map_changes IS 'What the tally job must add to tiles of level 20: a post that comes (posts is 1), leaves (-1), or has another hot (0).';

ALTER TABLE darkroom.map_changes ALTER COLUMN change_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.map_changes_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.moderation_backlog (
    change_id bigint NOT NULL,
    post_id bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0');

COMMENT ON TABLE darkroom.moderation_backlog IS 'Posts whose reports must be weighed, a row for every report. enqueue_backlogs turns them into moderate jobs.';

ALTER TABLE darkroom.moderation_backlog ALTER COLUMN change_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.moderation_backlog_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.moderation_decisions (
    decision_id bigint NOT NULL,
    post_id bigint NOT NULL,
    decision text NOT NULL,
    policy_version integer NOT NULL,
    reports integer NOT NULL,
    decided_at timestamp with time zone DEFAULT now() NOT NULL,
    cause text,
    from_state darkroom.post_state,
    to_state darkroom.post_state,
    decider text,
    note text,
    score double precision,
    threshold double precision,
    views bigint,
    similar_to bigint,
    similar_distance smallint,
    uploader_removals integer,
    hash_list bigint,
    hash_list_name text,
    hash_distance smallint,
    ground text,
    ground_reference text,
    appeal_id bigint,
    content_at timestamp with time zone,
    content_has_text boolean,
    CONSTRAINT cause_is_known CHECK ((cause = ANY (ARRAY['below_threshold'::text, 'score'::text, 'urgent_report'::text, 'score_fell'::text, 'waits_for_review'::text, 'not_shown'::text, 'uploader_record'::text, 'look_alike'::text, 'listed_hash'::text, 'review'::text, 'appeal'::text]))),
    CONSTRAINT decision_is_known CHECK ((decision = ANY (ARRAY['keep'::text, 'hide'::text, 'show'::text, 'hold'::text, 'approve'::text, 'remove'::text, 'restore'::text]))),
    CONSTRAINT ground_is_law_or_terms CHECK ((ground = ANY (ARRAY['law'::text, 'terms'::text]))),
    CONSTRAINT ground_reference_is_at_most_2000_characters CHECK ((char_length(ground_reference) <= 2000)),
    CONSTRAINT note_is_at_most_5000_characters CHECK ((char_length(note) <= 5000)),
    CONSTRAINT people_decide_by_name CHECK (((decision <> ALL (ARRAY['approve'::text, 'remove'::text, 'restore'::text])) OR (decider IS NOT NULL)))
);
ALTER TABLE ONLY darkroom.moderation_decisions ALTER COLUMN decider SET STATISTICS 0;
ALTER TABLE ONLY darkroom.moderation_decisions ALTER COLUMN note SET STATISTICS 0;

COMMENT ON TABLE darkroom.moderation_decisions IS 'Every decision with its evidence. Append only.';

COMMENT ON COLUMN darkroom.moderation_decisions.decider IS 'Who decided; null for a rule.';

COMMENT ON COLUMN darkroom.moderation_decisions.similar_to IS 'The removed or hidden post whose photo this one resembles; their hashes differ in similar_distance bits.';

COMMENT ON COLUMN darkroom.moderation_decisions.hash_list IS 'The list of known hashes that the photo is on, with its name at that time; the hashes differ in hash_distance bits of 256.';

COMMENT ON COLUMN darkroom.moderation_decisions.ground IS 'What a removal rests on: the law or the terms. ground_reference says which provision.';

COMMENT ON COLUMN darkroom.moderation_decisions.content_at IS 'When the post was published, and content_has_text whether it has a text: statements of reasons need both, and the post may be erased before.';

ALTER TABLE darkroom.moderation_decisions ALTER COLUMN decision_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.moderation_decisions_decision_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.moderation_evidence (
    decision_id bigint NOT NULL,
    reporter text NOT NULL,
    reason darkroom.report_reason NOT NULL,
    reported_at timestamp with time zone NOT NULL,
    account_since timestamp with time zone NOT NULL,
    agreed integer NOT NULL,
    disagreed integer NOT NULL,
    record_weight double precision NOT NULL,
    account_weight double precision NOT NULL,
    reason_weight double precision NOT NULL,
    group_number integer,
    counted double precision NOT NULL,
    disregarded text,
    CONSTRAINT disregarded_is_known CHECK ((disregarded = ANY (ARRAY['expired'::text, 'before_approval'::text, 'not_weighed'::text])))
);
ALTER TABLE ONLY darkroom.moderation_evidence ALTER COLUMN reporter SET STATISTICS 0;

COMMENT ON TABLE darkroom.moderation_evidence IS 'What each report counted in a decision that changed a post''s state. counted is the product of the weights, after the group''s discount.';

CREATE TABLE darkroom.moderation_policies (
    version integer NOT NULL,
    hide_threshold double precision NOT NULL,
    note text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    restore_share double precision DEFAULT 0.5 NOT NULL,
    approved_factor double precision DEFAULT 3 NOT NULL,
    hide_rate double precision DEFAULT 0.0001 NOT NULL,
    hide_ceiling double precision DEFAULT 25 NOT NULL,
    high_rate double precision DEFAULT 0.2 NOT NULL,
    least_threshold double precision DEFAULT 3 NOT NULL,
    report_lifetime interval DEFAULT '180 days'::interval NOT NULL,
    prior_agreed double precision DEFAULT 2 NOT NULL,
    prior_disagreed double precision DEFAULT 2 NOT NULL,
    record_floor double precision DEFAULT 0.1 NOT NULL,
    record_ceiling double precision DEFAULT 1.5 NOT NULL,
    new_account_weight double precision DEFAULT 0.2 NOT NULL,
    account_half_life interval DEFAULT '7 days'::interval NOT NULL,
    mature_age interval DEFAULT '30 days'::interval NOT NULL,
    burst_window interval DEFAULT '00:10:00'::interval NOT NULL,
    cohort_window interval DEFAULT '1 day'::interval NOT NULL,
    shared_posts integer DEFAULT 3 NOT NULL,
    shared_share double precision DEFAULT 0.5 NOT NULL,
    group_cap double precision DEFAULT 2.5 NOT NULL,
    weight_explicit double precision DEFAULT 1.5 NOT NULL,
    weight_minors double precision DEFAULT 2 NOT NULL,
    weight_violence double precision DEFAULT 1.2 NOT NULL,
    weight_harassment double precision DEFAULT 1 NOT NULL,
    weight_spam double precision DEFAULT 1 NOT NULL,
    weight_private_information double precision DEFAULT 1.5 NOT NULL,
    weight_illegal double precision DEFAULT 2 NOT NULL,
    weight_other double precision DEFAULT 0.5 NOT NULL,
    urgent_reasons darkroom.report_reason[] DEFAULT '{minors,illegal,explicit,private_information}'::darkroom.report_reason[] NOT NULL,
    urgent_record double precision DEFAULT 0.75 NOT NULL,
    removals_to_hold integer DEFAULT 3 NOT NULL,
    removals_within interval DEFAULT '90 days'::interval NOT NULL,
    look_alike_distance integer DEFAULT 6 NOT NULL,
    terms text DEFAULT 'the rules of this service'::text NOT NULL,
    law text DEFAULT 'the law that applies where this service is offered'::text NOT NULL,
    redress text DEFAULT 'You can appeal to us, free of charge, within six months; turn to a certified out-of-court dispute settlement body; or go to court.'::text NOT NULL,
    CONSTRAINT account_half_life_is_positive CHECK ((account_half_life > '00:00:00'::interval)),
    CONSTRAINT approved_factor_is_1_to_1000 CHECK (((approved_factor >= (1)::double precision) AND (approved_factor <= (1000)::double precision))),
    CONSTRAINT burst_window_is_not_negative CHECK ((burst_window >= '00:00:00'::interval)),
    CONSTRAINT cohort_window_is_not_negative CHECK ((cohort_window >= '00:00:00'::interval)),
    CONSTRAINT group_cap_is_positive CHECK ((group_cap > (0)::double precision)),
    CONSTRAINT hide_ceiling_is_positive CHECK ((hide_ceiling > (0)::double precision)),
    CONSTRAINT hide_rate_is_0_to_1 CHECK (((hide_rate >= (0)::double precision) AND (hide_rate <= (1)::double precision))),
    CONSTRAINT hide_threshold_is_positive CHECK ((hide_threshold > (0)::double precision)),
    CONSTRAINT high_rate_is_above_0_to_1 CHECK (((high_rate > (0)::double precision) AND (high_rate <= (1)::double precision))),
    CONSTRAINT law_is_1_to_400_characters CHECK (((char_length(law) >= 1) AND (char_length(law) <= 400))),
    CONSTRAINT least_threshold_is_positive CHECK ((least_threshold > (0)::double precision)),
    CONSTRAINT look_alike_distance_is_0_to_7 CHECK (((look_alike_distance >= 0) AND (look_alike_distance <= 7))),
    CONSTRAINT mature_age_is_not_negative CHECK ((mature_age >= '00:00:00'::interval)),
    CONSTRAINT new_account_weight_is_0_to_1 CHECK (((new_account_weight >= (0)::double precision) AND (new_account_weight <= (1)::double precision))),
    CONSTRAINT prior_agreed_is_positive CHECK ((prior_agreed > (0)::double precision)),
    CONSTRAINT prior_disagreed_is_positive CHECK ((prior_disagreed > (0)::double precision)),
    CONSTRAINT record_ceiling_is_1_to_100 CHECK (((record_ceiling >= (1)::double precision) AND (record_ceiling <= (100)::double precision))),
    CONSTRAINT record_floor_is_0_to_1 CHECK (((record_floor >= (0)::double precision) AND (record_floor <= (1)::double precision))),
    CONSTRAINT redress_is_1_to_2000_characters CHECK (((char_length(redress) >= 1) AND (char_length(redress) <= 2000))),
    CONSTRAINT removals_to_hold_is_positive CHECK ((removals_to_hold > 0)),
    CONSTRAINT removals_within_is_positive_and_at_most_3650_days CHECK (((removals_within > '00:00:00'::interval) AND (removals_within <= '3650 days'::interval))),
    CONSTRAINT report_lifetime_is_positive_and_at_most_3650_days CHECK (((report_lifetime > '00:00:00'::interval) AND (report_lifetime <= '3650 days'::interval))),
    CONSTRAINT restore_share_is_from_0_to_below_1 CHECK (((restore_share >= (0)::double precision) AND (restore_share < (1)::double precision))),
    CONSTRAINT shared_posts_is_positive CHECK ((shared_posts > 0)),
    CONSTRAINT shared_share_is_above_0_to_1 CHECK (((shared_share > (0)::double precision) AND (shared_share <= (1)::double precision))),
    CONSTRAINT terms_is_1_to_2000_characters CHECK (((char_length(terms) >= 1) AND (char_length(terms) <= 2000))),
    CONSTRAINT urgent_record_is_0_to_1 CHECK (((urgent_record >= (0)::double precision) AND (urgent_record <= (1)::double precision))),
    CONSTRAINT weight_explicit_is_0_to_100 CHECK (((weight_explicit >= (0)::double precision) AND (weight_explicit <= (100)::double precision))),
    CONSTRAINT weight_harassment_is_0_to_100 CHECK (((weight_harassment >= (0)::double precision) AND (weight_harassment <= (100)::double precision))),
    CONSTRAINT weight_illegal_is_0_to_100 CHECK (((weight_illegal >= (0)::double precision) AND (weight_illegal <= (100)::double precision))),
    CONSTRAINT weight_minors_is_0_to_100 CHECK (((weight_minors >= (0)::double precision) AND (weight_minors <= (100)::double precision))),
    CONSTRAINT weight_other_is_0_to_100 CHECK (((weight_other >= (0)::double precision) AND (weight_other <= (100)::double precision))),
    CONSTRAINT weight_private_information_is_0_to_100 CHECK (((weight_private_information >= (0)::double precision) AND (weight_private_information <= (100)::double precision))),
    CONSTRAINT weight_spam_is_0_to_100 CHECK (((weight_spam >= (0)::double precision) AND (weight_spam <= (100)::double precision))),
    CONSTRAINT weight_violence_is_0_to_100 CHECK (((weight_violence >= (0)::double precision) AND (weight_violence <= (100)::double precision)))
);
ALTER TABLE ONLY darkroom.moderation_policies ALTER COLUMN note SET STATISTICS 0;

COMMENT ON TABLE darkroom.moderation_policies IS 'Append a row to change the policy: the highest version is in force, at once and without a restart.';

COMMENT ON COLUMN darkroom.moderation_policies.hide_threshold IS 'Score at which a post is hidden. Many views raise it by hide_rate, up to hide_ceiling; few lower it by high_rate.';

COMMENT ON COLUMN darkroom.moderation_policies.restore_share IS 'A hidden post comes back automatically once its score has fallen to this share of its threshold.';

COMMENT ON COLUMN darkroom.moderation_policies.approved_factor IS 'The threshold of a post that a person approved is multiplied by this.';

COMMENT ON COLUMN darkroom.moderation_policies.hide_rate IS 'Score needed per view to hide a post, if that exceeds hide_threshold: a post with many views needs more reports, but never more than hide_ceiling.';

COMMENT ON COLUMN darkroom.moderation_policies.high_rate IS 'Score per view that hides a post which few have seen, if that is below hide_threshold and at least least_threshold.';

COMMENT ON COLUMN darkroom.moderation_policies.report_lifetime IS 'Reports older than this count for nothing.';

COMMENT ON COLUMN darkroom.moderation_policies.prior_agreed IS 'How many right reports everybody is assumed to start with; prior_disagreed: how many wrong ones.';

COMMENT ON COLUMN darkroom.moderation_policies.record_floor IS 'The least factor that a bad record gives a report; record_ceiling is the greatest that a good one gives.';

COMMENT ON COLUMN darkroom.moderation_policies.new_account_weight IS 'The weight of a report from an account that was never seen before. It grows to 1: every account_half_life closes half of the gap.';

COMMENT ON COLUMN darkroom.moderation_policies.mature_age IS 'Accounts of this age or older are never part of a cohort.';

COMMENT ON COLUMN darkroom.moderation_policies.burst_window IS 'Reports this close together, from accounts first seen within cohort_window of each other, are one burst and count as a group.';

COMMENT ON COLUMN darkroom.moderation_policies.shared_posts IS 'Reporters who both reported this many other posts, and shared_share of all that either reported, count as a group.';

COMMENT ON COLUMN darkroom.moderation_policies.group_cap IS 'The most that a group counts; below that, it counts the root of the sum of its weights'' squares.';

COMMENT ON COLUMN darkroom.moderation_policies.urgent_reasons IS 'Reasons for which one reporter with a record of at least urgent_record hides a post until it is reviewed.';

COMMENT ON COLUMN darkroom.moderation_policies.removals_to_hold IS 'Uploads of a person who had this many posts removed within removals_within are held for review.';

COMMENT ON COLUMN darkroom.moderation_policies.look_alike_distance IS 'Photos whose perceptual hash differs in at most this many of 64 bits from a removed one are held for review.';

COMMENT ON COLUMN darkroom.moderation_policies.terms IS 'What statements of reasons name as the contractual ground. redress is what they say about redress.';

COMMENT ON COLUMN darkroom.moderation_policies.law IS 'What statements of reasons name as the legal ground when one report of something illegal has hidden a post.';

ALTER TABLE darkroom.moderation_policies ALTER COLUMN version ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.moderation_policies_version_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.operator_actions (
    action_id bigint NOT NULL,
    requested_by text NOT NULL,
    role text NOT NULL,
    source text NOT NULL,
    action text NOT NULL,
    target text,
    filter text,
    uploader text,
    why text,
    started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    matching bigint DEFAULT 1 NOT NULL,
    done bigint DEFAULT 0 NOT NULL,
    progressed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ended_at timestamp with time zone,
    fault text,
    CONSTRAINT operator_actions_source_check CHECK ((source = ANY (ARRAY['console'::text, 'command line'::text])))
);
ALTER TABLE ONLY darkroom.operator_actions ALTER COLUMN requested_by SET STATISTICS 0;
ALTER TABLE ONLY darkroom.operator_actions ALTER COLUMN uploader SET STATISTICS 0;
ALTER TABLE ONLY darkroom.operator_actions ALTER COLUMN why SET STATISTICS 0;

COMMENT ON TABLE darkroom.operator_actions IS 'What operators did, from the console and from the command line: one row for each order, however many jobs it changes.';

COMMENT ON COLUMN darkroom.operator_actions.target IS 'What was changed, such as job 17 or queue bulk; null if a filter selects it.';

COMMENT ON COLUMN darkroom.operator_actions.filter IS 'The conditions that selected what was changed, but for the uploader.';

COMMENT ON COLUMN darkroom.operator_actions.matching IS 'How many there were to change when the action began.';

COMMENT ON COLUMN darkroom.operator_actions.done IS 'How many have been changed so far.';

ALTER TABLE darkroom.operator_actions ALTER COLUMN action_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.operator_actions_action_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.outbox (
    event_id bigint NOT NULL,
    post_id bigint,
    event text NOT NULL,
    occurred_at timestamp with time zone DEFAULT now() NOT NULL,
    comment_id bigint,
    job_id bigint,
    upload_id bigint,
    reason text,
    likes integer,
    CONSTRAINT an_event_is_of_a_post_or_a_job CHECK ((num_nonnulls(post_id, job_id) = 1)),
    CONSTRAINT outbox_event_is_known CHECK ((event = ANY (ARRAY['published'::text, 'held'::text, 'hidden'::text, 'restored'::text, 'removed'::text, 'expired'::text, 'edited'::text, 'rerendered'::text, 'relocated'::text, 'corrected'::text, 'commented'::text, 'comment_deleted'::text, 'rejected'::text, 'liked'::text, 'appeal_answered'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0');

COMMENT ON TABLE darkroom.outbox IS 'What has happened to posts and uploads and has no number yet: written in the transaction that caused it. number_events moves it to event_log. A post that is held for review starts with held, and gets published when it is approved.';

ALTER TABLE darkroom.outbox ALTER COLUMN event_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.outbox_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.pauses (
    queue text,
    kind text,
    drains boolean NOT NULL,
    paused_by text NOT NULL,
    paused_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT a_pause_names_a_queue_or_a_kind CHECK ((num_nonnulls(queue, kind) >= 1))
);
ALTER TABLE ONLY darkroom.pauses ALTER COLUMN paused_by SET STATISTICS 0;

COMMENT ON TABLE darkroom.pauses IS 'What is not claimed now: a queue, a kind, or a kind in a queue. If drains is true, jobs that were there before still run and later ones are parked.';

CREATE TABLE darkroom.person_erasures (
    erasure_id bigint NOT NULL,
    person text,
    pseudonym text DEFAULT ('erased-'::text || gen_random_uuid()),
    state text DEFAULT 'waiting'::text NOT NULL,
    requested_by text,
    requested_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    posts integer DEFAULT 0 NOT NULL,
    uploads integer DEFAULT 0 NOT NULL,
    jobs integer DEFAULT 0 NOT NULL,
    votes integer DEFAULT 0 NOT NULL,
    comments integer DEFAULT 0 NOT NULL,
    reports integer DEFAULT 0 NOT NULL,
    decisions integer DEFAULT 0 NOT NULL,
    history integer DEFAULT 0 NOT NULL,
    files integer DEFAULT 0 NOT NULL,
    recorded_at timestamp with time zone,
    CONSTRAINT only_finished_erasures_forget_the_person CHECK (((state = 'finished'::text) = (person IS NULL))),
    CONSTRAINT person_is_1_to_200_characters CHECK (((char_length(person) >= 1) AND (char_length(person) <= 200))),
    CONSTRAINT person_is_not_the_star_of_all_keys CHECK ((person <> '*'::text)),
    CONSTRAINT state_is_known CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'finished'::text]))),
    CONSTRAINT the_person_and_the_pseudonym_go_together CHECK (((person IS NULL) = (pseudonym IS NULL)))
);
ALTER TABLE ONLY darkroom.person_erasures ALTER COLUMN person SET STATISTICS 0;
ALTER TABLE ONLY darkroom.person_erasures ALTER COLUMN pseudonym SET STATISTICS 0;
ALTER TABLE ONLY darkroom.person_erasures ALTER COLUMN requested_by SET STATISTICS 0;

COMMENT ON TABLE darkroom.person_erasures IS 'Orders to erase persons, with how much was erased. The person, and the pseudonym that replaced the name, are forgotten at the end.';

COMMENT ON COLUMN darkroom.person_erasures.pseudonym IS 'Random, so that it says nothing about the person. What must stay, such as the moderation log, carries it.';

COMMENT ON COLUMN darkroom.person_erasures.recorded_at IS 'When the record was last erased: the end of the erasure checks for history that came since.';

ALTER TABLE darkroom.person_erasures ALTER COLUMN erasure_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.person_erasures_erasure_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.place_corrections (
    correction_id bigint NOT NULL,
    post_id bigint NOT NULL,
    corrected_by text NOT NULL,
    note text,
    place_text text,
    latitude double precision,
    longitude double precision,
    old_country_code text,
    old_division_code text,
    old_city_geonameid bigint,
    old_city_name text,
    old_place_geonameid bigint,
    old_place_name text,
    new_country_code text,
    new_division_code text,
    new_city_geonameid bigint,
    new_city_name text,
    new_place_geonameid bigint,
    new_place_name text,
    corrected_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT a_correction_says_a_place_or_coordinates CHECK ((num_nonnulls(place_text, latitude) = 1)),
    CONSTRAINT corrected_by_is_1_to_200_characters CHECK (((char_length(corrected_by) >= 1) AND (char_length(corrected_by) <= 200))),
    CONSTRAINT latitude_and_longitude_go_together CHECK (((latitude IS NULL) = (longitude IS NULL))),
    CONSTRAINT note_is_at_most_2000_characters CHECK ((char_length(note) <= 2000))
);
ALTER TABLE ONLY darkroom.place_corrections ALTER COLUMN corrected_by SET STATISTICS 0;
ALTER TABLE ONLY darkroom.place_corrections ALTER COLUMN note SET STATISTICS 0;
ALTER TABLE ONLY darkroom.place_corrections ALTER COLUMN place_text SET STATISTICS 0;
ALTER TABLE ONLY darkroom.place_corrections ALTER COLUMN latitude SET STATISTICS 0;
ALTER TABLE ONLY darkroom.place_corrections ALTER COLUMN longitude SET STATISTICS 0;

COMMENT ON TABLE darkroom.place_corrections IS 'Who corrected where a post is, against the gazetteer or the photo: when, why, and from what. Append-only.';

ALTER TABLE darkroom.place_corrections ALTER COLUMN correction_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.place_corrections_correction_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.post_counters (
    post_id bigint NOT NULL,
    likes integer DEFAULT 0 NOT NULL,
    dislikes integer DEFAULT 0 NOT NULL,
    comments integer DEFAULT 0 NOT NULL,
    views bigint DEFAULT 0 NOT NULL,
    likes_by_others integer DEFAULT 0 NOT NULL,
    likes_told integer DEFAULT 0 NOT NULL,
    told_at timestamp with time zone
)
WITH (fillfactor='70');

COMMENT ON TABLE darkroom.post_counters IS 'The tallied counters of each post; no row for a post to which nothing has happened. Together with counter_changes they always equal the votes and comments.';

COMMENT ON COLUMN darkroom.post_counters.likes_by_others IS 'The likes of people other than the post''s uploader.';

COMMENT ON COLUMN darkroom.post_counters.likes_told IS 'The most likes by others that an event has told so far, last at told_at. A like that is taken back and given again is not told twice.';

CREATE TABLE darkroom.post_edits (
    edit_id bigint NOT NULL,
    post_id bigint NOT NULL,
    headline text,
    caption text,
    category text,
    edited_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
ALTER TABLE ONLY darkroom.post_edits ALTER COLUMN headline SET STATISTICS 0;
ALTER TABLE ONLY darkroom.post_edits ALTER COLUMN caption SET STATISTICS 0;

COMMENT ON TABLE darkroom.post_edits IS 'What posts said before their uploaders edited them, for reviews. headline, caption and category are those until edited_at.';

ALTER TABLE darkroom.post_edits ALTER COLUMN edit_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.post_edits_edit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.post_erasures (
    post_id bigint NOT NULL,
    upload_id bigint NOT NULL,
    cause text NOT NULL,
    requested_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    erased_at timestamp with time zone,
    CONSTRAINT cause_is_known CHECK ((cause = ANY (ARRAY['uploader'::text, 'expired'::text, 'removed'::text, 'person'::text])))
);

COMMENT ON TABLE darkroom.post_erasures IS 'Posts that are being erased (erased_at is null), some after a review that is open, or were erased. Nothing else is left of an erased post, and nothing here is personal.';

CREATE TABLE darkroom.post_exact_locations (
    post_id bigint NOT NULL,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL,
    CONSTRAINT exact_latitude_is_within_90_degrees CHECK (((latitude >= ('-90'::integer)::double precision) AND (latitude <= (90)::double precision))),
    CONSTRAINT exact_longitude_is_within_180_degrees CHECK (((longitude >= ('-180'::integer)::double precision) AND (longitude <= (180)::double precision)))
);
ALTER TABLE ONLY darkroom.post_exact_locations ALTER COLUMN latitude SET STATISTICS 0;
ALTER TABLE ONLY darkroom.post_exact_locations ALTER COLUMN longitude SET STATISTICS 0;

COMMENT ON TABLE darkroom.post_exact_locations IS 'Where posts really are, as exactly as it is known. Readers get posts.latitude and longitude instead: grant access to this table only to roles that need it.';

CREATE TABLE darkroom.posting_policies (
    version integer NOT NULL,
    category text,
    headline_required boolean,
    caption_required boolean,
    category_required boolean,
    categories text[],
    link text,
    link_hosts text[],
    accuracy_at_most_m double precision,
    photos_a_day integer,
    bytes_a_day bigint,
    note text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT a_general_posting_policy_says_what_is_required CHECK (((category IS NOT NULL) OR (num_nonnulls(headline_required, caption_required, category_required, link) = 4))),
    CONSTRAINT accuracy_at_most_m_is_above_0_and_at_most_1000000 CHECK (((accuracy_at_most_m > (0)::double precision) AND (accuracy_at_most_m <= (1000000)::double precision))),
    CONSTRAINT bytes_a_day_is_1_to_9007199254740991 CHECK (((bytes_a_day >= 1) AND (bytes_a_day <= '9007199254740991'::bigint))),
    CONSTRAINT categories_are_1_to_1000_names CHECK ((((cardinality(categories) >= 1) AND (cardinality(categories) <= 1000)) AND (array_position(categories, NULL::text) IS NULL))),
    CONSTRAINT category_is_not_blank CHECK ((category <> ''::text)),
    CONSTRAINT link_hosts_are_1_to_1000_names_in_lower_case CHECK ((((cardinality(link_hosts) >= 1) AND (cardinality(link_hosts) <= 1000)) AND (array_position(link_hosts, NULL::text) IS NULL) AND (array_to_string(link_hosts, ' '::text) ~ '^[a-z0-9.-]+( [a-z0-9.-]+)*$'::text) AND (cardinality(string_to_array(array_to_string(link_hosts, ' '::text), ' '::text)) = cardinality(link_hosts)))),
    CONSTRAINT link_is_optional_required_or_refused CHECK ((link = ANY (ARRAY['optional'::text, 'required'::text, 'refused'::text]))),
    CONSTRAINT only_the_general_posting_policy_has_quotas CHECK (((category IS NULL) OR (num_nonnulls(photos_a_day, bytes_a_day) = 0))),
    CONSTRAINT only_the_general_posting_policy_lists_categories CHECK (((category IS NULL) OR (num_nonnulls(category_required, categories) = 0))),
    CONSTRAINT photos_a_day_is_1_to_10000 CHECK (((photos_a_day >= 1) AND (photos_a_day <= 10000)))
);
ALTER TABLE ONLY darkroom.posting_policies ALTER COLUMN link SET STATISTICS 0;
ALTER TABLE ONLY darkroom.posting_policies ALTER COLUMN note SET STATISTICS 0;

COMMENT ON TABLE darkroom.posting_policies IS 'Append a row to change the policy for uploads from then on. The latest row of an upload''s category is in force; what it leaves null, the latest general row decides.';

COMMENT ON COLUMN darkroom.posting_policies.categories IS 'The categories that exist; null for any.';

COMMENT ON COLUMN darkroom.posting_policies.link_hosts IS 'The hosts to which links may lead, with all their subdomains; null for any.';

COMMENT ON COLUMN darkroom.posting_policies.accuracy_at_most_m IS 'The largest radius of uncertainty that the position of an upload may state, in metres; null in a general row for any.';

COMMENT ON COLUMN darkroom.posting_policies.photos_a_day IS 'How many photos and texts a person may upload within 24 hours; null for any number.';

COMMENT ON COLUMN darkroom.posting_policies.bytes_a_day IS 'How many bytes the photos may have together that a person uploads within 24 hours; null for any number.';

ALTER TABLE darkroom.posting_policies ALTER COLUMN version ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.posting_policies_version_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.posts (
    post_id bigint NOT NULL,
    upload_id bigint NOT NULL,
    state darkroom.post_state DEFAULT 'published'::darkroom.post_state NOT NULL,
    uploader text NOT NULL,
    headline text,
    caption text,
    link text,
    category text,
    activity text,
    taken_at timestamp with time zone,
    taken_at_local timestamp without time zone,
    taken_at_source text,
    published_at timestamp with time zone DEFAULT now() NOT NULL,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL,
    location_source text NOT NULL,
    country_geonameid bigint,
    country_code text,
    country_name text,
    division_geonameid bigint,
    division_code text,
    division_name text,
    city_geonameid bigint,
    city_name text,
    place_geonameid bigint,
    place_name text,
    place_distance_m double precision,
    typed_geonameid bigint,
    width integer,
    height integer,
    format text,
    stripped text[] DEFAULT '{}'::text[] NOT NULL,
    exif_fields integer,
    report_count integer DEFAULT 0 NOT NULL,
    placeholder bytea,
    perceptual_hash bigint,
    pdq bit(256),
    pdq_quality smallint,
    camera_make text,
    camera_model text,
    time_zone text,
    taken_at_offset_source text,
    location_accuracy_m double precision,
    location_precision text DEFAULT 'point'::text NOT NULL,
    location_privacy darkroom.location_privacy DEFAULT 'exact'::darkroom.location_privacy NOT NULL,
    location_policy integer DEFAULT 0 NOT NULL,
    minimum_population integer DEFAULT 0 NOT NULL,
    place_source text DEFAULT 'gazetteer'::text NOT NULL,
    located_by bigint DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone,
    rendered_with bigint,
    pictures jsonb DEFAULT '[]'::jsonb NOT NULL,
    anonymous boolean DEFAULT false NOT NULL,
    author_handle text NOT NULL,
    CONSTRAINT photo_is_whole_or_absent CHECK ((num_nonnulls(width, height, format) = ANY (ARRAY[0, 3]))),
    CONSTRAINT posts_exif_fields_check CHECK ((exif_fields >= 0)),
    CONSTRAINT posts_height_check CHECK ((height > 0)),
    CONSTRAINT posts_latitude_check CHECK (((latitude >= ('-90'::integer)::double precision) AND (latitude <= (90)::double precision))),
    CONSTRAINT posts_location_accuracy_m_check CHECK (((location_accuracy_m > (0)::double precision) AND (location_accuracy_m <= (20040000)::double precision))),
    CONSTRAINT posts_location_precision_check CHECK ((location_precision = ANY (ARRAY['point'::text, 'area'::text, 'place'::text, 'city'::text, 'division'::text, 'country'::text]))),
    CONSTRAINT posts_location_source_check CHECK ((location_source = ANY (ARRAY['device'::text, 'exif'::text, 'xmp'::text, 'text'::text, 'person'::text]))),
    CONSTRAINT posts_longitude_check CHECK (((longitude >= ('-180'::integer)::double precision) AND (longitude <= (180)::double precision))),
    CONSTRAINT posts_minimum_population_check CHECK ((minimum_population >= 0)),
    CONSTRAINT posts_pdq_quality_check CHECK (((pdq_quality >= 0) AND (pdq_quality <= 100))),
    CONSTRAINT posts_place_distance_m_check CHECK ((place_distance_m >= (0)::double precision)),
    CONSTRAINT posts_place_source_check CHECK ((place_source = ANY (ARRAY['gazetteer'::text, 'person'::text]))),
    CONSTRAINT posts_placeholder_check CHECK (((octet_length(placeholder) >= 5) AND (octet_length(placeholder) <= 25))),
    CONSTRAINT posts_report_count_check CHECK ((report_count >= 0)),
    CONSTRAINT posts_taken_at_offset_source_check CHECK ((taken_at_offset_source = ANY (ARRAY['offset_tag'::text, 'gps_time_stamp'::text, 'place'::text]))),
    CONSTRAINT posts_taken_at_source_check CHECK ((taken_at_source = ANY (ARRAY['uploader'::text, 'exif'::text]))),
    CONSTRAINT posts_width_check CHECK ((width > 0))
);
ALTER TABLE ONLY darkroom.posts ALTER COLUMN uploader SET STATISTICS 0;
ALTER TABLE ONLY darkroom.posts ALTER COLUMN headline SET STATISTICS 0;
ALTER TABLE ONLY darkroom.posts ALTER COLUMN caption SET STATISTICS 0;
ALTER TABLE ONLY darkroom.posts ALTER COLUMN link SET STATISTICS 0;
ALTER TABLE ONLY darkroom.posts ALTER COLUMN latitude SET STATISTICS 0;
ALTER TABLE ONLY darkroom.posts ALTER COLUMN longitude SET STATISTICS 0;

COMMENT ON TABLE darkroom.posts IS 'What readers see. width and height are those of the upright original, and null in a post without a photo; stripped names the metadata that the original had. taken_at_local is the local time at the place; if its zone is unknown, what the camera''s own clock showed.';

COMMENT ON COLUMN darkroom.posts.latitude IS 'As published: see location_privacy. post_exact_locations has the exact one. The same goes for longitude.';

COMMENT ON COLUMN darkroom.posts.division_geonameid IS 'The GeoNames number of the division. Null if the gazetteer''s sources give none; the same goes for country_geonameid.';

COMMENT ON COLUMN darkroom.posts.city_geonameid IS 'The city around the published coordinates, or the place itself if it is part of none. Null if the place is null.';

COMMENT ON COLUMN darkroom.posts.place_distance_m IS 'Metres from the published coordinates to the place.';

COMMENT ON COLUMN darkroom.posts.typed_geonameid IS 'The GeoNames number of the place, division or country that the uploader typed, or that a person corrected the post to by name. The post stays there whatever gazetteer is used. Null if the place was named from coordinates.';

COMMENT ON COLUMN darkroom.posts.placeholder IS 'A ThumbHash (https://evanw.github.io/thumbhash/) of the picture; null in posts of older releases.';

COMMENT ON COLUMN darkroom.posts.perceptual_hash IS 'The 64-bit DCT hash of the picture; copies differ in few bits. Null in posts of older releases.';

COMMENT ON COLUMN darkroom.posts.pdq IS 'The PDQ hash of the picture, by which it is looked up in hash_lists. pdq_quality, 0 to 100, says how much of it there is to compare: below 50 it is like no other.';

COMMENT ON COLUMN darkroom.posts.camera_make IS 'As in EXIF if the rendering configuration sets keep_camera; else null. The same goes for camera_model.';

COMMENT ON COLUMN darkroom.posts.time_zone IS 'The IANA time zone of the place; null if unknown.';

COMMENT ON COLUMN darkroom.posts.taken_at_offset_source IS 'How the camera''s clock reading became an instant: by the photo''s offset, by its GPS time stamp, or, inferred, by the time zone of the place. Null if it did not, and for times that the uploader gave.';

COMMENT ON COLUMN darkroom.posts.location_accuracy_m IS 'The accuracy radius that the device or camera gave, in metres, or the radius of what the uploader typed, up to half the circumference of the Earth; null if there is none.';

COMMENT ON COLUMN darkroom.posts.location_precision IS 'How well the location is known: point, if nothing says otherwise; area, with an accuracy of more than 100 m; place, city, division or country: that is what the uploader typed.';

COMMENT ON COLUMN darkroom.posts.location_privacy IS 'How precisely latitude and longitude are published. Never lowered after publishing.';

COMMENT ON COLUMN darkroom.posts.location_policy IS 'The highest version of location_policies when the location was published; 0 from a release without them.';

COMMENT ON COLUMN darkroom.posts.minimum_population IS 'How many inhabitants the named place and city must have, by the strictest policy since publishing.';

COMMENT ON COLUMN darkroom.posts.place_source IS 'gazetteer, or person if somebody corrected the place: see place_corrections.';

COMMENT ON COLUMN darkroom.posts.located_by IS 'The checksum of the gazetteer index that named the place, as a signed number; 0 if an older release named it.';

COMMENT ON COLUMN darkroom.posts.expires_at IS 'When readers stop seeing the post, even if the expire job is late; null for never.';

COMMENT ON COLUMN darkroom.posts.rendered_with IS 'The checksum of the recipe that rendered its pictures, as a signed number; null in posts of older releases.';

COMMENT ON COLUMN darkroom.posts.pictures IS 'The renditions as readers see them, largest first: repeated here so that a feed need not look them up. A trigger maintains it.';

COMMENT ON COLUMN darkroom.posts.anonymous IS 'Whether readers get neither its uploader nor their name, but a handle of darkroom.author_handle.';

COMMENT ON COLUMN darkroom.posts.author_handle IS 'The handle of its uploader, repeated here so that a feed need not compute it; an anonymous post has another one. A trigger maintains it.';

ALTER TABLE darkroom.posts ALTER COLUMN post_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.posts_post_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.queues (
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT queue_name_is_1_to_50_of_a_to_z_0_to_9_and_dashes CHECK ((name ~ '^[a-z0-9][a-z0-9_-]{0,49}$'::text))
);

COMMENT ON TABLE darkroom.queues IS 'Queues by name. The first job that is enqueued into a queue creates it. Workers choose which queues they serve.';

CREATE TABLE darkroom.ranks (
    post_id bigint NOT NULL,
    published_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    "position" point NOT NULL,
    tile bigint NOT NULL,
    wide_tile bigint NOT NULL,
    country bigint,
    division bigint,
    city bigint,
    place bigint,
    category text,
    activity text,
    likes integer NOT NULL,
    dislikes integer NOT NULL,
    wilson double precision NOT NULL,
    weighted double precision NOT NULL,
    magnitude double precision NOT NULL,
    hot double precision NOT NULL,
    day integer GENERATED ALWAYS AS (darkroom.day_number(published_at)) STORED NOT NULL,
    week integer GENERATED ALWAYS AS (darkroom.week_number(published_at)) STORED NOT NULL,
    leaf bigint GENERATED ALWAYS AS (darkroom.tile_at("position"[0], "position"[1], 20)) STORED NOT NULL
)
WITH (fillfactor='80');

COMMENT ON TABLE darkroom.ranks IS 'One row for every post that readers see and that has votes. hot is vote_magnitude + age_magnitude.';

COMMENT ON COLUMN darkroom.ranks.day IS 'The UTC day of publishing: one list per board.';

COMMENT ON COLUMN darkroom.ranks.week IS 'The week of publishing: one list per board of a country, division, city, place, activity or category.';

CREATE TABLE darkroom.rating_averages (
    is_only_row boolean DEFAULT true NOT NULL,
    average_rating double precision DEFAULT 0 NOT NULL,
    average_votes double precision DEFAULT 0 NOT NULL,
    most_views bigint DEFAULT 0 NOT NULL,
    is_applied boolean DEFAULT true NOT NULL,
    computed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT rating_averages_average_votes_check CHECK ((average_votes >= (0)::double precision)),
    CONSTRAINT rating_averages_is_only_row_check CHECK (is_only_row),
    CONSTRAINT rating_averages_most_views_check CHECK ((most_views >= 0))
);

COMMENT ON TABLE darkroom.rating_averages IS 'One row: the mean lead in likes and the mean number of votes of the posts that readers see, as the reweigh job (the tally, for the first thousand posts) last computed them, and the most views that any post had. The weighted ratings of all ranks use these; until is_applied, some still use earlier ones.';

CREATE TABLE darkroom.removals (
    post_id bigint NOT NULL,
    uploader text NOT NULL,
    removed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    is_settled boolean DEFAULT false NOT NULL
);
ALTER TABLE ONLY darkroom.removals ALTER COLUMN uploader SET STATISTICS 0;

COMMENT ON TABLE darkroom.removals IS 'Posts that reviews removed: their uploaders'' record. Restoring deletes the row.';

COMMENT ON COLUMN darkroom.removals.is_settled IS 'Whether the post''s erasure was ordered, or the post was gone, when settings.removed_days were over.';

CREATE TABLE darkroom.removed_hashes (
    post_id bigint NOT NULL,
    hash bigint NOT NULL
);

COMMENT ON TABLE darkroom.removed_hashes IS 'Perceptual hashes of removed posts, and of posts that reports have hidden, or that their uploaders deleted, until a review has ended.';

CREATE TABLE darkroom.renditions (
    post_id bigint NOT NULL,
    name text NOT NULL,
    media_key text NOT NULL,
    sha256 bytea NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    bytes bigint NOT NULL,
    format text DEFAULT 'jpeg'::text NOT NULL,
    CONSTRAINT renditions_bytes_check CHECK ((bytes > 0)),
    CONSTRAINT renditions_format_check CHECK ((format = ANY (ARRAY['jpeg'::text, 'webp'::text, 'avif'::text]))),
    CONSTRAINT renditions_height_check CHECK ((height > 0)),
    CONSTRAINT renditions_sha256_check CHECK ((octet_length(sha256) = 32)),
    CONSTRAINT renditions_width_check CHECK ((width > 0))
);
ALTER TABLE ONLY darkroom.renditions ALTER COLUMN media_key SET STATISTICS 0;
ALTER TABLE ONLY darkroom.renditions ALTER COLUMN sha256 SET STATISTICS 0;

COMMENT ON TABLE darkroom.renditions IS 'The pictures of a post. media_key is a path in the media store, named by the SHA-256 of the bytes, so two posts may share one.';

CREATE TABLE darkroom.replays (
    replay_id bigint NOT NULL,
    job_id bigint NOT NULL,
    from_state darkroom.job_state NOT NULL,
    reason text,
    message text,
    replayed_by text NOT NULL,
    replayed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    why text,
    finished_at timestamp with time zone
);
ALTER TABLE ONLY darkroom.replays ALTER COLUMN message SET STATISTICS 0;
ALTER TABLE ONLY darkroom.replays ALTER COLUMN replayed_by SET STATISTICS 0;
ALTER TABLE ONLY darkroom.replays ALTER COLUMN why SET STATISTICS 0;

COMMENT ON TABLE darkroom.replays IS 'Who replayed which finished job, and how it had ended.';

COMMENT ON COLUMN darkroom.replays.why IS 'The operator''s reason.';

ALTER TABLE darkroom.replays ALTER COLUMN replay_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.replays_replay_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW darkroom.reported_comments AS
 SELECT c.comment_id,
    c.post_id,
    c.author,
    c.body,
    c.created_at,
    r.reports,
    r.reasons,
    r.first_reported_at
   FROM (darkroom.comments c
     JOIN ( SELECT o.comment_id,
            count(*) AS reports,
            array_agg(DISTINCT (o.reason)::text) AS reasons,
            min(o.created_at) AS first_reported_at
           FROM darkroom.comment_reports o
          GROUP BY o.comment_id) r USING (comment_id))
  WHERE (c.deleted_at IS NULL);

COMMENT ON VIEW darkroom.reported_comments IS 'The comments that people have reported and nobody has deleted, for moderators. delete_comment with the author ends one.';

CREATE TABLE darkroom.reports (
    post_id bigint NOT NULL,
    reporter text NOT NULL,
    reason darkroom.report_reason NOT NULL,
    details text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    reporter_since timestamp with time zone,
    reporter_agreed integer DEFAULT 0 NOT NULL,
    reporter_disagreed integer DEFAULT 0 NOT NULL,
    is_agreed boolean,
    judged_by bigint,
    record_weight double precision,
    account_weight double precision,
    reason_weight double precision,
    group_number integer,
    counted double precision,
    disregarded text,
    is_grouped boolean DEFAULT false NOT NULL,
    CONSTRAINT details_have_no_control_characters CHECK (darkroom.has_no_control_characters(details, true)),
    CONSTRAINT details_is_at_most_2000_characters CHECK ((char_length(details) <= 2000)),
    CONSTRAINT reporter_is_1_to_200_characters CHECK (((char_length(reporter) >= 1) AND (char_length(reporter) <= 200))),
    CONSTRAINT reporter_since_is_a_time_from_1970_on CHECK ((isfinite(reporter_since) AND (reporter_since >= '1970-01-01 00:00:00+00'::timestamp with time zone)))
);
ALTER TABLE ONLY darkroom.reports ALTER COLUMN reporter SET STATISTICS 0;
ALTER TABLE ONLY darkroom.reports ALTER COLUMN details SET STATISTICS 0;

COMMENT ON TABLE darkroom.reports IS 'One report per reporter and post, with what was known of the reporter when it was filed, so that weighing it again gives the same result.';

COMMENT ON COLUMN darkroom.reports.is_agreed IS 'Whether the review judged_by agreed with the report; null until there is one.';

COMMENT ON COLUMN darkroom.reports.counted IS 'What the report counted when it was last weighed: the product of the weights, after the group''s discount. Null before.';

COMMENT ON COLUMN darkroom.reports.is_grouped IS 'Whether a weighing has found that the reporter reports the same posts as others.';

CREATE TABLE darkroom.retired_media (
    media_key text NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    post_id bigint,
    uploader text,
    retired_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY darkroom.retired_media ALTER COLUMN media_key SET STATISTICS 0;
ALTER TABLE ONLY darkroom.retired_media ALTER COLUMN uploader SET STATISTICS 0;

COMMENT ON TABLE darkroom.retired_media IS 'Files of the media store that will be deleted, unless something refers to them again by then.';

COMMENT ON COLUMN darkroom.retired_media.post_id IS 'The post whose file it was, if it was a post''s.';

COMMENT ON COLUMN darkroom.retired_media.uploader IS 'Whose file it was. The erasure of a person waits until no file of theirs is in this table.';

CREATE TABLE darkroom.reviews (
    post_id bigint NOT NULL,
    severity smallint NOT NULL,
    score double precision NOT NULL,
    cause text NOT NULL,
    appeal_id bigint,
    opened_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    is_binding boolean DEFAULT true NOT NULL,
    weighed_by integer DEFAULT 0 NOT NULL,
    weigh_at timestamp with time zone,
    CONSTRAINT severity_is_0_to_9 CHECK (((severity >= 0) AND (severity <= 9)))
);

COMMENT ON TABLE darkroom.reviews IS 'The review list, in the order of the index reviews_order: every post that is held, hidden, appealed for or reported.';

COMMENT ON COLUMN darkroom.reviews.cause IS 'The cause of the decision that listed the post, appeal, or reported: it has reports, but not enough to be hidden.';

COMMENT ON COLUMN darkroom.reviews.is_binding IS 'Whether the post waits for a person''s decision. False if it is only reported, and for no reason on which a person must decide: then it can expire or be deleted, and leaves the list with its last report.';

COMMENT ON COLUMN darkroom.reviews.weighed_by IS 'The policy by which the reports on the post were last weighed, or soon will be; 0 in reviews of older releases.';

COMMENT ON COLUMN darkroom.reviews.weigh_at IS 'When the next report on the post reaches the end of its lifetime; null if none will.';

CREATE TABLE darkroom.schedules (
    name text NOT NULL,
    cron text NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    kind text NOT NULL,
    subject_id bigint DEFAULT 0 NOT NULL,
    queue text DEFAULT 'default'::text NOT NULL,
    priority smallint DEFAULT 50 NOT NULL,
    is_enabled boolean DEFAULT true NOT NULL,
    next_run_at timestamp with time zone,
    planned_at timestamp with time zone,
    last_run_at timestamp with time zone,
    last_job_id bigint,
    CONSTRAINT schedule_name_is_1_to_50_of_a_to_z_0_to_9_and_dashes CHECK ((name ~ '^[a-z0-9][a-z0-9_-]{0,49}$'::text)),
    CONSTRAINT schedule_queue_is_1_to_50_of_a_to_z_0_to_9_and_dashes CHECK ((queue ~ '^[a-z0-9][a-z0-9_-]{0,49}$'::text)),
    CONSTRAINT schedules_priority_check CHECK (((priority >= '-100'::integer) AND (priority <= 100)))
);

COMMENT ON TABLE darkroom.schedules IS 'Periodic jobs. Runs missed while no worker was alive are made up for once. next_run_at is null until a worker has computed it.';

COMMENT ON COLUMN darkroom.schedules.planned_at IS 'When next_run_at was computed. If that is in the future, the server''s clock was wrong then, and it is computed again.';

CREATE TABLE darkroom.schema_definitions (
    name text NOT NULL,
    definition text NOT NULL
);

COMMENT ON TABLE darkroom.schema_definitions IS 'The indexes that the tables should have and the constraints that hold for their rows (such as caption_is_short on posts), each with the statement that makes it. Only darkroom migrate writes it.';

CREATE TABLE darkroom.schema_files (
    name text NOT NULL,
    kind text NOT NULL,
    checksum text NOT NULL,
    callers text[] DEFAULT '{}'::text[] NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT schema_files_kind_check CHECK ((kind = ANY (ARRAY['table'::text, 'pinned'::text, 'function'::text, 'trigger'::text])))
);

COMMENT ON TABLE darkroom.schema_files IS 'The files of sql/ that were applied, with the checksums of their texts and the roles that may call a function. Only darkroom migrate writes it.';

CREATE TABLE darkroom.schema_release (
    is_only_row boolean DEFAULT true NOT NULL,
    release text NOT NULL,
    oldest_served text NOT NULL,
    migrated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT schema_release_is_only_row_check CHECK (is_only_row)
);

COMMENT ON TABLE darkroom.schema_release IS 'The newest release that has migrated the database. Workers older than oldest_served claim nothing. Only darkroom migrate writes it.';

CREATE TABLE darkroom.settings (
    is_only_row boolean DEFAULT true NOT NULL,
    history_days integer DEFAULT 30 NOT NULL,
    original_days integer DEFAULT 7 NOT NULL,
    original_grace interval DEFAULT '01:00:00'::interval NOT NULL,
    rendition_grace interval DEFAULT '1 day'::interval NOT NULL,
    unclaimed_days integer DEFAULT 30,
    expired_days integer DEFAULT 30,
    undecided_days integer DEFAULT 90 NOT NULL,
    event_days integer DEFAULT 30 NOT NULL,
    like_gathering interval DEFAULT '00:10:00'::interval NOT NULL,
    inbox_days integer DEFAULT 90 NOT NULL,
    activities_at_most integer DEFAULT 1000 NOT NULL,
    anonymous_within text DEFAULT 'category'::text NOT NULL,
    activity_days integer DEFAULT 365,
    removed_days integer DEFAULT 180 NOT NULL,
    decision_days integer DEFAULT 730,
    record_days integer DEFAULT 730 NOT NULL,
    most_queues integer DEFAULT 50 NOT NULL,
    most_lanes integer DEFAULT 2000 NOT NULL,
    most_consumers integer DEFAULT 100 NOT NULL,
    reports_a_day integer DEFAULT 100 NOT NULL,
    media_identity text,
    installation text DEFAULT lpad(to_hex(((random() * ('4294967295'::bigint)::double precision))::bigint), 8, '0'::text) NOT NULL,
    CONSTRAINT activities_at_most_is_0_to_30000 CHECK (((activities_at_most >= 0) AND (activities_at_most <= 30000))),
    CONSTRAINT activity_days_is_1_to_3650 CHECK (((activity_days >= 1) AND (activity_days <= 3650))),
    CONSTRAINT anonymous_within_is_known CHECK ((anonymous_within = ANY (ARRAY['post'::text, 'activity'::text, 'category'::text, 'app'::text]))),
    CONSTRAINT decision_days_is_1_to_3650 CHECK (((decision_days >= 1) AND (decision_days <= 3650))),
    CONSTRAINT decisions_outlast_removed_posts CHECK ((decision_days >= removed_days)),
    CONSTRAINT event_days_is_1_to_3650 CHECK (((event_days >= 1) AND (event_days <= 3650))),
    CONSTRAINT expired_days_is_0_to_3650 CHECK (((expired_days >= 0) AND (expired_days <= 3650))),
    CONSTRAINT inbox_days_is_1_to_3650 CHECK (((inbox_days >= 1) AND (inbox_days <= 3650))),
    CONSTRAINT installation_is_8_hexadecimal_digits CHECK ((installation ~ '^[0-9a-f]{8}$'::text)),
    CONSTRAINT like_gathering_is_0_to_1_day CHECK (((like_gathering >= '00:00:00'::interval) AND (like_gathering <= '1 day'::interval))),
    CONSTRAINT media_identity_is_16_hexadecimal_digits CHECK ((media_identity ~ '^[0-9a-f]{16}$'::text)),
    CONSTRAINT most_consumers_is_1_to_10000 CHECK (((most_consumers >= 1) AND (most_consumers <= 10000))),
    CONSTRAINT most_lanes_is_1_to_30000 CHECK (((most_lanes >= 1) AND (most_lanes <= 30000))),
    CONSTRAINT most_queues_is_1_to_30000 CHECK (((most_queues >= 1) AND (most_queues <= 30000))),
    CONSTRAINT original_days_is_0_to_3650 CHECK (((original_days >= 0) AND (original_days <= 3650))),
    CONSTRAINT original_grace_is_0_to_3650_days CHECK (((original_grace >= '00:00:00'::interval) AND (original_grace <= '3650 days'::interval))),
    CONSTRAINT record_days_is_1_to_3650 CHECK (((record_days >= 1) AND (record_days <= 3650))),
    CONSTRAINT records_outlast_removed_posts CHECK ((record_days >= removed_days)),
    CONSTRAINT removed_days_is_0_to_3650 CHECK (((removed_days >= 0) AND (removed_days <= 3650))),
    CONSTRAINT rendition_grace_is_0_to_3650_days CHECK (((rendition_grace >= '00:00:00'::interval) AND (rendition_grace <= '3650 days'::interval))),
    CONSTRAINT reports_a_day_is_1_to_100000 CHECK (((reports_a_day >= 1) AND (reports_a_day <= 100000))),
    CONSTRAINT settings_history_days_check CHECK (((history_days >= 1) AND (history_days <= 3650))),
    CONSTRAINT settings_is_only_row_check CHECK (is_only_row),
    CONSTRAINT unclaimed_days_is_0_to_3650 CHECK (((unclaimed_days >= 0) AND (unclaimed_days <= 3650))),
    CONSTRAINT undecided_days_is_1_to_3650 CHECK (((undecided_days >= 1) AND (undecided_days <= 3650)))
);

COMMENT ON TABLE darkroom.settings IS 'One row. history_days: for how many whole days finished jobs and their attempts are kept.';

COMMENT ON COLUMN darkroom.settings.history_days IS 'Whole days for which finished jobs, their attempts and replays are kept. An upload that became no post ends with its job''s history, and the row of a deleted comment after as many days.';

COMMENT ON COLUMN darkroom.settings.original_days IS 'Days for which an original is kept after its upload, for replays and re-rendering.';

COMMENT ON COLUMN darkroom.settings.original_grace IS 'The least time that an original is kept after it was last stored: another upload of the same bytes may be about to be enqueued.';

COMMENT ON COLUMN darkroom.settings.rendition_grace IS 'How long pictures that a re-rendering replaced are kept for readers who still have their addresses.';

COMMENT ON COLUMN darkroom.settings.unclaimed_days IS 'Days after which an original that was stored, and that no upload refers to, is removed by the schedule sweep; null keeps it.';

COMMENT ON COLUMN darkroom.settings.expired_days IS 'Days after which an expired post is erased with everything that belongs to it; null keeps it.';

COMMENT ON COLUMN darkroom.settings.undecided_days IS 'Days after which a post that its uploader deleted during a review is erased, even if nobody has decided on it.';

COMMENT ON COLUMN darkroom.settings.event_days IS 'For how many whole days events are kept, read or not.';

COMMENT ON COLUMN darkroom.settings.like_gathering IS 'The least time between two events that tell of a post''s likes: likes that come sooner are gathered into one.';

COMMENT ON COLUMN darkroom.settings.inbox_days IS 'For how many days people find an entry in their inboxes after the last event in it, read or not.';

COMMENT ON COLUMN darkroom.settings.activities_at_most IS 'How many activities each login can have with create_activity.';

COMMENT ON COLUMN darkroom.settings.anonymous_within IS 'Where the anonymous posts of a person have the same handle: in each post only, in each activity or category, or in the whole app. Handles change with it.';

COMMENT ON COLUMN darkroom.settings.activity_days IS 'Days after its end for which an activity is kept with its area and aliases; null keeps it. Its posts stay.';

COMMENT ON COLUMN darkroom.settings.removed_days IS 'Days after which a post that a review removed is erased, unless an appeal is open. Uploaders may appeal for six months.';

COMMENT ON COLUMN darkroom.settings.decision_days IS 'Days for which a decision on a post is kept, with its evidence and its note; null keeps it. Not while a review or appeal needs it.';

COMMENT ON COLUMN darkroom.settings.record_days IS 'Days for which it is kept that a post was removed, with its photo''s hash, and that a post or person was erased. A removal stays at least as long as the policy''s removals_within.';

COMMENT ON COLUMN darkroom.settings.most_queues IS 'How many queues there may be, since anyone who may enqueue can name a new one; most_lanes: how many queues, kinds and priorities; most_consumers: how many readers of events.';

COMMENT ON COLUMN darkroom.settings.media_identity IS 'The identity of the media store, from its marker; null until a store is used. Nothing is read from or written to another store. `darkroom store adopt` changes it.';

COMMENT ON COLUMN darkroom.settings.installation IS 'With these digits begin the identities of the stores that this database makes. So a new database does not take the store of another one for its own.';

CREATE TABLE darkroom.stack_changes (
    change_id bigint NOT NULL,
    "position" point NOT NULL,
    category text,
    activity text
)
WITH (autovacuum_vacuum_scale_factor='0.0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0');

COMMENT ON TABLE darkroom.stack_changes IS 'Positions of stacked posts where one came or one below left. The tally sees to it that stack_size are below.';

ALTER TABLE darkroom.stack_changes ALTER COLUMN change_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.stack_changes_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE SEQUENCE darkroom.unpark_position
    START WITH 0
    INCREMENT BY 1
    MINVALUE -9223372036854775808
    NO MAXVALUE
    CACHE 1;

COMMENT ON SEQUENCE darkroom.unpark_position IS 'The fair_hash of the last key whose jobs unpark_all released. A sequence has one version, whatever snapshots are held.';

CREATE TABLE darkroom.unpublished_media (
    job_id bigint NOT NULL,
    lease bigint NOT NULL,
    upload_id bigint NOT NULL,
    post_id bigint,
    uploader text NOT NULL,
    media_keys text[] NOT NULL,
    noted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
ALTER TABLE ONLY darkroom.unpublished_media ALTER COLUMN uploader SET STATISTICS 0;
ALTER TABLE ONLY darkroom.unpublished_media ALTER COLUMN media_keys SET STATISTICS 0;

COMMENT ON TABLE darkroom.unpublished_media IS 'The files that attempts are about to store and that no row refers to yet. If no job has the lease any more, the attempt died, and retire_unpublished takes over its files.';

COMMENT ON COLUMN darkroom.unpublished_media.post_id IS 'The post that is rendered again; null for an upload''s first rendering.';

CREATE TABLE darkroom.untold_likes (
    post_id bigint NOT NULL,
    due_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE darkroom.untold_likes IS 'Posts that have likes by others of which no event tells yet, and when one will: settings.like_gathering after the last.';

CREATE TABLE darkroom.uploads (
    upload_id bigint NOT NULL,
    uploader text NOT NULL,
    idempotency_key text,
    job_id bigint NOT NULL,
    original_key text,
    original_sha256 bytea,
    original_bytes bigint,
    headline text,
    caption text,
    link text,
    category text,
    activity text,
    latitude double precision,
    longitude double precision,
    place_text text,
    taken_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    accuracy_m double precision,
    location_privacy darkroom.location_privacy,
    original_erased_at timestamp with time zone,
    place_near_latitude double precision,
    place_near_longitude double precision,
    place_country text,
    anonymous boolean DEFAULT false NOT NULL,
    replaces bigint,
    CONSTRAINT accuracy_goes_with_coordinates CHECK (((accuracy_m IS NULL) OR (latitude IS NOT NULL))),
    CONSTRAINT accuracy_is_above_0_and_at_most_1000000_metres CHECK (((accuracy_m > (0)::double precision) AND (accuracy_m <= (1000000)::double precision))),
    CONSTRAINT activity_has_no_control_characters CHECK (darkroom.is_plain_text(activity)),
    CONSTRAINT activity_is_at_most_100_characters CHECK ((char_length(activity) <= 100)),
    CONSTRAINT caption_has_no_control_characters CHECK (darkroom.is_plain_text(caption, true)),
    CONSTRAINT caption_is_at_most_5000_characters CHECK ((char_length(caption) <= 5000)),
    CONSTRAINT category_has_no_control_characters CHECK (darkroom.is_plain_text(category)),
    CONSTRAINT category_is_at_most_100_characters CHECK ((char_length(category) <= 100)),
    CONSTRAINT headline_has_no_control_characters CHECK (darkroom.is_plain_text(headline)),
    CONSTRAINT headline_is_at_most_200_characters CHECK ((char_length(headline) <= 200)),
    CONSTRAINT idempotency_key_is_1_to_200_characters CHECK (((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 200))),
    CONSTRAINT latitude_and_longitude_go_together CHECK (((latitude IS NULL) = (longitude IS NULL))),
    CONSTRAINT latitude_is_within_90_degrees CHECK (((latitude >= ('-90'::integer)::double precision) AND (latitude <= (90)::double precision))),
    CONSTRAINT link_is_an_http_url_of_at_most_2000_characters CHECK (((link ~* '^https?://'::text) AND (char_length(link) <= 2000))),
    CONSTRAINT link_names_a_host_without_credentials_or_control_characters CHECK (darkroom.is_link(link)),
    CONSTRAINT longitude_is_within_180_degrees CHECK (((longitude >= ('-180'::integer)::double precision) AND (longitude <= (180)::double precision))),
    CONSTRAINT original_bytes_is_not_negative CHECK ((original_bytes >= 0)),
    CONSTRAINT original_is_whole_or_absent CHECK ((num_nonnulls(original_key, original_sha256, original_bytes) = ANY (ARRAY[0, 3]))),
    CONSTRAINT original_key_is_1_to_1024_characters CHECK (((char_length(original_key) >= 1) AND (char_length(original_key) <= 1024))),
    CONSTRAINT original_sha256_is_32_bytes CHECK ((octet_length(original_sha256) = 32)),
    CONSTRAINT place_country_is_2_capital_letters CHECK ((place_country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT place_has_no_control_characters CHECK (darkroom.is_plain_text(place_text)),
    CONSTRAINT place_is_at_most_200_characters CHECK ((char_length(place_text) <= 200)),
    CONSTRAINT place_near_is_a_latitude_and_a_longitude CHECK (((place_near_latitude IS NULL) = (place_near_longitude IS NULL))),
    CONSTRAINT place_near_latitude_is_within_90_degrees CHECK (((place_near_latitude >= ('-90'::integer)::double precision) AND (place_near_latitude <= (90)::double precision))),
    CONSTRAINT place_near_longitude_is_within_180_degrees CHECK (((place_near_longitude >= ('-180'::integer)::double precision) AND (place_near_longitude <= (180)::double precision))),
    CONSTRAINT taken_at_is_from_1800_to_2199 CHECK (darkroom.is_photo_time(taken_at)),
    CONSTRAINT upload_without_a_photo_has_a_headline_or_a_caption CHECK ((num_nonnulls(original_key, headline, caption) > 0)),
    CONSTRAINT upload_without_a_photo_says_where_it_is CHECK ((num_nonnulls(original_key, latitude, place_text) > 0)),
    CONSTRAINT uploader_is_1_to_200_characters CHECK (((char_length(uploader) >= 1) AND (char_length(uploader) <= 200)))
);
ALTER TABLE ONLY darkroom.uploads ALTER COLUMN uploader SET STATISTICS 0;
ALTER TABLE ONLY darkroom.uploads ALTER COLUMN idempotency_key SET STATISTICS 0;
ALTER TABLE ONLY darkroom.uploads ALTER COLUMN original_key SET STATISTICS 0;
ALTER TABLE ONLY darkroom.uploads ALTER COLUMN original_sha256 SET STATISTICS 0;
ALTER TABLE ONLY darkroom.uploads ALTER COLUMN headline SET STATISTICS 0;
ALTER TABLE ONLY darkroom.uploads ALTER COLUMN caption SET STATISTICS 0;
ALTER TABLE ONLY darkroom.uploads ALTER COLUMN link SET STATISTICS 0;
ALTER TABLE ONLY darkroom.uploads ALTER COLUMN latitude SET STATISTICS 0;
ALTER TABLE ONLY darkroom.uploads ALTER COLUMN longitude SET STATISTICS 0;
ALTER TABLE ONLY darkroom.uploads ALTER COLUMN place_text SET STATISTICS 0;
ALTER TABLE ONLY darkroom.uploads ALTER COLUMN place_near_latitude SET STATISTICS 0;
ALTER TABLE ONLY darkroom.uploads ALTER COLUMN place_near_longitude SET STATISTICS 0;

COMMENT ON TABLE darkroom.uploads IS 'One photo with what its uploader said about it, or a text without one: then original_key is null. The bytes of a photo are in the media store, under original_key.';

COMMENT ON COLUMN darkroom.uploads.accuracy_m IS 'The accuracy radius that the device gave, in metres; null if it gave none.';

COMMENT ON COLUMN darkroom.uploads.location_privacy IS 'What the uploader asked for: the post is published at least as privately. Null: what the policy says.';

COMMENT ON COLUMN darkroom.uploads.original_erased_at IS 'When the original stopped being kept for this upload; null while it is kept.';

COMMENT ON COLUMN darkroom.uploads.place_near_latitude IS 'Where the uploader is, in degrees: decides between several places that place_text may mean, with place_near_longitude and place_country.';

COMMENT ON COLUMN darkroom.uploads.anonymous IS 'Whether readers shall not learn who the uploader is.';

COMMENT ON COLUMN darkroom.uploads.replaces IS 'The number of the uploader''s post that is deleted once the new one is published; the post may be gone by then.';

ALTER TABLE darkroom.uploads ALTER COLUMN upload_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.uploads_upload_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.votes (
    post_id bigint NOT NULL,
    voter text NOT NULL,
    vote darkroom.vote,
    voted_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT voter_is_1_to_200_characters CHECK (((char_length(voter) >= 1) AND (char_length(voter) <= 200)))
);
ALTER TABLE ONLY darkroom.votes ALTER COLUMN voter SET STATISTICS 0;

COMMENT ON TABLE darkroom.votes IS 'One row per person and post. vote is null once it was taken back; voted_at is when the person voted first, changed_at when last.';

CREATE TABLE darkroom.worker_queues (
    worker_id bigint NOT NULL,
    queue text NOT NULL,
    concurrency integer NOT NULL,
    awaited text[],
    CONSTRAINT worker_queues_concurrency_check CHECK ((concurrency > 0))
);

COMMENT ON TABLE darkroom.worker_queues IS 'The queues that each worker serves, and how many jobs of each it runs at once.';

COMMENT ON COLUMN darkroom.worker_queues.awaited IS 'The kinds of jobs of this queue that the worker waits to be told of; null if it is busy. Commits that notify take turns, so of a job that nobody awaits nobody is told.';

CREATE TABLE darkroom.workers (
    worker_id bigint NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    version text NOT NULL,
    concurrency integer NOT NULL,
    started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    heartbeats bigint DEFAULT 0 NOT NULL,
    heartbeat_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    first_lease bigint DEFAULT 0 NOT NULL,
    running integer DEFAULT 0 NOT NULL,
    drain_requested boolean DEFAULT false NOT NULL,
    away text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT workers_concurrency_check CHECK ((concurrency > 0))
)
WITH (fillfactor='50');

COMMENT ON TABLE darkroom.workers IS 'Living workers. Any worker that sees the heartbeats of another stand still for 12 seconds takes back its jobs, and removes the row.';

COMMENT ON COLUMN darkroom.workers.heartbeats IS 'How many heartbeats it has sent. Others watch this number by their own clocks, so no clocks are compared.';

COMMENT ON COLUMN darkroom.workers.heartbeat_at IS 'When the last heartbeat came, for people.';

COMMENT ON COLUMN darkroom.workers.first_lease IS 'No lease below this one has a row in leases, so that nobody passes over what VACUUM has yet to remove.';

COMMENT ON COLUMN darkroom.workers.running IS 'How many jobs it ran at its last heartbeat.';

COMMENT ON COLUMN darkroom.workers.away IS 'What its jobs need and it cannot reach, each with the reason: it claims no such jobs. As of its last heartbeat.';

ALTER TABLE darkroom.workers ALTER COLUMN worker_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.workers_worker_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY darkroom.event_log ATTACH PARTITION darkroom.event_log_default DEFAULT;

ALTER TABLE ONLY darkroom.finished_jobs ATTACH PARTITION darkroom.finished_jobs_default DEFAULT;

ALTER TABLE ONLY darkroom.job_attempts ATTACH PARTITION darkroom.job_attempts_default DEFAULT;

ALTER TABLE ONLY darkroom.activities
    ADD CONSTRAINT activities_activity_id_key UNIQUE (activity_id);

ALTER TABLE ONLY darkroom.activities
    ADD CONSTRAINT activities_created_by_slot_key UNIQUE (created_by, slot);

ALTER TABLE ONLY darkroom.activities
    ADD CONSTRAINT activities_pkey PRIMARY KEY (activity);

ALTER TABLE ONLY darkroom.activity_names
    ADD CONSTRAINT activity_names_pkey PRIMARY KEY (key);

ALTER TABLE ONLY darkroom.appeals
    ADD CONSTRAINT appeals_pkey PRIMARY KEY (appeal_id);

ALTER TABLE ONLY darkroom.comment_reports
    ADD CONSTRAINT comment_reports_pkey PRIMARY KEY (comment_id, reporter);

ALTER TABLE ONLY darkroom.comment_votes
    ADD CONSTRAINT comment_votes_pkey PRIMARY KEY (comment_id, voter);

ALTER TABLE ONLY darkroom.comments
    ADD CONSTRAINT comments_pkey PRIMARY KEY (comment_id);

ALTER TABLE ONLY darkroom.console_invitations
    ADD CONSTRAINT console_invitations_pkey PRIMARY KEY (secret_sha256);

ALTER TABLE ONLY darkroom.console_sessions
    ADD CONSTRAINT console_sessions_pkey PRIMARY KEY (session_id);

ALTER TABLE ONLY darkroom.console_sessions
    ADD CONSTRAINT console_sessions_secret_sha256_key UNIQUE (secret_sha256);

ALTER TABLE ONLY darkroom.counter_changes
    ADD CONSTRAINT counter_changes_pkey PRIMARY KEY (change_id);

ALTER TABLE ONLY darkroom.drained_workers
    ADD CONSTRAINT drained_workers_pkey PRIMARY KEY (worker_id);

ALTER TABLE ONLY darkroom.event_consumers
    ADD CONSTRAINT event_consumers_pkey PRIMARY KEY (consumer);

ALTER TABLE ONLY darkroom.event_log
    ADD CONSTRAINT event_log_pkey PRIMARY KEY (number, numbered_at);

ALTER TABLE ONLY darkroom.event_log_default
    ADD CONSTRAINT event_log_default_pkey PRIMARY KEY (number, numbered_at);

ALTER TABLE ONLY darkroom.expiry_policies
    ADD CONSTRAINT expiry_policies_pkey PRIMARY KEY (version);

ALTER TABLE ONLY darkroom.fair_key_paces
    ADD CONSTRAINT fair_key_paces_pkey PRIMARY KEY (fair_hash);

ALTER TABLE ONLY darkroom.fair_keys
    ADD CONSTRAINT fair_keys_pkey PRIMARY KEY (fair_key);

ALTER TABLE ONLY darkroom.feed
    ADD CONSTRAINT feed_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY darkroom.finished_jobs
    ADD CONSTRAINT finished_jobs_pkey PRIMARY KEY (job_id, finished_at);

ALTER TABLE ONLY darkroom.finished_jobs_default
    ADD CONSTRAINT finished_jobs_default_pkey PRIMARY KEY (job_id, finished_at);

ALTER TABLE ONLY darkroom.handle_keys
    ADD CONSTRAINT handle_keys_pkey PRIMARY KEY (is_only_row);

ALTER TABLE ONLY darkroom.hash_lists
    ADD CONSTRAINT hash_lists_name_key UNIQUE (name);

ALTER TABLE ONLY darkroom.hash_lists
    ADD CONSTRAINT hash_lists_pkey PRIMARY KEY (list_id);

ALTER TABLE ONLY darkroom.hash_refusals
    ADD CONSTRAINT hash_refusals_pkey PRIMARY KEY (upload_id);

ALTER TABLE ONLY darkroom.inbox_entries
    ADD CONSTRAINT inbox_entries_pkey PRIMARY KEY (person, subject_id, event);

ALTER TABLE ONLY darkroom.inbox_progress
    ADD CONSTRAINT inbox_progress_pkey PRIMARY KEY (is_only_row);

ALTER TABLE ONLY darkroom.inboxes
    ADD CONSTRAINT inboxes_pkey PRIMARY KEY (person);

ALTER TABLE ONLY darkroom.job_attempts
    ADD CONSTRAINT job_attempts_pkey PRIMARY KEY (job_id, attempt, ended_at);

ALTER TABLE ONLY darkroom.job_attempts_default
    ADD CONSTRAINT job_attempts_default_pkey PRIMARY KEY (job_id, attempt, ended_at);

ALTER TABLE ONLY darkroom.job_kinds
    ADD CONSTRAINT job_kinds_pkey PRIMARY KEY (kind);

ALTER TABLE ONLY darkroom.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (job_id);

ALTER TABLE ONLY darkroom.kind_policies
    ADD CONSTRAINT kind_policies_pkey PRIMARY KEY (kind);

ALTER TABLE ONLY darkroom.lanes
    ADD CONSTRAINT lanes_pkey PRIMARY KEY (lane);

ALTER TABLE ONLY darkroom.lanes
    ADD CONSTRAINT lanes_queue_kind_priority_key UNIQUE (queue, kind, priority);

ALTER TABLE ONLY darkroom.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (lease);

ALTER TABLE ONLY darkroom.listed_hashes
    ADD CONSTRAINT listed_hashes_pkey PRIMARY KEY (list_id, hash);

ALTER TABLE ONLY darkroom.location_policies
    ADD CONSTRAINT location_policies_pkey PRIMARY KEY (version);

ALTER TABLE ONLY darkroom.locks
    ADD CONSTRAINT locks_pkey PRIMARY KEY (name, number);

ALTER TABLE ONLY darkroom.map_changes
    ADD CONSTRAINT map_changes_pkey PRIMARY KEY (change_id);

ALTER TABLE ONLY darkroom.map_tiles
    ADD CONSTRAINT map_tiles_pkey PRIMARY KEY (level, x, y);

ALTER TABLE ONLY darkroom.moderation_backlog
    ADD CONSTRAINT moderation_backlog_pkey PRIMARY KEY (change_id);

ALTER TABLE ONLY darkroom.moderation_decisions
    ADD CONSTRAINT moderation_decisions_pkey PRIMARY KEY (decision_id);

ALTER TABLE ONLY darkroom.moderation_evidence
    ADD CONSTRAINT moderation_evidence_pkey PRIMARY KEY (decision_id, reporter);

ALTER TABLE ONLY darkroom.moderation_policies
    ADD CONSTRAINT moderation_policies_pkey PRIMARY KEY (version);

ALTER TABLE ONLY darkroom.posts
    ADD CONSTRAINT one_post_an_upload UNIQUE (upload_id);

ALTER TABLE ONLY darkroom.operator_actions
    ADD CONSTRAINT operator_actions_pkey PRIMARY KEY (action_id);

ALTER TABLE ONLY darkroom.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (event_id);

ALTER TABLE ONLY darkroom.pauses
    ADD CONSTRAINT pauses_queue_kind_key UNIQUE NULLS NOT DISTINCT (queue, kind);

ALTER TABLE ONLY darkroom.people
    ADD CONSTRAINT people_pkey PRIMARY KEY (person);

ALTER TABLE ONLY darkroom.person_erasures
    ADD CONSTRAINT person_erasures_pkey PRIMARY KEY (erasure_id);

ALTER TABLE ONLY darkroom.place_corrections
    ADD CONSTRAINT place_corrections_pkey PRIMARY KEY (correction_id);

ALTER TABLE ONLY darkroom.post_counters
    ADD CONSTRAINT post_counters_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY darkroom.post_edits
    ADD CONSTRAINT post_edits_pkey PRIMARY KEY (edit_id);

ALTER TABLE ONLY darkroom.post_erasures
    ADD CONSTRAINT post_erasures_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY darkroom.post_exact_locations
    ADD CONSTRAINT post_exact_locations_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY darkroom.posting_policies
    ADD CONSTRAINT posting_policies_pkey PRIMARY KEY (version);

ALTER TABLE ONLY darkroom.posts
    ADD CONSTRAINT posts_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY darkroom.queues
    ADD CONSTRAINT queues_pkey PRIMARY KEY (name);

ALTER TABLE ONLY darkroom.ranks
    ADD CONSTRAINT ranks_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY darkroom.rating_averages
    ADD CONSTRAINT rating_averages_pkey PRIMARY KEY (is_only_row);

ALTER TABLE ONLY darkroom.removals
    ADD CONSTRAINT removals_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY darkroom.removed_hashes
    ADD CONSTRAINT removed_hashes_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY darkroom.renditions
    ADD CONSTRAINT renditions_pkey PRIMARY KEY (post_id, name);

ALTER TABLE ONLY darkroom.replays
    ADD CONSTRAINT replays_pkey PRIMARY KEY (replay_id);

ALTER TABLE ONLY darkroom.reports
    ADD CONSTRAINT reports_pkey PRIMARY KEY (post_id, reporter);

ALTER TABLE ONLY darkroom.retired_media
    ADD CONSTRAINT retired_media_pkey PRIMARY KEY (media_key);

ALTER TABLE ONLY darkroom.reviews
    ADD CONSTRAINT reviews_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY darkroom.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (name);

ALTER TABLE ONLY darkroom.schema_definitions
    ADD CONSTRAINT schema_definitions_pkey PRIMARY KEY (name);

ALTER TABLE ONLY darkroom.schema_files
    ADD CONSTRAINT schema_files_pkey PRIMARY KEY (name);

ALTER TABLE ONLY darkroom.schema_release
    ADD CONSTRAINT schema_release_pkey PRIMARY KEY (is_only_row);

ALTER TABLE ONLY darkroom.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (is_only_row);

ALTER TABLE ONLY darkroom.stack_changes
    ADD CONSTRAINT stack_changes_pkey PRIMARY KEY (change_id);

ALTER TABLE ONLY darkroom.unpublished_media
    ADD CONSTRAINT unpublished_media_pkey PRIMARY KEY (job_id, lease);

ALTER TABLE ONLY darkroom.untold_likes
    ADD CONSTRAINT untold_likes_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY darkroom.uploads
    ADD CONSTRAINT uploads_pkey PRIMARY KEY (upload_id);

ALTER TABLE ONLY darkroom.votes
    ADD CONSTRAINT votes_pkey PRIMARY KEY (post_id, voter);

ALTER TABLE ONLY darkroom.worker_queues
    ADD CONSTRAINT worker_queues_pkey PRIMARY KEY (worker_id, queue);

ALTER TABLE ONLY darkroom.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (worker_id);

CREATE INDEX activities_changed ON darkroom.activities USING btree (activity_id) WHERE (is_changed OR (moved_to IS NOT NULL));

CREATE INDEX activities_ending ON darkroom.activities USING btree (ends_at);

CREATE INDEX activity_names_activity ON darkroom.activity_names USING btree (activity);

CREATE INDEX appeals_decision ON darkroom.appeals USING btree (decision_id) WHERE (decision_id IS NOT NULL);

CREATE INDEX appeals_post ON darkroom.appeals USING btree (post_id);

CREATE INDEX appeals_uploader ON darkroom.appeals USING btree (uploader);

CREATE INDEX comment_reports_reporter ON darkroom.comment_reports USING btree (reporter, created_at DESC);

CREATE INDEX comment_votes_voter ON darkroom.comment_votes USING btree (voter, changed_at DESC);

CREATE INDEX comments_author ON darkroom.comments USING btree (author, comment_id DESC);

CREATE INDEX comments_deleted ON darkroom.comments USING btree (post_id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX comments_deleted_at ON darkroom.comments USING btree (deleted_at, comment_id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX comments_popular ON darkroom.comments USING btree (post_id, ((likes - dislikes)) DESC, comment_id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX comments_post ON darkroom.comments USING btree (post_id, comment_id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX counter_changes_post ON darkroom.counter_changes USING btree (post_id);

CREATE UNIQUE INDEX display_name_is_taken ON darkroom.people USING btree (darkroom.name_key(display_name)) WHERE (display_name IS NOT NULL);
ALTER INDEX darkroom.display_name_is_taken ALTER COLUMN 1 SET STATISTICS 0;

CREATE INDEX feed_activity ON darkroom.feed USING btree (activity, published_at DESC, post_id DESC) WHERE (activity IS NOT NULL);

CREATE INDEX feed_activity_position ON darkroom.feed USING gist (darkroom.plane_of(activity, "position")) WHERE ((activity IS NOT NULL) AND (NOT is_stacked_in_activity));

CREATE INDEX feed_activity_stacked ON darkroom.feed USING btree (activity, ("position"[0]), ("position"[1]), post_id DESC) WHERE is_stacked_in_activity;

CREATE INDEX feed_category ON darkroom.feed USING btree (category, published_at DESC, post_id DESC) WHERE (category IS NOT NULL);

CREATE INDEX feed_category_position ON darkroom.feed USING gist (darkroom.plane_of(category, "position")) WHERE ((category IS NOT NULL) AND (NOT is_stacked_in_category));

CREATE INDEX feed_category_stacked ON darkroom.feed USING btree (category, ("position"[0]), ("position"[1]), post_id DESC) WHERE is_stacked_in_category;

CREATE INDEX feed_city ON darkroom.feed USING btree (city, published_at DESC, post_id DESC) WHERE (city IS NOT NULL);

CREATE INDEX feed_country ON darkroom.feed USING btree (country, published_at DESC, post_id DESC) WHERE (country IS NOT NULL);

CREATE INDEX feed_country_tile ON darkroom.feed USING btree (country, wide_tile) WHERE (country IS NOT NULL);

CREATE INDEX feed_division ON darkroom.feed USING btree (division, published_at DESC, post_id DESC) WHERE (division IS NOT NULL);

CREATE INDEX feed_latest ON darkroom.feed USING btree (published_at DESC, post_id DESC) INCLUDE (expires_at);

CREATE INDEX feed_leaf ON darkroom.feed USING btree (leaf, published_at DESC, post_id DESC) INCLUDE ("position", expires_at, category, activity, taken_hour, taken_season);

CREATE INDEX feed_place ON darkroom.feed USING btree (place, published_at DESC, post_id DESC) WHERE (place IS NOT NULL);

CREATE INDEX feed_position ON darkroom.feed USING gist ("position") INCLUDE (post_id, published_at, expires_at, category, activity) WHERE (NOT is_stacked);

CREATE INDEX feed_season ON darkroom.feed USING btree (taken_season, published_at DESC, post_id DESC) WHERE (taken_season IS NOT NULL);

CREATE INDEX feed_stacked ON darkroom.feed USING btree (("position"[0]), ("position"[1]), post_id DESC) WHERE is_stacked;

CREATE INDEX feed_taken ON darkroom.feed USING btree (darkroom.day_number(taken_at), published_at DESC, post_id DESC) INCLUDE (taken_at, expires_at) WHERE (taken_at IS NOT NULL);

CREATE INDEX feed_tile ON darkroom.feed USING btree (tile, published_at DESC, post_id DESC) INCLUDE ("position", expires_at, category, activity, taken_hour, taken_season);

CREATE INDEX feed_uploader ON darkroom.feed USING btree (uploader, published_at DESC, post_id DESC);

CREATE INDEX feed_wide_tile ON darkroom.feed USING btree (wide_tile, published_at DESC, post_id DESC) INCLUDE ("position", expires_at, category, activity, taken_hour, taken_season);

CREATE INDEX finished_jobs_time ON ONLY darkroom.finished_jobs USING brin (finished_at);

CREATE INDEX finished_jobs_default_finished_at_idx ON darkroom.finished_jobs_default USING brin (finished_at);

CREATE INDEX finished_jobs_unsuccessful ON ONLY darkroom.finished_jobs USING btree (state, finished_at DESC) WHERE (state <> 'succeeded'::darkroom.job_state);

CREATE INDEX finished_jobs_default_state_finished_at_idx ON darkroom.finished_jobs_default USING btree (state, finished_at DESC) WHERE (state <> 'succeeded'::darkroom.job_state);

CREATE INDEX hash_refusals_time ON darkroom.hash_refusals USING btree (refused_at, upload_id);

CREATE UNIQUE INDEX inbox_entries_order ON darkroom.inbox_entries USING btree (person, number DESC);

CREATE INDEX inbox_entries_time ON darkroom.inbox_entries USING btree (occurred_at);

CREATE INDEX jobs_awaiting_resume ON darkroom.jobs USING btree (lane, job_id) WHERE (waits_for = 'resume'::darkroom.job_wait);

CREATE INDEX jobs_back ON darkroom.jobs USING btree (lane, fair_hash, slot) WHERE came_back;

CREATE INDEX jobs_claim ON darkroom.jobs USING btree (lane, slot) WHERE (waits_for IS NULL);

CREATE INDEX jobs_due ON darkroom.jobs USING btree (run_at) WHERE (waits_for = 'time'::darkroom.job_wait);

CREATE INDEX jobs_fair ON darkroom.jobs USING btree (lane, fair_hash, slot);

CREATE INDEX jobs_limited ON darkroom.jobs USING btree (running_key) WHERE (running_key IS NOT NULL);

CREATE UNIQUE INDEX jobs_one_waiting ON darkroom.jobs USING btree (kind, dedupe_key) WHERE (dedupe_key IS NOT NULL);

CREATE INDEX jobs_parked ON darkroom.jobs USING btree (fair_hash, lane, created_at, job_id) WHERE (waits_for = 'turn'::darkroom.job_wait);

CREATE INDEX jobs_postponed ON darkroom.jobs USING btree (run_at) WHERE ((waits_for = 'time'::darkroom.job_wait) AND (attempt > 0));

CREATE INDEX jobs_suspect ON darkroom.jobs USING btree (lane, slot) WHERE (deaths > 0);

CREATE INDEX listed_hashes_word_0 ON darkroom.listed_hashes USING btree ((("substring"(hash, 1, 16))::integer));

CREATE INDEX listed_hashes_word_1 ON darkroom.listed_hashes USING btree ((("substring"(hash, 17, 16))::integer));

CREATE INDEX listed_hashes_word_10 ON darkroom.listed_hashes USING btree ((("substring"(hash, 161, 16))::integer));

CREATE INDEX listed_hashes_word_11 ON darkroom.listed_hashes USING btree ((("substring"(hash, 177, 16))::integer));

CREATE INDEX listed_hashes_word_12 ON darkroom.listed_hashes USING btree ((("substring"(hash, 193, 16))::integer));

CREATE INDEX listed_hashes_word_13 ON darkroom.listed_hashes USING btree ((("substring"(hash, 209, 16))::integer));

CREATE INDEX listed_hashes_word_14 ON darkroom.listed_hashes USING btree ((("substring"(hash, 225, 16))::integer));

CREATE INDEX listed_hashes_word_15 ON darkroom.listed_hashes USING btree ((("substring"(hash, 241, 16))::integer));

CREATE INDEX listed_hashes_word_2 ON darkroom.listed_hashes USING btree ((("substring"(hash, 33, 16))::integer));

CREATE INDEX listed_hashes_word_3 ON darkroom.listed_hashes USING btree ((("substring"(hash, 49, 16))::integer));

CREATE INDEX listed_hashes_word_4 ON darkroom.listed_hashes USING btree ((("substring"(hash, 65, 16))::integer));

CREATE INDEX listed_hashes_word_5 ON darkroom.listed_hashes USING btree ((("substring"(hash, 81, 16))::integer));

CREATE INDEX listed_hashes_word_6 ON darkroom.listed_hashes USING btree ((("substring"(hash, 97, 16))::integer));

CREATE INDEX listed_hashes_word_7 ON darkroom.listed_hashes USING btree ((("substring"(hash, 113, 16))::integer));

CREATE INDEX listed_hashes_word_8 ON darkroom.listed_hashes USING btree ((("substring"(hash, 129, 16))::integer));

CREATE INDEX listed_hashes_word_9 ON darkroom.listed_hashes USING btree ((("substring"(hash, 145, 16))::integer));

CREATE INDEX moderation_decisions_decider ON darkroom.moderation_decisions USING btree (decider) WHERE (decider IS NOT NULL);

CREATE INDEX moderation_decisions_post ON darkroom.moderation_decisions USING btree (post_id, decision_id DESC);

CREATE INDEX moderation_decisions_time ON darkroom.moderation_decisions USING btree (decided_at, decision_id);

CREATE INDEX moderation_evidence_reporter ON darkroom.moderation_evidence USING btree (reporter);

CREATE UNIQUE INDEX one_open_appeal_a_post ON darkroom.appeals USING btree (post_id) WHERE (decision_id IS NULL);

CREATE UNIQUE INDEX one_open_erasure_a_person ON darkroom.person_erasures USING btree (person);

CREATE INDEX operator_actions_requested_by ON darkroom.operator_actions USING btree (requested_by);

CREATE INDEX operator_actions_time ON darkroom.operator_actions USING btree (started_at);

CREATE INDEX operator_actions_uploader ON darkroom.operator_actions USING btree (uploader) WHERE (uploader IS NOT NULL);

CREATE INDEX person_erasures_finished ON darkroom.person_erasures USING btree (finished_at) WHERE (state = 'finished'::text);

CREATE INDEX place_corrections_corrected_by ON darkroom.place_corrections USING btree (corrected_by);

CREATE INDEX place_corrections_post ON darkroom.place_corrections USING btree (post_id, correction_id DESC);

CREATE INDEX post_edits_post ON darkroom.post_edits USING btree (post_id, edit_id DESC);

CREATE INDEX post_erasures_erased ON darkroom.post_erasures USING btree (erased_at);

CREATE INDEX posts_activity ON darkroom.posts USING btree (darkroom.name_key(activity), post_id) WHERE (activity IS NOT NULL);

CREATE INDEX posts_expired ON darkroom.posts USING btree (expires_at, post_id) WHERE (state = 'expired'::darkroom.post_state);

CREATE INDEX posts_expiring ON darkroom.posts USING btree (expires_at, post_id) WHERE ((state = ANY (ARRAY['published'::darkroom.post_state, 'hidden'::darkroom.post_state])) AND (expires_at IS NOT NULL));

CREATE INDEX posts_located ON darkroom.posts USING btree (located_by, location_policy, post_id) WHERE ((state = ANY (ARRAY['published'::darkroom.post_state, 'held'::darkroom.post_state, 'hidden'::darkroom.post_state, 'removed'::darkroom.post_state])) AND (place_source = 'gazetteer'::text));

CREATE INDEX posts_uploader ON darkroom.posts USING btree (uploader, post_id DESC);

CREATE INDEX ranks_activity_hot ON darkroom.ranks USING btree (activity, week, hot DESC, post_id DESC) WHERE (activity IS NOT NULL);

CREATE INDEX ranks_activity_likes ON darkroom.ranks USING btree (activity, week, likes DESC, post_id DESC) WHERE (activity IS NOT NULL);

CREATE INDEX ranks_activity_weighted ON darkroom.ranks USING btree (activity, week, weighted DESC, post_id DESC) WHERE (activity IS NOT NULL);

CREATE INDEX ranks_activity_wilson ON darkroom.ranks USING btree (activity, week, wilson DESC, post_id DESC) WHERE (activity IS NOT NULL);

CREATE INDEX ranks_category_hot ON darkroom.ranks USING btree (category, week, hot DESC, post_id DESC) WHERE (category IS NOT NULL);

CREATE INDEX ranks_category_likes ON darkroom.ranks USING btree (category, week, likes DESC, post_id DESC) WHERE (category IS NOT NULL);

CREATE INDEX ranks_category_weighted ON darkroom.ranks USING btree (category, week, weighted DESC, post_id DESC) WHERE (category IS NOT NULL);

CREATE INDEX ranks_category_wilson ON darkroom.ranks USING btree (category, week, wilson DESC, post_id DESC) WHERE (category IS NOT NULL);

CREATE INDEX ranks_city_hot ON darkroom.ranks USING btree (city, week, hot DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (city IS NOT NULL);

CREATE INDEX ranks_city_likes ON darkroom.ranks USING btree (city, week, likes DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (city IS NOT NULL);

CREATE INDEX ranks_city_weighted ON darkroom.ranks USING btree (city, week, weighted DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (city IS NOT NULL);

CREATE INDEX ranks_city_wilson ON darkroom.ranks USING btree (city, week, wilson DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (city IS NOT NULL);

CREATE INDEX ranks_country_hot ON darkroom.ranks USING btree (country, week, hot DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (country IS NOT NULL);

CREATE INDEX ranks_country_likes ON darkroom.ranks USING btree (country, week, likes DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (country IS NOT NULL);

CREATE INDEX ranks_country_weighted ON darkroom.ranks USING btree (country, week, weighted DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (country IS NOT NULL);

CREATE INDEX ranks_country_wilson ON darkroom.ranks USING btree (country, week, wilson DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (country IS NOT NULL);

CREATE INDEX ranks_day_hot ON darkroom.ranks USING btree (day, hot DESC, post_id DESC);

CREATE INDEX ranks_day_likes ON darkroom.ranks USING btree (day, likes DESC, post_id DESC);

CREATE INDEX ranks_day_weighted ON darkroom.ranks USING btree (day, weighted DESC, post_id DESC);

CREATE INDEX ranks_day_wilson ON darkroom.ranks USING btree (day, wilson DESC, post_id DESC);

CREATE INDEX ranks_division_hot ON darkroom.ranks USING btree (division, week, hot DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (division IS NOT NULL);

CREATE INDEX ranks_division_likes ON darkroom.ranks USING btree (division, week, likes DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (division IS NOT NULL);

CREATE INDEX ranks_division_weighted ON darkroom.ranks USING btree (division, week, weighted DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (division IS NOT NULL);

CREATE INDEX ranks_division_wilson ON darkroom.ranks USING btree (division, week, wilson DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (division IS NOT NULL);

CREATE INDEX ranks_hot ON darkroom.ranks USING btree (hot DESC, post_id DESC);

CREATE INDEX ranks_leaf_hot ON darkroom.ranks USING btree (leaf, hot DESC, post_id DESC);

CREATE INDEX ranks_likes ON darkroom.ranks USING btree (likes DESC, post_id DESC);

CREATE INDEX ranks_magnitude ON darkroom.ranks USING btree (magnitude) WHERE (magnitude < (0)::double precision);

CREATE INDEX ranks_place_hot ON darkroom.ranks USING btree (place, week, hot DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (place IS NOT NULL);

CREATE INDEX ranks_place_likes ON darkroom.ranks USING btree (place, week, likes DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (place IS NOT NULL);

CREATE INDEX ranks_place_weighted ON darkroom.ranks USING btree (place, week, weighted DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (place IS NOT NULL);

CREATE INDEX ranks_place_wilson ON darkroom.ranks USING btree (place, week, wilson DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (place IS NOT NULL);

CREATE INDEX ranks_tile_hot ON darkroom.ranks USING btree (tile, hot DESC, post_id DESC) INCLUDE ("position", published_at, expires_at, category, activity, magnitude);

CREATE INDEX ranks_tile_likes ON darkroom.ranks USING btree (tile, likes DESC, post_id DESC) INCLUDE ("position", published_at, expires_at, category, activity);

CREATE INDEX ranks_tile_weighted ON darkroom.ranks USING btree (tile, weighted DESC, post_id DESC) INCLUDE ("position", published_at, expires_at, category, activity);

CREATE INDEX ranks_tile_wilson ON darkroom.ranks USING btree (tile, wilson DESC, post_id DESC) INCLUDE ("position", published_at, expires_at, category, activity);

CREATE INDEX ranks_weighted ON darkroom.ranks USING btree (weighted DESC, post_id DESC);

CREATE INDEX ranks_wide_tile_hot ON darkroom.ranks USING btree (wide_tile, hot DESC, post_id DESC) INCLUDE ("position", published_at, expires_at, category, activity, magnitude);

CREATE INDEX ranks_wilson ON darkroom.ranks USING btree (wilson DESC, post_id DESC);

CREATE INDEX removals_time ON darkroom.removals USING btree (removed_at);

CREATE INDEX removals_unsettled ON darkroom.removals USING btree (removed_at) WHERE (NOT is_settled);

CREATE INDEX removals_uploader ON darkroom.removals USING btree (uploader, removed_at);

CREATE INDEX removed_hashes_band_0 ON darkroom.removed_hashes USING btree (((hash & (65535)::bigint)));

CREATE INDEX removed_hashes_band_1 ON darkroom.removed_hashes USING btree ((((hash >> 16) & (65535)::bigint)));

CREATE INDEX removed_hashes_band_2 ON darkroom.removed_hashes USING btree ((((hash >> 32) & (65535)::bigint)));

CREATE INDEX removed_hashes_band_3 ON darkroom.removed_hashes USING btree ((((hash >> 48) & (65535)::bigint)));

CREATE INDEX renditions_key ON darkroom.renditions USING btree (media_key);

CREATE INDEX replays_job ON darkroom.replays USING btree (job_id);

CREATE INDEX replays_replayed_by ON darkroom.replays USING btree (replayed_by);

CREATE INDEX replays_time ON darkroom.replays USING btree (replayed_at);

CREATE INDEX reports_reporter ON darkroom.reports USING btree (reporter, created_at DESC);

CREATE INDEX reports_undecided ON darkroom.reports USING btree (reporter) WHERE (is_agreed IS NULL);

CREATE INDEX retired_media_due ON darkroom.retired_media USING btree (due_at, media_key);

CREATE INDEX retired_media_post ON darkroom.retired_media USING btree (post_id) WHERE (post_id IS NOT NULL);

CREATE INDEX retired_media_uploader ON darkroom.retired_media USING btree (uploader) WHERE (uploader IS NOT NULL);

CREATE INDEX reviews_order ON darkroom.reviews USING btree (((- severity)), ((- score)), opened_at, post_id);

CREATE INDEX reviews_weigh_at ON darkroom.reviews USING btree (weigh_at, post_id) WHERE ((cause = ANY (ARRAY['score'::text, 'reported'::text])) AND (appeal_id IS NULL));

CREATE INDEX reviews_weighed_by ON darkroom.reviews USING btree (weighed_by, post_id) WHERE ((cause = ANY (ARRAY['score'::text, 'reported'::text])) AND (appeal_id IS NULL));

CREATE INDEX unpublished_media_upload ON darkroom.unpublished_media USING btree (upload_id);

CREATE INDEX unpublished_media_uploader ON darkroom.unpublished_media USING btree (uploader);

CREATE INDEX untold_likes_due ON darkroom.untold_likes USING btree (due_at);

CREATE UNIQUE INDEX uploads_idempotency ON darkroom.uploads USING btree (uploader, idempotency_key) WHERE (idempotency_key IS NOT NULL);

CREATE INDEX uploads_original ON darkroom.uploads USING btree (original_key) WHERE (original_erased_at IS NULL);

CREATE INDEX uploads_replaces ON darkroom.uploads USING btree (replaces) WHERE (replaces IS NOT NULL);

CREATE INDEX uploads_uploader ON darkroom.uploads USING btree (uploader, upload_id);

CREATE INDEX uploads_with_original ON darkroom.uploads USING btree (created_at, upload_id) WHERE ((original_erased_at IS NULL) AND (original_key IS NOT NULL));

CREATE INDEX votes_voter ON darkroom.votes USING btree (voter, changed_at DESC);

CREATE INDEX worker_queues_awaited ON darkroom.worker_queues USING btree (queue) WHERE (awaited IS NOT NULL);

ALTER INDEX darkroom.event_log_pkey ATTACH PARTITION darkroom.event_log_default_pkey;

ALTER INDEX darkroom.finished_jobs_time ATTACH PARTITION darkroom.finished_jobs_default_finished_at_idx;

ALTER INDEX darkroom.finished_jobs_pkey ATTACH PARTITION darkroom.finished_jobs_default_pkey;

ALTER INDEX darkroom.finished_jobs_unsuccessful ATTACH PARTITION darkroom.finished_jobs_default_state_finished_at_idx;

ALTER INDEX darkroom.job_attempts_pkey ATTACH PARTITION darkroom.job_attempts_default_pkey;

CREATE TRIGGER activities_are_right BEFORE INSERT OR UPDATE ON darkroom.activities FOR EACH ROW EXECUTE FUNCTION darkroom.check_activity();

CREATE TRIGGER activities_named AFTER INSERT OR UPDATE OF activity ON darkroom.activities FOR EACH ROW EXECUTE FUNCTION darkroom.name_activity();

CREATE TRIGGER activities_set_end AFTER UPDATE OF ends_at ON darkroom.activities FOR EACH ROW WHEN (((NOT new.is_changed) AND (NOT (old.moved_to IS DISTINCT FROM new.moved_to)))) EXECUTE FUNCTION darkroom.move_activity_end();

CREATE TRIGGER activities_set_end_of_new AFTER INSERT ON darkroom.activities FOR EACH ROW WHEN ((NOT new.is_changed)) EXECUTE FUNCTION darkroom.move_activity_end();

CREATE TRIGGER clean_appeal BEFORE INSERT ON darkroom.appeals FOR EACH ROW EXECUTE FUNCTION darkroom.clean_appeal();

CREATE TRIGGER clean_names BEFORE INSERT OR UPDATE OF activity ON darkroom.activities FOR EACH ROW EXECUTE FUNCTION darkroom.clean_names();

CREATE TRIGGER clean_names BEFORE INSERT ON darkroom.expiry_policies FOR EACH ROW WHEN (((new.category IS NOT NULL) OR (new.activity IS NOT NULL))) EXECUTE FUNCTION darkroom.clean_names();

CREATE TRIGGER clean_names BEFORE INSERT ON darkroom.location_policies FOR EACH ROW WHEN (((new.category IS NOT NULL) OR (new.activity IS NOT NULL))) EXECUTE FUNCTION darkroom.clean_names();

CREATE TRIGGER clean_names BEFORE INSERT ON darkroom.posting_policies FOR EACH ROW WHEN (((new.category IS NOT NULL) OR (new.categories IS NOT NULL))) EXECUTE FUNCTION darkroom.clean_names();

CREATE TRIGGER clean_report BEFORE INSERT ON darkroom.comment_reports FOR EACH ROW WHEN ((new.details IS NOT NULL)) EXECUTE FUNCTION darkroom.clean_report();

CREATE TRIGGER clean_report BEFORE INSERT ON darkroom.reports FOR EACH ROW WHEN ((new.details IS NOT NULL)) EXECUTE FUNCTION darkroom.clean_report();

CREATE TRIGGER expiry_policies_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON darkroom.expiry_policies FOR EACH STATEMENT EXECUTE FUNCTION darkroom.refuse_change();

CREATE TRIGGER keep_feed AFTER UPDATE OF state, latitude, longitude, country_geonameid, division_geonameid, city_geonameid, place_geonameid, category, activity, published_at, expires_at, uploader, anonymous, taken_at, taken_at_local ON darkroom.posts FOR EACH ROW EXECUTE FUNCTION darkroom.keep_feed();

CREATE TRIGGER keep_feed_of_new AFTER INSERT OR DELETE ON darkroom.posts FOR EACH ROW EXECUTE FUNCTION darkroom.keep_feed();

CREATE TRIGGER keep_pictures AFTER UPDATE ON darkroom.renditions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION darkroom.keep_pictures();

CREATE TRIGGER keep_pictures_of_gone AFTER DELETE ON darkroom.renditions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION darkroom.keep_pictures();

CREATE TRIGGER keep_pictures_of_new AFTER INSERT ON darkroom.renditions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION darkroom.keep_pictures();

CREATE TRIGGER location_policies_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON darkroom.location_policies FOR EACH STATEMENT EXECUTE FUNCTION darkroom.refuse_change();

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.comment_reports FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('reporter');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.comment_votes FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('voter');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.comments FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('author');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.fair_keys FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('fair_key');

CREATE TRIGGER lock_person BEFORE INSERT OR UPDATE OF added_by ON darkroom.hash_lists FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('added_by');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.inbox_entries FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('person');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.inboxes FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('person');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.moderation_decisions FOR EACH ROW WHEN ((new.decider IS NOT NULL)) EXECUTE FUNCTION darkroom.lock_person('decider');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.operator_actions FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('requested_by');

CREATE TRIGGER lock_person BEFORE INSERT OR UPDATE OF paused_by ON darkroom.pauses FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('paused_by');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.people FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('person');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.person_erasures FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('requested_by');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.place_corrections FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('corrected_by');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.replays FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('replayed_by');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.reports FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('reporter');

CREATE TRIGGER lock_person AFTER INSERT ON darkroom.uploads REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION darkroom.lock_uploaders();

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.votes FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('voter');

CREATE TRIGGER lock_uploader BEFORE INSERT ON darkroom.operator_actions FOR EACH ROW WHEN ((new.uploader IS NOT NULL)) EXECUTE FUNCTION darkroom.lock_person('uploader');

CREATE TRIGGER locks_stay BEFORE DELETE OR UPDATE OR TRUNCATE ON darkroom.locks FOR EACH STATEMENT EXECUTE FUNCTION darkroom.refuse_change();

CREATE TRIGGER moderation_decisions_append_only BEFORE TRUNCATE ON darkroom.moderation_decisions FOR EACH STATEMENT EXECUTE FUNCTION darkroom.refuse_change();

CREATE TRIGGER moderation_decisions_ending BEFORE DELETE ON darkroom.moderation_decisions FOR EACH ROW EXECUTE FUNCTION darkroom.refuse_early_deletion();

CREATE TRIGGER moderation_decisions_erasing BEFORE UPDATE ON darkroom.moderation_decisions FOR EACH STATEMENT EXECUTE FUNCTION darkroom.refuse_change_but_to_erase();

CREATE TRIGGER moderation_decisions_pseudonyms BEFORE UPDATE ON darkroom.moderation_decisions FOR EACH ROW EXECUTE FUNCTION darkroom.refuse_all_but_pseudonyms();

CREATE TRIGGER moderation_evidence_append_only BEFORE TRUNCATE ON darkroom.moderation_evidence FOR EACH STATEMENT EXECUTE FUNCTION darkroom.refuse_change();

CREATE TRIGGER moderation_evidence_ending BEFORE DELETE ON darkroom.moderation_evidence FOR EACH ROW EXECUTE FUNCTION darkroom.refuse_early_deletion();

CREATE TRIGGER moderation_evidence_erasing BEFORE UPDATE ON darkroom.moderation_evidence FOR EACH STATEMENT EXECUTE FUNCTION darkroom.refuse_change_but_to_erase();

CREATE TRIGGER moderation_evidence_pseudonyms BEFORE UPDATE ON darkroom.moderation_evidence FOR EACH ROW EXECUTE FUNCTION darkroom.refuse_all_but_pseudonyms();

CREATE TRIGGER moderation_policies_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON darkroom.moderation_policies FOR EACH STATEMENT EXECUTE FUNCTION darkroom.refuse_change();

CREATE TRIGGER note_exception BEFORE INSERT OR UPDATE OF weight ON darkroom.fair_keys FOR EACH ROW WHEN ((new.weight <> (1)::double precision)) EXECUTE FUNCTION darkroom.note_exception();

CREATE TRIGGER note_exception BEFORE INSERT OR UPDATE OF drains ON darkroom.pauses FOR EACH ROW WHEN (new.drains) EXECUTE FUNCTION darkroom.note_exception();

CREATE TRIGGER posting_policies_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON darkroom.posting_policies FOR EACH STATEMENT EXECUTE FUNCTION darkroom.refuse_change();

CREATE TRIGGER posts_are_coarse AFTER INSERT ON darkroom.posts FOR EACH ROW WHEN (((new.activity IS NOT NULL) AND (new.location_policy > 0))) EXECUTE FUNCTION darkroom.coarsen_new_location();

CREATE TRIGGER posts_expire BEFORE INSERT ON darkroom.posts FOR EACH ROW EXECUTE FUNCTION darkroom.set_expiry();

CREATE TRIGGER posts_expire_later BEFORE UPDATE OF published_at ON darkroom.posts FOR EACH ROW WHEN ((old.published_at IS DISTINCT FROM new.published_at)) EXECUTE FUNCTION darkroom.set_expiry();

CREATE TRIGGER posts_forget_reports AFTER DELETE ON darkroom.posts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION darkroom.forget_reports();

CREATE TRIGGER posts_keep_author_handle BEFORE INSERT OR UPDATE OF uploader ON darkroom.posts FOR EACH ROW EXECUTE FUNCTION darkroom.keep_author_handle();

CREATE TRIGGER posts_replace AFTER INSERT OR UPDATE OF state ON darkroom.posts FOR EACH ROW WHEN (((new.state = 'published'::darkroom.post_state) AND ((new.expires_at IS NULL) OR (new.expires_at > now())))) EXECUTE FUNCTION darkroom.replace_post();

CREATE TRIGGER posts_stay_deleted BEFORE UPDATE OF state ON darkroom.posts FOR EACH ROW WHEN (((old.state = 'removed'::darkroom.post_state) AND (new.state <> 'removed'::darkroom.post_state))) EXECUTE FUNCTION darkroom.refuse_return();

ALTER TABLE ONLY darkroom.activity_names
    ADD CONSTRAINT activity_names_activity_fkey FOREIGN KEY (activity) REFERENCES darkroom.activities(activity) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY darkroom.appeals
    ADD CONSTRAINT appeals_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES darkroom.moderation_decisions(decision_id);

ALTER TABLE ONLY darkroom.appeals
    ADD CONSTRAINT appeals_post_id_fkey FOREIGN KEY (post_id) REFERENCES darkroom.posts(post_id) ON DELETE CASCADE;

ALTER TABLE ONLY darkroom.hash_refusals
    ADD CONSTRAINT hash_refusals_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES darkroom.uploads(upload_id) ON DELETE CASCADE;

ALTER TABLE ONLY darkroom.kind_policies
    ADD CONSTRAINT kind_policies_kind_fkey FOREIGN KEY (kind) REFERENCES darkroom.job_kinds(kind);

ALTER TABLE ONLY darkroom.lanes
    ADD CONSTRAINT lanes_kind_fkey FOREIGN KEY (kind) REFERENCES darkroom.job_kinds(kind);

ALTER TABLE ONLY darkroom.lanes
    ADD CONSTRAINT lanes_queue_fkey FOREIGN KEY (queue) REFERENCES darkroom.queues(name);

ALTER TABLE ONLY darkroom.listed_hashes
    ADD CONSTRAINT listed_hashes_list_id_fkey FOREIGN KEY (list_id) REFERENCES darkroom.hash_lists(list_id) ON DELETE CASCADE;

ALTER TABLE ONLY darkroom.moderation_decisions
    ADD CONSTRAINT moderation_decisions_policy_version_fkey FOREIGN KEY (policy_version) REFERENCES darkroom.moderation_policies(version);

ALTER TABLE ONLY darkroom.moderation_evidence
    ADD CONSTRAINT moderation_evidence_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES darkroom.moderation_decisions(decision_id);

ALTER TABLE ONLY darkroom.pauses
    ADD CONSTRAINT pauses_kind_fkey FOREIGN KEY (kind) REFERENCES darkroom.job_kinds(kind);

ALTER TABLE ONLY darkroom.pauses
    ADD CONSTRAINT pauses_queue_fkey FOREIGN KEY (queue) REFERENCES darkroom.queues(name);

ALTER TABLE ONLY darkroom.place_corrections
    ADD CONSTRAINT place_corrections_post_id_fkey FOREIGN KEY (post_id) REFERENCES darkroom.posts(post_id) ON DELETE CASCADE;

ALTER TABLE ONLY darkroom.post_edits
    ADD CONSTRAINT post_edits_post_id_fkey FOREIGN KEY (post_id) REFERENCES darkroom.posts(post_id) ON DELETE CASCADE;

ALTER TABLE ONLY darkroom.post_exact_locations
    ADD CONSTRAINT post_exact_locations_post_id_fkey FOREIGN KEY (post_id) REFERENCES darkroom.posts(post_id) ON DELETE CASCADE;

ALTER TABLE ONLY darkroom.posts
    ADD CONSTRAINT posts_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES darkroom.uploads(upload_id);

ALTER TABLE ONLY darkroom.renditions
    ADD CONSTRAINT renditions_post_id_fkey FOREIGN KEY (post_id) REFERENCES darkroom.posts(post_id) ON DELETE CASCADE;

ALTER TABLE ONLY darkroom.reviews
    ADD CONSTRAINT reviews_appeal_id_fkey FOREIGN KEY (appeal_id) REFERENCES darkroom.appeals(appeal_id);

ALTER TABLE ONLY darkroom.reviews
    ADD CONSTRAINT reviews_post_id_fkey FOREIGN KEY (post_id) REFERENCES darkroom.posts(post_id) ON DELETE CASCADE;

ALTER TABLE ONLY darkroom.schedules
    ADD CONSTRAINT schedules_kind_fkey FOREIGN KEY (kind) REFERENCES darkroom.job_kinds(kind);

ALTER TABLE ONLY darkroom.worker_queues
    ADD CONSTRAINT worker_queues_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES darkroom.workers(worker_id) ON DELETE CASCADE;
