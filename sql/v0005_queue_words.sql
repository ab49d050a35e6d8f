-- New values of enumerations. They can be used only once this transaction is committed.

alter type darkroom.job_kind add value if not exists 'noop';
alter type darkroom.job_kind add value if not exists 'prune_history';
alter type darkroom.job_state add value if not exists 'parked' before 'running';
