import type { operations } from '@svc/contract'
import { type Call, problem } from '../kernel/http/index.ts'
import { newId } from '../kernel/ids/index.ts'
import { requireAdministrator } from './check-administrator.ts'
import { expectBody, unexpected } from './github-api.ts'
import { badState, readState, signState } from './install-state.ts'
import type { App, Caller, Parts } from './parts.ts'
import { Installation } from './records.ts'
import {
  deleteInstallations,
  type InstallationRow,
  isStateUsed,
  listInstallations,
  putInstallation,
  useState,
} from './store.ts'

type Ops = typeof operations.github

export async function readInstallations(
  parts: Parts,
  call: Call<Ops['getInstallation']> | Call<Ops['listInstallations']>,
) {
  const rows = await listInstallations(parts.kernel.database.db, call.accountId)
  const installUrl = await makeInstallUrl(parts, call)
  const describe = (row: InstallationRow | undefined) => toStatus(parts, call.accountId, row, installUrl)
  return { ...describe(rows[0]), installations: rows.map(describe) }
}

/** Whoever brings back the state we gave them, and administers the installation at GitHub, saves it for the account. */
export async function saveInstallation(parts: Parts, call: Call<Ops['saveInstallation']>) {
  const app = requireApp(parts)
  const { database, clock, tokenHasher } = parts.kernel
  const { body, principal } = call
  const state = readState(tokenHasher, body.state, clock.nowMs())
  if (state.userId !== principal.id) throw badState('was given to somebody else')
  await call.require('account.write', { accountId: state.accountId })
  if (await isStateUsed(database.db, state.nonce)) throw badState('was used before')
  const installation = await readInstallation(app, String(body.installation_id))
  await requireAdministrator(app, installation, body.github_user_token)

  const row = await database.transact({ ...call.actor, accountId: state.accountId }, async (tx) => {
    const now = clock.now()
    if (!(await useState(tx.db, state.nonce, state.expiresAt, now))) throw badState('was used before')
    const saved = await putInstallation(tx.db, {
      installationRowId: newId(),
      accountId: state.accountId,
      installationId: String(installation.id),
      ownerLogin: installation.account.login,
      ownerType: installation.account.type,
      repositorySelection: installation.repository_selection,
      permissions: installation.permissions,
      installationUrl: installation.html_url,
      savedBy: principal.id,
      createdAt: now,
      updatedAt: now,
    })
    await tx.audit({
      action: 'github.installation.save',
      outcome: 'success',
      accountId: state.accountId,
      resourceType: 'github_installation',
      resourceId: saved.installationRowId,
      after: { installation_id: saved.installationId, owner: saved.ownerLogin, selection: saved.repositorySelection },
    })
    return saved
  })
  const installUrl = installUrlFor(parts, app, { accountId: state.accountId, userId: principal.id })
  return toStatus(parts, state.accountId, row, installUrl)
}

export async function forgetInstallations(parts: Parts, call: Call<Ops['deleteInstallation']>) {
  requireApp(parts)
  const { installation_id: installationId } = call.query
  await parts.kernel.database.transact(call.actor, async (tx) => {
    const gone = await deleteInstallations(tx.db, call.accountId, installationId)
    if (installationId !== undefined && gone.length === 0) {
      throw problem('not_found', { say: 'This account has no such installation.' })
    }
    for (const row of gone) {
      await tx.audit({
        action: 'github.installation.delete',
        outcome: 'success',
        resourceType: 'github_installation',
        resourceId: row.installationRowId,
        before: { installation_id: row.installationId, owner: row.ownerLogin },
      })
    }
  })
  return { ok: true as const }
}

/** A link for those who may change the account; nobody else gets one. */
export async function makeInstallUrl(parts: Parts, caller: Caller): Promise<string | null> {
  const { accountId, principal } = caller
  if (!parts.app || principal.kind !== 'user' || principal.agentGrant) return null
  if (!(await caller.can('account.write', { accountId }))) return null
  return installUrlFor(parts, parts.app, { accountId, userId: principal.id })
}

export function requireApp({ app }: Parts): App {
  if (app) return app
  throw problem('feature_not_supported', {
    say: 'No GitHub app is set up on this instance.',
    next: 'Ask its operator to set SVC_GITHUB_APP_ID, SVC_GITHUB_APP_SLUG and SVC_GITHUB_APP_PRIVATE_KEY, or link the repository with a token.',
  })
}

async function readInstallation({ api }: App, installationId: string) {
  const answer = await api.get(`/app/installations/${installationId}`, api.appToken())
  if (answer.status === 404) {
    throw problem('invalid_request', {
      say: 'The app has no such installation at GitHub.',
      next: 'Install the app first, from a fresh install_url.',
    })
  }
  if (answer.status !== 200) throw unexpected(answer)
  const installation = expectBody(answer, Installation)
  if (!installation.suspended_at) return installation
  throw problem('invalid_request', {
    say: 'This installation is suspended at GitHub.',
    next: 'Unsuspend it there first.',
  })
}

function installUrlFor({ kernel }: Parts, { pageUrl }: App, who: { accountId: string; userId: string }): string {
  const state = signState(kernel.tokenHasher, { ...who, nowMs: kernel.clock.nowMs() })
  return `${pageUrl}/installations/new?state=${encodeURIComponent(state)}`
}

function toStatus({ app }: Parts, accountId: string, row: InstallationRow | undefined, installUrl: string | null) {
  const configured = app !== undefined
  return {
    account_id: accountId,
    installation_row_id: row?.installationRowId ?? null,
    installed: row !== undefined,
    configured,
    requires_installation: configured && row === undefined,
    install_url: installUrl,
    installation_id: row?.installationId ?? null,
    owner_login: row?.ownerLogin ?? null,
    owner_type: row?.ownerType ?? null,
    repository_selection: row?.repositorySelection ?? null,
    permissions: row?.permissions ?? {},
    installation_url: row?.installationUrl ?? null,
    updated_at: row?.updatedAt.toISOString() ?? null,
  }
}
