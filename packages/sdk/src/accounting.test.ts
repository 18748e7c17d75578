import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { AUTH_PATHS } from './auth/create-auth.ts'
import { createSvc } from './client/create-svc.ts'
import { parseCalls } from './client/parse-calls.ts'
import { routes } from './generated/operations.ts'
import { getClientForUrl } from './runtime/runtime-client.ts'

/** Operations that no call of the client reaches, each with the reason. A capability ends with a dot. */
const SERVER_ONLY: Record<string, string> = {
  'pages.': 'pages for people, with forms',
  'gitHosting.': 'spoken by git itself',
  'models.': 'spoken by agent runtimes and by OpenAI’s own libraries',
  'web.': 'the dashboard itself',
  'sandboxProxy.': 'the way into a sandbox; the runtime client and previews use its addresses',
  'publicShares.': 'opened by a browser',
  'system.docs': 'a page',
  'system.docsAsset': 'part of a page',
  'system.schema': 'for editors',
  'system.openapi': 'for generators of other clients',
  'system.metrics': 'for a metrics collector',
  'system.health': 'for load balancers; answered without a credential',
  'auth.providerCallback': 'where an identity provider sends the browser',
  'oauth.discovery': 'for OAuth libraries',
  'oauth.discoveryBelow': 'for OAuth libraries',
  'oauth.authorize': 'where an app sends the browser',
  'oauth.token': 'called by `createSvcAuth` with the credentials of an app',
  'oauth.revoke': 'called by `createSvcAuth` with the credentials of an app',
  'oauth.userinfo': 'for OAuth libraries; `validateToken` tells more',
  'sessionShares.': 'for whoever has a link, without a credential',
  'accounts.branding.file': 'a picture, by the address that `branding` gives',
}

/** Calls that are written out instead of standing in the table. */
const WRITTEN_OUT = [
  ...['GET accounts/me', 'POST auth/password/update', 'GET auth/user', 'POST auth/sign-out'],
  ...['POST projects/:/sessions/:/start', 'GET projects/:/sessions/:/events', 'GET usage/session-costs/:'],
]

const reached = [
  ...parseCalls().map(({ method, route }) => `${method} ${route}`),
  ...Object.values(AUTH_PATHS).map((path) => `POST auth/${path}`),
  ...WRITTEN_OUT,
]

const answered = new Map(
  Object.entries(routes).map(([id, at]) => [at.replace(/:\w+(\{.*?\})?/g, ':').replace('/v1/', ''), id]),
)

const isServerOnly = (id: string): boolean => id in SERVER_ONLY || `${id.split('.')[0]}.` in SERVER_ONLY

test('every operation of the contract has a call of the client, or a reason why not', () => {
  const missing = [...answered].filter(([at, id]) => !isServerOnly(id) && !reached.includes(at)).map(([, id]) => id)
  expect(missing).toEqual([])
})

test('every call of the client is answered by the server', () => {
  expect(reached.filter((at) => !answered.has(at))).toEqual([])
})

test('no reason is kept for an operation that is gone', () => {
  const ids = Object.keys(routes)
  const stale = Object.keys(SERVER_ONLY).filter((name) => !ids.some((id) => id === name || id.startsWith(name)))
  expect(stale).toEqual([])
})

test('what the client has at run time is exactly what its type says', () => {
  const svc = createSvc({ backendUrl: 'http://h/v1', getToken: async () => null }, { global: false })
  const runtime = getClientForUrl('http://h/v1/p/sb1/8000')
  const atRunTime = [
    ...listCalls(svc),
    ...listCalls(svc.project('p')).map((name) => `project().${name}`),
    ...listCalls(svc.session('p', 's')).map((name) => `session().${name}`),
    ...listCalls(runtime).map((name) => `runtime().${name}`),
  ]
  const declared = [
    ...listDeclaredCalls('SvcClient'),
    ...listDeclaredCalls('ProjectHandle').map((name) => `project().${name}`),
    ...listDeclaredCalls('SessionHandle').map((name) => `session().${name}`),
    ...listDeclaredCalls('RuntimeClient').map((name) => `runtime().${name}`),
  ]
  console.log(`${atRunTime.length} calls, ${Object.keys(routes).length} operations`)
  expect(atRunTime.sort()).toEqual(declared.sort())
})

function listCalls(value: object, prefix = ''): string[] {
  return Object.keys(value).flatMap((name) => {
    // The getter throws until there is a runtime.
    if ((name === 'config' && !prefix && 'validateToken' in value) || name === 'runtime') return []
    const entry: unknown = Reflect.get(value, name)
    if (typeof entry === 'function') return [prefix + name]
    return typeof entry === 'object' && entry !== null ? listCalls(entry, `${prefix}${name}.`) : []
  })
}

function listDeclaredCalls(name: string): string[] {
  const root = (file: string) => fileURLToPath(new URL(`./client/${file}`, import.meta.url))
  const program = ts.createProgram([root('svc-client.ts')], {
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    // Only names are read here, so no library needs to be loaded.
    noLib: true,
    types: [],
  })
  const checker = program.getTypeChecker()
  const found = program
    .getSourceFiles()
    .flatMap((file) => [...file.statements])
    .find((node) => ts.isInterfaceDeclaration(node) && node.name.text === name)
  if (!found || !ts.isInterfaceDeclaration(found)) throw new Error(`no interface ${name}`)
  const walk = (type: ts.Type, prefix: string): string[] =>
    checker.getPropertiesOfType(type).flatMap((property) => {
      const propertyType = checker.getTypeOfSymbol(property)
      if ((property.name === 'config' && name === 'SvcClient') || property.name === 'runtime') return []
      if (propertyType.getCallSignatures().length > 0) return [prefix + property.name]
      return propertyType.flags & ts.TypeFlags.Object ? walk(propertyType, `${prefix}${property.name}.`) : []
    })
  return walk(checker.getTypeAtLocation(found), '')
}
