create or replace function darkroom.prune_paces() returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    removed integer;
begin
    delete from darkroom.fair_key_paces p
    where p.ctid = any (array(
        select ctid from darkroom.fair_key_paces where next_at < clock_timestamp() order by fair_hash limit 1000 for update skip locked));
    get diagnostics removed = row_count;
    return removed;
end $$;
comment on function darkroom.prune_paces is
    'Removes up to 1,000 paces of keys that may start a job at once: such a row says nothing. Returns how many.';
