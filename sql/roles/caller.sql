-- Whose rights a call has: inside of functions that run with their owner's rights current_user is the owner.
create or replace function darkroom.caller() returns name
language sql stable parallel safe as $$
    select case current_setting('role') when 'none' then session_user else current_setting('role')::name end
$$;
comment on function darkroom.caller is
    'The role by which somebody calls a function that runs with its owner''s rights: that of SET ROLE, else the '
    'login''s.';
