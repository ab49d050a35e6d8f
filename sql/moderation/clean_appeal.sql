create or replace function darkroom.clean_appeal() returns trigger
language plpgsql as $$
begin
    new.text := coalesce(darkroom.clean_text(new.text), new.text);
    return new;
end $$;
comment on function darkroom.clean_appeal is 'The trigger that stores an appeal''s text in the form of all texts.';
