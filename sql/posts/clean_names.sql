create or replace function darkroom.clean_names() returns trigger
language plpgsql as $$
begin
    if tg_table_name = 'events' then
        new.event := coalesce(darkroom.clean_word(new.event), '');
    elsif tg_table_name = 'posting_policies' then
        new.categories := (select array_agg(darkroom.clean_word(u.name) order by u.place)
                           from unnest(new.categories) with ordinality u (name, place));
    else
        if new.category is not null then new.category := coalesce(darkroom.clean_word(new.category), ''); end if;
        if new.event is not null then new.event := coalesce(darkroom.clean_word(new.event), ''); end if;
    end if;
    return new;
end $$;
comment on function darkroom.clean_names is
    'The trigger that stores the names of events, and the categories and events of policies, in the form in which '
    'posts have them. The tables refuse blank names.';
