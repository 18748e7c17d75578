import { expect, test } from 'vitest'
import { findLoopback } from './index.ts'

test('the page for a command line may call the port that waits for it, and no other place', () => {
  expect(findLoopback('http://127.0.0.1:41234/callback')).toEqual(['http://127.0.0.1:41234'])
  const refused = [
    '',
    'http://127.0.0.1/callback',
    'https://127.0.0.1:1/callback',
    'http://localhost:41234/callback',
    'http://127.0.0.1.example.com:41234/callback',
    'http://127.0.0.1:41234@example.com/callback',
    'http://example.com:41234/callback',
    'javascript:alert(1)',
    "http://127.0.0.1:1; script-src 'unsafe-inline'",
  ]
  expect(refused.map(findLoopback)).toEqual(refused.map(() => []))
})
