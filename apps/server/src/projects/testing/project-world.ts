import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPerson, type Person } from '../../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { runClient, tryClient } from '../../git/testing/run-client.ts'
import { systemActor } from '../../kernel/actor.ts'
import { loadMasterKeys, loadTokenHasher } from '../../kernel/crypto/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { mintToken } from '../../kernel/tokens/index.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read single fields of answers whose shape the platform checks.
  readonly body: any
}

/** The whole platform, a person with an account of their own, and git clients as people run them. */
export async function startProjectWorld(env: Record<string, string> = {}) {
  const platform = await startTestPlatform(env)
  const folder = await mkdtemp(join(tmpdir(), 'svc-clients-'))
  const owner = await createPerson(platform)
  let clones = 0

  async function call(
    method: string,
    path: string,
    body?: unknown,
    as: { token: string } | Person = owner,
  ): Promise<Reply> {
    const token = 'token' in as ? as.token : as.accessToken
    const response = await fetch(`${platform.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  async function provision(input: Record<string, unknown> = {}, as: { token: string } | Person = owner) {
    const { status, body } = await call('POST', '/v1/projects/provision', { name: 'Test project', ...input }, as)
    if (status !== 201) throw new Error(`provision answered ${status}: ${JSON.stringify(body)}`)
    return body as { project_id: string; account_id: string; push_token: string; git_origin_url: string }
  }

  /** A clone by plain git, with the token as password. */
  async function clone(project: { project_id: string }, token: string): Promise<string> {
    clones += 1
    const path = join(folder, `clone-${clones}`)
    await runClient(folder, ['clone', '-q', remoteOf(project.project_id, token), path])
    return path
  }

  function remoteOf(projectId: string, token: string): string {
    const url = new URL(`${platform.url}/v1/git/${projectId}.git`)
    url.username = 'x-access-token'
    url.password = token
    return url.href
  }

  async function commitFile(path: string, name: string, content: string): Promise<string> {
    await writeFile(join(path, name), content)
    await runClient(path, ['add', '-A'])
    await runClient(path, ['commit', '-q', '-m', `Change ${name}`])
    return runClient(path, ['rev-parse', 'HEAD'])
  }

  /** The token of an agent's session, as session creation will mint it. */
  async function sessionToken(
    project: { project_id: string; account_id: string },
    grant: { svc_cli: 'all' | string[]; agent?: string } = { svc_cli: 'all' },
  ): Promise<{ token: string; sessionId: string }> {
    const masterKeys = await loadMasterKeys({ dataDir: platform.dataDir, environmentValue: undefined })
    const { hashToken } = await loadTokenHasher(platform.database.sql, masterKeys)
    const token = mintToken('svc_pat_')
    const sessionId = newId()
    const agentGrant = { agent: grant.agent ?? 'svc', connectors: 'all', svc_cli: grant.svc_cli, env: 'all' }
    await platform.database.sql`
      insert into svc.tokens (token_id, kind, account_id, user_id, project_id, session_id, agent_grant, name, public_key, secret_hash)
      values (${newId()}, 'session', ${project.account_id}, ${owner.userId}, ${project.project_id}, ${sessionId},
        ${platform.database.sql.json(agentGrant)}, 'session', 'pk', ${hashToken(token)})`
    return { token, sessionId }
  }

  return {
    platform,
    owner,
    folder,
    call,
    provision,
    clone,
    remoteOf,
    commitFile,
    sessionToken,
    runClient,
    tryClient,
    systemActor,
    async stop() {
      await platform.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type ProjectWorld = Awaited<ReturnType<typeof startProjectWorld>>
