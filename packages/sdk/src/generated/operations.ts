// Generated from packages/contract by `npm run generate`. Do not edit.

/** One principal, one role, one scope, at most one object. */
export type Assignment = {
  assignment_id: string
  account_id: string
  principal_type: "user" | "group" | "service_account" | "pending"
  principal_id: string
  role_id: string
  role_key: string
  role_is_system: boolean
  scope_type: "account" | "project"
  scope_id: string | null
  object_type: "agent" | "skill" | "secret" | "app" | "trigger" | null
  object_id: string | null
  expires_at: string | null
  granted_by: string | null
  source: "manual" | "scim" | "sso" | "invite" | "system"
  created_at: string
  updated_at: string
}

/** A sign-in session: a bearer token and the token that renews it. */
export type AuthSession = {
  access_token: string
  refresh_token: string
  token_type: "bearer"
  expires_in: number
  expires_at: number
}

/** A person who can sign in. */
export type AuthUser = {
  id: string
  email: string | null
  email_confirmed_at: string | null
  created_at: string
  last_sign_in_at: string | null
  app_metadata: Record<string, unknown>
  user_metadata: Record<string, unknown>
}

/** People who are assigned roles together. */
export type Group = {
  group_id: string
  name: string
  description: string | null
  source: "manual" | "scim"
  member_count: number
  project_count: number
  created_at: string
  updated_at: string
}

/** Whether the platform runs, takes work, and how each part is. */
export type Health = {
  status: "ok" | "starting" | "degraded"
  live: boolean
  ready: boolean
  version: string
  uptime_seconds: number
  parts: Record<string, "ok" | "down">
  details: Part[]
}

/** One part of the platform, how it is and what to do about it. */
export type Part = {
  name: string
  status: "ok" | "degraded" | "down" | "missing"
  detail?: string | undefined
  next?: string | undefined
}

/** One row of the permission catalog. */
export type Permission = {
  action: string
  scope_type: "account" | "project"
  resource_type: "account" | "project"
  delegable: boolean
  description: string
  area: string
  level: "view" | "edit" | "admin"
  implies: string[]
}

/** A named set of permissions; system roles belong to every account. */
export type Role = {
  role_id: string
  key: string
  name: string
  description: string | null
  resource_type: "account" | "project"
  is_system: boolean
  account_id: string | null
}

/** A principal of its own for automated callers. */
export type ServiceAccount = {
  service_account_id: string
  name: string
  description: string | null
  public_prefix: string
  status: "active" | "disabled"
  last_used_at: string | null
  expires_at: string | null
  created_at: string
  disabled_at: string | null
}

export type ServiceAccountWithSecret = {
  service_account_id: string
  name: string
  description: string | null
  public_prefix: string
  status: "active" | "disabled"
  last_used_at: string | null
  expires_at: string | null
  created_at: string
  disabled_at: string | null
  secret: string
}

/** A session and whose it is. */
export type SignedIn = {
  session: AuthSession
  user: AuthUser
}

/** May they, why, and which step, assignment and role decided. */
export type Verdict = {
  allowed: boolean
  reason: string
  decided_by: {
    step: "token_binding" | "acting_principal" | "project_binding" | "account_role" | "project_role" | "object_rule" | "agent_grant"
    assignment_id: string | null
    role_key: string | null
  }
}

