-- Runs with the owner's rights, since workers may not change who paused what.
create or replace function darkroom.erase_person_record(of_erasure bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
set lock_timeout = '2s' as $$
declare
    whom    text := darkroom.erased_person(of_erasure);
    alias   text := (select pseudonym from darkroom.person_erasures where erasure_id = of_erasure);
    theirs  bigint[];
    n       integer;
    one     record;
begin
    -- A second job of an order that has ended.
    if whom is null then
        return;
    end if;
    update darkroom.person_erasures set recorded_at = clock_timestamp() where erasure_id = of_erasure;

    -- The history is long, but nobody waits for its rows, so it comes before the rows that others wait for.
    -- Messages may quote what the person wrote.
    update darkroom.finished_jobs
    set fair_key = alias, message = null, cause = null, verdict = null where fair_key = whom and darkroom.ingests(kind);
    get diagnostics n = row_count;
    update darkroom.person_erasures set history = history + n where erasure_id = of_erasure;
    theirs := array(select job_id from darkroom.finished_jobs where fair_key = alias);
    update darkroom.job_attempts set message = null, cause = null, verdict = null where job_id = any (theirs);
    update darkroom.replays set message = null, why = null where job_id = any (theirs);

    -- Before reports and entries, as erase_person_post and fill_inboxes lock them.
    delete from darkroom.blocks where person = whom or author_handle = darkroom.handle_of(whom);
    -- Those who decide on several posts lock their reports in this order, and then people.
    perform from darkroom.reports r where r.reporter in (whom, alias) order by r.post_id, r.comment_id, r.reporter for update;
    -- A person who came back after the last run may have reported the same posts again.
    delete from darkroom.reports r using darkroom.reports o
    where r.reporter = whom and (o.post_id, o.comment_id) = (r.post_id, r.comment_id) and o.reporter = alias;
    update darkroom.reports r set details = null, reporter = alias
    where r.reporter = whom
      -- A report that came between the two statements is left for the next run.
      and not exists (select from darkroom.reports o where (o.post_id, o.comment_id) = (r.post_id, r.comment_id) and o.reporter = alias);
    get diagnostics n = row_count;
    update darkroom.person_erasures set reports = reports + n where erasure_id = of_erasure;

    if exists (select from darkroom.moderation_evidence e join darkroom.moderation_evidence o using (decision_id)
               where e.reporter = whom and o.reporter = alias)
    then
        update darkroom.person_erasures set pseudonym = default where erasure_id = of_erasure
        returning pseudonym into alias;
    end if;
    update darkroom.moderation_evidence set reporter = alias where reporter = whom;
    get diagnostics n = row_count;
    update darkroom.person_erasures set decisions = decisions + n where erasure_id = of_erasure;

    update darkroom.moderation_decisions set note = null, author = alias where author = whom;
    -- Before their hashes, as prune_removals locks them.
    perform from darkroom.removals r where r.uploader = whom order by r.post_id for update;
    -- Posts that were erased before. What reviewers wrote about them may name the person.
    update darkroom.post_erasures e set cause = 'person' from darkroom.removals r where r.uploader = whom and e.post_id = r.post_id;
    update darkroom.moderation_decisions d set note = null from darkroom.removals r
    where r.uploader = whom and d.post_id = r.post_id and d.comment_id = 0 and d.note is not null
      and exists (select from darkroom.post_erasures e where e.post_id = d.post_id and e.cause = 'person');
    delete from darkroom.removed_hashes h using darkroom.removals r where r.uploader = whom and h.post_id = r.post_id;
    delete from darkroom.removals where uploader = whom;
    delete from darkroom.people where person = whom;
    delete from darkroom.given_up_names where person = whom;
    delete from darkroom.follows where person = whom;
    delete from darkroom.inbox_entries where person = whom;
    delete from darkroom.inboxes where person = whom;
    delete from darkroom.bars where person = whom;
    update darkroom.bars set decider = alias where decider = whom;
    delete from darkroom.fair_keys where fair_key = whom;
    delete from darkroom.fair_key_paces where fair_hash = hashtextextended(whom, 0);
    update darkroom.person_erasures set requested_by = case person when whom then 'the person' else 'an erased person' end
    where requested_by = whom;

    -- What an operator wrote about this person, or sought.
    update darkroom.operator_actions set why = null, filter = null, fault = null where uploader = whom;

    for one in
        select c.of_table, c.of_column from darkroom.person_columns() c
        -- Other steps erase the person's rows in these tables. Rows that came since must not get a pseudonym, as their
        -- content would remain; the erasure continues until they are erased too.
        where c.of_table <> all (array[
            'darkroom.posts', 'darkroom.feed', 'darkroom.uploads', 'darkroom.jobs', 'darkroom.finished_jobs',
            'darkroom.votes', 'darkroom.comments', 'darkroom.comment_votes', 'darkroom.reports',
            'darkroom.moderation_evidence', 'darkroom.appeals', 'darkroom.people', 'darkroom.removals',
            'darkroom.fair_keys', 'darkroom.unpublished_media', 'darkroom.retired_media', 'darkroom.inbox_entries',
            'darkroom.inboxes', 'darkroom.blocks', 'darkroom.bars', 'darkroom.given_up_names', 'darkroom.follows']::regclass[])
    loop
        execute format('update %s set %I = $1 where %I = $2', one.of_table, one.of_column, one.of_column)
        using alias, whom;
    end loop;
end $$;
comment on function darkroom.erase_person_record is
    'Erases what is known of a person by name, and writes a pseudonym where a row must stay. Other steps erase the '
    'rest.';
