-- Texts have a kind of their own, so that they are published while the media store or the renderer is away.
create or replace function darkroom.ingests(kind text) returns boolean
language sql immutable parallel safe as $$ select kind in ('ingest', 'ingest_text') $$;
comment on function darkroom.ingests is 'Whether jobs of a kind turn uploads into posts.';
