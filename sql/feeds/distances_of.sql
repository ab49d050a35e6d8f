create or replace function darkroom.distances_of(ids bigint[], latitude double precision, longitude double precision)
returns double precision[]
language plpgsql stable as $$
#variable_conflict use_variable
begin
    if num_nonnulls(latitude, longitude) = 0 then
        return null;
    end if;
    perform darkroom.check_coordinate(latitude, longitude);
    return array(
        select darkroom.distance_m(latitude, longitude, p.latitude, p.longitude)
        from unnest(ids) with ordinality as i (post_id, number)
        left join darkroom.posts p on p.post_id = i.post_id
        order by i.number);
end $$;
comment on function darkroom.distances_of is
    'The distances in metres from a coordinate to the published locations of posts, in their order; null without a coordinate. The planner settings are '
    'those of the lists. Errors: 22023 for half a coordinate.';
