-- May be called by: api
-- Example:
--   select darkroom.read_inbox('user-17', up_to => 1)
create or replace function darkroom.read_inbox(person darkroom.person, up_to bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
begin
    if up_to > coalesce(pg_sequence_last_value('darkroom.event_numbers'), 0) then
        raise exception using errcode = 'invalid_parameter_value', message = format('there is no event %s yet', up_to),
            hint = 'Give the number of an entry that inbox returned.';
    elsif up_to is null or up_to < 1 then
        return false;
    end if;
    insert into darkroom.inboxes as i (person, read_up_to) values (person, up_to)
    on conflict on constraint inboxes_pkey do update set read_up_to = excluded.read_up_to
    where i.read_up_to < excluded.read_up_to;
    return found;
end $$;
comment on function darkroom.read_inbox is
    'Marks the entries of a person''s inbox up to a number as read. Give the number of the first entry that the person has '
    'seen: what came meanwhile stays unread. Returns false if that changed nothing. Errors: 22023 for a number that no '
    'event has reached, 23502 for a missing person, 23514 for a person out of range (1 to 200 characters).';
