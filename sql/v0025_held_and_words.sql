-- What apps had yet to be told or trusted with: photos that are held, whose vote a reader may ask for, the erasure of
-- persons; and what every function, table and type is there for.

-- An event for the uploader of a photo that waits for a person. What is there already satisfies the narrower rule that
-- this one replaces, so nothing is looked through under the lock.
alter table darkroom.outbox
    drop constraint outbox_event_is_known,
    add constraint outbox_event_is_known check (
        event in ('published', 'held', 'hidden', 'restored', 'removed', 'expired', 'commented')) not valid;
comment on table darkroom.outbox is
    'What happened to posts, for push notifications: written in the transaction that caused it. A post that is held for review begins with held, and has published when it is approved.';
