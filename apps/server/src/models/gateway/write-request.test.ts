import { expect, test } from 'vitest'
import { scriptedModel } from '../catalog/scripted-model.ts'
import type { ServableModel } from '../resolve.ts'
import { parseRequest } from './read-request.ts'
import { writeRequest } from './write-request.ts'

const plan = { path: '/chat/completions', translation: undefined }

function modelCalled(model: string): ServableModel {
  return { ...scriptedModel, generation: {}, upstream: { ...scriptedModel.upstream, protocol: 'openai', model } }
}

function write(bytes: Buffer, model: string, capTokens?: number) {
  return writeRequest('chat', parseRequest('chat', bytes), plan, modelCalled(model), capTokens)
}

const text = (content: string, rest = '') =>
  `{"model": "m", "messages": [{"role":"user","content":"${content}"}]${rest} }`

test('a request that needs no change goes on as the very bytes that came', () => {
  const bytes = Buffer.from(text('hello', ', "seed": 12345678901234567890'))
  expect(write(bytes, 'm')).toBe(bytes)
})

test('another name of the model and added members are the only change, in plain text and beyond', () => {
  for (const content of ['hello', 'grüße, 世界 🌦']) {
    const written = write(Buffer.from(text(content, ', "seed": 12345678901234567890')), 'upstream-m', 7)
    const expected = text(content, ', "seed": 12345678901234567890')
      .replace('"m"', '"upstream-m"')
      .replace(/\}$/, ',"max_tokens":7}')
    expect(written.toString()).toBe(expected)
  }
})

test('bytes that are no UTF-8 never reach an upstream: it gets the text that was looked at', () => {
  const bytes = Buffer.from(text('a?b'))
  bytes[bytes.indexOf('?')] = 0xff
  expect(write(bytes, 'm').toString()).toBe(text('a\ufffdb'))
})

test('a member that is doubled is priced by what goes on, whatever else is spelled with escapes', () => {
  const doubled = (member: string) => Buffer.from(text('\\u4e16', `, "x": {"y": ${member}, "y": 1}`))
  for (const [member, fact] of [
    ['{"file_id": "f"}', 'isLengthUnknown'],
    ['{"ttl": "1h"}', 'isDearer'],
  ] as const) {
    const bytes = doubled(member)
    expect(write(bytes, 'm').toString()).toContain(member)
    expect(parseRequest('chat', bytes)[fact]).toBe(true)
  }
})
