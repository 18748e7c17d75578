import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readDashboard } from '../../apps/server/src/web/read-dashboard.ts'

const assets = fileURLToPath(new URL('../../apps/web/dist/assets/', import.meta.url))
const budgetBytes = 200_000
const dashboard = readDashboard()
if (!dashboard) console.log('Skipped the size of the dashboard: it is not built (npm run build).')

/** A script and everything it imports before it runs. */
function follow(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  const text = readFileSync(assets + name, 'utf8')
  for (const [, next = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) follow(next, seen)
  return seen
}

test.skipIf(!dashboard)('all script until the projects list shows is at most 200 kB gzipped', () => {
  const page = dashboard?.page('') ?? ''
  const names = [...page.matchAll(/(?:src|href)="\/assets\/([\w.-]+\.js)"/g)].map(([, name = '']) => name)
  const entry = names.map((name) => readFileSync(assets + name, 'utf8')).join('\n')
  const screen = /projects-screen-[\w-]+\.js/.exec(entry)?.[0]
  expect(screen, 'the screen of projects is a file of its own').toBeDefined()
  const fetched = new Set([...names, screen ?? ''].flatMap((name) => [...follow(name)]))
  const sizes = [...fetched].map((name) => gzipSync(readFileSync(assets + name), { level: 9 }).length)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  console.log(`Script until the projects list: ${(total / 1000).toFixed(1)} kB gzipped in ${fetched.size} files.`)
  expect(total).toBeLessThanOrEqual(budgetBytes)
})
