CREATE SCHEMA darkroom;

CREATE DOMAIN darkroom.accuracy_m AS double precision
	CONSTRAINT accuracy_is_above_0_and_at_most_1000000_metres CHECK (((VALUE > (0)::double precision) AND (VALUE <= (1000000)::double precision)));

COMMENT ON DOMAIN darkroom.accuracy_m IS 'The radius of uncertainty of a position in metres: above 0, at most 1,000,000.';

CREATE DOMAIN darkroom.written AS text
	CONSTRAINT a_text_has_at_most_20000_bytes_and_30_combining_marks_in_a_row CHECK (
CASE
    WHEN (octet_length(VALUE) > 20000) THEN false
    WHEN (octet_length(VALUE) = char_length(VALUE)) THEN true
    ELSE (VALUE !~ '[\u0300-\u034E\u0350-\u036F\u0483-\u0487\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u0711\u0730-\u074A\u07EB-\u07F3\u07FD\u0816-\u0819\u081B-\u0823\u0825-\u0827\u0829-\u082D\u0859-\u085B\u0897-\u089F\u08CA-\u08E1\u08E3-\u08FF\u093C\u094D\u0951-\u0954\u09BC\u09CD\u09FE\u0A3C\u0A4D\u0ABC\u0ACD\u0B3C\u0B4D\u0BCD\u0C3C\u0C4D\u0C55\u0C56\u0CBC\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA\u0E38-\u0E3A\u0E48-\u0E4B\u0EB8-\u0EBA\u0EC8-\u0ECB\u0F18\u0F19\u0F35\u0F37\u0F39\u0F71-\u0F75\u0F7A-\u0F7D\u0F80-\u0F84\u0F86\u0F87\u0FC6\u1037\u1039\u103A\u108D\u135D-\u135F\u1714\u1715\u1734\u17D2\u17DD\u18A9\u1939-\u193B\u1A17\u1A18\u1A60\u1A75-\u1A7C\u1A7F\u1AB0-\u1ABD\u1ABF-\u1ACE\u1B34\u1B44\u1B6B-\u1B73\u1BAA\u1BAB\u1BE6\u1BF2\u1BF3\u1C37\u1CD0-\u1CD2\u1CD4-\u1CE0\u1CE2-\u1CE8\u1CED\u1CF4\u1CF8\u1CF9\u1DC0-\u1DFF\u20D0-\u20DC\u20E1\u20E5-\u20F0\u2CEF-\u2CF1\u2D7F\u2DE0-\u2DFF\u302A-\u302F\u3099\u309A\uA66F\uA674-\uA67D\uA69E\uA69F\uA6F0\uA6F1\uA806\uA82C\uA8C4\uA8E0-\uA8F1\uA92B-\uA92D\uA953\uA9B3\uA9C0\uAAB0\uAAB2-\uAAB4\uAAB7\uAAB8\uAABE\uAABF\uAAC1\uAAF6\uABED\uFB1E\uFE20-\uFE2F\U000101FD\U000102E0\U00010376-\U0001037A\U00010A0D\U00010A0F\U00010A38-\U00010A3A\U00010A3F\U00010AE5\U00010AE6\U00010D24-\U00010D27\U00010D69-\U00010D6D\U00010EAB\U00010EAC\U00010EFD-\U00010EFF\U00010F46-\U00010F50\U00010F82-\U00010F85\U00011046\U00011070\U0001107F\U000110B9\U000110BA\U00011100-\U00011102\U00011133\U00011134\U00011173\U000111C0\U000111CA\U00011235\U00011236\U000112E9\U000112EA\U0001133B\U0001133C\U0001134D\U00011366-\U0001136C\U00011370-\U00011374\U000113CE-\U000113D0\U00011442\U00011446\U0001145E\U000114C2\U000114C3\U000115BF\U000115C0\U0001163F\U000116B6\U000116B7\U0001172B\U00011839\U0001183A\U0001193D\U0001193E\U00011943\U000119E0\U00011A34\U00011A47\U00011A99\U00011C3F\U00011D42\U00011D44\U00011D45\U00011D97\U00011F41\U00011F42\U0001612F\U00016AF0-\U00016AF4\U00016B30-\U00016B36\U00016FF0\U00016FF1\U0001BC9E\U0001D165-\U0001D169\U0001D16D-\U0001D172\U0001D17B-\U0001D182\U0001D185-\U0001D18B\U0001D1AA-\U0001D1AD\U0001D242-\U0001D244\U0001E000-\U0001E006\U0001E008-\U0001E018\U0001E01B-\U0001E021\U0001E023\U0001E024\U0001E026-\U0001E02A\U0001E08F\U0001E130-\U0001E136\U0001E2AE\U0001E2EC-\U0001E2EF\U0001E4EC-\U0001E4EF\U0001E5EE\U0001E5EF\U0001E8D0-\U0001E8D6\U0001E944-\U0001E94A]{31}'::text)
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
	venue_id text,
	venue_name text,
	credit text,
	licence text,
	taken_at timestamp with time zone,
	taken_at_local timestamp without time zone,
	time_zone text,
	latitude double precision,
	longitude double precision,
	location_precision text,
	location_accuracy_m double precision,
	direction double precision,
	altitude_m double precision,
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

COMMENT ON TYPE darkroom.feed_post IS 'A post as readers see it. uploader is null if the post is anonymous, or the caller''s role does not act for people; author_handle stands for the uploader, and an anonymous one has another handle. venue_id and venue_name are the app''s number and the name of where it was, credit and licence who made the photo and what others may do with it, as the uploader said. location_precision and location_accuracy_m are those of darkroom.posts: a post of a whole country or division lies in its middle, so show no pin for it. direction is where the camera pointed, in degrees clockwise from north (or from magnetic north, as the camera wrote it), and altitude_m metres above the sea: of photos at an exact position, if the installation keeps them. The geonameids are the numbers of GeoNames, for in_place; width and height are the upright original''s, and null in a post without a photo; placeholder is a ThumbHash; pictures is a list, largest first, of objects with name, media_key, format, width, height and bytes. my_vote is the viewer''s own vote, like or dislike. distance_m is from the reader''s coordinate, score is what the feed is ordered by, and cursor is the value of after for the posts that follow.';

CREATE DOMAIN darkroom.handle AS text
	CONSTRAINT handle_is_24_hexadecimal_digits CHECK (((octet_length(VALUE) = 24) AND (VALUE ~ '^[0-9a-f]+$'::text)));

COMMENT ON DOMAIN darkroom.handle IS 'What stands for an author, as author_handle of lists: 24 hexadecimal digits.';

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
	replaces bigint,
	is_draft boolean,
	venue_id darkroom.word,
	venue_name darkroom.line,
	credit darkroom.line,
	licence darkroom.line
);

