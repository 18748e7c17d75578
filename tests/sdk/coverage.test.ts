import * as sdk from '@svc/sdk'
import * as eventStream from '@svc/sdk/event-stream'
import * as messageQueue from '@svc/sdk/message-queue'
import * as react from '@svc/sdk/react'
import * as server from '@svc/sdk/server'
import { expect, test } from 'vitest'
import { namedCalls, namedElsewhere, namedHelpers, namedHooks } from './named-calls.ts'

/** How much of what the specification names is there: `npm run sdk:coverage` prints it. */

/** What waits for a capability of the server. A line goes away together with the last name it covers. */
const NOT_YET: Record<string, RegExp> = {
  connectors: /^(connectors|project\.(connectors|policies|approvals|setupLinks))\b/,
  'brokered secrets': /^project\.secrets\.broker$/,
  triggers: /^(project\.triggers|useProjectTriggers)\b/,
  'marketplace and channels': /^(marketplace|project\.(marketplace|registry|channels))\b/,
  billing: /^billing\b/,
}

test('every helper that is named is exported', () => {
  const names = namedHelpers.trim().split(/\s+/)
  const missing = names.filter((name) => !(name in sdk))
  console.log(`helpers: ${names.length - missing.length} exposed / ${names.length} named`)
  expect(missing).toEqual([])
})

test('every hook that is named is exported, or waits for its capability', () => {
  const names = namedHooks.trim().split(/\s+/)
  const missing = names.filter((name) => !(name in react))
  console.log(`hooks: ${names.length - missing.length} exposed / ${names.length} named`)
  expect(missing.filter((name) => !Object.values(NOT_YET).some((pattern) => pattern.test(name)))).toEqual([])
})

test('every function that is named for another entry is there', () => {
  const entries = { server, 'message-queue': messageQueue, 'event-stream': eventStream }
  const named = Object.entries(namedElsewhere).flatMap(([entry, names]) =>
    names.split(' ').map((name) => [entry, name]),
  )
  const missing = named.filter(([entry = '', name = '']) => read(read(entries, entry), name) === undefined)
  console.log(`other entries: ${named.length - missing.length} exposed / ${named.length} named`)
  expect(missing).toEqual([])
})

test('every call that is named is there, or waits for the capability that answers it', () => {
  const svc = sdk.createSvc({ backendUrl: 'http://h/v1', getToken: async () => null }, { global: false })
  const handles: Record<string, unknown> = { project: svc.project('p'), session: openSession(svc) }
  const named = namedCalls
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [group = '', names = ''] = line.split(':')
      return names
        .trim()
        .split(/\s+/)
        .map((name) => (group ? `${group}.${name}` : name))
    })
  const exists = (path: string): boolean => {
    const [first = '', ...rest] = path.split('.')
    const start = rest.length > 0 && first in handles ? handles[first] : read(svc, first)
    return typeof rest.reduce<unknown>(read, start) === 'function'
  }
  const missing = named.filter((path) => !exists(path))
  console.log(`calls: ${named.length - missing.length} exposed / ${named.length} named`)
  for (const [what, pattern] of Object.entries(NOT_YET)) {
    const waiting = missing.filter((path) => pattern.test(path))
    if (waiting.length > 0) console.log(`  waiting for ${what}: ${waiting.length}`)
  }
  expect(missing.filter((path) => !Object.values(NOT_YET).some((pattern) => pattern.test(path)))).toEqual([])
  for (const [what, pattern] of Object.entries(NOT_YET)) {
    if (!missing.some((path) => pattern.test(path))) console.log(`  nothing waits for ${what} any more: drop its line`)
  }
})

function openSession(svc: object): unknown {
  const open = read(svc, 'session')
  return typeof open === 'function' ? open('p', 's') : undefined
}

function read(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
