-- One lock an uploader rather than one call of a trigger an upload, where many come at once. The lock may be taken after the
-- row is written, since what counts is that it is held until the row is committed.

create function darkroom.uploads_in_turn() returns trigger
language plpgsql as $$
begin
    -- In one order, as all who take several of these locks.
    perform pg_advisory_xact_lock_shared(20260126, l.number)
    from (select distinct darkroom.person_lock(a.uploader) as number from added a order by 1) l;
    return null;
end $$;
comment on function darkroom.uploads_in_turn is
    'The trigger that has the end of a person''s erasure and uploads in the person''s name follow each other: as darkroom.act_in_turn, for all rows of a statement.';
drop trigger act_in_turn on darkroom.uploads;
create trigger act_in_turn after insert on darkroom.uploads referencing new table as added
    for each statement execute function darkroom.uploads_in_turn();
select darkroom.grant_roles();
