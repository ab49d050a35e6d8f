create or replace function darkroom.installation_settings()
returns table (name text, value text, usual text, meaning text)
language sql stable as $$
    select a.attname::text, to_jsonb(s) ->> a.attname::text,
           regexp_replace(pg_get_expr(d.adbin, d.adrelid), '^''(.*)''::.*$', E'\\1'),
           col_description(a.attrelid, a.attnum)
    from darkroom.settings s
    join pg_attribute a on a.attrelid = 'darkroom.settings'::regclass and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attname not in ('is_only_row', 'media_identity', 'installation')
    order by 1
$$;
comment on function darkroom.installation_settings is
    'The settings that operators change, each with its value, the one that it begins with, and what it means.';