COMMENT ON TYPE darkroom.new_upload IS 'One photo for darkroom.enqueue_uploads, or one text without original_*: its fields are those of the objects.';

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
	venue_id text,
	venue_name text,
	credit text,
	licence text,
	pictures jsonb,
	likes integer,
	dislikes integer,
	comments integer,
	views bigint,
	cursor text
);

COMMENT ON TYPE darkroom.own_post IS 'An upload as its uploader sees it. state is draft, waiting, rejected, failed or cancelled, or that of the post it became: published, held, hidden, removed or expired. reason is a code for programs and message a sentence for the uploader: why it was rejected, failed, held, hidden or removed. pictures are as in darkroom.feed_post; likes, dislikes, comments and views are those of the post, 0 without one; cursor is the value of after for the rows that follow.';

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
	likes integer,
	author_handle text,
	by_uploader boolean,
	is_told boolean,
	latitude double precision,
	longitude double precision
);

COMMENT ON TYPE darkroom.post_event IS 'Something that happened to a post: published, held (for review, before anyone has seen it), hidden, restored, removed, expired, edited, rerendered, relocated, corrected, appeal_answered, liked, with how many likes by others came since the last such event, or commented and comment_deleted, with the comment''s number. rejected has no post but the number of the job, and the reason''s code. comment_held, comment_hidden, comment_restored, comment_removed and comment_appeal_answered tell of the moderation of a comment. number is its place in the reading order. uploader is whose post or upload it is, or, of decisions on a comment, who wrote it; null once that is erased. author_handle stands for the author of the comment, else of the post, and latitude and longitude are where the post is shown, in degrees. by_uploader: the uploader edited, deleted or commented on the post. is_told: the uploader''s inbox tells of it, so a push message may; not what they did, what they do not want to be told of, or comments of authors whom they have blocked.';

CREATE TYPE darkroom.post_filter AS (
	category text,
	activity text,
	author_handle text,
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

CREATE TABLE darkroom.people (
    person text NOT NULL,
    author_handle text NOT NULL,
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

COMMENT ON COLUMN darkroom.people.author_handle IS 'What stands for the person in what they write by name, by darkroom.handle_of. A trigger writes it.';

COMMENT ON COLUMN darkroom.people.agreed IS 'How many of the person''s reports reviews agreed with; disagreed: how many they did not.';

COMMENT ON COLUMN darkroom.people.removals IS 'How many of the person''s posts are removed.';

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
    author_handle text NOT NULL,
    taken_at timestamp with time zone,
    taken_hour smallint,
    taken_season text,
    leaf bigint GENERATED ALWAYS AS (darkroom.tile_at("position"[0], "position"[1], 20)) STORED NOT NULL,
    is_stacked boolean DEFAULT false NOT NULL,
    is_stacked_in_category boolean DEFAULT false NOT NULL,
    is_stacked_in_activity boolean DEFAULT false NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.01', autovacuum_vacuum_insert_threshold='10000');

COMMENT ON TABLE darkroom.feed IS 'One row for every post that readers see. leaf is its tile of zoom level 20 (38 m at the equator), tile the one of level 15 (1.2 km), wide_tile the one of level 11.';

COMMENT ON COLUMN darkroom.feed.author_handle IS 'The post''s author_handle: an anonymous post has another one than its uploader''s name, so no search by uploader finds it.';

COMMENT ON COLUMN darkroom.feed.taken_hour IS 'The hour, 0 to 23, of the local time when the photo was taken; taken_season is the season then and there. Both are null if the time is unknown.';

COMMENT ON COLUMN darkroom.feed.is_stacked IS 'Whether the post is missing in the index of positions, because stack_size others at exactly its position are there. The same goes for is_stacked_in_category and is_stacked_in_activity, and the positions of a category and an activity.';

CREATE PROCEDURE darkroom.take_ownership()
    LANGUAGE plpgsql
    AS …;

COMMENT ON PROCEDURE darkroom.take_ownership() IS 'Makes this installation''s role owner the owner of the schema and everything in it, if the role exists and the caller is a member. Some functions run with their owner''s rights, so the owner should not be an administrator. Locks one table at a time and commits after each, so it cannot run inside a transaction. A call continues where an earlier one ended.';

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
    comment_id bigint DEFAULT 0 NOT NULL,
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

COMMENT ON TABLE darkroom.appeals IS 'What uploaders say against decisions on their posts, and, with the number of a comment, authors against those on their comments. decision_id decides the appeal; null while it is open.';

ALTER TABLE darkroom.appeals ALTER COLUMN appeal_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.appeals_appeal_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.bars (
    bar_id bigint NOT NULL,
    person text NOT NULL,
    decider text NOT NULL,
    decided_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    reason text,
    ends_at timestamp with time zone,
    note text,
    CONSTRAINT a_bar_has_a_reason_and_its_end_a_time CHECK ((num_nonnulls(reason, ends_at) >= 1)),
    CONSTRAINT decider_is_1_to_200_characters CHECK (((char_length(decider) >= 1) AND (char_length(decider) <= 200))),
    CONSTRAINT note_is_at_most_5000_characters CHECK ((char_length(note) <= 5000)),
    CONSTRAINT person_is_1_to_200_characters CHECK (((char_length(person) >= 1) AND (char_length(person) <= 200))),
    CONSTRAINT reason_is_1_to_200_characters CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 200)))
);
ALTER TABLE ONLY darkroom.bars ALTER COLUMN person SET STATISTICS 0;
ALTER TABLE ONLY darkroom.bars ALTER COLUMN decider SET STATISTICS 0;
ALTER TABLE ONLY darkroom.bars ALTER COLUMN note SET STATISTICS 0;

COMMENT ON TABLE darkroom.bars IS 'Who may not upload, comment, vote and report. The latest row of a person is in force until ends_at, null for no end; one without a reason ended the bar before it. Rows are only added.';

ALTER TABLE darkroom.bars ALTER COLUMN bar_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.bars_bar_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.blocks (
    person text NOT NULL,
    author_handle text NOT NULL,
    blocked_at timestamp with time zone DEFAULT now() NOT NULL,
    block_id bigint NOT NULL,
    is_applied boolean DEFAULT false NOT NULL,
    CONSTRAINT handle_is_24_hexadecimal_digits CHECK ((author_handle ~ '^[0-9a-f]{24}$'::text)),
    CONSTRAINT person_is_1_to_200_characters CHECK (((char_length(person) >= 1) AND (char_length(person) <= 200)))
);
ALTER TABLE ONLY darkroom.blocks ALTER COLUMN person SET STATISTICS 0;

