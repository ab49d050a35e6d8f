create or replace function darkroom.unpark(of_keys bigint[]) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    one  record;
    free bigint;
    made integer := 0;
begin
    for one in
        select distinct k as fair_hash from unnest(of_keys) as k
        where exists (select from darkroom.jobs j where j.fair_hash = k and j.waits_for = 'turn')
        order by 1
    loop
        select coalesce(
                   (select k.max_running from darkroom.jobs j join darkroom.fair_keys k on k.fair_key in (j.fair_key, '*')
                    where j.fair_hash = one.fair_hash and j.waits_for = 'turn'
                    order by k.fair_key = '*' limit 1),
                   1000000)
               - (select count(*) from darkroom.jobs where running_key = one.fair_hash)
        into free;
        with gone_on as (
            update darkroom.jobs j set waits_for = null, slot = greatest(slot, darkroom.virtual_time(lane))
            where j.ctid = any (array(
                select ctid from darkroom.jobs
                where fair_hash = one.fair_hash and waits_for = 'turn'
                order by slot limit greatest(free, 0) for update skip locked))
            returning 1)
        select made + count(*) into made from gone_on;
    end loop;
    return made;
end $$;
comment on function darkroom.unpark is
    'Releases jobs that wait for their turn: for each fair key, given by its hash, as many as its limit has room for. '
    'Returns how many.';
