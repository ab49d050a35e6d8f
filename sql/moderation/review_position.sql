create or replace function darkroom.review_position(
    after text, out severity integer, out score double precision, out opened_at timestamptz, out subject_id bigint)
language plpgsql immutable as $$
declare
    place text[] := regexp_match(left(after, 100), '^([0-9]):([0-9.e+-]{1,30}):([0-9]{1,17}):([0-9]{1,18})$');
begin
    if after is null then
        return;
    elsif place is null or place[2] !~ '^[0-9]{1,15}([.][0-9]{1,17})?(e[+-]?[0-9]{1,2})?$' then
        perform darkroom.bad_cursor(left(after, 100));
    end if;
    severity := place[1];
    score := place[2];
    opened_at := timestamptz 'epoch' + place[3]::bigint * interval '1 microsecond';
    subject_id := place[4];
end $$;
comment on function darkroom.review_position is
    'What a cursor of the review lists says; nulls for null. Errors: 22023 for another text.';
