import { operations } from '@svc/contract'
import { type Handled, handle } from '../kernel/http/index.ts'
import { forgetInstallations, readInstallations, saveInstallation } from './installations.ts'
import { linkRepository } from './link-repository.ts'
import type { Parts } from './parts.ts'
import { listRepositories, listRepositoryBranches } from './repositories.ts'

export function githubRoutes(parts: Parts): Handled[] {
  const ops = operations.github
  return [
    handle(ops.getInstallation, (call) => readInstallations(parts, call)),
    handle(ops.listInstallations, (call) => readInstallations(parts, call)),
    handle(ops.saveInstallation, (call) => saveInstallation(parts, call)),
    handle(ops.deleteInstallation, (call) => forgetInstallations(parts, call)),
    handle(ops.listRepositories, (call) => listRepositories(parts, call)),
    handle(ops.listRepositoryBranches, (call) => listRepositoryBranches(parts, call)),
    handle(ops.linkRepository, (call) => linkRepository(parts, call)),
  ]
}
