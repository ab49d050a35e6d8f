create or replace function darkroom.erase_person_files(of_erasure bigint) returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    whom text := darkroom.erased_person(of_erasure);
    left_over integer;
begin
    -- A second job of an order that has ended: nobody's files are meant, rather than everybody's.
    if whom is null then
        return 0;
    end if;
    left_over := darkroom.stop_storing(of_person => whom);
    -- Also pictures that were replaced, which readers might have seen for another while.
    perform from darkroom.retired_media m where m.uploader = whom and m.due_at > now() order by m.media_key for update;
    update darkroom.retired_media set due_at = now() where uploader = whom and due_at > now();
    return left_over;
end $$;
comment on function darkroom.erase_person_files is
    'Cancels what stores files of a person, and makes all their files due that are to be deleted. Returns how many attempts '
    'have yet to stop.';
