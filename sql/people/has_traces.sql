create or replace function darkroom.has_traces(of_erasure bigint) returns boolean
language plpgsql stable set enable_seqscan = off set jit = off as $$
declare
    whom  text;
    since timestamptz;
    one   record;
    found_some boolean;
begin
    select e.person, e.recorded_at into whom, since from darkroom.person_erasures e where e.erasure_id = of_erasure;
    -- Jobs can outlast their uploads, for example if a newer post was deleted separately.
    if since is null
       or exists (select from darkroom.jobs j
                  where j.lane = any (array(select l.lane from darkroom.lanes l))
                    and j.fair_hash = hashtextextended(whom, 0) and j.fair_key = whom and darkroom.ingests(j.kind))
       or exists (select from darkroom.finished_jobs f
                  where f.finished_at >= since - interval '1 minute' and f.fair_key = whom and darkroom.ingests(f.kind))
       or exists (select from darkroom.person_erasures e where e.requested_by = whom)
    then
        return true;
    end if;
    for one in
        select c.of_table, c.of_column from darkroom.person_columns() c
        where c.of_table <> all (array['darkroom.jobs', 'darkroom.finished_jobs']::regclass[])
    loop
        execute format('select exists (select from %s where %I = $1)', one.of_table, one.of_column)
        into found_some using whom;
        if found_some then
            return true;
        end if;
    end loop;
    return false;
end $$;
comment on function darkroom.has_traces is
    'Whether any row has the name of the person to erase, or the person''s record has not been erased yet.';
