import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { createRepository } from '../../git/index.ts'
import { type ForeignHost, startForeignHost } from '../../git/testing/start-foreign-host.ts'

/** Speaks the part of GitHub's REST API and git hosting that the app uses, and checks what it is sent. */

export interface GithubPerson {
  readonly id: number
  readonly login: string
  /** Role by organisation. */
  readonly orgs: Readonly<Record<string, 'admin' | 'member'>>
}

export interface GithubInstallation {
  readonly id: number
  readonly account: { readonly id: number; readonly login: string; readonly type: 'Organization' | 'User' }
  suspended_at: string | null
}

interface GithubRepository {
  readonly id: number
  readonly owner: string
  readonly name: string
  readonly private: boolean
  readonly description: string | null
}

export type FakeGithub = Awaited<ReturnType<typeof startGithub>>

const appId = '4242'

export async function startGithub(root: string) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const people = new Map<string, GithubPerson>()
  const installations: GithubInstallation[] = []
  const repositories: GithubRepository[] = []
  /** Installation tokens that were given out: for which installation, and for which repository if for one. */
  const tokens = new Map<string, { installationId: number; repositoryIds: number[] | undefined }>()
  const seen: string[] = []
  const state = { failing: false, nextId: 1000 }
  const host: ForeignHost = await startForeignHost(root, (password, path) => {
    const grant = tokens.get(password)
    const repository = repositories.find(({ owner, name }) => path.startsWith(`/${owner}/${name}.git/`))
    if (password === 'ghp_personal') return true
    return grant !== undefined && repository !== undefined && reaches(grant, repository)
  })

  function reaches(grant: { installationId: number; repositoryIds: number[] | undefined }, one: GithubRepository) {
    const installation = installations.find(({ id }) => id === grant.installationId)
    const isIn = installation?.account.login === one.owner && one.name !== 'unselected'
    return isIn && (grant.repositoryIds?.includes(one.id) ?? true)
  }

  async function addRepository(owner: string, name: string, more: { description?: string; files?: boolean } = {}) {
    const author = { name: 'Octo', email: 'octo@example.com' }
    const content = 'svc_version: 2\ndefault_agent: svc\nagents:\n  svc:\n    svc_cli: all\n'
    const initialCommit = { files: [{ path: 'svc.yaml', content }], message: 'First', author }
    const made = more.files === false ? {} : { initialCommit }
    await createRepository(join(root, owner, `${name}.git`), { defaultBranch: 'main', ...made })
    const one = { id: state.nextId++, owner, name, private: true, description: more.description ?? null }
    repositories.push(one)
    return one
  }

  const describeRepository = ({ id, owner, name, private: isPrivate, description }: GithubRepository) => ({
    id,
    node_id: `R_${id}`,
    name,
    full_name: `${owner}/${name}`,
    private: isPrivate,
    owner: { login: owner },
    html_url: `${host.origin}/${owner}/${name}`,
    clone_url: `${host.origin}/${owner}/${name}.git`,
    ssh_url: `git@localhost:${owner}/${name}.git`,
    default_branch: 'main',
    description,
  })
  const describeInstallation = ({ id, account, suspended_at }: GithubInstallation) => ({
    id,
    app_id: Number(appId),
    account,
    repository_selection: 'all',
    permissions: { contents: 'write', metadata: 'read' },
    html_url: `${host.origin}/organizations/${account.login}/settings/installations/${id}`,
    suspended_at,
  })

  interface Answer {
    status: number
    body: unknown
    link?: string
  }
  const notFound: Answer = { status: 404, body: { message: 'Not Found' } }
  const badCredentials: Answer = { status: 401, body: { message: 'Bad credentials' } }

  async function answer(request: IncomingMessage, url: URL, token: string, body: string): Promise<Answer> {
    const { pathname } = url
    const page = <T>(items: readonly T[], wrap: (items: readonly T[]) => unknown): Answer => {
      const size = Number(url.searchParams.get('per_page') ?? 30)
      const at = Number(url.searchParams.get('page') ?? 1)
      const hasNext = at * size < items.length
      const link = hasNext ? `<${apiUrl}${pathname}?per_page=${size}&page=${at + 1}>; rel="next"` : ''
      return { status: 200, body: wrap(items.slice((at - 1) * size, at * size)), ...(hasNext ? { link } : {}) }
    }
    if (state.failing) return { status: 503, body: { message: 'Unicorn' } }

    const asApp = /^\/app\/installations\/(\d+)(\/access_tokens)?$/.exec(pathname)
    if (asApp) {
      if (!isAppToken(token)) return badCredentials
      const installation = installations.find(({ id }) => id === Number(asApp[1]))
      if (!installation) return notFound
      if (!asApp[2]) return { status: 200, body: describeInstallation(installation) }
      const { repository_ids: repositoryIds } = JSON.parse(body || '{}')
      const isOutside = (id: number) =>
        !repositories.some((one) => one.id === id && reaches({ installationId: installation.id, repositoryIds }, one))
      if (repositoryIds?.some(isOutside)) return { status: 422, body: { message: 'There is at least one repository…' } }
      const minted = `ghs_${randomBytes(18).toString('hex')}`
      tokens.set(minted, { installationId: installation.id, repositoryIds })
      return { status: 201, body: { token: minted, expires_at: new Date(Date.now() + 3_600_000).toISOString() } }
    }

    const person = people.get(token)
    if (pathname.startsWith('/user')) {
      if (!person) return badCredentials
      if (pathname === '/user') return { status: 200, body: { id: person.id, login: person.login, type: 'User' } }
      if (pathname === '/user/installations') {
        const visible = installations.filter(
          ({ account }) => account.id === person.id || person.orgs[account.login] !== undefined,
        )
        return page(visible.map(describeInstallation), (some) => ({ total_count: visible.length, installations: some }))
      }
      const org = /^\/user\/memberships\/orgs\/([^/]+)$/.exec(pathname)?.[1] ?? ''
      const role = person.orgs[org]
      return role ? { status: 200, body: { state: 'active', role, organization: { login: org } } } : notFound
    }

    const grant = tokens.get(token)
    if (!grant) return badCredentials
    if (pathname === '/installation/repositories') {
      const reached = repositories.filter((one) => reaches(grant, one)).map(describeRepository)
      return page(reached, (some) => ({ total_count: reached.length, repositories: some }))
    }
    const newIn = /^\/orgs\/([^/]+)\/repos$/.exec(pathname)?.[1]
    if (newIn && request.method === 'POST') {
      const { name, private: isPrivate, description } = JSON.parse(body)
      if (repositories.some((one) => one.owner === newIn && one.name === name)) {
        const errors = [{ resource: 'Repository', field: 'name', message: 'name already exists on this account' }]
        return { status: 422, body: { message: 'Repository creation failed.', errors } }
      }
      const made = await addRepository(newIn, name, { description, files: false })
      return { status: 201, body: { ...describeRepository(made), private: isPrivate } }
    }
    const named = /^\/repos\/([^/]+)\/([^/]+)(\/branches)?$/.exec(pathname)
    const repository = repositories.find(({ owner, name }) => owner === named?.[1] && name === named[2])
    if (!named || !repository || (repository.private && !reaches(grant, repository))) return notFound
    if (request.method === 'DELETE') {
      repositories.splice(repositories.indexOf(repository), 1)
      return { status: 204, body: undefined }
    }
    if (!named[3]) return { status: 200, body: describeRepository(repository) }
    const branches = ['main', ...Array.from({ length: 120 }, (_, index) => `topic-${index}`)]
    const rows = branches.map((name) => ({ name, commit: { sha: '0'.repeat(40) }, protected: name === 'main' }))
    return page(rows, (some) => some)
  }

  function isAppToken(token: string): boolean {
    const [head = '', claims = '', signature = ''] = token.split('.')
    const { iat, exp, iss } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}')
    const now = Date.now() / 1000
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
      Buffer.from(signature, 'base64url'),
    )
    return isSigned && String(iss) === appId && iat <= now && exp > now && exp - iat <= 600
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const url = new URL(request.url ?? '/', 'http://localhost')
    seen.push(`${request.method} ${url.pathname}`)
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '')
    const isPolite =
      request.headers.accept === 'application/vnd.github+json' && request.headers['user-agent'] !== undefined
    const { status, body, link } = isPolite
      ? await answer(request, url, token, Buffer.concat(chunks).toString())
      : { status: 415, body: { message: 'Unsupported' }, link: undefined }
    response.writeHead(status, { 'content-type': 'application/json', ...(link ? { link } : {}) })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const apiUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`

  return {
    origin: host.origin,
    people,
    installations,
    repositories,
    tokens,
    seen,
    state,
    addRepository,
    /** The settings of an instance that has the app. */
    env: {
      SVC_GITHUB_APP_ID: appId,
      SVC_GITHUB_APP_SLUG: 'acme-agents',
      SVC_GITHUB_APP_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      SVC_GITHUB_URL: host.origin,
      SVC_GITHUB_API_URL: apiUrl,
      SVC_GIT_CA_FILE: host.caFile,
      SVC_ALLOW_PRIVATE_HOSTS: 'localhost,127.0.0.1,::1',
    },
    async close() {
      await host.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
