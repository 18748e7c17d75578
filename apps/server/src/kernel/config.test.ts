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
    ['SVC_LOG', 'xml'],
    ['SVC_MASTER_KEY', 'short'],
    ['SVC_MASTER_KEY', `${Buffer.alloc(32).toString('base64')},short`],
    ['DATABASE_URL', 'postgres://svc:pa%ss@h/db'],
    ['DATABASE_URL', 'postgres://svc:pass@h:port/db'],
    ['SVC_ALLOW_PRIVATE_HOSTS', '10.0.0.0/99'],
    ['SVC_ALLOW_PRIVATE_HOSTS', 'git.internal,10.0.0'],
    ['SVC_TRUSTED_PROXIES', 'proxy,10.0.0.0/33'],
  ])('a bad %s (%s) names the variable, the problem and an example', (name, value) => {
    const { message, fix } = startErrorOf({ [name]: value })
    expect(message).toMatch(new RegExp(`^${name}: .* must `))
    expect(fix).toContain(`${name}=`)
  })

  test('a malformed secret is not repeated', () => {
    expect(startErrorOf({ SVC_MASTER_KEY: 'hunter2' }).message).not.toContain('hunter2')
    expect(startErrorOf({ DATABASE_URL: 'postgres://root:hunter2%@db/x' }).message).not.toContain('hunter2')
    expect(startErrorOf({ DATABASE_URL: 'mysql://root:hunter2@db/x' }).message).not.toContain('hunter2')
  })

  test('what the guide shows is taken: several master keys, private hosts, proxies and how to log', () => {
    const masterKey = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map((key) => key.toString('base64')).join(',')
    const settings = {
      SVC_MASTER_KEY: masterKey,
      SVC_ALLOW_PRIVATE_HOSTS: 'git.internal, *.lab.corp,10.1.0.0/16,fd00::/8',
      SVC_TRUSTED_PROXIES: '10.0.0.0/8,::1',
      SVC_LOG: 'pretty',
      SVC_LOG_LEVEL: 'warn',
      DATABASE_URL: 'postgres://svc:pa%25ss@db.internal:5432/svc',
    }
    expect(readConfig(settings)).toMatchObject({
      masterKey,
      allowPrivateHosts: ['git.internal', '*.lab.corp', '10.1.0.0/16', 'fd00::/8'],
      trustedProxies: ['10.0.0.0/8', '::1'],
      logFormat: 'pretty',
      logLevel: 'warn',
    })
  })

  test('every setting says what it does and shows an example', () => {
    for (const { name, about, example } of listSettings()) {
      expect([name, about.length > 10, example.length > 0]).toEqual([name, true, true])
    }
  })
})
