import { describe, expect, test } from 'vitest'
import { createGatewayAlias } from './rewrite-path.ts'

const rewrite = createGatewayAlias('https://models.example.com', 'https://agents.example.com')
function at(host: string, url: string): string | undefined {
  const incoming = { url, headers: { host } }
  rewrite(incoming)
  return incoming.url
}

describe('a host that is the gateway’s alone', () => {
  test.each(['models.example.com', 'Models.Example.com:443', 'models.example.com:9', 'models.example.com.'])(
    'is known as %s, and has its routes at /v1/',
    (host) => {
      expect(at(host, '/v1/models?scope=managed')).toBe('/v1/llm/models?scope=managed')
      expect(at(host, '/v1/llm/models')).toBe('/v1/llm/models')
      expect(at(host, '/v1/openai/models')).toBe('/v1/llm/models')
    },
  )

  test.each([
    '/',
    '/v1',
    '/projects',
    '/v1/llm/../accounts',
    '/v1/llm/%2e%2E/accounts',
    '/v1/../v1/llm/../../v1/accounts',
    '/v1/openai/../accounts',
    '//v1/accounts',
    'http://agents.example.com/v1/accounts',
    '*',
  ])('leads nowhere else by %s', (url) => {
    const path = new URL(`http://x${at('models.example.com', url)}`).pathname
    expect(path).toMatch(/^\/v1\/llm\/(unknown|accounts|v1\/accounts)$/)
  })
})

test('elsewhere only the alias is another name, and every other path stays as it is', () => {
  expect(at('agents.example.com', '/v1/openai/chat/completions')).toBe('/v1/llm/chat/completions')
  for (const url of ['/v1/models', '/v1/llm/models', '/', '/v1/openai']) expect(at('agents.example.com', url)).toBe(url)
})

test('where the platform has the same name, the port tells them apart', () => {
  const shared = createGatewayAlias('https://one.example.com:8443', 'https://one.example.com')
  const incoming = { url: '/v1/accounts', headers: { host: 'one.example.com' } }
  shared(incoming)
  expect(incoming.url).toBe('/v1/accounts')
  const gateway = { url: '/v1/models', headers: { host: 'one.example.com:8443' } }
  shared(gateway)
  expect(gateway.url).toBe('/v1/llm/models')
})
