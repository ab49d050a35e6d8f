create or replace function darkroom.lock_uploaders() returns trigger
language plpgsql as $$
begin
    -- In ascending order, as everyone who takes several of these locks does.
    perform from darkroom.locks l
    where l.name = 'acts' and l.number in (select darkroom.acts_number(a.uploader) from added a)
    order by l.number for key share;
    return null;
end $$;
comment on function darkroom.lock_uploaders is
    'The trigger that makes the end of a person''s erasure and uploads in the person''s name take turns: like '
    'darkroom.lock_person, for all rows of a statement.';
