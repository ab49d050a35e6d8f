-- Erasures that end, with a worker's rights and whatever the person does meanwhile; and judgements that are undone.

-- No worker may otherwise change who paused what, or limits by name.
alter function darkroom.erase_person_record(bigint) security definer set search_path = pg_catalog, pg_temp;
