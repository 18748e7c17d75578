import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listOperations, renderClient } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { listSettings } from '../apps/server/src/kernel/config.ts'
import { renderClientReference } from './sdk/render-reference.ts'
import { renderPublicTypes } from './sdk/render-types.ts'

/**
 * Files that are written from a single source elsewhere. `npm run generate` writes them; this test fails when one is
 * not what its source says.
 */

const root = join(import.meta.dirname, '..')

const files: Record<string, (current: string) => string> = {
  'packages/sdk/src/generated/operations.ts': () => renderClient(listOperations()),
  'docs/guide/operating.md': (current) => replaceBetween(current, 'settings', renderSettings()),
  'docs/reference/operations.md': () => renderOperations(),
  'docs/reference/client-library.md': () => renderClientReference(),
  'packages/sdk/public-types.txt': () => renderPublicTypes(),
  'apps/server/migrations/SHA256SUMS': addNewMigrations,
}

describe('generated files are what their sources say', () => {
  test.each(Object.keys(files))('%s', (path) => {
    const target = join(root, path)
    const current = read(target)
    const wanted = files[path]?.(current)
    if (process.env.SVC_UPDATE_GENERATED === '1' && wanted !== undefined) {
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, wanted)
    }
    expect(read(target), 'run: npm run generate').toBe(wanted)
  })
})

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // A file that is not there yet differs from every wanted one, and is then written or reported.
    return ''
  }
}

function replaceBetween(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [start, end] = [text.indexOf(open), text.indexOf(close)]
  if (start === -1 || end === -1) throw new Error(`the markers ${open} and ${close} are missing`)
  return `${text.slice(0, start + open.length)}\n${content}\n${text.slice(end)}`
}

/** Lines that stand stay as they are: a migration that has landed is never edited. */
function addNewMigrations(current: string): string {
  const folder = join(root, 'apps', 'server', 'migrations')
  const landed = current.split('\n').filter(Boolean)
  const known = new Set(landed.map((line) => line.slice(66)))
  const added = readdirSync(folder)
    .filter((name) => name.endsWith('.sql') && !known.has(name))
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}`,
    )
  return [...landed, ...added]
    .sort((a, b) => a.slice(66).localeCompare(b.slice(66)))
    .join('\n')
    .concat('\n')
}

function renderSettings(): string {
  const rows = listSettings().map(({ name, fallback, about, example }) => {
    const initial = fallback === '' ? '' : `\`${fallback}\``
    return `| \`${name}\` | ${initial} | ${about} | \`${example}\` |`
  })
  return ['| Variable | Default | What it does | Example |', '|---|---|---|---|', ...rows].join('\n')
}

function renderOperations(): string {
  const rows = listOperations().map(
    ({ id, at, summary, needs, audit }) => `| \`${id}\` | \`${at}\` | ${summary} | \`${needs}\` | \`${audit}\` |`,
  )
  return [
    '# Operations',
    '',
    'Every operation of the REST surface. Generated from `packages/contract` by `npm run generate`; the shapes are in',
    '`/v1/openapi.json` and on the reference page at `/docs`.',
    '',
    '| Operation | Route | Does | Needs | Audit |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
