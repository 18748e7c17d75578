import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildSdk } from './build-sdk.ts'

/** The package as somebody installs it: built, laid out, packed, put into an empty project and used there. */

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const work = mkdtempSync(join(tmpdir(), 'svc-sdk-'))
const staged = join(work, 'package')
let tarball = ''
let contents: string[] = []

beforeAll(async () => {
  const dist = join(work, 'dist')
  await buildSdk(dist)
  await run(process.execPath, [join(root, 'packages', 'sdk', 'stage-package.mjs'), staged, dist])
  const { stdout } = await npm(['pack', '--json', '--pack-destination', work], staged)
  const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[]
  tarball = join(work, packed?.filename ?? '')
  contents = packed?.files.map(({ path }) => path) ?? []
}, 240_000)
afterAll(() => rmSync(work, { recursive: true, force: true }))

const npm = (args: string[], cwd: string) => {
  const cli = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js')
  return run(process.execPath, [cli, ...args, '--loglevel=error', '--no-audit', '--no-fund'], { cwd })
}

describe('what is published', () => {
  test('names no other package of this house, and holds neither sources nor tests', () => {
    const manifest = readFileSync(join(staged, 'package.json'), 'utf8')
    expect([...manifest.matchAll(/@svc\/[\w-]+/g)].map(([name]) => name)).toEqual(['@svc/sdk'])
    expect(contents.filter((path) => !/^(dist\/|package\.json$|README\.md$|LICENSE$)/.test(path))).toEqual([])
    for (const file of readdirSync(join(staged, 'dist'))) {
      expect(readFileSync(join(staged, 'dist', file), 'utf8')).not.toMatch(/from\s*["']@svc\//)
    }
  })

  test('each entry carries exactly types and import, and has no dependency', () => {
    const { exports, dependencies, sideEffects } = JSON.parse(readFileSync(join(staged, 'package.json'), 'utf8'))
    for (const [name, entry] of Object.entries<object>(exports)) {
      if (name !== './package.json') expect([name, Object.keys(entry)]).toEqual([name, ['types', 'import']])
    }
    const workspace = JSON.parse(readFileSync(join(root, 'packages', 'sdk', 'package.json'), 'utf8'))
    expect(Object.keys(exports)).toEqual(Object.keys(workspace.exports))
    expect([dependencies, sideEffects]).toEqual([undefined, false])
  })

  test('publint finds nothing to say', async () => {
    // Suggestions are left out: the one there is asks for a `browser` condition, and entries carry types and import alone.
    const { messages, pkg } = await publint({ pkgDir: staged, strict: true, pack: false, level: 'warning' })
    expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([])
  })

  test('its types are right for every way to import it', async () => {
    const attw = join(root, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js')
    const { stdout } = await run(process.execPath, [attw, tarball, '--profile', 'esm-only', '--format', 'ascii'])
    // It exits with a failure, and so rejects, when something is wrong that the profile counts.
    expect(stdout).toContain('node16 (from ESM): 🟢')
  }, 120_000)
})

describe('installed into an empty project', () => {
  const project = join(work, 'project')
  beforeAll(async () => {
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true,"type":"module"}')
    await npm(['install', '--offline', tarball], project)
  }, 120_000)

  test('every entry that needs no peer loads in plain Node', async () => {
    const { exports } = JSON.parse(readFileSync(join(staged, 'package.json'), 'utf8'))
    const names = Object.keys(exports).filter((name) => name !== './package.json' && name !== './react')
    const imports = names.map((name) => `await import('@svc/sdk${name.slice(1)}')`).join('\n')
    writeFileSync(join(project, 'all.mjs'), imports)
    await run(process.execPath, ['all.mjs'], { cwd: project })
    expect(names.length).toBeGreaterThan(20)
  })

  test('a first program runs', async () => {
    const program = `
      import { createServer } from 'node:http'
      import { createSvc } from '@svc/sdk'
      const server = createServer((request, response) => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify([{ name: request.headers.authorization }]))
      }).listen(0, async () => {
        const svc = createSvc({ backendUrl: 'http://127.0.0.1:' + server.address().port, getToken: async () => 't' })
        const [project] = await svc.projects.list()
        console.log(project.name)
        server.close()
        server.closeAllConnections()
      })`
    writeFileSync(join(project, 'first.mjs'), program)
    expect((await run(process.execPath, ['first.mjs'], { cwd: project })).stdout.trim()).toBe('Bearer t')
  })

  test('a bundler makes one file of it, which runs', async () => {
    writeFileSync(
      join(project, 'page.mjs'),
      `import { createRest, formatCost } from '@svc/sdk'
       const svc = createRest({ backendUrl: 'http://127.0.0.1:1', getToken: async () => null })
       svc.projects.list().catch((error) => console.log(error.code, formatCost(0.0032)))`,
    )
    const { rolldown } = await import('rolldown')
    const bundle = await rolldown({ input: join(project, 'page.mjs'), platform: 'browser' })
    const { output } = await bundle.write({ file: join(project, 'page.out.mjs'), minify: true })
    expect(output).toHaveLength(1)
    expect((await run(process.execPath, ['page.out.mjs'], { cwd: project })).stdout.trim()).toBe('NO_SESSION $0.003')
  }, 180_000)

  test('the two bundles stand alone: a script tag and a module', () => {
    const dist = join(project, 'node_modules', '@svc', 'sdk', 'dist')
    const page: Record<string, unknown> = { URL, URLSearchParams, Headers, FormData, Blob, setTimeout, clearTimeout }
    const probe = ';[typeof Svc.createSvc, typeof Svc.classifyTurn, new Svc.ApiError("x").message].join()'
    const script = readFileSync(join(dist, 'svc.global.js'), 'utf8')
    expect(runInNewContext(script + probe, page)).toBe('function,function,x')
    for (const name of ['svc.global.js', 'svc.esm.min.js']) {
      const text = readFileSync(join(dist, name), 'utf8')
      expect([name, /node:|child_process|async_hooks|\bimport\s*[("'{*]/.exec(text)]).toEqual([name, null])
    }
  })
})
