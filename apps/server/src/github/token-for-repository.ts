import { GitError } from '../git/index.ts'
import { Problem } from '../kernel/http/index.ts'
import type { LinkedRow } from '../repositories/index.ts'
import type { Parts } from './parts.ts'
import { findInstallation } from './store.ts'

type Linked = Pick<LinkedRow, 'accountId' | 'installationId' | 'externalRepoId'>

/**
 * A token for one repository, for git alone. An installation that the account has forgotten gives none from the very
 * next call on.
 */
export async function tokenForRepository(parts: Parts, linked: Linked): Promise<string> {
  const { accountId, installationId, externalRepoId } = linked
  const row = installationId && (await findInstallation(parts.kernel.database.db, accountId, installationId))
  if (!row || !parts.app || externalRepoId === null) {
    throw new GitError('remote_unauthorized', 'The GitHub app is no longer installed for this account.')
  }
  try {
    return await parts.app.installationToken(row.installationId, externalRepoId)
  } catch (error) {
    if (!Problem.isInstance(error)) throw error
    const code = error.code === 'installation_required' ? 'remote_unauthorized' : 'remote_unreachable'
    throw new GitError(code, error.message, { cause: error, privateText: error.privately ?? '' })
  }
}
