create or replace function darkroom.coarsen_new_location() returns trigger
language plpgsql as $$
begin
    perform darkroom.coarsen_location(new.post_id);
    return null;
end $$;
comment on function darkroom.coarsen_new_location is
    'The trigger that applies the location policy that a post''s activity has got, with another name, since the worker looked.';
