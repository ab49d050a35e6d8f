create or replace function darkroom.announce_due(at_time timestamptz) returns void
language plpgsql as $$
begin
    if at_time < clock_timestamp() + interval '2 seconds' and darkroom.may_notify() then
        perform pg_notify('darkroom.jobs', 'due');
    end if;
end $$;
comment on function darkroom.announce_due is
    'Tells workers of a job that will be due within two seconds. They find later ones in time by themselves.';
