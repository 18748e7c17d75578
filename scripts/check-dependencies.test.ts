import { afterEach, expect, test } from 'vitest'
import { checkTree } from './dependencies/check-tree.mjs'
import { type House, makeHouse } from './testing/make-house.ts'

let house: House | undefined
afterEach(() => house?.remove())

const manifest = (name: string, ...needs: string[]) =>
  JSON.stringify({ name, dependencies: Object.fromEntries(needs.map((need) => [need, '0.1.0'])) })

const soundTree = {
  'packages/manifest/package.json': manifest('@svc/manifest'),
  'packages/manifest/src/index.ts': "export * from './parse.ts'\n",
  'packages/manifest/src/parse.ts': 'export const parse = 1\n',
  'packages/contract/package.json': manifest('@svc/contract', '@svc/manifest'),
  'packages/contract/src/index.ts': "export { parse } from '@svc/manifest'\n",
  'packages/sdk/package.json': manifest('@svc/sdk', '@svc/contract'),
  'packages/sdk/src/index.ts': "import type { parse } from '@svc/contract'\nexport type P = typeof parse\n",
  'packages/sdk/src/index.test.ts': "import { readFileSync } from 'node:fs'\nimport { parse } from '@svc/contract'\n",
  'packages/sdk/src/server/scope.ts': "import { AsyncLocalStorage } from 'node:async_hooks'\n",
  'apps/server/package.json': manifest('@svc/server', '@svc/contract', '@svc/manifest'),
  'apps/server/src/main.ts': "import './kernel/http.ts'\nimport './projects/routes.ts'\nimport './sessions/index.ts'\n",
  'apps/server/src/kernel/http.ts': "import { sql } from 'drizzle-orm'\nexport const one = sql`select 1`\n",
  'apps/server/src/projects/routes.ts':
    "import '../sessions/index.ts'\nimport '../kernel/http.ts'\nimport './store.ts'\n",
  'apps/server/src/projects/store.ts': "import { sql } from 'drizzle-orm'\nexport const two = sql`select 2`\n",
  'apps/server/src/sessions/index.ts': "export * from './open.ts'\n",
  'apps/server/src/sessions/open.ts': 'export const open = 1\n',
  'apps/server/src/sessions/example.test.ts': "await import('../../../../examples/hello.ts')\n",
  'tests/golden.test.ts': "import '@svc/sdk'\nimport '@svc/manifest'\n",
  'examples/hello.ts': "import '@svc/sdk'\n",
}

function build(changes: Record<string, string>) {
  house = makeHouse({ ...soundTree, ...changes })
  return house
}

const sourceCount = Object.keys(soundTree).filter((path) => path.endsWith('.ts')).length

test('a sound tree passes', () => {
  const { code, stdout, stderr } = build({}).run('check-dependencies.mjs')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(`${sourceCount} files, 0 problems`)
})

test('the command fails and names every problem', () => {
  const bad = { 'packages/manifest/src/parse.ts': "import 'node:fs'\nimport '@svc/sdk'\n" }
  const { code, stderr } = build(bad).run('check-dependencies.mjs')
  expect(stderr).toContain('packages/manifest/src/parse.ts:1 imports node:fs')
  expect(stderr).toContain('packages/manifest/src/parse.ts:2 imports @svc/sdk')
  expect(code).toBe(1)
})

test('a circle that package.json files declare is refused', () => {
  const { folder } = build({ 'packages/manifest/package.json': manifest('@svc/manifest', '@svc/contract') })
  expect(() => checkTree(folder)).toThrow('depend on each other in a circle')
})

