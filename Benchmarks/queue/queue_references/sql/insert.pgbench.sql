\set n random(1, 1000000000)
insert into bench_reference.jobs (kind, slot, subject_id, fair_key)
values ('ingest', :n, :n, 'uploader-' || lpad((:n % 1000)::text, 3, '0'));
