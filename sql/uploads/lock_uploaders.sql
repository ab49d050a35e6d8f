create or replace function darkroom.lock_uploaders() returns trigger
language plpgsql as $$
begin
    -- In ascending order, as everyone who takes several of these locks does.
    perform pg_advisory_xact_lock_shared(20260126, l.number)
    from (select distinct darkroom.person_lock_number(a.uploader) as number from added a order by 1) l;
    return null;
end $$;
comment on function darkroom.lock_uploaders is
    'The trigger that makes the end of a person''s erasure and uploads in the person''s name take turns: like '
    'darkroom.lock_person, for all rows of a statement.';
