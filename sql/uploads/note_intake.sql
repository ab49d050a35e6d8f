create or replace function darkroom.note_intake(
    of_photo_types text[], of_bytes_at_most bigint, of_pixels_at_most bigint, of_attributions text[], replaces_limits boolean)
returns void
language sql as $$
    insert into darkroom.intake as i (photo_types, bytes_at_most, pixels_at_most, attributions)
    values (of_photo_types, of_bytes_at_most, of_pixels_at_most, of_attributions)
    on conflict (is_only_row) do update
        set photo_types = case when replaces_limits then excluded.photo_types else i.photo_types end,
            bytes_at_most = case when replaces_limits then excluded.bytes_at_most else i.bytes_at_most end,
            pixels_at_most = case when replaces_limits then excluded.pixels_at_most else i.pixels_at_most end,
            attributions = excluded.attributions, noted_at = clock_timestamp()
        where i.attributions is distinct from excluded.attributions
           or replaces_limits and (i.photo_types, i.bytes_at_most, i.pixels_at_most)
                                  is distinct from (excluded.photo_types, excluded.bytes_at_most, excluded.pixels_at_most)
$$;
comment on function darkroom.note_intake is
    'A worker says which photos it takes, and whom its gazetteer credits. With another gazetteer it says so again, without replacing the limits, which are '
    'those of the worker that started last; nor does one replace them that only drains the queues.';
