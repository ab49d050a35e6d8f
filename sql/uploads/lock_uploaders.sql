create or replace function darkroom.lock_uploaders() returns trigger
language plpgsql as $$
begin
    -- In one order, as all who take several of these locks.
    perform pg_advisory_xact_lock_shared(20260126, l.number)
    from (select distinct darkroom.person_lock_number(a.uploader) as number from added a order by 1) l;
    return null;
end $$;
comment on function darkroom.lock_uploaders is
    'The trigger that has the end of a person''s erasure and uploads in the person''s name follow each other: as '
    'darkroom.lock_person, for all rows of a statement.';