/** What each operation takes and gives. */
export interface Operations {
  "auth.signUp": {
    body: {
      email: string
      password: string
      redirect_to?: string | undefined
      data?: Record<string, unknown> | undefined
    }
    result: {
      user: AuthUser | null
      session: AuthSession | null
      requires_email_confirmation: boolean
    }
  }
  "auth.signInWithPassword": {
    body: {
      email: string
      password: string
    }
    result: SignedIn
  }
  "auth.sendMagicLink": {
    body: {
      email: string
      redirect_to?: string | undefined
      create_user?: boolean | undefined
      data?: Record<string, unknown> | undefined
    }
    result: {
      sent: true
    }
  }
  "auth.verifyOtp": {
    body: {
      email: string
      token: string
      type: "magiclink" | "recovery" | "signup"
    }
    result: SignedIn
  }
  "auth.signInWithProvider": {
    body: {
      provider: "google" | "github" | "azure" | "apple" | "gitlab" | "bitbucket" | "discord" | "slack" | "linkedin_oidc" | "keycloak" | "workos"
      redirect_to: string
      scopes?: string | undefined
    }
    result: {
      url: string
      code_verifier: string
    }
  }
  "auth.providerCallback": {
    params: { provider: string }
    query: {
      state?: string | undefined
      code?: string | undefined
      error?: string | undefined
      error_description?: string | undefined
      iss?: string | undefined
    }
    result: string
  }
  "auth.exchangeCode": {
    body: {
      code: string
      code_verifier: string
    }
    result: SignedIn
  }
  "auth.refresh": {
    body: {
      refresh_token: string
    }
    result: SignedIn
  }
  "auth.resetPassword": {
    body: {
      email: string
      redirect_to?: string | undefined
    }
    result: {
      sent: true
    }
  }
  "auth.updatePassword": {
    body: {
      password: string
    }
    result: {
      user: AuthUser
    }
  }
  "auth.user": {
    result: {
      user: AuthUser
    }
  }
  "auth.signOut": {
    body: {
      scope?: "global" | "local" | "others" | undefined
    }
    result: {
      ok: true
    }
  }
  "auth.firstRun": {
    body: {
      token: string
      email: string
      password: string
    }
    result: SignedIn
  }
  "iam.listAssignments": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
      principal_type?: "user" | "group" | "service_account" | "pending" | undefined
      principal_id?: string | undefined
      scope_type?: "account" | "project" | undefined
      scope_id?: string | undefined
      object_type?: "agent" | "skill" | "secret" | "app" | "trigger" | undefined
      object_id?: string | undefined
      role_id?: string | undefined
      include_expired?: "0" | "1" | "" | "true" | "false" | undefined
    }
    result: {
      assignments: Assignment[]
    }
  }
  "iam.createAssignment": {
    params: { accountId: string }
    body: {
      principal_type: "user" | "group" | "service_account" | "pending"
      principal_id: string
      scope_type: "account" | "project"
      scope_id?: string | null | undefined
      role_id?: string | undefined
      role_key?: string | undefined
      object_type?: "agent" | "skill" | "secret" | "app" | "trigger" | null | undefined
      object_id?: string | null | undefined
      expires_at?: string | null | undefined
    }
    result: Assignment
  }
  "iam.revokeAssignment": {
    params: { accountId: string; assignmentId: string }
    result: {
      revoked: true
      assignment: Assignment
    }
  }
  "iam.listPermissions": {
    params: { accountId: string }
    query: {
      scope_type?: "account" | "project" | undefined
    }
    result: {
      permissions: Permission[]
    }
  }
  "iam.roles.list": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      roles: Role[]
    }
  }
  "iam.roles.permissions": {
    params: { accountId: string; roleId: string }
    result: {
      role_id: string
      key: string
      actions: string[]
    }
  }
  "iam.roles.create": {
    params: { accountId: string }
    body: {
      key: string
      name: string
      description?: string | null | undefined
      resourceType?: "account" | "project" | undefined
      actions: string[]
    }
    result: Role
  }
  "iam.roles.update": {
    params: { accountId: string; roleId: string }
    body: {
      name?: string | undefined
      description?: string | null | undefined
    }
    result: Role
  }
  "iam.roles.setPermissions": {
    params: { accountId: string; roleId: string }
    body: {
      actions: string[]
    }
    result: {
      role_id: string
      actions: string[]
    }
  }
  "iam.roles.remove": {
    params: { accountId: string; roleId: string }
    result: {
      deleted: true
    }
  }
  "iam.roles.usage": {
    params: { accountId: string; roleId: string }
    result: {
      role_id: string
      policy_count: number
    }
  }
  "iam.groups.list": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      groups: Group[]
    }
  }
  "iam.groups.create": {
    params: { accountId: string }
    body: {
      name: string
      description?: string | null | undefined
    }
    result: Group
  }
  "iam.groups.get": {
    params: { accountId: string; groupId: string }
    result: Group
  }
  "iam.groups.update": {
    params: { accountId: string; groupId: string }
    body: {
      name?: string | undefined
      description?: string | null | undefined
    }
    result: Group
  }
  "iam.groups.remove": {
    params: { accountId: string; groupId: string }
    result: {
      deleted: true
    }
  }
  "iam.groups.members": {
    params: { accountId: string; groupId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      members: {
        user_id: string
        added_at: string
        added_by: string | null
      }[]
    }
  }
  "iam.groups.addMembers": {
    params: { accountId: string; groupId: string }
    body: {
      userIds: string[]
    }
    result: {
      added: number
    }
  }
  "iam.groups.removeMember": {
    params: { accountId: string; groupId: string; userId: string }
    result: {
      removed: true
    }
  }
  "iam.serviceAccounts.list": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      service_accounts: ServiceAccount[]
    }
  }
  "iam.serviceAccounts.create": {
    params: { accountId: string }
    body: {
      name: string
      description?: string | null | undefined
      expires_at?: string | null | undefined
    }
    result: ServiceAccountWithSecret
  }
  "iam.serviceAccounts.disable": {
    params: { accountId: string; serviceAccountId: string }
    result: {
      disabled: true
    }
  }
  "iam.serviceAccounts.remove": {
    params: { accountId: string; serviceAccountId: string }
    result: {
      deleted: true
    }
  }
  "iam.agentIdentities.list": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      agents: {
        service_account_id: string
        name: string
        project_id: string
        agent_name: string
      }[]
    }
  }
  "iam.explain": {
    params: { accountId: string }
    body: {
      probes: {
        action: string
        project_id?: string | undefined
        object?: {
          type: "agent" | "skill" | "secret" | "app" | "trigger"
          id: string
        } | undefined
      }[]
      principal?: {
        type: "user" | "service_account"
        id: string
      } | undefined
    }
    result: {
      results: Verdict[]
    }
  }
  "system.health": {
    result: Health
  }
  "system.openapi": {
    result: string
  }
  "system.metrics": {
    result: string
  }
  "system.docs": {
    result: string
  }
  "system.docsAsset": {
    params: { file: string }
    result: Blob
  }
  "system.schema": {
    params: { file: string }
    result: string
  }
  "system.home": {
    result: string
  }
}

