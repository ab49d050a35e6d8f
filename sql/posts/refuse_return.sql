create or replace function darkroom.refuse_return() returns trigger
language plpgsql as $$
begin
    if exists (select from darkroom.post_erasures e where e.post_id = new.post_id) then
        raise exception using errcode = 'object_not_in_prerequisite_state',
            message = format('post %s is being erased and cannot come back', new.post_id),
            hint = 'The photo can be uploaded again.';
    end if;
    return new;
end $$;
comment on function darkroom.refuse_return is 'The trigger that keeps deleted posts from coming back. Errors: 55000.';
