-- After the report is written, so that one that was there before is not refused.
create or replace function darkroom.refuse_further_reports(of_reporter text) returns void
language plpgsql stable set enable_seqscan = off set jit = off as $$
declare
    most integer := (select s.reports_a_day from darkroom.settings s);
begin
    if most < (
        select count(*) from (
            select from darkroom.reports r
            where r.reporter = of_reporter and r.created_at > now() - interval '1 day' limit most + 1) latest)
    then
        raise exception using errcode = 'configuration_limit_exceeded', constraint = 'reports_a_day',
            message = format('one person can file %s reports in 24 hours', most),
            hint = 'Report the rest later. An operator can raise settings.reports_a_day.';
    end if;
end $$;
comment on function darkroom.refuse_further_reports is
    'Refuses the report that a person has just filed if it is more than settings.reports_a_day within 24 hours; those on comments '
    'count too. Errors: 53400 (reports_a_day).';
