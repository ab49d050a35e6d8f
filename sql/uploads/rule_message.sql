create or replace function darkroom.rule_message(rule text) returns text
language sql immutable parallel safe as $$
    select coalesce(
        (select m.message from (values
            ('a_text_has_at_most_20000_bytes_and_30_combining_marks_in_a_row',
             'The text is too long, or has too many accents on one letter. Please shorten it.'),
            ('word_is_one_line_of_at_most_100_characters', 'Please write at most 100 characters on one line.'),
            ('word_has_a_visible_character_or_is_blank', 'Please write something that can be seen.'),
            ('line_is_one_line_of_at_most_200_characters', 'Please write at most 200 characters on one line.'),
            ('prose_has_at_most_5000_characters_and_no_control_characters', 'Please write at most 5,000 characters, and no control characters.'),
            ('remark_is_at_most_2000_characters', 'Please write at most 2,000 characters.'),
            ('comment_is_not_blank', 'Please write something.'),
            ('display_name_has_no_unseen_characters', 'Please leave out what cannot be seen.'),
            ('display_name_is_taken', 'Another person has this name. Please choose another one.'),
            ('display_name_was_given_up', 'Somebody gave this name up and can still take it back. Please choose another one.'),
            ('link_is_an_http_url_of_at_most_2000_characters',
             'Please give a link that begins with https:// or http:// and has at most 2,000 characters.'),
            ('link_names_a_host_without_credentials_or_control_characters', 'Please give a link without a user name and password.'),
            ('latitude_is_within_90_degrees', 'A latitude is from -90 to 90 degrees.'),
            ('longitude_is_within_180_degrees', 'A longitude is from -180 to 180 degrees.'),
            ('latitude_and_longitude_go_together', 'Please give both the latitude and the longitude.'),
            ('accuracy_goes_with_coordinates', 'An accuracy needs a latitude and a longitude.'),
            ('accuracy_is_above_0_and_at_most_1000000_metres', 'An accuracy is above 0 and at most 1,000,000 metres.'),
            ('place_near_is_a_latitude_and_a_longitude', 'Please give both the latitude and the longitude of where you are.'),
            ('place_country_is_2_capital_letters', 'A country is two capital letters, such as FI.'),
            ('moment_is_from_1800_to_2199', 'The time is not from 1800 to 2199.'),
            ('taken_at_is_from_1800_to_2199', 'The time is not from 1800 to 2199.'),
            ('upload_without_a_photo_has_a_headline_a_caption_or_a_link', 'Please add a photo, a headline, a caption or a link.'),
            ('draft_has_no_queue_priority_and_time_to_run', 'A draft has no queue, priority and time to run until it is published.'),
            ('venue_with_a_number_has_a_name', 'Please say what the venue is called.'),
            ('upload_without_a_photo_says_where_it_is', 'Please say where this is.')) m (rule, message)
         where m.rule = rule_message.rule),
        format('The rule is: %s.', replace(rule, '_', ' ')))
$$;
comment on function darkroom.rule_message is 'A sentence for an uploader or author whose text or value breaks a rule, by the name of its constraint.';
