create or replace function darkroom.lock_uploaders() returns trigger
language plpgsql as $$
begin
    -- In ascending order, as everyone who takes several of these locks does.
    perform from darkroom.locks l
    where l.name = 'acts' and l.number in (select darkroom.acts_number(a.uploader) from added a)
    order by l.number for key share;
    perform darkroom.refuse_barred(a.uploader) from (select distinct o.uploader from added o) a;
    return null;
end $$;
comment on function darkroom.lock_uploaders is
    'The trigger that makes the end of a person''s erasure and uploads in the person''s name take turns, and that refuses those of people who are barred: like '
    'darkroom.lock_person, for all rows of a statement.';
