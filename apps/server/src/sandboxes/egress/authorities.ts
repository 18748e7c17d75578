import type { Kernel } from '../../kernel/kernel.ts'
import { type Authority, makeAuthority, openAuthority } from './authority.ts'
import { addAuthority, findAccountId, findAuthority } from './store.ts'

const keptAuthorities = 200
/** Replaced this long before it ends, so that no running sandbox ever sees it expire. */
const renewBeforeMs = 90 * 24 * 60 * 60_000

export interface Authorities {
  /** The project's authority, made on first use. */
  of(projectId: string): Promise<Authority>
}

/** One authority per project, its key sealed at rest: a sandbox that trusts one project's trusts no other's. */
export function createAuthorities({ database, envelope, clock }: Pick<Kernel, 'database' | 'envelope' | 'clock'>) {
  const known = new Map<string, Promise<Authority>>()

  async function load(projectId: string): Promise<Authority> {
    const accountId = await findAccountId(database.sql, projectId)
    if (accountId === undefined) throw new Error(`There is no project ${projectId}.`)
    const place = { scope: accountId, table: 'egress_authorities', row: projectId, field: 'sealed_key' }
    const usableUntil = new Date(clock.nowMs() + renewBeforeMs)
    for (let attempt = 0; attempt < 2; attempt++) {
      const row = await findAuthority(database.sql, projectId)
      if (row && row.expiresAt > usableUntil) {
        const keyPem = await envelope.openText(place, row.sealedKey)
        return openAuthority({ certificatePem: row.certificate, keyPem, expiresAt: row.expiresAt })
      }
      const made = await makeAuthority(`svc egress of project ${projectId}`, clock.nowMs())
      const sealedKey = await envelope.seal(place, made.keyPem)
      const { certificatePem: certificate, expiresAt } = made
      await addAuthority(database.sql, projectId, { accountId, certificate, sealedKey, expiresAt }, usableUntil)
    }
    throw new Error(`The authority of project ${projectId} could not be kept.`)
  }

  const authorities: Authorities = {
    of(projectId) {
      const found = known.get(projectId)
      if (found) return found
      if (known.size >= keptAuthorities) known.clear()
      const loading = load(projectId)
      known.set(projectId, loading)
      loading.catch(() => known.delete(projectId))
      return loading
    },
  }
  return authorities
}
