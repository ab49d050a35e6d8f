-- Appends $jobs waiting jobs of a thousand uploaders.
insert into bench_reference.jobs (kind, slot, subject_id, fair_key)
select 'ingest', n, n, 'uploader-' || lpad((n % 1000)::text, 3, '0')
from generate_series($first, $first + $jobs - 1) n;
