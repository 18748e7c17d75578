import type { GithubApp } from '../kernel/github-app.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { createGithubApi, expectBody } from './github-api.ts'
import { installationRequired } from './installation-required.ts'
import type { App } from './parts.ts'
import { AccessToken } from './records.ts'

/** A token is not handed out when it would end in the middle of a long fetch. */
const marginMs = 10 * 60_000
const maxCached = 1_000

export function createGithubApp(kernel: Kernel, webUrl: string, settings: GithubApp): App {
  const api = createGithubApi(settings, kernel.outbound, kernel.clock)
  const tokens = new Map<string, { token: string; expiresAtMs: number }>()

  return {
    api,
    pageUrl: `${webUrl}/apps/${encodeURIComponent(settings.slug)}`,
    async installationToken(installationId, repositoryId) {
      const key = `${installationId}/${repositoryId ?? ''}`
      const known = tokens.get(key)
      if (known && known.expiresAtMs - marginMs > kernel.clock.nowMs()) return known.token
      const body = repositoryId === undefined ? {} : { repository_ids: [Number(repositoryId)] }
      const path = `/app/installations/${installationId}/access_tokens`
      const answer = await api.send('POST', path, api.appToken(), body)
      // A public repository can be read by everybody and is still not the installation's.
      if (answer.status === 422 && repositoryId !== undefined) throw installationRequired(null)
      const { token, expires_at } = expectBody(answer, AccessToken)
      if (tokens.size >= maxCached) tokens.clear()
      tokens.set(key, { token, expiresAtMs: Date.parse(expires_at) })
      return token
    },
  }
}
