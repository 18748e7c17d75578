import { expect, test } from 'vitest'
import { scriptedModel } from '../catalog/scripted-model.ts'
import { hideKeys, secretsOf } from './hide-keys.ts'
import { bodyOf } from './send-request.ts'

const key = 'sk-sk-operator-0123456789/abc'
const upstream = {
  ...scriptedModel.upstream,
  credentials: [key, 'ollama'],
  headers: { 'api-key': 'azure-0123456789"q' },
}
const secrets = secretsOf(upstream)

async function pass(pieces: readonly string[]): Promise<string> {
  const taken: Buffer[] = []
  await hideKeys(
    bodyOf(
      (async function* () {
        yield* pieces
      })(),
    ),
    secrets,
  ).read((chunk) => taken.push(Buffer.from(chunk)))
  return Buffer.concat(taken).toString('utf8')
}

test('a key is blotted out wherever a body is cut, and the rest stays as it came', async () => {
  const text = `data: {"a":"sk-sk-${key} é ollama ${JSON.stringify(key).replaceAll('/', '\\/')} sk-sk-op"}\n\n`
  const expected = text
    .replaceAll(key, '*'.repeat(key.length))
    .replaceAll(key.replace('/', '\\/'), '*'.repeat(key.length + 1))
  for (let from = 0; from <= text.length; from++) {
    for (let to = from; to <= text.length; to += 7) {
      const pieces = [text.slice(0, from), text.slice(from, to), text.slice(to)]
      expect(await pass(pieces)).toBe(expected)
    }
  }
})

test('what the operator’s headers hold is hidden as JSON writes it, and a body may end within what looks like a key', async () => {
  expect(await pass([JSON.stringify({ said: 'azure-0123456789"q' })])).toBe(`{"said":"${'*'.repeat(19)}"}`)
  expect(await pass(['the end is sk-sk-oper'])).toBe('the end is sk-sk-oper')
})

test('a whole event never waits for the next one', async () => {
  const seen: string[] = []
  const body = bodyOf(
    (async function* () {
      yield 'data: sk-sk\n\n'
      expect(seen).toEqual(['data: sk-sk\n\n'])
      yield 'data: x\n\n'
    })(),
  )
  await hideKeys(body, secrets).read((chunk) => seen.push(chunk.toString()))
  expect(seen).toHaveLength(2)
})
