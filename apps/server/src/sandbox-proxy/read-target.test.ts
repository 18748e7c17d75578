import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { readPrompt } from './prompt-gate.ts'
import { requireOpenRoute, withoutToken } from './read-target.ts'

describe('the credential in an address', () => {
  test.each([
    ['/a?token=x', '/a'],
    ['/a?x=1&token=x&y=2', '/a?x=1&y=2'],
    ['/a?%74oken=x&y=2', '/a?y=2'],
    ['/a?tok%65n=x', '/a'],
    ['/a?token', '/a'],
    ['/a?tokens=1&mytoken=2', '/a?tokens=1&mytoken=2'],
    ['/a', '/a'],
  ])('%s is passed on as %s', (given, passed) => expect(withoutToken(given)).toBe(passed))
})

describe('the daemon’s own routes', () => {
  test.each([
    '/svc/env',
    '/svc%2fenv',
    '//svc/env',
    '/svc/pty/../env',
    '/svc/pty/%2e%2e/env',
    '/SVC/env',
    '/a/../svc/x',
  ])('%s is not there for people', (path) => expect(() => requireOpenRoute({ port: 8000, path })).toThrow())

  test('health and terminals are, and an escape that means nothing is refused, not a fault', () => {
    for (const path of ['/svc/health', '/svc/pty', '/svc/pty/x?y', '/session/ses_1/message']) {
      expect(() => requireOpenRoute({ port: 8000, path })).not.toThrow()
    }
    expect(() => requireOpenRoute({ port: 8000, path: '/%zz' })).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    )
  })
})

describe('a prompt is told by its path, however that is written', () => {
  function post(body: string) {
    const incoming = new IncomingMessage(new Socket())
    incoming.method = 'POST'
    incoming.push(body)
    incoming.push(null)
    return incoming
  }

  test.each([
    ['/session/ses_1/message', 'message'],
    ['/session/ses_1/prompt_async?directory=/workspace', 'prompt_async'],
    ['/session/ses_1/%6dessage', 'message'],
    ['/%73ession/ses_1/comman%64', 'command'],
    ['/x/../session/ses_1/message', 'message'],
  ])('%s', async (path, kind) => {
    expect(await readPrompt(post('{"agent":"other"}'), path)).toMatchObject({ kind, agent: 'other' })
  })

  test('and nothing else is one', async () => {
    for (const path of [
      '/session/ses_1',
      '/session/ses_1/message/msg_1',
      '/file?path=/session/x/message',
      '/sessions',
    ]) {
      expect(await readPrompt(post('{}'), path)).toBeUndefined()
    }
  })
})