COMMENT ON TABLE darkroom.blocks IS 'Whom people do not want to see, by the handle that lists show. The handle alone counts: a block of an anonymous author must not hide what the same person writes by name.';

COMMENT ON COLUMN darkroom.blocks.is_applied IS 'Whether fill_inboxes has taken the author''s comments out of the person''s inbox.';

ALTER TABLE darkroom.blocks ALTER COLUMN block_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.blocks_block_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

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
    author_handle text NOT NULL,
    body text NOT NULL,
    likes integer DEFAULT 0 NOT NULL,
    dislikes integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    state darkroom.post_state DEFAULT 'published'::darkroom.post_state NOT NULL,
    is_deleted boolean DEFAULT false NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT author_is_1_to_200_characters CHECK (((char_length(author) >= 1) AND (char_length(author) <= 200))),
    CONSTRAINT comment_has_no_control_characters CHECK (darkroom.has_no_control_characters(body, true)),
    CONSTRAINT comment_is_1_to_2000_characters CHECK (((char_length(body) >= 1) AND (char_length(body) <= 2000))),
    CONSTRAINT comment_is_not_blank CHECK ((NOT darkroom.is_blank(body)))
)
WITH (fillfactor='80');
ALTER TABLE ONLY darkroom.comments ALTER COLUMN author SET STATISTICS 0;
ALTER TABLE ONLY darkroom.comments ALTER COLUMN body SET STATISTICS 0;

COMMENT ON TABLE darkroom.comments IS 'What people wrote under posts. likes and dislikes are the tallied ones.';

COMMENT ON COLUMN darkroom.comments.author_handle IS 'What stands for its author, by darkroom.handle_of, but for the uploader of an anonymous post. A trigger writes it.';

COMMENT ON COLUMN darkroom.comments.state IS 'published, held or hidden until a person has looked, or removed by a review, or, if is_deleted, by its author or the uploader of the post. The text of a deleted comment is - once no report on it waits for a person. Never expired.';

COMMENT ON COLUMN darkroom.comments.ended_at IS 'When it was deleted or removed; null while it is not.';

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

CREATE TABLE darkroom.follows (
    follow_id bigint NOT NULL,
    person text NOT NULL,
    level text,
    geonameid bigint,
    latitude double precision,
    longitude double precision,
    radius_m double precision,
    area box,
    category text,
    followed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT a_follow_has_a_place_or_an_area CHECK ((((num_nonnulls(level, geonameid) = 2) AND (num_nonnulls(latitude, longitude, radius_m, area) = 0)) OR ((num_nonnulls(level, geonameid) = 0) AND (num_nonnulls(latitude, longitude, radius_m, area) = 4)))),
    CONSTRAINT category_is_at_most_100_characters CHECK ((char_length(category) <= 100)),
    CONSTRAINT level_is_known CHECK ((level = ANY (ARRAY['country'::text, 'division'::text, 'city'::text, 'place'::text]))),
    CONSTRAINT person_is_1_to_200_characters CHECK (((char_length(person) >= 1) AND (char_length(person) <= 200)))
);
ALTER TABLE ONLY darkroom.follows ALTER COLUMN person SET STATISTICS 0;
ALTER TABLE ONLY darkroom.follows ALTER COLUMN latitude SET STATISTICS 0;
ALTER TABLE ONLY darkroom.follows ALTER COLUMN longitude SET STATISTICS 0;

COMMENT ON TABLE darkroom.follows IS 'Of which places or areas people want to know what is posted there, of all categories or one. area is what finds the rows around a post: the first of darkroom.boxes_around, which may lie beyond 180 degrees.';

ALTER TABLE darkroom.follows ALTER COLUMN follow_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.follows_follow_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE darkroom.given_up_names (
    name_key text NOT NULL,
    person text NOT NULL,
    given_up_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT person_is_1_to_200_characters CHECK (((char_length(person) >= 1) AND (char_length(person) <= 200)))
);
ALTER TABLE ONLY darkroom.given_up_names ALTER COLUMN name_key SET STATISTICS 0;
ALTER TABLE ONLY darkroom.given_up_names ALTER COLUMN person SET STATISTICS 0;

COMMENT ON TABLE darkroom.given_up_names IS 'Display names that people had, by their darkroom.name_key, so that nobody else takes one while it is fresh in memory. The latest 10 of each person. Rows count for settings.given_up_name_days.';

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
    version integer DEFAULT 1 NOT NULL,
    CONSTRAINT action_is_hold_or_refuse CHECK ((action = ANY (ARRAY['hold'::text, 'refuse'::text]))),
    CONSTRAINT added_by_is_1_to_200_characters CHECK (((char_length(added_by) >= 1) AND (char_length(added_by) <= 200))),
    CONSTRAINT distance_is_0_to_31 CHECK (((distance >= 0) AND (distance <= 31))),
    CONSTRAINT list_name_is_1_to_100_characters CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT list_name_is_plain_text CHECK ((darkroom.is_plain_text(name) AND (NOT darkroom.is_blank(name)))),
    CONSTRAINT list_note_is_at_most_5000_characters CHECK ((char_length(note) <= 5000))
);
ALTER TABLE ONLY darkroom.hash_lists ALTER COLUMN note SET STATISTICS 0;

COMMENT ON TABLE darkroom.hash_lists IS 'Lists of known photos. A photo whose PDQ hash differs from one of a list in at most distance of 256 bits is held for review or refused.';

COMMENT ON COLUMN darkroom.hash_lists.version IS 'How often the list was changed: a photo that was screened by an older version is screened again before it is published.';

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
    comment_ids bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    reason text,
    occurred_at timestamp with time zone NOT NULL
)
WITH (fillfactor='80');
ALTER TABLE ONLY darkroom.inbox_entries ALTER COLUMN person SET STATISTICS 0;

COMMENT ON TABLE darkroom.inbox_entries IS 'What people are told: for each person, post and event one entry, with the number of the latest event in it. An entry is read if the person has read up to its number; what happens then starts it again. fill_inboxes writes it.';

COMMENT ON COLUMN darkroom.inbox_entries.subject_id IS 'The post; of rejected, the job.';

COMMENT ON COLUMN darkroom.inbox_entries.times IS 'How many likes or comments came since the person read the entry.';

COMMENT ON COLUMN darkroom.inbox_entries.comment_ids IS 'The comments that times counts, the latest last; of more than 1,000 the latest. One that is deleted, or whose author is blocked, is taken out.';

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

CREATE TABLE darkroom.intake (
    is_only_row boolean DEFAULT true NOT NULL,
    photo_types text[] NOT NULL,
    bytes_at_most bigint NOT NULL,
    pixels_at_most bigint NOT NULL,
    attributions text[] NOT NULL,
    noted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT intake_is_only_row_check CHECK (is_only_row)
);

