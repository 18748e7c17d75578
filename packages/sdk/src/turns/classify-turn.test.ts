import { describe, expect, test } from 'vitest'
import { classifyTurn } from './classify-turn.ts'

const message = (role: string, parts: readonly { type: string; [field: string]: unknown }[], error?: unknown) => ({
  info: { id: 'm', role, ...(error !== undefined && { error }) },
  parts,
})

test('a failed answer without parts is not empty', () => {
  const turn = classifyTurn(message('assistant', [], { name: 'APIError', data: { message: 'boom' } }))
  expect(turn).toStrictEqual({ parts: [], error: { name: 'APIError', message: 'boom' }, isEmpty: false })
})

test('a user message never has an error', () => {
  const turn = classifyTurn(message('user', [{ type: 'text', text: 'x' }], { name: 'APIError' }))
  expect(turn).not.toHaveProperty('error')
})

test('the gateway account of a failure fills the error', () => {
  const responseBody = '{"error":{"message":"no key","provider":"acme","code":"no_key","request_id":"req_1"}}'
  const turn = classifyTurn(message('assistant', [], { name: 'APIError', data: { message: 'x', responseBody } }))
  expect(turn.error).toStrictEqual({
    name: 'APIError',
    message: 'no key',
    provider: 'acme',
    code: 'no_key',
    requestId: 'req_1',
  })
})

test('an error without a name is called Error', () => {
  expect(classifyTurn(message('assistant', [], 'Error: boom')).error).toStrictEqual({ name: 'Error', message: 'boom' })
})

describe('empty means nothing to show', () => {
  test.each([
    [[], true],
    [[{ type: 'step-start' }], true],
    [[{ type: 'step-finish' }], true],
    [[{ type: 'text', text: '  \n' }], true],
    [[{ type: 'reasoning', text: ' ' }], true],
    [[{ type: 'text', text: 'ls', synthetic: true }], true],
    [[{ type: 'text', text: 'a' }], false],
    [[{ type: 'reasoning', text: 'a' }], false],
    [[{ type: 'tool', tool: 'bash', state: { status: 'pending' } }], false],
    [[{ type: 'hologram' }], false],
    [[{ type: 'snapshot', snapshot: 's' }], false],
  ])('%j -> %s', (parts, isEmpty) => {
    expect(classifyTurn(message('assistant', parts)).isEmpty).toBe(isEmpty)
  })
})
