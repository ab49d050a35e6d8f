-- The same rule as CoordinateGrid of the workers, which gives its source. The function is not strict and returns a
-- table, so that statements over many rows inline it: a call is twenty times slower.
create or replace function darkroom.grid_centre(latitude double precision, longitude double precision, cell_m double precision)
returns table (centre_latitude double precision, centre_longitude double precision)
language sql immutable parallel safe rows 1 as $$
    select case when c.is_pole then c.latitude else round(c.latitude * 1e7) / 1e7 end,
           case when c.is_pole then 0
                else round((((case when g.col >= c.cols then 0 else g.col end) + 0.5::float8) / c.cols * 360 - 180)
                           * 1e7) / 1e7 end
    from (select ceil(pi() * 6371008.8::float8 / cell_m) as n) r,
         lateral (select floor(($1 + 90) / 180 * r.n + 0.5::float8) as k) k,
         lateral (select k.k / r.n * 180 - 90 as latitude, k.k = 0 or k.k = r.n as is_pole,
                         ceil(2 * pi() * 6371008.8::float8
                              * cos(greatest(abs(k.k / r.n * 180 - 90) - 90 / r.n, 0)
                                    * 0.017453292519943295::float8) / cell_m) as cols) c,
         lateral (select floor(($2 + 180) / 360 * c.cols) as col) g
$$;
comment on function darkroom.grid_centre is
    'The centre of the cell, of about cell_m by cell_m metres, that holds a point. All points of a cell have the same '
    'centre, including the centre itself.';
