create or replace function darkroom.name_activity() returns trigger
language plpgsql set enable_seqscan = off as $$
begin
    if tg_op = 'UPDATE' then
        delete from darkroom.activity_names n where n.activity = new.activity and n.name = old.activity;
    end if;
    insert into darkroom.activity_names (key, activity, name)
    values (darkroom.name_key(new.activity), new.activity, new.activity);
    return null;
end $$;
comment on function darkroom.name_activity is
    'The trigger that makes an activity known by its name, and refuses one that another activity has.';
