create or replace function darkroom.clean_names() returns trigger
language plpgsql as $$
begin
    if tg_table_name = 'activities' then
        new.activity := coalesce(darkroom.clean_word(new.activity), '');
    elsif tg_table_name = 'posting_policies' then
        if new.category is not null then new.category := coalesce(darkroom.clean_word(new.category), ''); end if;
        new.categories := (select array_agg(darkroom.clean_word(u.name) order by u.place)
                           from unnest(new.categories) with ordinality u (name, place));
    else
        if new.category is not null then new.category := coalesce(darkroom.clean_word(new.category), ''); end if;
        if new.activity is not null then new.activity := coalesce(darkroom.activity_named(new.activity), ''); end if;
    end if;
    return new;
end $$;
comment on function darkroom.clean_names is
    'The trigger that stores the names of activities, and the categories and activities of policies, in the form in which '
    'posts have them, and an alias as its activity. The tables refuse blank names.';