export type OperationId = keyof Operations

/** Method and path of each operation: all the client needs at run time. */
export const routes: { readonly [Id in OperationId]: string } = {
  "auth.signUp": "POST /v1/auth/signup",
  "auth.signInWithPassword": "POST /v1/auth/sign-in/password",
  "auth.sendMagicLink": "POST /v1/auth/sign-in/magic-link",
  "auth.verifyOtp": "POST /v1/auth/verify-otp",
  "auth.signInWithProvider": "POST /v1/auth/sign-in/oauth",
  "auth.providerCallback": "GET /v1/auth/callback/:provider",
  "auth.exchangeCode": "POST /v1/auth/oauth/exchange",
  "auth.refresh": "POST /v1/auth/refresh",
  "auth.resetPassword": "POST /v1/auth/password/reset",
  "auth.updatePassword": "POST /v1/auth/password/update",
  "auth.user": "GET /v1/auth/user",
  "auth.signOut": "POST /v1/auth/sign-out",
  "auth.firstRun": "POST /v1/auth/first-run",
  "iam.listAssignments": "GET /v1/accounts/:accountId/iam/assignments",
  "iam.createAssignment": "POST /v1/accounts/:accountId/iam/assignments",
  "iam.revokeAssignment": "DELETE /v1/accounts/:accountId/iam/assignments/:assignmentId",
  "iam.listPermissions": "GET /v1/accounts/:accountId/iam/permissions",
  "iam.roles.list": "GET /v1/accounts/:accountId/iam/roles",
  "iam.roles.permissions": "GET /v1/accounts/:accountId/iam/roles/:roleId/permissions",
  "iam.roles.create": "POST /v1/accounts/:accountId/iam/roles",
  "iam.roles.update": "PATCH /v1/accounts/:accountId/iam/roles/:roleId",
  "iam.roles.setPermissions": "PUT /v1/accounts/:accountId/iam/roles/:roleId/permissions",
  "iam.roles.remove": "DELETE /v1/accounts/:accountId/iam/roles/:roleId",
  "iam.roles.usage": "GET /v1/accounts/:accountId/iam/roles/:roleId/usage",
  "iam.groups.list": "GET /v1/accounts/:accountId/iam/groups",
  "iam.groups.create": "POST /v1/accounts/:accountId/iam/groups",
  "iam.groups.get": "GET /v1/accounts/:accountId/iam/groups/:groupId",
  "iam.groups.update": "PATCH /v1/accounts/:accountId/iam/groups/:groupId",
  "iam.groups.remove": "DELETE /v1/accounts/:accountId/iam/groups/:groupId",
  "iam.groups.members": "GET /v1/accounts/:accountId/iam/groups/:groupId/members",
  "iam.groups.addMembers": "POST /v1/accounts/:accountId/iam/groups/:groupId/members",
  "iam.groups.removeMember": "DELETE /v1/accounts/:accountId/iam/groups/:groupId/members/:userId",
  "iam.serviceAccounts.list": "GET /v1/accounts/:accountId/iam/service-accounts",
  "iam.serviceAccounts.create": "POST /v1/accounts/:accountId/iam/service-accounts",
  "iam.serviceAccounts.disable": "POST /v1/accounts/:accountId/iam/service-accounts/:serviceAccountId/disable",
  "iam.serviceAccounts.remove": "DELETE /v1/accounts/:accountId/iam/service-accounts/:serviceAccountId",
  "iam.agentIdentities.list": "GET /v1/accounts/:accountId/iam/agent-identities",
  "iam.explain": "POST /v1/accounts/:accountId/iam/explain",
  "system.health": "GET /v1/health",
  "system.openapi": "GET /v1/openapi.json",
  "system.metrics": "GET /metrics",
  "system.docs": "GET /docs",
  "system.docsAsset": "GET /docs/:file{[a-z0-9.-]+}",
  "system.schema": "GET /schema/:file{[a-z0-9.-]+}",
  "system.home": "GET /",
}
