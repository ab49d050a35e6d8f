create or replace function darkroom.note_intake(
    of_photo_types text[], of_bytes_at_most bigint, of_pixels_at_most bigint, of_attributions text[])
returns void
language sql as $$
    insert into darkroom.intake as i (photo_types, bytes_at_most, pixels_at_most, attributions)
    values (of_photo_types, of_bytes_at_most, of_pixels_at_most, of_attributions)
    on conflict (is_only_row) do update
        set (photo_types, bytes_at_most, pixels_at_most, attributions, noted_at)
            = row (of_photo_types, of_bytes_at_most, of_pixels_at_most, of_attributions, clock_timestamp())
        where (i.photo_types, i.bytes_at_most, i.pixels_at_most, i.attributions)
              is distinct from (of_photo_types, of_bytes_at_most, of_pixels_at_most, of_attributions)
$$;
comment on function darkroom.note_intake is
    'A worker says which photos it takes, and whom its gazetteer credits: when it starts, and when it has another gazetteer.';
