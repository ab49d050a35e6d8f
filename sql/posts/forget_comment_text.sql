create or replace function darkroom.forget_comment_text(of_comment bigint) returns void
language sql as $$
    update darkroom.comments c set body = '-'
    where c.comment_id = of_comment and c.is_deleted and c.body <> '-'
      and not exists (select from darkroom.reviews r where r.post_id = c.post_id and r.comment_id = c.comment_id)
$$;
comment on function darkroom.forget_comment_text is 'Erases the text of a deleted comment, unless the review list has it.';