COMMENT ON TABLE darkroom.intake IS 'At most one row: which photos the worker that started last takes, and whom the places of its gazetteer must be credited to. Apps read it with posting_rules.';

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
    post_id bigint NOT NULL,
    comment_id bigint DEFAULT 0 NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0');

COMMENT ON TABLE darkroom.moderation_backlog IS 'Posts and comments whose reports must be weighed, a row for every report; comment_id is 0 for the post itself. enqueue_backlogs turns them into jobs.';

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
    comment_id bigint DEFAULT 0 NOT NULL,
    author text,
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
    content_has_photo boolean,
    content_has_text boolean,
    CONSTRAINT cause_is_known CHECK ((cause = ANY (ARRAY['below_threshold'::text, 'score'::text, 'urgent_report'::text, 'score_fell'::text, 'waits_for_review'::text, 'not_shown'::text, 'uploader_record'::text, 'look_alike'::text, 'listed_hash'::text, 'every_upload'::text, 'review'::text, 'appeal'::text]))),
    CONSTRAINT decision_is_known CHECK ((decision = ANY (ARRAY['keep'::text, 'hide'::text, 'show'::text, 'hold'::text, 'approve'::text, 'remove'::text, 'restore'::text]))),
    CONSTRAINT ground_is_law_or_terms CHECK ((ground = ANY (ARRAY['law'::text, 'terms'::text]))),
    CONSTRAINT ground_reference_is_at_most_2000_characters CHECK ((char_length(ground_reference) <= 2000)),
    CONSTRAINT note_is_at_most_5000_characters CHECK ((char_length(note) <= 5000)),
    CONSTRAINT people_decide_by_name CHECK (((decision <> ALL (ARRAY['approve'::text, 'remove'::text, 'restore'::text])) OR (decider IS NOT NULL)))
);
ALTER TABLE ONLY darkroom.moderation_decisions ALTER COLUMN author SET STATISTICS 0;
ALTER TABLE ONLY darkroom.moderation_decisions ALTER COLUMN decider SET STATISTICS 0;
ALTER TABLE ONLY darkroom.moderation_decisions ALTER COLUMN note SET STATISTICS 0;

COMMENT ON TABLE darkroom.moderation_decisions IS 'Every decision with its evidence. Append only.';

COMMENT ON COLUMN darkroom.moderation_decisions.comment_id IS 'The comment below the post that it is on; 0 for the post itself.';

COMMENT ON COLUMN darkroom.moderation_decisions.author IS 'Who wrote the comment; null for a post.';

COMMENT ON COLUMN darkroom.moderation_decisions.decider IS 'Who decided; null for a rule.';

COMMENT ON COLUMN darkroom.moderation_decisions.similar_to IS 'The removed or hidden post whose photo this one resembles; their hashes differ in similar_distance bits.';

COMMENT ON COLUMN darkroom.moderation_decisions.hash_list IS 'The list of known hashes that the photo is on, with its name at that time; the hashes differ in hash_distance bits of 256.';

COMMENT ON COLUMN darkroom.moderation_decisions.ground IS 'What a removal rests on: the law or the terms. ground_reference says which provision.';

COMMENT ON COLUMN darkroom.moderation_decisions.content_at IS 'When the post was published, and content_has_photo and content_has_text what it has: statements of reasons need them, and the post may be erased before.';

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
    CONSTRAINT removals_to_hold_is_not_negative CHECK ((removals_to_hold >= 0)),
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

COMMENT ON COLUMN darkroom.moderation_policies.removals_to_hold IS 'Uploads of a person who had this many posts removed within removals_within are held for review. 0 holds every upload, so that nothing is public before a person has looked.';

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
    CONSTRAINT outbox_event_is_known CHECK ((event = ANY (ARRAY['published'::text, 'held'::text, 'hidden'::text, 'restored'::text, 'removed'::text, 'expired'::text, 'edited'::text, 'rerendered'::text, 'relocated'::text, 'corrected'::text, 'commented'::text, 'comment_deleted'::text, 'comment_held'::text, 'comment_hidden'::text, 'comment_restored'::text, 'comment_removed'::text, 'comment_appeal_answered'::text, 'rejected'::text, 'liked'::text, 'appeal_answered'::text])))
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
    pictures_within_m double precision,
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
    CONSTRAINT photos_a_day_is_1_to_10000 CHECK (((photos_a_day >= 1) AND (photos_a_day <= 10000))),
    CONSTRAINT pictures_within_m_is_above_0_and_at_most_20040000 CHECK (((pictures_within_m > (0)::double precision) AND (pictures_within_m <= (20040000)::double precision)))
);
ALTER TABLE ONLY darkroom.posting_policies ALTER COLUMN link SET STATISTICS 0;
ALTER TABLE ONLY darkroom.posting_policies ALTER COLUMN note SET STATISTICS 0;

COMMENT ON TABLE darkroom.posting_policies IS 'Append a row to change the policy for uploads from then on. The latest row of an upload''s category is in force; what it leaves null, the latest general row decides.';

COMMENT ON COLUMN darkroom.posting_policies.categories IS 'The categories that exist; null for any.';

COMMENT ON COLUMN darkroom.posting_policies.link_hosts IS 'The hosts to which links may lead, with all their subdomains; null for any.';

COMMENT ON COLUMN darkroom.posting_policies.accuracy_at_most_m IS 'The largest radius of uncertainty that the position of an upload may state, in metres; null in a general row for any.';

COMMENT ON COLUMN darkroom.posting_policies.photos_a_day IS 'How many photos and texts a person may upload within 24 hours; null for any number.';

COMMENT ON COLUMN darkroom.posting_policies.bytes_a_day IS 'How many bytes the photos may have together that a person uploads within 24 hours; null for any number.';

COMMENT ON COLUMN darkroom.posting_policies.pictures_within_m IS 'How near a reader must be to a post to see its pictures, in metres; null in a general row for anywhere.';

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
    venue_id text,
    venue_name text,
    credit text,
    licence text,
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
    direction double precision,
    altitude_m double precision,
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
    CONSTRAINT posts_altitude_m_check CHECK (((altitude_m >= ('-12000'::integer)::double precision) AND (altitude_m <= (100000)::double precision))),
    CONSTRAINT posts_direction_check CHECK (((direction >= (0)::double precision) AND (direction <= (360)::double precision))),
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

COMMENT ON COLUMN darkroom.posts.direction IS 'Where the camera pointed, in degrees clockwise from north as its EXIF has it; altitude_m: metres above the sea. Readers get both only while location_privacy is exact.';

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

