create or replace function darkroom.suspicion_of(
    of_uploader text, hash bigint, of_post bigint default null, out cause text, out similar_to bigint, out similar_distance smallint, out removals integer,
    out policy_version integer)
language plpgsql stable set enable_seqscan = off set jit = off as $$
declare
    policy darkroom.moderation_policies;
begin
    select * into policy from darkroom.moderation_policies p order by p.version desc limit 1;
    policy_version := policy.version;
    if hash is not null then
        select s.post_id, s.differing, 'look_alike' into similar_to, similar_distance, cause
        from darkroom.similar_removed(hash, policy.look_alike_distance) s
        -- A post that reports have hidden is like itself.
        where s.post_id is distinct from of_post limit 1;
    end if;
    if cause is null then
        removals := (select count(*) from darkroom.removals r
                     where r.uploader = of_uploader and r.removed_at > clock_timestamp() - policy.removals_within);
        if policy.removals_to_hold = 0 then
            cause := 'every_upload';
            removals := null;
        elsif removals >= policy.removals_to_hold then
            cause := 'uploader_record';
        else
            removals := null;
        end if;
    end if;
end $$;
comment on function darkroom.suspicion_of is
    'Why a post of an uploader, whose photo has a perceptual hash, is held for review by the policy in force: '
    'look_alike, for a photo that resembles a removed one, uploader_record, for several removals lately, or every_upload, where a person looks '
    'at all posts first. cause is null if it is not.';
