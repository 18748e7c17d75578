import type { AuditEvent, Operations, Token } from '../generated/operations.ts'
import type { Body, Query, Result } from './call-types.ts'

/** The pictures of an account. */
export type BrandingAssetKind = 'logo' | 'icon' | 'favicon' | 'logo_dark' | 'icon_dark' | 'favicon_dark'

/** Which audit events to read. */
export interface AuditFilters {
  /** Prefix; a dotted value matches itself and what follows it after a dot. */
  readonly action?: string | undefined
  readonly actor?: string | undefined
  readonly actorType?: 'human' | 'agent' | 'service_account' | 'system' | undefined
  readonly projectId?: string | undefined
  readonly sessionId?: string | undefined
  readonly source?: string | undefined
  readonly phase?: string | undefined
  readonly outcome?: 'success' | 'failure' | 'denied' | 'pending' | undefined
  readonly requestId?: string | undefined
  readonly correlationId?: string | undefined
  readonly resourceType?: string | undefined
  /** Inclusive, ISO 8601 with a zone. */
  readonly since?: string | undefined
  /** Inclusive, ISO 8601 with a zone. */
  readonly until?: string | undefined
  readonly q?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

/** A page of audit events, newest first. */
export type AuditPage = { events: AuditEvent[]; next_cursor: string | null }

/** CSV comes as text, JSON Lines as a Blob. */
export interface AuditExport<Args extends unknown[]> {
  (...args: [...Args, filters?: AuditFilters & { readonly format?: 'csv' | undefined }]): Promise<string>
  (...args: [...Args, filters: AuditFilters & { readonly format: 'jsonl' }]): Promise<Blob>
}

/** `svc.accounts` */
export interface AccountCalls {
  list(page?: Query<'accounts.list'>): Result<'accounts.list'>
  get(accountId: string): Result<'accounts.get'>
  create(input: Body<'accounts.create'>): Result<'accounts.create'>
  updateName(accountId: string, name: string): Result<'accounts.updateName'>
  leave(accountId: string): Result<'accounts.leave'>
  members(accountId: string, page?: Query<'accounts.members'>): Result<'accounts.members'>
  invite(accountId: string, input: Body<'accounts.invite'>): Result<'accounts.invite'>
  updateMemberRole(
    accountId: string,
    userId: string,
    role: Body<'accounts.updateMemberRole'>['role'],
  ): Result<'accounts.updateMemberRole'>
  removeMember(accountId: string, userId: string): Result<'accounts.removeMember'>
  invites(accountId: string, page?: Query<'accounts.invites'>): Result<'accounts.invites'>
  cancelInvite(accountId: string, inviteId: string): Result<'accounts.cancelInvite'>
  resendInvite(accountId: string, inviteId: string): Result<'accounts.resendInvite'>
  readonly branding: {
    get(accountId: string): Result<'accounts.branding.get'>
    update(accountId: string, input: Body<'accounts.branding.update'>): Result<'accounts.branding.update'>
    uploadAsset(accountId: string, kind: BrandingAssetKind, file: Blob): Result<'accounts.branding.uploadAsset'>
    removeAsset(accountId: string, kind: BrandingAssetKind): Result<'accounts.branding.removeAsset'>
    reset(accountId: string): Result<'accounts.branding.reset'>
  }
  readonly tokens: {
    list(
      accountId?: string,
      options?: { readonly mine?: boolean | undefined; readonly cursor?: string | undefined },
    ): Promise<Token[]>
    /** `secret_key` is shown this once. */
    create(input: {
      readonly name: string
      readonly accountId?: string | undefined
      readonly expiresAt?: string | null | undefined
      readonly projectId?: string | null | undefined
    }): Result<'accounts.tokens.create'>
    revoke(tokenId: string, accountId?: string): Result<'accounts.tokens.revoke'>
  }
  readonly audit: {
    log(accountId: string, filters?: AuditFilters): Promise<AuditPage>
    export: AuditExport<[accountId: string]>
    readonly webhooks: AuditWebhookCalls
  }
}

/** `svc.accounts.audit.webhooks` */
export interface AuditWebhookCalls {
  list(accountId: string, page?: Query<'accounts.audit.webhooks.list'>): Result<'accounts.audit.webhooks.list'>
  /** `secret` is shown this once. */
  create(accountId: string, input: Body<'accounts.audit.webhooks.create'>): Result<'accounts.audit.webhooks.create'>
  update(
    accountId: string,
    webhookId: string,
    input: Body<'accounts.audit.webhooks.update'>,
  ): Result<'accounts.audit.webhooks.update'>
  remove(accountId: string, webhookId: string): Result<'accounts.audit.webhooks.remove'>
  rotateSecret(accountId: string, webhookId: string): Result<'accounts.audit.webhooks.rotateSecret'>
  replay(
    accountId: string,
    webhookId: string,
    input: Body<'accounts.audit.webhooks.replay'>,
  ): Result<'accounts.audit.webhooks.replay'>
}

/** `svc.accountInvites`: by the id of the invitation alone. */
export interface AccountInviteCalls {
  describe(inviteId: string): Result<'accountInvites.describe'>
  accept(inviteId: string): Result<'accountInvites.accept'>
  decline(inviteId: string): Result<'accountInvites.decline'>
}

/** `svc.audit`: the instance's own log, for its operator. */
export interface InstanceAuditCalls {
  instanceLog(filters?: AuditFilters): Promise<AuditPage>
  instanceExport: AuditExport<[]>
  keys(): Result<'audit.keys'>
}

/** Who a credential stands for. */
export type Identity = Operations['accounts.me']['result']
