import { describe, expect, test } from 'vitest'
import { collectTurnParts, findLastTextPart, isLastUserMessage, turnHasSteps } from './collect-parts.ts'
import { getShellModePart, isShellMode } from './detect-shell-mode.ts'
import {
  getPartText,
  isAgentPart,
  isAttachment,
  isCompactionPart,
  isFilePart,
  isPatchPart,
  isReasoningPart,
  isSnapshotPart,
  isTextPart,
  isToolPart,
} from './guard-part.ts'
import { splitUserParts } from './split-user-parts.ts'

interface AnyPart {
  type: string
  [field: string]: unknown
}
const message = (id: string, role: string, parts: AnyPart[]) => ({ info: { id, role }, parts })
const wrap = (...parts: AnyPart[]) => parts.map((part) => ({ part }))

test('a turn’s parts come from its answers, in order, each with its message', () => {
  const first = message('a1', 'assistant', [{ type: 'text' }, { type: 'tool' }])
  const second = message('a2', 'assistant', [{ type: 'patch' }])
  const turn = { userMessage: message('u', 'user', [{ type: 'text' }]), assistantMessages: [first, second] }
  expect(collectTurnParts(turn)).toEqual([
    { part: { type: 'text' }, message: first },
    { part: { type: 'tool' }, message: first },
    { part: { type: 'patch' }, message: second },
  ])
})

test('the last text that says something is found; blank text is passed over', () => {
  const said = { type: 'text', text: 'done' }
  expect(findLastTextPart(wrap({ type: 'text', text: 'a' }, said, { type: 'text', text: ' ' }, { type: 'tool' }))).toBe(
    said,
  )
  expect(findLastTextPart(wrap({ type: 'reasoning', text: 'a' }))).toBeUndefined()
})

test.each([
  ['tool', true],
  ['compaction', true],
  ['snapshot', true],
  ['patch', true],
  ['text', false],
  ['step-start', false],
])('a %s part is a step: %s', (type, isStep) => {
  expect(turnHasSteps(wrap({ type: 'text' }, { type }))).toBe(isStep)
})

test('only the last user message of the list is the last', () => {
  const messages = [message('u1', 'user', []), message('u2', 'user', []), message('a', 'assistant', [])]
  expect(isLastUserMessage('u2', messages)).toBe(true)
  expect(isLastUserMessage('u1', messages)).toBe(false)
  expect(isLastUserMessage('u1', [])).toBe(false)
})

describe('shell mode', () => {
  const synthetic = { type: 'text', text: 'x', synthetic: true }
  const bash = { type: 'tool', tool: 'bash' }
  const turn = (prompt: AnyPart[], ...answers: AnyPart[][]) => ({
    userMessage: message('u', 'user', prompt),
    assistantMessages: answers.map((parts, at) => message(`a${at}`, 'assistant', parts)),
  })
  test('synthetic text answered by one bash call', () => {
    expect(isShellMode(turn([synthetic], [bash]))).toBe(true)
    expect(getShellModePart(turn([synthetic, synthetic], [bash]))).toBe(bash)
  })
  test.each([
    ['no prompt part', turn([], [bash])],
    ['typed text', turn([{ type: 'text', text: 'x' }], [bash])],
    ['a typed part beside a synthetic one', turn([synthetic, { type: 'file' }], [bash])],
    ['two answers', turn([synthetic], [bash], [bash])],
    ['no answer', turn([synthetic])],
    ['two parts', turn([synthetic], [bash, { type: 'text' }])],
    ['another tool', turn([synthetic], [{ type: 'tool', tool: 'read' }])],
  ])('not with %s', (_name, other) => {
    expect(isShellMode(other)).toBe(false)
    expect(getShellModePart(other)).toBeUndefined()
  })
})

describe('guards', () => {
  const guards = {
    text: isTextPart,
    tool: isToolPart,
    reasoning: isReasoningPart,
    file: isFilePart,
    agent: isAgentPart,
    compaction: isCompactionPart,
    snapshot: isSnapshotPart,
    patch: isPatchPart,
  }
  test.each(Object.entries(guards))('%s is recognised by its guard alone', (type, guard) => {
    expect(guard({ type })).toBe(true)
    for (const other of Object.keys(guards)) expect(guard({ type: other })).toBe(other === type)
    expect(guard(null)).toBe(false)
  })

  test('only text and reasoning have text', () => {
    expect(getPartText({ type: 'text', text: 'a' })).toBe('a')
    expect(getPartText({ type: 'reasoning', text: 'b' })).toBe('b')
    expect(getPartText({ type: 'tool', text: 'c' })).toBeUndefined()
  })

  test('images and PDFs are attachments, order kept', () => {
    const image = { type: 'file', mime: 'image/webp' }
    const pdf = { type: 'file', mime: 'application/pdf' }
    const text = { type: 'file', mime: 'text/plain' }
    const words = { type: 'text', text: 'x' }
    expect([image, pdf, text, words].map(isAttachment)).toEqual([true, true, false, false])
    expect(splitUserParts([pdf, words, image, text])).toEqual({ attachments: [pdf, image], stickyParts: [words, text] })
  })
})