const refused: [promise: string, changes: Record<string, string>, message: string][] = [
  [
    'a circle between files is refused, through types and exports too',
    {
      'packages/manifest/src/parse.ts': "import type { edit } from './edit.ts'\nexport const parse = 1\n",
      'packages/manifest/src/edit.ts': "export { parse as edit } from './parse.ts'\n",
    },
    'a circle of files: packages/manifest/src/edit.ts -> packages/manifest/src/parse.ts -> packages/manifest/src/edit.ts',
  ],
  [
    'a circle between packages is refused',
    {
      'packages/manifest/src/parse.ts': "import type { parse } from '@svc/contract'\n",
    },
    'a circle of packages: packages/contract -> packages/manifest -> packages/contract',
  ],
  [
    'the manifest package imports nothing of ours',
    { 'packages/manifest/src/parse.ts': "await import('@svc/sdk')\n" },
    'packages/manifest/src/parse.ts:1 imports @svc/sdk: packages/manifest may import nothing of ours',
  ],
  [
    'the manifest package imports no Node built-in',
    { 'packages/manifest/src/parse.ts': "import { readFileSync } from 'fs'\n" },
    'packages/manifest/src/parse.ts:1 imports fs',
  ],
  [
    'the client library imports no Node built-in outside server/',
    { 'packages/sdk/src/call.ts': "import { request } from 'node:http'\n" },
    'Node built-ins belong in packages/sdk/src/server/',
  ],
  [
    'the client library takes nothing from the contract at run time',
    { 'packages/sdk/src/call.ts': "import { parse } from '@svc/contract'\n" },
    'packages/sdk/src/call.ts:1 imports @svc/contract at run time',
  ],
  [
    'a type marked inside the braces still imports at run time',
    { 'packages/sdk/src/call.ts': "import { type parse } from '@svc/contract'\n" },
    'packages/sdk/src/call.ts:1 imports @svc/contract at run time',
  ],
  [
    'the server does not import the client library',
    { 'apps/server/src/projects/routes.ts': "import '@svc/sdk'\n" },
    'apps/server may import packages/contract, packages/manifest',
  ],
  [
    'an app does not import an app',
    {
      'apps/web/package.json': manifest('@svc/web', '@svc/server'),
      'apps/web/src/index.ts': "import '@svc/server'\n",
    },
    'apps/web/src/index.ts:1 imports @svc/server: apps/web may import packages/sdk, packages/manifest',
  ],
  [
    'a workspace is not reached by a path',
    { 'apps/server/src/projects/routes.ts': "import '../../../../packages/manifest/src/parse.ts'\n" },
    'reaches out of apps/server to packages/manifest/src/parse.ts',
  ],
  [
    'an import that package.json does not declare is refused',
    {
      'apps/server/package.json': manifest('@svc/server', '@svc/contract'),
      'apps/server/src/projects/routes.ts': "import '@svc/manifest'\n",
    },
    'imports @svc/manifest, which apps/server/package.json does not name as a dependency',
  ],
  [
    'the kernel imports no capability',
    { 'apps/server/src/kernel/jobs.ts': "import type { open } from '../sessions/index.ts'\n" },
    'the kernel imports nothing but the kernel',
  ],
  [
    'a capability does not reach past the door of another',
    { 'apps/server/src/projects/routes.ts': "import { open } from '../sessions/open.ts'\n" },
    'reach sessions through sessions/index.ts',
  ],
  [
    'a file beside main.ts does not compose capabilities',
    { 'apps/server/src/extra.ts': "import './sessions/index.ts'\n" },
    'only main.ts and platform.ts may import capabilities',
  ],
  [
    'a capability does not import main.ts',
    { 'apps/server/src/projects/extra.ts': "import '../main.ts'\n" },
    'only composition files stand above the capabilities',
  ],
  [
    'query building outside store.ts and schema.ts is refused',
    { 'apps/server/src/projects/list.ts': "import { eq } from 'drizzle-orm'\n" },
    'apps/server/src/projects/list.ts:1 imports drizzle-orm: SQL belongs in store.ts',
  ],
  [
    'an sql template outside store.ts and schema.ts is refused, wherever its tag comes from',
    {
      'apps/server/src/projects/list.ts': "import { db } from '../kernel/http.ts'\nexport const l = db.sql`select 3`\n",
    },
    'apps/server/src/projects/list.ts:2 has a sql template',
  ],
  [
    'an example uses only what a user would install',
    { 'examples/hello.ts': "import '@svc/contract'\n" },
    'examples may import packages/sdk, packages/manifest',
  ],
  [
    'only a test reaches an example',
    { 'apps/server/src/sessions/open.ts': "import '../../../../examples/hello.ts'\n" },
    'apps/server/src/sessions/open.ts:1 reaches out of apps/server to examples/hello.ts',
  ],
  [
    'a new workspace has to state its place',
    { 'packages/extra/package.json': manifest('@svc/extra') },
    'packages/extra has no row in scripts/dependencies/rules.mjs',
  ],
]

test.each(refused)('%s', (_promise, changes, message) => {
  const { problems } = checkTree(build(changes).folder)
  expect(problems).toContainEqual(expect.stringContaining(message))
})
