import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import * as sdk from './index.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8'))
const messages: sdk.Message[] = read('runtime-messages.json')
const foreign: { role: string }[] = read('pi-messages.json')
const turns = sdk.groupMessagesIntoTurns(messages)
const tools = new Map<string, sdk.ToolView>()
for (const part of messages.flatMap((message) => message.parts).map((part) => sdk.classifyPart(part))) {
  if (part.kind === 'tool' && !tools.has(part.tool.name)) tools.set(part.tool.name, part.tool)
}
const model = (name: string) => {
  const view = tools.get(name)
  if (!view) throw new Error(`the capture has no ${name} call`)
  return sdk.toolViewModel(view)
}

describe('messages captured from a real run', () => {
  test('every message is in one turn and every prompt starts one', () => {
    const shown = turns.flatMap((turn) => [turn.userMessage, ...turn.assistantMessages])
    expect(new Set(shown)).toEqual(new Set(messages))
    expect(turns.map((turn) => turn.userMessage)).toEqual(messages.filter(({ info }) => info.role === 'user'))
    for (const turn of turns) {
      for (const { info } of turn.assistantMessages) {
        expect(info.role === 'assistant' && info.parentID).toBe(turn.userMessage.info.id)
      }
    }
  })

  test('every part is known', () => {
    const kinds = new Set(messages.flatMap(sdk.classifyTurn).flatMap(({ parts }) => parts.map(({ kind }) => kind)))
    expect([...kinds].sort()).toEqual(
      ['agent', 'compaction', 'file', 'patch', 'reasoning', 'step', 'subtask', 'text', 'tool'].sort(),
    )
  })

  test('each tool call shows what it did', () => {
    expect(model('write')).toEqual({
      kind: 'file-write',
      path: '/workspace/hello.txt',
      preview: 'hello from fake model\n',
    })
    expect(model('edit')).toEqual({
      kind: 'file-edit',
      path: '/workspace/hello.txt',
      diff: [
        { type: 'removed', text: 'hello from fake model' },
        { type: 'added', text: 'edited by fake model' },
      ],
    })
    expect(model('grep')).toEqual({
      kind: 'search',
      pattern: 'hello',
      matches: [
        { path: '/workspace/.opencode/command/hello.md', line: 2, content: 'description: Say hello' },
        { path: '/workspace/.opencode/command/hello.md', line: 5, content: '#say command-hello with $ARGUMENTS' },
      ],
    })
    expect(model('glob')).toEqual({ kind: 'search', pattern: '**/*.txt', matches: [{ path: '/workspace/hello.txt' }] })
    expect(model('todowrite')).toMatchObject({
      kind: 'todo',
      items: [{ content: 'step one', status: 'in_progress' }, {}],
    })
    expect(model('question')).toMatchObject({ kind: 'question', answers: [['Red']] })
    expect(model('task')).toEqual({ kind: 'task', description: 'sub work', agent: 'general' })
    expect(model('webfetch')).toMatchObject({ kind: 'generic', label: 'Fetch Page' })
    expect(model('fakemcp_add')).toMatchObject({ kind: 'generic', label: 'Fakemcp Add', outputPretty: '5' })
  })

  test('failed turns say why', () => {
    expect(turns.flatMap((turn) => sdk.getTurnError(turn) ?? [])).toEqual(['fake upstream error 401', 'Aborted'])
    const failed = messages.filter(({ info }) => 'error' in info)
    expect(failed.map(({ info }) => sdk.isAbortError('error' in info && info.error))).toEqual([false, true])
  })

  test('delegated work names its session', () => {
    const children = messages.flatMap(({ parts }) => parts).flatMap((part) => sdk.getChildSessionId(part) ?? [])
    expect(children).toHaveLength(3)
    expect(children.every((id) => id.startsWith('ses_'))).toBe(true)
  })

  test('shell mode is recognised once', () => {
    const shell = turns.filter(sdk.isShellMode)
    expect(shell.map((turn) => sdk.getShellModePart(turn)?.type)).toEqual(['tool'])
  })

  test('the session costs what its steps say, with the markup', () => {
    const steps = messages.flatMap(({ parts }) => parts).filter((part) => part.type === 'step-finish')
    const raw = steps.reduce((sum, part) => sum + part.cost, 0)
    expect(sdk.getSessionCost(messages)).toBeCloseTo(raw * sdk.COST_MARKUP, 10)
    const turnCosts = turns.map((turn) => sdk.getTurnCost(sdk.collectTurnParts(turn))?.cost ?? 0)
    expect(turnCosts.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(raw * sdk.COST_MARKUP, 10)
  })

  test('every turn has a status and the transcript holds every answer', () => {
    const transcript = sdk.formatTranscript({ id: 's' }, messages, {
      reasoning: true,
      toolDetails: true,
      metadata: true,
    })
    for (const turn of turns) {
      const parts = sdk.collectTurnParts(turn)
      expect(sdk.getTurnStatus(parts)).toMatch(/…$/)
      const last = sdk.findLastTextPart(parts)
      if (last) expect(transcript).toContain(sdk.getPartText(last)?.trim())
    }
  })
})

test('messages of another runtime’s own shape are ignored, not refused', () => {
  const wild: unknown[] = foreign
  expect(Reflect.apply(sdk.groupMessagesIntoTurns, undefined, [wild])).toEqual([])
  expect(Reflect.apply(sdk.getSessionCost, undefined, [wild])).toBe(0)
})
