-- Sign-in for third-party apps: clients, requests for consent, codes, grants and their pairs of tokens.

create table svc.oauth_clients (
  client_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  name text not null check (length(name) between 1 and 255),
  description text,
  client_type text not null check (client_type in ('confidential', 'public')),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 20),
  scopes text[] not null check (cardinality(scopes) > 0),
  secret_hash text,
  active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((client_type = 'confidential') = (secret_hash is not null))
);
create index oauth_clients_account on svc.oauth_clients (account_id, client_id);

-- An app's request while the person decides. The decision removes it.
create table svc.oauth_requests (
  request_id uuid primary key,
  client_id uuid not null references svc.oauth_clients on delete cascade,
  redirect_uri text not null,
  scopes text[] not null,
  state text,
  code_challenge text not null,
  expires_at timestamptz not null
);
create index oauth_requests_client on svc.oauth_requests (client_id);
create index oauth_requests_expiry on svc.oauth_requests (expires_at);

-- What a person has approved for an app, for the consent page to remember.
create table svc.oauth_consents (
  client_id uuid not null references svc.oauth_clients on delete cascade,
  user_id uuid not null references svc.users on delete cascade,
  scopes text[] not null,
  updated_at timestamptz not null default now(),
  primary key (client_id, user_id)
);
create index oauth_consents_user on svc.oauth_consents (user_id);

-- One exchanged code. Every pair of tokens that comes of it belongs to the grant and ends with it.
create table svc.oauth_grants (
  grant_id uuid primary key,
  client_id uuid not null references svc.oauth_clients on delete cascade,
  user_id uuid not null references svc.users on delete cascade,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  revoke_reason text,
  check ((revoked_at is null) = (revoke_reason is null))
);
create index oauth_grants_client on svc.oauth_grants (client_id);
create index oauth_grants_user on svc.oauth_grants (user_id);

create table svc.oauth_codes (
  code_hash text primary key,
  client_id uuid not null references svc.oauth_clients on delete cascade,
  user_id uuid not null references svc.users on delete cascade,
  redirect_uri text not null,
  scopes text[] not null,
  code_challenge text not null,
  expires_at timestamptz not null,
  -- Set by the first who comes with it, right verifier or not.
  spent_at timestamptz,
  -- What it produced. The row stays as long as the grant, so that a second use is noticed.
  grant_id uuid references svc.oauth_grants on delete cascade
);
create index oauth_codes_client on svc.oauth_codes (client_id);
create index oauth_codes_user on svc.oauth_codes (user_id);
create index oauth_codes_grant on svc.oauth_codes (grant_id);
create index oauth_codes_expiry on svc.oauth_codes (expires_at) where grant_id is null;

-- One row per pair of access and refresh token.
create table svc.oauth_tokens (
  token_id uuid primary key,
  grant_id uuid not null references svc.oauth_grants on delete cascade,
  access_hash text not null unique,
  access_expires_at timestamptz not null,
  refresh_hash text not null unique,
  refresh_expires_at timestamptz not null,
  spent_at timestamptz,
  -- With the spent refresh token and a key this gives its successor again; alone it gives nothing.
  successor_nonce text,
  check ((spent_at is null) = (successor_nonce is null))
);
create index oauth_tokens_grant on svc.oauth_tokens (grant_id);
create index oauth_tokens_expiry on svc.oauth_tokens (refresh_expires_at);
