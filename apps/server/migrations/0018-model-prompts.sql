-- Prompts and answers of a project that asked to keep them: sealed, apart from the log, with an end of their own.

alter table svc.project_models add column prompt_days integer check (prompt_days between 1 and 365);

create table svc.model_prompts (
  call_id uuid primary key,
  account_id uuid not null,
  project_id uuid not null,
  sealed_request bytea,
  sealed_response bytea,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index model_prompts_project on svc.model_prompts (project_id);
create index model_prompts_expiry on svc.model_prompts (expires_at);

-- Sums over parts of a day: rows arrive in the order of their time, so a few pages per range tell where they are.
create index model_calls_time on svc.model_calls using brin (created_at) with (pages_per_range = 16, autosummarize = on);
