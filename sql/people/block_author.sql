-- May be called by: api
-- Example:
--   select darkroom.block_author('user-9', author_handle => '83c6f720acd602b555c2cbc4')
create or replace function darkroom.block_author(person darkroom.person, author_handle darkroom.handle) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    at_most constant integer := (select s.blocks_at_most from darkroom.settings s where s.is_only_row);
begin
    if num_nulls(person, author_handle) > 0 then
        perform darkroom.missing(case when person is null then 'person' else 'author_handle' end);
    elsif darkroom.handle_of(person) = author_handle
          or exists (select from darkroom.posts p where p.uploader = person and p.author_handle = block_author.author_handle)
    then
        raise exception using errcode = 'invalid_parameter_value', message = 'nobody can block themselves',
            hint = 'Give the author_handle of another author''s post or comment.';
    end if;
    perform darkroom.take_lock('person', darkroom.lock_number(person));
    if (select count(*) from darkroom.blocks b where b.person = person) >= at_most
       and not exists (select from darkroom.blocks b where b.person = person and b.author_handle = author_handle)
    then
        raise exception using errcode = 'configuration_limit_exceeded',
            message = format('a person can block %s authors', at_most), hint = 'Unblock one of them first.';
    end if;
    insert into darkroom.blocks (person, author_handle) values (person, author_handle) on conflict do nothing;
end $$;
comment on function darkroom.block_author is
    'From now on the person sees no post and no comment of the author whom readers know by this handle: in no list, number and inbox '
    'in which the person is the viewer. Nobody is told. An anonymous author is blocked where the handle is in use: by name, the '
    'same person stays visible, or the block would tell who it was. The inbox follows within a second or two. Blocking twice changes nothing. Errors: 22023 for the '
    'person''s own handle, 53400 (configuration_limit_exceeded) beyond settings.blocks_at_most, 23514 for what is no handle.';
