-- Erasures that end, with a worker's rights and whatever the person does meanwhile; and judgements that are undone.

-- Erasure of persons. What is looked for at its end is found by an index, as those who act wait meanwhile.
create index if not exists moderation_evidence_reporter on darkroom.moderation_evidence (reporter);
create index moderation_decisions_decider on darkroom.moderation_decisions (decider) where decider is not null;
create index replays_replayed_by on darkroom.replays (replayed_by);
create index appeals_uploader on darkroom.appeals (uploader);
create index place_corrections_corrected_by on darkroom.place_corrections (corrected_by);

alter table darkroom.person_erasures add column recorded_at timestamptz;
comment on column darkroom.person_erasures.recorded_at is
    'When the record was last gone through: what has come into the history since is looked for at the end.';

-- With the owner's rights: no worker may otherwise change who paused what.
create or replace function darkroom.erase_person_record(of_erasure bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off as $$
declare
    whom    text := darkroom.erased_person(of_erasure);
    alias   text := (select pseudonym from darkroom.person_erasures where erasure_id = of_erasure);
    theirs  bigint[];
    n       integer;
    one     record;
begin
    update darkroom.person_erasures set recorded_at = clock_timestamp() where erasure_id = of_erasure;

    -- The history is long, and nobody waits for its rows: so it comes before what others wait for.
    -- What messages say may quote what the person wrote.
    update darkroom.finished_jobs
    set fair_key = alias, message = null, cause = null, verdict = null where fair_key = whom and kind = 'ingest';
    get diagnostics n = row_count;
    update darkroom.person_erasures set history = history + n where erasure_id = of_erasure;
    theirs := array(select job_id from darkroom.finished_jobs where fair_key = alias);
    update darkroom.job_attempts set message = null, cause = null, verdict = null where job_id = any (theirs);
    update darkroom.replays set message = null, why = null where job_id = any (theirs);

    -- Who has come back since this was last done may have reported the same posts again.
    delete from darkroom.reports r using darkroom.reports o
    where r.reporter = whom and o.post_id = r.post_id and o.reporter = alias;
    update darkroom.reports r set details = null, reporter = alias
    where r.reporter = whom
      -- One that has come between the two statements stays for the next time.
      and not exists (select from darkroom.reports o where o.post_id = r.post_id and o.reporter = alias);
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

    delete from darkroom.removed_hashes h using darkroom.removals r where r.uploader = whom and h.post_id = r.post_id;
    delete from darkroom.removals where uploader = whom;
    delete from darkroom.people where person = whom;
    delete from darkroom.fair_keys where fair_key = whom;
    delete from darkroom.fair_key_paces where fair_hash = hashtextextended(whom, 0);
    update darkroom.person_erasures set requested_by = 'the person' where requested_by = whom;

    for one in
        select c.of_table, c.of_column from darkroom.person_columns() c
        -- What there is of the person in these is erased by its own step. What has come since is not to be passed off as
        -- somebody else's with all that was written into it: the order goes on until it is erased too.
        where c.of_table <> all (array[
            'darkroom.posts', 'darkroom.feed', 'darkroom.uploads', 'darkroom.jobs', 'darkroom.finished_jobs',
            'darkroom.votes', 'darkroom.comments', 'darkroom.comment_votes', 'darkroom.reports',
            'darkroom.moderation_evidence', 'darkroom.appeals', 'darkroom.people', 'darkroom.removals',
            'darkroom.fair_keys']::regclass[])
    loop
        execute format('update %s set %I = $1 where %I = $2', one.of_table, one.of_column, one.of_column)
        using alias, whom;
    end loop;
end $$;
comment on function darkroom.erase_person_record is
    'Erases what is known of a person by name, and puts a pseudonym where something has to stay. What the other steps erase it leaves to them.';

create function darkroom.has_traces(of_erasure bigint) returns boolean
language plpgsql stable set enable_seqscan = off set jit = off as $$
declare
    whom  text;
    since timestamptz;
    one   record;
    found_some boolean;
begin
    select e.person, e.recorded_at into whom, since from darkroom.person_erasures e where e.erasure_id = of_erasure;
    -- Jobs whose uploads are gone again, as where a post that came meanwhile was deleted by itself.
    if since is null
       or exists (select from darkroom.jobs j
                  where j.lane = any (array(select l.lane from darkroom.lanes l))
                    and j.fair_hash = hashtextextended(whom, 0) and j.fair_key = whom and j.kind = 'ingest')
       or exists (select from darkroom.finished_jobs f
                  where f.finished_at >= since - interval '1 minute' and f.fair_key = whom and f.kind = 'ingest')
       or exists (select from darkroom.person_erasures e where e.requested_by = whom)
    then
        return true;
    end if;
    for one in
        select c.of_table, c.of_column from darkroom.person_columns() c
        where c.of_table <> all (array['darkroom.jobs', 'darkroom.finished_jobs']::regclass[])
    loop
        execute format('select exists (select from %s where %I = $1)', one.of_table, one.of_column)
        into found_some using whom;
        if found_some then
            return true;
        end if;
    end loop;
    return false;
end $$;
comment on function darkroom.has_traces is
    'Whether anything bears the name of the person whom an erasure is of, or its record has not been gone through yet.';

create function darkroom.person_lock(person text) returns integer
language sql immutable parallel safe
return (hashtextextended(person, 0) & 255)::integer;
comment on function darkroom.person_lock is
    'The number of the lock, 0 to 255 in the class 20260126, that who acts for a person shares and the end of an erasure has alone.';

create or replace function darkroom.finish_person_erasure(of_erasure bigint) returns boolean
language plpgsql as $$
declare
    whom text;
begin
    select e.person into whom from darkroom.person_erasures e where e.erasure_id = of_erasure for update;
    if whom is null then
        return true;
    end if;
    if exists (select from darkroom.retired_media m where m.erasure_id = of_erasure)
       -- Not waited for, as others who act would wait behind.
       or not pg_try_advisory_xact_lock(20260126, darkroom.person_lock(whom))
    then
        return false;
    end if;
    -- A statement of its own: it sees what those had committed who had the lock.
    if darkroom.has_traces(of_erasure) then
        return false;
    end if;
    update darkroom.person_erasures
    set state = 'finished', person = null, pseudonym = null, finished_at = clock_timestamp()
    where erasure_id = of_erasure;
    return true;
end $$;
comment on function darkroom.finish_person_erasure is
    'Ends an erasure and forgets whose it was. False: something of the person is there still or again, or somebody acts for them, or for one who shares their lock, right now. True: who acts for the person from the commit on acts for somebody new.';

-- Whoever acts for a person has one of 256 locks until their transaction has ended, together with others who act. The end of
-- an erasure has it alone: so each act was either committed before, and is found, or comes after.
create function darkroom.act_in_turn() returns trigger
language plpgsql as $$
declare
    whom text;
begin
    case tg_argv[0]
        when 'author' then whom := new.author;
        when 'corrected_by' then whom := new.corrected_by;
        when 'decider' then whom := new.decider;
        when 'fair_key' then whom := new.fair_key;
        when 'paused_by' then whom := new.paused_by;
        when 'person' then whom := new.person;
        when 'replayed_by' then whom := new.replayed_by;
        when 'reporter' then whom := new.reporter;
        when 'requested_by' then whom := new.requested_by;
        when 'uploader' then whom := new.uploader;
        when 'voter' then whom := new.voter;
    end case;
    -- An assignment, which takes half as long as a statement.
    whom := pg_advisory_xact_lock_shared(20260126, darkroom.person_lock(whom));
    return new;
end $$;
comment on function darkroom.act_in_turn is
    'The trigger that has the end of a person''s erasure and what is written in the person''s name follow each other. Its argument is the column that names the person.';
create trigger act_in_turn before insert on darkroom.fair_keys
    for each row execute function darkroom.act_in_turn('fair_key');
create trigger act_in_turn before insert or update of paused_by on darkroom.pauses
    for each row execute function darkroom.act_in_turn('paused_by');
create trigger act_in_turn before insert on darkroom.person_erasures
    for each row execute function darkroom.act_in_turn('requested_by');
create trigger act_in_turn before insert on darkroom.place_corrections
    for each row execute function darkroom.act_in_turn('corrected_by');
create trigger act_in_turn before insert on darkroom.replays
    for each row execute function darkroom.act_in_turn('replayed_by');
create trigger act_in_turn before insert on darkroom.moderation_decisions
    for each row when (new.decider is not null) execute function darkroom.act_in_turn('decider');
create trigger act_in_turn before insert on darkroom.people
    for each row execute function darkroom.act_in_turn('person');
create trigger act_in_turn before insert on darkroom.reports
    for each row execute function darkroom.act_in_turn('reporter');
create trigger act_in_turn before insert on darkroom.comments
    for each row execute function darkroom.act_in_turn('author');
create trigger act_in_turn before insert on darkroom.comment_votes
    for each row execute function darkroom.act_in_turn('voter');
create trigger act_in_turn before insert on darkroom.votes
    for each row execute function darkroom.act_in_turn('voter');
create trigger act_in_turn before insert on darkroom.uploads
    for each row execute function darkroom.act_in_turn('uploader');

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
    'Counts the reports on a post that no review has judged into the records of their reporters, and turns those round that the decision undoing and those after it had judged otherwise. Answers how many.';
