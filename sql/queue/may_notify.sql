create or replace function darkroom.may_notify() returns boolean
language plpgsql stable as $$
begin
    return current_setting('max_prepared_transactions') = '0';
end $$;
comment on function darkroom.may_notify is
    'Whether a transaction may notify. PostgreSQL does not prepare one that has (PREPARE TRANSACTION), and none can tell whether it '
    'will be prepared. So nothing notifies on a server that allows it, and workers poll twice a second.';
