import { describe, expect, test } from 'vitest'
import { listSettings, readConfig } from './config.ts'
import { StartError } from './start-error.ts'

function startErrorOf(env: Record<string, string>): StartError {
  try {
    readConfig(env)
  } catch (error) {
    if (StartError.isInstance(error)) return error
    throw error
  }
  throw new Error('no error')
}

describe('configuration', () => {
  test('without any variable everything has a default that works on one machine', () => {
    expect(readConfig({})).toMatchObject({ port: 8008, host: '127.0.0.1', databaseUrl: undefined, allowedHosts: [] })
  })

  test.each([
    ['PORT', 'eighty'],
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['HOST', ''],
    ['SVC_DATA_DIR', ''],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['SVC_PUBLIC_URL', 'agents.example.com'],
    ['SVC_PUBLIC_URL', 'ftp://agents.example.com'],
    ['SVC_LOG_LEVEL', 'loud'],
    ['SVC_VALIDATE_RESPONSES', 'maybe'],
    ['SVC_MASTER_KEY', 'short'],
  ])('a bad %s (%s) names the variable, the problem and an example', (name, value) => {
    const { message, fix } = startErrorOf({ [name]: value })
    expect(message).toMatch(new RegExp(`^${name}: .* must `))
    expect(fix).toContain(`${name}=`)
  })

  test('a malformed secret is not repeated', () => {
    expect(startErrorOf({ SVC_MASTER_KEY: 'hunter2' }).message).not.toContain('hunter2')
    expect(startErrorOf({ DATABASE_URL: 'mysql://root:hunter2@db/x' }).message).not.toContain('hunter2')
  })

  test('every setting says what it does and shows an example', () => {
    for (const { name, about, example } of listSettings()) {
      expect([name, about.length > 10, example.length > 0]).toEqual([name, true, true])
    }
  })
})
