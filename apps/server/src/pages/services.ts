import type { Principal } from '../kernel/principal.ts'

/** What the invitation page needs of the capability that owns invitations. Refusals are thrown problems. */
export interface InviteService {
  describe(
    inviteId: string,
    principal: Principal,
  ): Promise<{
    readonly account_name: string | null
    readonly email: string | null
    readonly initial_role: string | null
    readonly inviter_email: string | null
    readonly expired: boolean
    readonly accepted_at: string | null
    readonly email_matches_caller: boolean
  }>
  accept(inviteId: string, principal: Principal): Promise<unknown>
  decline(inviteId: string, principal: Principal): Promise<unknown>
}

/** What the consent page needs of the OAuth server. Refusals are thrown problems. */
export interface ConsentService {
  describe(
    requestId: string,
    principal: Principal,
  ): Promise<{
    readonly client_name: string
    readonly scopes: readonly string[]
    /** The app's registered redirect address, where the answer goes. */
    readonly redirect_to: string
  }>
  decide(requestId: string, approved: boolean, principal: Principal): Promise<{ readonly redirect_uri: string }>
}
