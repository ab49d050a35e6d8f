-- New words: a value of an enumeration can be used only after the transaction that adds it.

alter type darkroom.job_kind add value if not exists 'tally';
alter type darkroom.job_kind add value if not exists 'reweigh';
alter type darkroom.job_kind add value if not exists 'expire';
alter type darkroom.job_kind add value if not exists 'erase_post';
alter type darkroom.job_kind add value if not exists 'erase_person';
alter type darkroom.job_kind add value if not exists 'erase_originals';
alter type darkroom.job_kind add value if not exists 'rerender';
alter type darkroom.job_kind add value if not exists 'sweep';
