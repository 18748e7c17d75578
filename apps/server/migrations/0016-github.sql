-- Installations of this instance's GitHub app that accounts have saved.

create table svc.github_installations (
  installation_row_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  -- GitHub's number for it.
  installation_id text not null,
  owner_login text not null,
  owner_type text not null,
  repository_selection text not null,
  permissions jsonb not null default '{}',
  installation_url text not null,
  saved_by uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (account_id, installation_id)
);

-- The states of install links that were used; a link works once. Rows are dropped when the link would have expired.
create table svc.github_used_states (
  nonce text primary key,
  expires_at timestamptz not null
);
