import { operations } from '@svc/contract'
import { type Handled, handle } from '../kernel/http/index.ts'
import { removeSecret, setStrategy, upsertSecret } from './change-secrets.ts'
import { setGitCredential } from './git-credential.ts'
import { listSecrets } from './list-secrets.ts'
import type { Parts } from './parts.ts'
import { removePersonal, setPersonal } from './personal-secrets.ts'

export function secretRoutes(parts: Parts): Handled[] {
  const { secrets } = operations
  return [
    handle(secrets.list, (call) => listSecrets(parts, call)),
    handle(secrets.upsert, (call) => upsertSecret(parts, call)),
    handle(secrets.setStrategy, (call) => setStrategy(parts, call)),
    handle(secrets.remove, (call) => removeSecret(parts, call)),
    handle(secrets.setPersonal, (call) => setPersonal(parts, call)),
    handle(secrets.removePersonal, (call) => removePersonal(parts, call)),
    handle(secrets.setGitCredential, (call) => setGitCredential(parts, call)),
  ]
}
