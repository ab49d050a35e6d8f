create or replace function darkroom.is_at_host(host text, hosts text[]) returns boolean
language sql immutable parallel safe as $$
    select case when host is not null and hosts is not null
                then exists (select from unnest(hosts) h where host = h or right(host, length(h) + 1) = '.' || h) end
$$;
comment on function darkroom.is_at_host is
    'Whether a host is one of several or a subdomain of one; null if there is no host, or no list.';
