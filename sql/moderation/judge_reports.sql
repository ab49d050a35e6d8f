-- Reviews. A post that was removed, and stays so after an appeal, has reports that the second decision judged: a restoration
-- undoes those too. Since the removal that it undoes the post has been removed all along, so every judgement since rests
-- on that.
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
    -- In one order, so that two reviews of posts with the same reporters wait for each other only one way.
    perform from darkroom.people where person = any (fresh || undone) order by person for no key update;
    update darkroom.people
    set agreed = agreed + case when agrees then 1 when person = any (undone) then -1 else 0 end,
        disagreed = disagreed + case when not agrees then 1 when person = any (undone) then -1 else 0 end
    where person = any (fresh || undone);
    return cardinality(fresh) + cardinality(undone);
end $$;
comment on function darkroom.judge_reports is
    'Counts the reports on a post that no review has judged into the records of their reporters, and turns those '
    'round that the decision undoing and those after it had judged otherwise. Answers how many.';
