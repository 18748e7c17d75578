import type { Capability } from '../kernel/capability.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { AppHost } from '../projects/index.ts'
import type { LinkedRow } from '../repositories/index.ts'
import { createGithubApp } from './app.ts'
import { createThroughApp, deleteThroughApp } from './create-repository.ts'
import type { GithubOptions, Parts } from './parts.ts'
import { findThroughApp } from './repositories.ts'
import { githubRoutes } from './routes.ts'
import { tokenForRepository } from './token-for-repository.ts'

export type { GithubOptions } from './parts.ts'

export type Github = ReturnType<typeof createGithub>

/** GitHub: where its app is installed, and projects on repositories that it reaches. */
export function createGithub(kernel: Kernel, options: GithubOptions) {
  const { webUrl, app } = kernel.config.github
  const parts: Parts = { ...options, kernel, webUrl, app: app && createGithubApp(kernel, webUrl, app) }
  const capability: Capability = { routes: githubRoutes(parts) }
  const { hostname, port, protocol } = new URL(webUrl)
  const webPort = Number(port || (protocol === 'https:' ? 443 : 80))
  const host: AppHost = {
    provider: 'github',
    holds: (remote) => remote.host === hostname && (remote.protocol === 'ssh' || remote.port === webPort),
    findRepository: (caller, wanted) => findThroughApp(parts, caller, wanted),
    createRepository: (caller, wanted) => createThroughApp(parts, caller, wanted),
    deleteRepository: (repository) => deleteThroughApp(parts, repository),
  }
  return {
    ...capability,
    host,
    /** For fetches and pushes of a project that was linked through the app. */
    tokenFor: (row: LinkedRow) => tokenForRepository(parts, row),
  }
}
