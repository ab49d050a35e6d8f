create or replace function darkroom.prune_records(at_most integer default 1000) returns text
language plpgsql as $$
declare
    removed integer;
begin
    removed := darkroom.prune_comments(at_most);
    if removed > 0 then
        return format('%s rows of comments', removed);
    end if;
    removed := darkroom.prune_replays(at_most);
    if removed > 0 then
        return format('%s rows of replays', removed);
    end if;
    removed := darkroom.prune_actions(at_most);
    if removed > 0 then
        return format('%s rows of operator_actions', removed);
    end if;
    removed := darkroom.prune_erasures(at_most);
    if removed > 0 then
        return format('%s rows of post_erasures and person_erasures', removed);
    end if;
    removed := darkroom.prune_removals(at_most);
    if removed > 0 then
        return format('%s rows of removals', removed);
    end if;
    removed := darkroom.prune_bars(at_most);
    if removed > 0 then
        return format('%s rows of bars', removed);
    end if;
    removed := darkroom.prune_drafts(at_most);
    if removed > 0 then
        return format('%s drafts', removed);
    end if;
    removed := darkroom.prune_names(at_most);
    if removed > 0 then
        return format('%s rows of given_up_names', removed);
    end if;
    removed := darkroom.prune_activities(at_most);
    if removed > 0 then
        return format('%s rows of activities', removed);
    end if;
    removed := darkroom.prune_inbox(at_most);
    if removed > 0 then
        return format('%s rows of inbox_entries', removed);
    end if;
    removed := darkroom.prune_decisions(at_most);
    if removed > 0 then
        return format('%s rows of moderation_decisions', removed);
    end if;
    return null;
end $$;
comment on function darkroom.prune_records is
    'Removes some of the records whose time is over, by the settings, and returns what it removed; null if nothing is left '
    'to remove.';
