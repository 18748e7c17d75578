-- How people sign in: instance settings, sign-in sessions, one-time codes, identities at other providers, mail.

-- One row: what the operator decides for the whole instance.
create table svc.instance_settings (
  singleton boolean primary key default true check (singleton),
  sign_up text not null default 'invitation' check (sign_up in ('open', 'invitation', 'closed')),
  -- `auto`: addresses are confirmed exactly when mail can leave this instance.
  email_confirmation text not null default 'auto' check (email_confirmation in ('auto', 'on', 'off')),
  redirect_allow_list text[] not null default '{}',
  entitlements text[] not null default '{rbac,auditAccess,branding}',
  account_creation text not null default 'everyone' check (account_creation in ('everyone', 'operators')),
  -- The first-run link is derived from this and a key, so every node shows the same one and none is stored.
  first_run_nonce uuid not null default gen_random_uuid(),
  -- Set once, by whoever used the first-run link.
  owner_user_id uuid references svc.users,
  updated_at timestamptz not null default now()
);
insert into svc.instance_settings default values;

-- One row per sign-in; also the family its refresh tokens belong to.
create table svc.sign_in_sessions (
  session_id uuid primary key,
  user_id uuid not null references svc.users on delete cascade,
  method text not null,
  ip text,
  user_agent text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  end_reason text
);
create index sign_in_sessions_user on svc.sign_in_sessions (user_id) where ended_at is null;

-- What a session is presented by: `access` in the Authorization header, `page` in the cookie of server-rendered pages.
create table svc.sign_in_tokens (
  token_hash text primary key,
  session_id uuid not null references svc.sign_in_sessions on delete cascade,
  kind text not null check (kind in ('access', 'page')),
  expires_at timestamptz not null
);
create index sign_in_tokens_session on svc.sign_in_tokens (session_id);
create index sign_in_tokens_expiry on svc.sign_in_tokens (expires_at);

create table svc.refresh_tokens (
  token_hash text primary key,
  session_id uuid not null references svc.sign_in_sessions on delete cascade,
  -- The access token given out with it expires then; a repeated refresh tells the same.
  access_expires_at timestamptz not null,
  expires_at timestamptz not null,
  spent_at timestamptz,
  -- With the spent token and a key this gives its successor again; alone it gives nothing.
  successor_nonce text,
  check ((spent_at is null) = (successor_nonce is null))
);
create index refresh_tokens_session on svc.refresh_tokens (session_id);
create index refresh_tokens_expiry on svc.refresh_tokens (expires_at);

-- Links and 6-digit codes sent by mail. At most one is open per address and purpose.
create table svc.one_time_codes (
  code_id uuid primary key,
  email text not null,
  purpose text not null check (purpose in ('magiclink', 'recovery', 'signup')),
  code_hash text not null,
  link_hash text not null unique,
  -- Leads nowhere: sent for an address that may not be told apart from a known one.
  is_decoy boolean not null default false,
  redirect_to text,
  -- What a sign-up becomes once the address is confirmed.
  password_hash text,
  user_metadata jsonb not null default '{}',
  wrong_tries integer not null default 0,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  unique (email, purpose)
);
create index one_time_codes_expiry on svc.one_time_codes (expires_at);

-- A person's identities at other providers.
create table svc.identities (
  provider text not null,
  subject text not null,
  user_id uuid not null references svc.users on delete cascade,
  email text,
  created_at timestamptz not null default now(),
  last_sign_in_at timestamptz,
  primary key (provider, subject)
);
create index identities_user on svc.identities (user_id);

-- A social sign-in under way: from the redirect to the provider until the app has exchanged the code.
create table svc.social_sign_ins (
  state_hash text primary key,
  provider text not null,
  redirect_to text not null,
  code_challenge text not null,
  -- Set when the provider has answered.
  code_hash text unique,
  user_id uuid references svc.users on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index social_sign_ins_expiry on svc.social_sign_ins (expires_at);

-- Mail on its way out, and the local mailbox where no mail server is set. Subject and text are sealed.
create table svc.mails (
  mail_id uuid primary key,
  to_address text not null,
  sealed text not null,
  -- Written like any other and thrown away by the job that would send it.
  is_decoy boolean not null default false,
  status text not null default 'queued' check (status in ('queued', 'kept')),
  created_at timestamptz not null default now()
);
create index mails_created on svc.mails (created_at);