COMMENT ON COLUMN darkroom.posts.author_handle IS 'What stands for its uploader, by darkroom.handle_of; an anonymous post has another handle than the uploader''s name. A trigger writes it.';

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
    magnitude double precision NOT NULL,
    hot double precision NOT NULL,
    day integer GENERATED ALWAYS AS (darkroom.day_number(published_at)) STORED NOT NULL,
    week integer GENERATED ALWAYS AS (darkroom.week_number(published_at)) STORED NOT NULL,
    leaf bigint GENERATED ALWAYS AS (darkroom.tile_at("position"[0], "position"[1], 20)) STORED NOT NULL
)
WITH (fillfactor='80');

COMMENT ON TABLE darkroom.ranks IS 'One row for every post that readers see and that has votes. hot is vote_magnitude + age_magnitude.';

COMMENT ON COLUMN darkroom.ranks.day IS 'The UTC day of publishing: a list by likes and one by hot.';

COMMENT ON COLUMN darkroom.ranks.week IS 'The week of publishing: two such lists for each country, division, city, place, activity and category.';

CREATE TABLE darkroom.rating_averages (
    is_only_row boolean DEFAULT true NOT NULL,
    average_rating double precision DEFAULT 0 NOT NULL,
    average_votes double precision DEFAULT 0 NOT NULL,
    most_views bigint DEFAULT 0 NOT NULL,
    computed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT rating_averages_average_rating_check CHECK (((average_rating > '-Infinity'::double precision) AND (average_rating < 'Infinity'::double precision))),
    CONSTRAINT rating_averages_average_votes_check CHECK (((average_votes >= (0)::double precision) AND (average_votes < 'Infinity'::double precision))),
    CONSTRAINT rating_averages_is_only_row_check CHECK (is_only_row),
    CONSTRAINT rating_averages_most_views_check CHECK ((most_views >= 0))
);

COMMENT ON TABLE darkroom.rating_averages IS 'One row: the mean lead in likes and the mean number of votes of the posts that readers see, by which boards weigh ratings, and the most views that any post had. The tally computes the means anew each hour, and each time for the first thousand posts.';

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

