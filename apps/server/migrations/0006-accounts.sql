-- Accounts: invitations by address, and an account's own name and pictures.

create table svc.account_invites (
  invite_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  email text not null check (email = lower(email) and length(email) <= 320),
  initial_role text not null check (initial_role in ('admin', 'member')),
  -- `[{project_id, role, expires_at}]`: what accepting gives besides the account role.
  project_grants jsonb not null default '[]',
  invited_by uuid references svc.users on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by uuid references svc.users on delete set null
);
-- At most one is open per account and address; inviting again changes that one.
create unique index account_invites_open on svc.account_invites (account_id, email) where accepted_at is null;
create index account_invites_email on svc.account_invites (email) where accepted_at is null;
create index account_invites_accepted_by on svc.account_invites (account_id, accepted_by) where accepted_at is not null;

create table svc.account_branding (
  account_id uuid primary key references svc.accounts on delete cascade,
  app_name text check (length(app_name) between 1 and 60),
  updated_at timestamptz not null default now()
);

-- Pictures are small and few, and belong into the same backup and the same transaction as everything else.
create table svc.branding_assets (
  account_id uuid not null references svc.accounts on delete cascade,
  kind text not null check (kind in ('logo', 'icon', 'favicon', 'logo_dark', 'icon_dark', 'favicon_dark')),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  extension text not null check (extension in ('png', 'jpg', 'webp', 'ico', 'svg')),
  content bytea not null check (length(content) <= 1048576),
  updated_at timestamptz not null default now(),
  primary key (account_id, kind)
);
create index branding_assets_file on svc.branding_assets (account_id, sha256);

-- The keys of one person in one account.
create index tokens_account_user on svc.tokens (account_id, user_id);
