-- The triggers, by table. The file of each function says what its trigger does.

create or replace trigger clean_appeal before insert on darkroom.appeals
    for each row execute function darkroom.clean_appeal();

-- An erasure writes a pseudonym for the moderator.
create or replace trigger bars_append_only before update on darkroom.bars
    for each row when ((old.bar_id, old.person, old.decided_at, old.reason, old.ends_at, old.note)
                       is distinct from (new.bar_id, new.person, new.decided_at, new.reason, new.ends_at, new.note))
    execute function darkroom.refuse_change();
create or replace trigger lock_decider before insert on darkroom.bars
    for each row execute function darkroom.lock_person('decider');
create or replace trigger lock_person before insert on darkroom.bars
    for each row execute function darkroom.lock_person('person');

create or replace trigger lock_person before insert on darkroom.blocks
    for each row execute function darkroom.lock_person('person');

create or replace trigger lock_person before insert on darkroom.follows
    for each row execute function darkroom.lock_person('person');

create or replace trigger lock_person before insert on darkroom.comment_votes
    for each row execute function darkroom.lock_person('voter');

create or replace trigger comments_keep_author_handle before insert or update of author on darkroom.comments
    for each row execute function darkroom.keep_author_handle();
create or replace trigger lock_person before insert on darkroom.comments
    for each row execute function darkroom.lock_person('author');

create or replace trigger clean_names before insert or update of activity on darkroom.activities
    for each row execute function darkroom.clean_names();
create or replace trigger activities_are_right before insert or update on darkroom.activities
    for each row execute function darkroom.check_activity();
create or replace trigger activities_named after insert or update of activity on darkroom.activities
    for each row execute function darkroom.name_activity();
-- Fires after activities_named, by their names: the end of an activity moves the posts of all its names. What an app changes
-- waits for move_activities, which sets moved_to: this takes a lock for which publishing waits, and moves all posts at once.
create or replace trigger activities_set_end after update of ends_at on darkroom.activities
    for each row when (not new.is_changed and old.moved_to is not distinct from new.moved_to)
    execute function darkroom.move_activity_end();
create or replace trigger activities_set_end_of_new after insert on darkroom.activities
    for each row when (not new.is_changed) execute function darkroom.move_activity_end();

create or replace trigger clean_names before insert on darkroom.expiry_policies
    for each row when (new.category is not null or new.activity is not null) execute function darkroom.clean_names();
create or replace trigger expiry_policies_append_only before delete or update or truncate on darkroom.expiry_policies
    for each statement execute function darkroom.refuse_change();

create or replace trigger lock_person before insert on darkroom.fair_keys
    for each row execute function darkroom.lock_person('fair_key');
create or replace trigger note_exception before insert or update of weight on darkroom.fair_keys
    for each row when (new.weight <> 1) execute function darkroom.note_exception();

create or replace trigger lock_person before insert on darkroom.given_up_names
    for each row execute function darkroom.lock_person('person');

create or replace trigger lock_person before insert or update of added_by on darkroom.hash_lists
    for each row execute function darkroom.lock_person('added_by');

create or replace trigger locks_stay before delete or update or truncate on darkroom.locks
    for each statement execute function darkroom.refuse_change();

create or replace trigger lock_person before insert on darkroom.inbox_entries
    for each row execute function darkroom.lock_person('person');

create or replace trigger lock_person before insert on darkroom.inboxes
    for each row execute function darkroom.lock_person('person');

create or replace trigger clean_names before insert on darkroom.location_policies
    for each row when (new.category is not null or new.activity is not null) execute function darkroom.clean_names();
-- Posts name the version of the policy under which they were published.
create or replace trigger location_policies_append_only before delete or update or truncate on darkroom.location_policies
    for each statement execute function darkroom.refuse_change();

create or replace trigger lock_person before insert on darkroom.moderation_decisions
    for each row when (new.decider is not null) execute function darkroom.lock_person('decider');
create or replace trigger moderation_decisions_append_only before truncate on darkroom.moderation_decisions
    for each statement execute function darkroom.refuse_change();
create or replace trigger moderation_decisions_ending before delete on darkroom.moderation_decisions
    for each row execute function darkroom.refuse_early_deletion();
create or replace trigger moderation_decisions_erasing before update on darkroom.moderation_decisions
    for each statement execute function darkroom.refuse_change_but_to_erase();
create or replace trigger moderation_decisions_pseudonyms before update on darkroom.moderation_decisions
    for each row execute function darkroom.refuse_all_but_pseudonyms();

create or replace trigger moderation_evidence_append_only before truncate on darkroom.moderation_evidence
    for each statement execute function darkroom.refuse_change();
