-- What the way into sandboxes has to remember.

-- Links that open one port of a sandbox without a credential. Found by the hash of their token; the token itself is
-- kept sealed, so that whoever may list the links can hand them on.
create table svc.sandbox_shares (
  share_id uuid primary key,
  token_hash text not null unique,
  sealed_token bytea not null,
  account_id uuid not null references svc.accounts,
  project_id uuid not null references svc.projects,
  session_id uuid not null,
  external_id text not null,
  port integer not null check (port between 1 and 65535),
  label text,
  created_by text not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default now()
);
create index sandbox_shares_of_machine on svc.sandbox_shares (external_id, created_at desc);

-- Prompts that were passed on to an agent runtime lately, so that a repeat is told apart from a new one.
create table svc.relayed_prompts (
  session_id uuid not null,
  prompt_hash text not null,
  expires_at timestamptz not null,
  primary key (session_id, prompt_hash)
);
create index relayed_prompts_expired on svc.relayed_prompts (expires_at);
