-- Inside a security definer function, current_user is the owner.
create or replace function darkroom.caller() returns name
language sql stable parallel safe as $$
    select case current_setting('role') when 'none' then session_user else current_setting('role')::name end
$$;
comment on function darkroom.caller is
    'The role that calls a function which runs with its owner''s rights: the one of SET ROLE, else the login role.';