create or replace trigger moderation_evidence_ending before delete on darkroom.moderation_evidence
    for each row execute function darkroom.refuse_early_deletion();
create or replace trigger moderation_evidence_erasing before update on darkroom.moderation_evidence
    for each statement execute function darkroom.refuse_change_but_to_erase();
create or replace trigger moderation_evidence_pseudonyms before update on darkroom.moderation_evidence
    for each row execute function darkroom.refuse_all_but_pseudonyms();

create or replace trigger moderation_policies_append_only before delete or update or truncate on darkroom.moderation_policies
    for each statement execute function darkroom.refuse_change();

create or replace trigger lock_person before insert on darkroom.operator_actions
    for each row execute function darkroom.lock_person('requested_by');
create or replace trigger lock_uploader before insert on darkroom.operator_actions
    for each row when (new.uploader is not null) execute function darkroom.lock_person('uploader');

create or replace trigger lock_person before insert or update of paused_by on darkroom.pauses
    for each row execute function darkroom.lock_person('paused_by');
create or replace trigger note_exception before insert or update of drains on darkroom.pauses
    for each row when (new.drains) execute function darkroom.note_exception();

create or replace trigger people_keep_author_handle before insert or update of person on darkroom.people
    for each row execute function darkroom.keep_author_handle();
create or replace trigger lock_person before insert on darkroom.people
    for each row execute function darkroom.lock_person('person');

create or replace trigger lock_person before insert on darkroom.person_erasures
    for each row execute function darkroom.lock_person('requested_by');

create or replace trigger lock_person before insert on darkroom.place_corrections
    for each row execute function darkroom.lock_person('corrected_by');

create or replace trigger clean_names before insert on darkroom.posting_policies
    for each row when (new.category is not null or new.categories is not null) execute function darkroom.clean_names();
create or replace trigger posting_policies_append_only before delete or update or truncate on darkroom.posting_policies
    for each statement execute function darkroom.refuse_change();

-- Triggers fire in the order of their names. These two come before all that change the post again: its place and those that it
-- replaces.
create or replace trigger feed_of_changed
    after update of state, latitude, longitude, country_geonameid, division_geonameid, city_geonameid, place_geonameid,
        category, activity, published_at, expires_at, uploader, anonymous, taken_at, taken_at_local
    on darkroom.posts
    for each row execute function darkroom.sync_feed();
create or replace trigger feed_of_new after insert or delete on darkroom.posts
    for each row execute function darkroom.sync_feed();
-- Fires at the end of the statement, which also writes the exact location.
create or replace trigger posts_are_coarse after insert on darkroom.posts
    for each row when (new.activity is not null and new.location_policy > 0) execute function darkroom.coarsen_new_location();
create or replace trigger posts_keep_author_handle before insert or update of uploader, anonymous on darkroom.posts
    for each row execute function darkroom.keep_author_handle();
create or replace trigger posts_expire before insert on darkroom.posts
    for each row execute function darkroom.set_expiry();
create or replace trigger posts_expire_later before update of published_at on darkroom.posts
    for each row when (old.published_at is distinct from new.published_at) execute function darkroom.set_expiry();
create or replace trigger posts_forget_reports after delete on darkroom.posts
    referencing old table as gone
    for each statement execute function darkroom.forget_reports();
create or replace trigger posts_replace after insert or update of state on darkroom.posts
    for each row when (new.state = 'published' and (new.expires_at is null or new.expires_at > now()))
    execute function darkroom.replace_post();
create or replace trigger posts_stay_deleted before update of state on darkroom.posts
    for each row when (old.state = 'removed' and new.state <> 'removed') execute function darkroom.refuse_return();

create or replace trigger sync_pictures after update on darkroom.renditions
    referencing new table as changed
    for each statement execute function darkroom.sync_pictures();
create or replace trigger sync_pictures_of_gone after delete on darkroom.renditions
    referencing old table as changed
    for each statement execute function darkroom.sync_pictures();
create or replace trigger sync_pictures_of_new after insert on darkroom.renditions
    referencing new table as changed
    for each statement execute function darkroom.sync_pictures();

create or replace trigger lock_person before insert on darkroom.replays
    for each row execute function darkroom.lock_person('replayed_by');

create or replace trigger lock_person before insert on darkroom.reports
    for each row execute function darkroom.lock_person('reporter');
create or replace trigger clean_report before insert on darkroom.reports
    for each row when (new.details is not null) execute function darkroom.clean_report();

create or replace trigger lock_person after insert on darkroom.uploads
    referencing new table as added
    for each statement execute function darkroom.lock_uploaders();

create or replace trigger lock_person before insert on darkroom.votes
    for each row execute function darkroom.lock_person('voter');
