-- If a post stays removed after an appeal, the second decision has judged reports too, and a later restoration must reverse
-- them as well. The post stays removed from the removal until then, so all judgements since rest on that removal.
create or replace function darkroom.judge_reports(of_post bigint, by_decision bigint, agrees boolean, undoing bigint default null)
returns integer
language plpgsql as $$
declare
    fresh  text[];
    undone text[];
begin
    with judged as (
        update darkroom.reports set is_agreed = agrees, judged_by = by_decision
        where post_id = of_post and judged_by >= undoing and is_agreed <> agrees
        returning reporter)
    select coalesce(array_agg(reporter), '{}') into undone from judged;
    with judged as (
        update darkroom.reports set is_agreed = agrees, judged_by = by_decision
        where post_id = of_post and is_agreed is null
        returning reporter)
    select coalesce(array_agg(reporter), '{}') into fresh from judged;
    -- In order of name, so that two reviews of posts with the same reporters cannot deadlock.
    perform from darkroom.people where person = any (fresh || undone) order by person for no key update;
    update darkroom.people
    set agreed = agreed + case when agrees then 1 when person = any (undone) then -1 else 0 end,
        disagreed = disagreed + case when not agrees then 1 when person = any (undone) then -1 else 0 end
    where person = any (fresh || undone);
    return cardinality(fresh) + cardinality(undone);
end $$;
comment on function darkroom.judge_reports is
    'Counts the reports on a post that no review has judged in the records of their reporters, and reverses those that '
    'the decision undoing, or a later one, judged the other way. Returns how many.';
