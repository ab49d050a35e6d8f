-- Reports come in one a reporter and post; a moderate job weighs them by the policy in force.

create type darkroom.report_reason as enum (
    'explicit', 'violence', 'harassment', 'spam', 'private_information', 'illegal', 'other');

create table darkroom.reports (
    post_id    bigint not null references darkroom.posts on delete cascade,
    reporter   text not null
               constraint reporter_is_1_to_200_characters check (char_length(reporter) between 1 and 200),
    reason     darkroom.report_reason not null,
    details    text constraint details_is_at_most_2000_characters check (char_length(details) <= 2000),
    created_at timestamptz not null default now(),
    primary key (post_id, reporter)
);

create table darkroom.moderation_policies (
    version        integer generated always as identity primary key,
    hide_threshold integer not null
                   constraint hide_threshold_is_positive check (hide_threshold > 0),
    note           text not null,
    created_at     timestamptz not null default now()
);
comment on table darkroom.moderation_policies is
    'Append a row to change the policy: the highest version is in force, at once and without a restart.';
insert into darkroom.moderation_policies (hide_threshold, note)
values (5, 'Default: five distinct reporters hide a post until it is reviewed.');

create table darkroom.moderation_decisions (
    decision_id    bigint generated always as identity primary key,
    post_id        bigint not null references darkroom.posts on delete cascade,
    decision       text not null check (decision in ('keep', 'hide')),
    policy_version integer not null references darkroom.moderation_policies,
    reports        integer not null,
    decided_at     timestamptz not null default now()
);
comment on table darkroom.moderation_decisions is 'Every decision with its evidence. Append only.';
create index moderation_decisions_post on darkroom.moderation_decisions (post_id, decision_id desc);
