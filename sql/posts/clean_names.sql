create or replace function darkroom.clean_names() returns trigger
language plpgsql as $$
begin
    if tg_table_name = 'activities' then
        new.activity := case when darkroom.name_key(new.activity) <> '' then darkroom.clean_word(new.activity) else '' end;
    elsif tg_table_name = 'posting_policies' then
        new.category := darkroom.name_key(new.category);
        new.categories := (select array_agg(case when darkroom.name_key(u.name) <> '' then darkroom.clean_word(u.name) end
                                               order by u.place)
                           from unnest(new.categories) with ordinality u (name, place));
    else
        new.category := darkroom.name_key(new.category);
        if new.activity is not null then new.activity := coalesce(darkroom.name_key(darkroom.activity_named(new.activity)), ''); end if;
    end if;
    return new;
end $$;
comment on function darkroom.clean_names is
    'The trigger that stores the categories and activities that select policies in the form in which they are compared, and '
    'an alias as its activity; the names of activities, and the categories that uploaders are told, as they are shown. The '
    'tables refuse names without a visible character.';
