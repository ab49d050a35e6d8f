create or replace function darkroom.first_size(missing integer, viewer text) returns integer
language sql stable strict as $$
    select case when exists (select from darkroom.blocked_handles(viewer)) then missing + missing / 8 + 1 else missing end
$$;
comment on function darkroom.first_size is
    'How many posts a list reads first for a page of so many: some to spare for a viewer who has blocked authors, since a second look costs '
    'as much as the first.';
