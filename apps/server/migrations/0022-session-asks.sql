-- What a session waits for: besides questions now permissions too, so that a list can say which sessions need a person.
alter table svc.session_questions
  add column kind text not null default 'question' check (kind in ('question', 'permission'));

create index session_questions_asked on svc.session_questions (session_id) where state = 'asked';