CREATE TABLE darkroom.reports (
    report_id bigint NOT NULL,
    post_id bigint NOT NULL,
    comment_id bigint DEFAULT 0 NOT NULL,
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

COMMENT ON TABLE darkroom.reports IS 'One report per reporter and post or comment, with what was known of the reporter when it was filed, so that weighing it again gives the same result.';

COMMENT ON COLUMN darkroom.reports.comment_id IS 'The comment below the post that it is on; 0 for the post itself.';

COMMENT ON COLUMN darkroom.reports.is_agreed IS 'Whether the review judged_by agreed with the report; null until there is one.';

COMMENT ON COLUMN darkroom.reports.counted IS 'What the report counted when it was last weighed: the product of the weights, after the group''s discount. Null before.';

COMMENT ON COLUMN darkroom.reports.is_grouped IS 'Whether a weighing has found that the reporter reports the same posts as others.';

ALTER TABLE darkroom.reports ALTER COLUMN report_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.reports_report_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

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
    comment_id bigint DEFAULT 0 NOT NULL,
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

COMMENT ON TABLE darkroom.reviews IS 'The review list, in the order of the index reviews_order: every post and comment that is held, hidden, appealed for or reported.';

COMMENT ON COLUMN darkroom.reviews.comment_id IS 'The comment below the post that waits; 0 for the post itself.';

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
    blocks_at_most integer DEFAULT 1000 NOT NULL,
    follows_at_most integer DEFAULT 50 NOT NULL,
    anonymous_within text DEFAULT 'category'::text NOT NULL,
    activity_days integer DEFAULT 365,
    removed_days integer DEFAULT 180 NOT NULL,
    decision_days integer DEFAULT 730,
    record_days integer DEFAULT 730 NOT NULL,
    most_queues integer DEFAULT 50 NOT NULL,
    most_lanes integer DEFAULT 2000 NOT NULL,
    most_consumers integer DEFAULT 100 NOT NULL,
    reports_a_day integer DEFAULT 100 NOT NULL,
    unique_names boolean DEFAULT true NOT NULL,
    takes_dislikes boolean DEFAULT true NOT NULL,
    given_up_name_days integer DEFAULT 30 NOT NULL,
    draft_days integer DEFAULT 90 NOT NULL,
    media_identity text,
    installation text DEFAULT lpad(to_hex(((random() * ('4294967295'::bigint)::double precision))::bigint), 8, '0'::text) NOT NULL,
    CONSTRAINT activities_at_most_is_0_to_30000 CHECK (((activities_at_most >= 0) AND (activities_at_most <= 30000))),
    CONSTRAINT activity_days_is_1_to_3650 CHECK (((activity_days >= 1) AND (activity_days <= 3650))),
    CONSTRAINT anonymous_within_is_post_activity_category_or_app CHECK ((anonymous_within = ANY (ARRAY['post'::text, 'activity'::text, 'category'::text, 'app'::text]))),
    CONSTRAINT blocks_at_most_is_0_to_1000 CHECK (((blocks_at_most >= 0) AND (blocks_at_most <= 1000))),
    CONSTRAINT decision_days_is_1_to_3650 CHECK (((decision_days >= 1) AND (decision_days <= 3650))),
    CONSTRAINT decisions_outlast_removed_posts CHECK ((decision_days >= removed_days)),
    CONSTRAINT draft_days_is_1_to_3650 CHECK (((draft_days >= 1) AND (draft_days <= 3650))),
    CONSTRAINT event_days_is_1_to_3650 CHECK (((event_days >= 1) AND (event_days <= 3650))),
    CONSTRAINT expired_days_is_0_to_3650 CHECK (((expired_days >= 0) AND (expired_days <= 3650))),
    CONSTRAINT follows_at_most_is_0_to_200 CHECK (((follows_at_most >= 0) AND (follows_at_most <= 200))),
    CONSTRAINT given_up_name_days_is_0_to_3650 CHECK (((given_up_name_days >= 0) AND (given_up_name_days <= 3650))),
    CONSTRAINT history_days_is_1_to_3650 CHECK (((history_days >= 1) AND (history_days <= 3650))),
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

COMMENT ON COLUMN darkroom.settings.blocks_at_most IS 'How many authors a person can have blocked: each list is compared with them.';

COMMENT ON COLUMN darkroom.settings.follows_at_most IS 'How many places and areas a person can follow: followed_posts reads each.';

COMMENT ON COLUMN darkroom.settings.anonymous_within IS 'Where the anonymous posts of a person have the same handle: in each post only, in each activity or category, or in the whole app. Posts keep the handle that they were published with.';

COMMENT ON COLUMN darkroom.settings.activity_days IS 'Days after its end for which an activity is kept with its area and aliases; null keeps it. Its posts stay.';

COMMENT ON COLUMN darkroom.settings.removed_days IS 'Days after which a post that a review removed is erased, unless an appeal is open. Uploaders may appeal for six months.';

COMMENT ON COLUMN darkroom.settings.decision_days IS 'Days for which a decision on a post is kept, with its evidence and its note; null keeps it. Not while a review or appeal needs it.';

COMMENT ON COLUMN darkroom.settings.record_days IS 'Days for which it is kept that a post was removed, with its photo''s hash, and that a post or person was erased. A removal stays at least as long as the policy''s removals_within.';

COMMENT ON COLUMN darkroom.settings.most_queues IS 'How many queues there may be, since anyone who may enqueue can name a new one; most_lanes: how many queues, kinds and priorities; most_consumers: how many readers of events.';

COMMENT ON COLUMN darkroom.settings.unique_names IS 'Whether no two people can choose the same display name. Those who have the same one when this becomes true keep it.';

COMMENT ON COLUMN darkroom.settings.takes_dislikes IS 'Whether people can dislike posts and comments. Dislikes that there are stay.';

COMMENT ON COLUMN darkroom.settings.given_up_name_days IS 'Days for which nobody else can choose a display name that a person has given up; 0 for none. Only with unique_names.';

COMMENT ON COLUMN darkroom.settings.draft_days IS 'Days for which a draft is kept, with its original.';

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
    is_draft boolean DEFAULT false NOT NULL,
    venue_id text,
    venue_name text,
    credit text,
    licence text,
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
    CONSTRAINT upload_without_a_photo_has_a_headline_a_caption_or_a_link CHECK ((num_nonnulls(original_key, headline, caption, link) > 0)),
    CONSTRAINT upload_without_a_photo_says_where_it_is CHECK ((num_nonnulls(original_key, latitude, place_text) > 0)),
    CONSTRAINT uploader_is_1_to_200_characters CHECK (((char_length(uploader) >= 1) AND (char_length(uploader) <= 200))),
    CONSTRAINT venue_with_a_number_has_a_name CHECK (((venue_name IS NOT NULL) OR (venue_id IS NULL)))
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

COMMENT ON COLUMN darkroom.uploads.is_draft IS 'Whether it has no job yet, until its uploader publishes it.';

COMMENT ON COLUMN darkroom.uploads.venue_id IS 'The app''s own number of where it was, such as a restaurant''s in a map service; venue_name is what readers see.';

COMMENT ON COLUMN darkroom.uploads.credit IS 'Who made the photo. licence: what others may do with it, such as CC-BY-4.0 (an identifier of spdx.org) or "All rights reserved".';

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

ALTER TABLE ONLY darkroom.bars
    ADD CONSTRAINT bars_pkey PRIMARY KEY (bar_id);

ALTER TABLE ONLY darkroom.blocks
    ADD CONSTRAINT blocks_pkey PRIMARY KEY (person, author_handle);

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

ALTER TABLE ONLY darkroom.follows
    ADD CONSTRAINT follows_pkey PRIMARY KEY (follow_id);

ALTER TABLE ONLY darkroom.given_up_names
    ADD CONSTRAINT given_up_names_pkey PRIMARY KEY (name_key);

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

ALTER TABLE ONLY darkroom.intake
    ADD CONSTRAINT intake_pkey PRIMARY KEY (is_only_row);

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
    ADD CONSTRAINT reports_pkey PRIMARY KEY (post_id, comment_id, reporter);

ALTER TABLE ONLY darkroom.retired_media
    ADD CONSTRAINT retired_media_pkey PRIMARY KEY (media_key);

ALTER TABLE ONLY darkroom.reviews
    ADD CONSTRAINT reviews_pkey PRIMARY KEY (post_id, comment_id);

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

CREATE INDEX bars_decided_at ON darkroom.bars USING btree (decided_at);

CREATE INDEX bars_decider ON darkroom.bars USING btree (decider);

CREATE INDEX bars_person ON darkroom.bars USING btree (person, bar_id DESC);

CREATE INDEX blocks_author_handle ON darkroom.blocks USING btree (author_handle);

CREATE UNIQUE INDEX blocks_order ON darkroom.blocks USING btree (person, block_id DESC);

CREATE INDEX blocks_unapplied ON darkroom.blocks USING btree (block_id) WHERE (NOT is_applied);

CREATE INDEX comment_votes_voter ON darkroom.comment_votes USING btree (voter, changed_at DESC);

CREATE INDEX comments_author ON darkroom.comments USING btree (author, comment_id DESC);

CREATE INDEX comments_ended_at ON darkroom.comments USING btree (ended_at, comment_id) WHERE (ended_at IS NOT NULL);

CREATE INDEX comments_popular ON darkroom.comments USING btree (post_id, ((likes - dislikes)) DESC, comment_id DESC) WHERE (state = 'published'::darkroom.post_state);

CREATE INDEX comments_post ON darkroom.comments USING btree (post_id, comment_id DESC) WHERE (state = 'published'::darkroom.post_state);

CREATE INDEX comments_post_author ON darkroom.comments USING btree (post_id, author_handle) WHERE (state = 'published'::darkroom.post_state);

CREATE INDEX comments_unseen ON darkroom.comments USING btree (post_id) WHERE (state <> 'published'::darkroom.post_state);

CREATE INDEX counter_changes_post ON darkroom.counter_changes USING btree (post_id);

CREATE INDEX feed_activity ON darkroom.feed USING btree (activity, published_at DESC, post_id DESC) WHERE (activity IS NOT NULL);

CREATE INDEX feed_activity_position ON darkroom.feed USING gist (darkroom.plane_of(activity, "position")) WHERE ((activity IS NOT NULL) AND (NOT is_stacked_in_activity));

CREATE INDEX feed_activity_stacked ON darkroom.feed USING btree (activity, ("position"[0]), ("position"[1]), post_id DESC) WHERE is_stacked_in_activity;

CREATE INDEX feed_author_handle ON darkroom.feed USING btree (author_handle, published_at DESC, post_id DESC) INCLUDE ("position");

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

CREATE INDEX feed_wide_tile ON darkroom.feed USING btree (wide_tile, published_at DESC, post_id DESC) INCLUDE ("position", expires_at, category, activity, taken_hour, taken_season);

CREATE INDEX finished_jobs_time ON ONLY darkroom.finished_jobs USING brin (finished_at);

CREATE INDEX finished_jobs_default_finished_at_idx ON darkroom.finished_jobs_default USING brin (finished_at);

CREATE INDEX finished_jobs_unsuccessful ON ONLY darkroom.finished_jobs USING btree (state, finished_at DESC) WHERE (state <> 'succeeded'::darkroom.job_state);

CREATE INDEX finished_jobs_default_state_finished_at_idx ON darkroom.finished_jobs_default USING btree (state, finished_at DESC) WHERE (state <> 'succeeded'::darkroom.job_state);

CREATE INDEX follows_area ON darkroom.follows USING gist (area) WHERE (area IS NOT NULL);

CREATE UNIQUE INDEX follows_once ON darkroom.follows USING btree (person, level, geonameid, latitude, longitude, radius_m, darkroom.name_key(category)) NULLS NOT DISTINCT;

CREATE UNIQUE INDEX follows_order ON darkroom.follows USING btree (person, follow_id DESC);

CREATE INDEX follows_place ON darkroom.follows USING btree (geonameid, level, person) WHERE (geonameid IS NOT NULL);

CREATE INDEX given_up_names_given_up_at ON darkroom.given_up_names USING btree (given_up_at);

CREATE INDEX given_up_names_person ON darkroom.given_up_names USING btree (person);

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

CREATE INDEX moderation_decisions_author ON darkroom.moderation_decisions USING btree (author) WHERE (author IS NOT NULL);

CREATE INDEX moderation_decisions_decider ON darkroom.moderation_decisions USING btree (decider) WHERE (decider IS NOT NULL);

CREATE INDEX moderation_decisions_post ON darkroom.moderation_decisions USING btree (post_id, comment_id, decision_id DESC);

CREATE INDEX moderation_decisions_time ON darkroom.moderation_decisions USING btree (decided_at, decision_id);

CREATE INDEX moderation_evidence_reporter ON darkroom.moderation_evidence USING btree (reporter);

CREATE UNIQUE INDEX one_open_appeal ON darkroom.appeals USING btree (post_id, comment_id) WHERE (decision_id IS NULL);

CREATE UNIQUE INDEX one_open_erasure_a_person ON darkroom.person_erasures USING btree (person);

CREATE INDEX operator_actions_requested_by ON darkroom.operator_actions USING btree (requested_by);

CREATE INDEX operator_actions_time ON darkroom.operator_actions USING btree (started_at);

CREATE INDEX operator_actions_uploader ON darkroom.operator_actions USING btree (uploader) WHERE (uploader IS NOT NULL);

CREATE UNIQUE INDEX people_author_handle ON darkroom.people USING btree (author_handle);

CREATE INDEX people_name_key ON darkroom.people USING btree (darkroom.name_key(display_name)) WHERE (display_name IS NOT NULL);
ALTER INDEX darkroom.people_name_key ALTER COLUMN 1 SET STATISTICS 0;

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

CREATE INDEX posts_venue ON darkroom.posts USING btree (venue_id, published_at DESC, post_id DESC) WHERE ((venue_id IS NOT NULL) AND (state = 'published'::darkroom.post_state));

CREATE INDEX ranks_activity_hot ON darkroom.ranks USING btree (activity, week, hot DESC, post_id DESC) WHERE (activity IS NOT NULL);

CREATE INDEX ranks_activity_likes ON darkroom.ranks USING btree (activity, week, likes DESC, post_id DESC) WHERE (activity IS NOT NULL);

CREATE INDEX ranks_category_hot ON darkroom.ranks USING btree (category, week, hot DESC, post_id DESC) WHERE (category IS NOT NULL);

CREATE INDEX ranks_category_likes ON darkroom.ranks USING btree (category, week, likes DESC, post_id DESC) WHERE (category IS NOT NULL);

CREATE INDEX ranks_city_hot ON darkroom.ranks USING btree (city, week, hot DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (city IS NOT NULL);

CREATE INDEX ranks_city_likes ON darkroom.ranks USING btree (city, week, likes DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (city IS NOT NULL);

CREATE INDEX ranks_country_hot ON darkroom.ranks USING btree (country, week, hot DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (country IS NOT NULL);

CREATE INDEX ranks_country_likes ON darkroom.ranks USING btree (country, week, likes DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (country IS NOT NULL);

CREATE INDEX ranks_day_hot ON darkroom.ranks USING btree (day, hot DESC, post_id DESC);

CREATE INDEX ranks_day_likes ON darkroom.ranks USING btree (day, likes DESC, post_id DESC);

CREATE INDEX ranks_division_hot ON darkroom.ranks USING btree (division, week, hot DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (division IS NOT NULL);

CREATE INDEX ranks_division_likes ON darkroom.ranks USING btree (division, week, likes DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (division IS NOT NULL);

CREATE INDEX ranks_hot ON darkroom.ranks USING btree (hot DESC, post_id DESC);

CREATE INDEX ranks_leaf_hot ON darkroom.ranks USING btree (leaf, hot DESC, post_id DESC);

CREATE INDEX ranks_likes ON darkroom.ranks USING btree (likes DESC, post_id DESC);

CREATE INDEX ranks_magnitude ON darkroom.ranks USING btree (magnitude) WHERE (magnitude < (0)::double precision);

CREATE INDEX ranks_place_hot ON darkroom.ranks USING btree (place, week, hot DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (place IS NOT NULL);

CREATE INDEX ranks_place_likes ON darkroom.ranks USING btree (place, week, likes DESC, post_id DESC) INCLUDE (published_at, expires_at) WHERE (place IS NOT NULL);

CREATE INDEX ranks_tile_hot ON darkroom.ranks USING btree (tile, hot DESC, post_id DESC) INCLUDE ("position", published_at, expires_at, category, activity, magnitude);

CREATE INDEX ranks_tile_likes ON darkroom.ranks USING btree (tile, likes DESC, post_id DESC) INCLUDE ("position", published_at, expires_at, category, activity);

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

CREATE INDEX reports_comment ON darkroom.reports USING btree (comment_id) WHERE (comment_id > 0);

CREATE INDEX reports_reporter ON darkroom.reports USING btree (reporter, created_at DESC);

CREATE INDEX reports_undecided ON darkroom.reports USING btree (reporter) WHERE (is_agreed IS NULL);

CREATE INDEX retired_media_due ON darkroom.retired_media USING btree (due_at, media_key);

CREATE INDEX retired_media_post ON darkroom.retired_media USING btree (post_id) WHERE (post_id IS NOT NULL);

CREATE INDEX retired_media_uploader ON darkroom.retired_media USING btree (uploader) WHERE (uploader IS NOT NULL);

CREATE INDEX reviews_comment_order ON darkroom.reviews USING btree (((- severity)), ((- score)), opened_at, comment_id) WHERE (comment_id > 0);

CREATE INDEX reviews_order ON darkroom.reviews USING btree (((- severity)), ((- score)), opened_at, post_id) WHERE (comment_id = 0);

CREATE INDEX reviews_weigh_at ON darkroom.reviews USING btree (weigh_at, post_id) WHERE ((cause = ANY (ARRAY['score'::text, 'reported'::text])) AND (appeal_id IS NULL));

CREATE INDEX reviews_weighed_by ON darkroom.reviews USING btree (weighed_by, post_id) WHERE ((cause = ANY (ARRAY['score'::text, 'reported'::text])) AND (appeal_id IS NULL));

CREATE INDEX unpublished_media_upload ON darkroom.unpublished_media USING btree (upload_id);

CREATE INDEX unpublished_media_uploader ON darkroom.unpublished_media USING btree (uploader);

CREATE INDEX untold_likes_due ON darkroom.untold_likes USING btree (due_at);

CREATE INDEX uploads_drafts ON darkroom.uploads USING btree (job_id) WHERE is_draft;

CREATE INDEX uploads_drafts_time ON darkroom.uploads USING btree (created_at) WHERE is_draft;

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

CREATE TRIGGER bars_append_only BEFORE UPDATE ON darkroom.bars FOR EACH ROW WHEN (((((((old.bar_id IS DISTINCT FROM new.bar_id) OR (old.person IS DISTINCT FROM new.person)) OR (old.decided_at IS DISTINCT FROM new.decided_at)) OR (old.reason IS DISTINCT FROM new.reason)) OR (old.ends_at IS DISTINCT FROM new.ends_at)) OR (old.note IS DISTINCT FROM new.note))) EXECUTE FUNCTION darkroom.refuse_change();

CREATE TRIGGER clean_appeal BEFORE INSERT ON darkroom.appeals FOR EACH ROW EXECUTE FUNCTION darkroom.clean_appeal();

CREATE TRIGGER clean_names BEFORE INSERT OR UPDATE OF activity ON darkroom.activities FOR EACH ROW EXECUTE FUNCTION darkroom.clean_names();

CREATE TRIGGER clean_names BEFORE INSERT ON darkroom.expiry_policies FOR EACH ROW WHEN (((new.category IS NOT NULL) OR (new.activity IS NOT NULL))) EXECUTE FUNCTION darkroom.clean_names();

CREATE TRIGGER clean_names BEFORE INSERT ON darkroom.location_policies FOR EACH ROW WHEN (((new.category IS NOT NULL) OR (new.activity IS NOT NULL))) EXECUTE FUNCTION darkroom.clean_names();

CREATE TRIGGER clean_names BEFORE INSERT ON darkroom.posting_policies FOR EACH ROW WHEN (((new.category IS NOT NULL) OR (new.categories IS NOT NULL))) EXECUTE FUNCTION darkroom.clean_names();

CREATE TRIGGER clean_report BEFORE INSERT ON darkroom.reports FOR EACH ROW WHEN ((new.details IS NOT NULL)) EXECUTE FUNCTION darkroom.clean_report();

CREATE TRIGGER comments_keep_author_handle BEFORE INSERT OR UPDATE OF author ON darkroom.comments FOR EACH ROW EXECUTE FUNCTION darkroom.keep_author_handle();

CREATE TRIGGER expiry_policies_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON darkroom.expiry_policies FOR EACH STATEMENT EXECUTE FUNCTION darkroom.refuse_change();

CREATE TRIGGER feed_of_changed AFTER UPDATE OF state, latitude, longitude, country_geonameid, division_geonameid, city_geonameid, place_geonameid, category, activity, published_at, expires_at, uploader, anonymous, taken_at, taken_at_local ON darkroom.posts FOR EACH ROW EXECUTE FUNCTION darkroom.sync_feed();

CREATE TRIGGER feed_of_new AFTER INSERT OR DELETE ON darkroom.posts FOR EACH ROW EXECUTE FUNCTION darkroom.sync_feed();

CREATE TRIGGER location_policies_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON darkroom.location_policies FOR EACH STATEMENT EXECUTE FUNCTION darkroom.refuse_change();

CREATE TRIGGER lock_decider BEFORE INSERT ON darkroom.bars FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('decider');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.bars FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('person');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.blocks FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('person');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.comment_votes FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('voter');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.comments FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('author');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.fair_keys FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('fair_key');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.follows FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('person');

CREATE TRIGGER lock_person BEFORE INSERT ON darkroom.given_up_names FOR EACH ROW EXECUTE FUNCTION darkroom.lock_person('person');

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

CREATE TRIGGER people_keep_author_handle BEFORE INSERT OR UPDATE OF person ON darkroom.people FOR EACH ROW EXECUTE FUNCTION darkroom.keep_author_handle();

CREATE TRIGGER posting_policies_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON darkroom.posting_policies FOR EACH STATEMENT EXECUTE FUNCTION darkroom.refuse_change();

CREATE TRIGGER posts_are_coarse AFTER INSERT ON darkroom.posts FOR EACH ROW WHEN (((new.activity IS NOT NULL) AND (new.location_policy > 0))) EXECUTE FUNCTION darkroom.coarsen_new_location();

CREATE TRIGGER posts_expire BEFORE INSERT ON darkroom.posts FOR EACH ROW EXECUTE FUNCTION darkroom.set_expiry();

CREATE TRIGGER posts_expire_later BEFORE UPDATE OF published_at ON darkroom.posts FOR EACH ROW WHEN ((old.published_at IS DISTINCT FROM new.published_at)) EXECUTE FUNCTION darkroom.set_expiry();

CREATE TRIGGER posts_forget_reports AFTER DELETE ON darkroom.posts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION darkroom.forget_reports();

CREATE TRIGGER posts_keep_author_handle BEFORE INSERT OR UPDATE OF uploader, anonymous ON darkroom.posts FOR EACH ROW EXECUTE FUNCTION darkroom.keep_author_handle();

CREATE TRIGGER posts_replace AFTER INSERT OR UPDATE OF state ON darkroom.posts FOR EACH ROW WHEN (((new.state = 'published'::darkroom.post_state) AND ((new.expires_at IS NULL) OR (new.expires_at > now())))) EXECUTE FUNCTION darkroom.replace_post();

CREATE TRIGGER posts_stay_deleted BEFORE UPDATE OF state ON darkroom.posts FOR EACH ROW WHEN (((old.state = 'removed'::darkroom.post_state) AND (new.state <> 'removed'::darkroom.post_state))) EXECUTE FUNCTION darkroom.refuse_return();

CREATE TRIGGER sync_pictures AFTER UPDATE ON darkroom.renditions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION darkroom.sync_pictures();

CREATE TRIGGER sync_pictures_of_gone AFTER DELETE ON darkroom.renditions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION darkroom.sync_pictures();

CREATE TRIGGER sync_pictures_of_new AFTER INSERT ON darkroom.renditions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION darkroom.sync_pictures();

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

