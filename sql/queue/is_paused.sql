create or replace function darkroom.is_paused(queue text, kind text) returns boolean
language sql stable as $$
    select exists (
        select from darkroom.pauses p
        where not p.drains and coalesce(p.queue, is_paused.queue) = is_paused.queue
          and coalesce(p.kind, is_paused.kind) = is_paused.kind)
$$;
comment on function darkroom.is_paused is
    'Whether nothing is claimed of a kind in a queue. Jobs that were there before a drain are claimed.';
