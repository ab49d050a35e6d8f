create or replace function darkroom.slot_stride(of_key text) returns bigint
language plpgsql stable as $$
begin
    return (1048576 / coalesce(
        (select weight from darkroom.fair_keys where fair_key = of_key),
        (select weight from darkroom.fair_keys where fair_key = '*'), 1))::bigint;
end $$;
comment on function darkroom.slot_stride is
    'The distance between the slots of a key''s jobs: 2^20 at weight 1, less for heavier keys.';
