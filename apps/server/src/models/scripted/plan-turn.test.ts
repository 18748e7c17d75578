import { expect, test } from 'vitest'
import type { ChatMessage, ChatRequest, ChatTool } from './chat-request.ts'
import { removeIt } from './default-plan.ts'
import { planTurn, type Turn } from './plan-turn.ts'

const tool = (name: string, ...properties: string[]): ChatTool => ({
  type: 'function',
  function: {
    name,
    parameters: { type: 'object', properties: Object.fromEntries(properties.map((property) => [property, {}])) },
  },
})

const opencodeTools = [
  tool('bash', 'command', 'description'),
  tool('glob', 'pattern', 'path'),
  tool('write', 'filePath', 'content'),
  tool('edit', 'filePath', 'oldString', 'newString'),
  tool('read', 'filePath'),
  tool('question', 'questions'),
  tool('todowrite', 'todos'),
]

function request(prompt: string, tools: ChatTool[] = opencodeTools): ChatRequest {
  return { model: 'svc/scripted', messages: [{ role: 'user', content: prompt }], tools }
}

/** Plays a whole turn: every tool call gets the answer that `answer` gives. */
function play(start: ChatRequest, answer: (call: NonNullable<Turn['call']>) => string = () => 'ok') {
  const messages: ChatMessage[] = [...start.messages]
  const turns: Turn[] = []
  for (let round = 0; round < 30; round += 1) {
    const turn = planTurn({ ...start, messages })
    turns.push(turn)
    if (!turn.call) return turns
    const { id, name, input } = turn.call
    messages.push({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
    })
    messages.push({ role: 'tool', tool_call_id: id, content: answer(turn.call) })
  }
  throw new Error('the turn never ended')
}

const said = (turns: readonly Turn[]) =>
  turns.flatMap(({ pieces }) => pieces.map((piece) => (piece.kind === 'pause' ? '' : piece.text))).join('')
const calls = (turns: readonly Turn[]) => turns.flatMap(({ call }) => (call ? [call.name] : []))

test('without a script it looks around, writes a file, runs it, asks and finishes', () => {
  const turns = play(request('make me a program'))
  expect(calls(turns)).toEqual(['glob', 'write', 'bash', 'question'])
  expect(turns[1]?.call?.input).toMatchObject({ filePath: 'hello.sh' })
  expect(said(turns)).toContain('scripted model')
  expect(said(turns)).toContain('Done: hello.sh is written and ran once.')
})

test('the answer to its question decides how the default plan ends', () => {
  const turns = play(request('make me a program'), ({ name }) => (name === 'question' ? removeIt : 'ok'))
  expect(calls(turns)).toEqual(['glob', 'write', 'bash', 'question', 'bash'])
  expect(said(turns)).toContain('gone again')
})

test('a script is followed line by line, and text before a tool call comes with it', () => {
  const script =
    '```script\nsay hello\nwrite a/b.txt:\n| one\n| two\nrun cat a/b.txt\nsay it printed {result}\nedit a/b.txt: one => 1\nfinish bye\n```'
  const turns = play(request(`please\n${script}`), ({ name }) => (name === 'bash' ? 'one\ntwo' : 'ok'))
  expect(calls(turns)).toEqual(['write', 'bash', 'edit'])
  expect(turns[0]?.pieces).toEqual([{ kind: 'text', text: 'hello\n' }])
  expect(turns[0]?.call?.input).toEqual({ filePath: 'a/b.txt', content: 'one\ntwo\n' })
  expect(turns[2]?.pieces).toEqual([{ kind: 'text', text: 'it printed one\ntwo\n' }])
  expect(turns[2]?.call?.input).toEqual({ filePath: 'a/b.txt', oldString: 'one', newString: '1' })
  expect(said(turns)).toMatch(/bye\n$/)
})

test('the same request gets the same answer, however often it is sent', () => {
  const asked = request('```script\nrun true\nrun false\n```')
  expect(planTurn(asked)).toEqual(planTurn(asked))
})

test('a second prompt of a conversation starts its own script', () => {
  const first = request('```script\nrun one\n```')
  const messages: ChatMessage[] = [...first.messages]
  const call = planTurn(first).call
  messages.push({
    role: 'assistant',
    tool_calls: [{ id: call?.id ?? '', type: 'function', function: { name: 'bash', arguments: '{}' } }],
  })
  messages.push({ role: 'tool', tool_call_id: call?.id ?? '', content: 'ok' })
  messages.push({ role: 'assistant', content: 'done' })
  messages.push({ role: 'user', content: '```script\nrun two\n```' })
  expect(planTurn({ ...first, messages }).call?.input).toMatchObject({ command: 'two' })
})

test('what a runtime adds around a prompt is not taken for one', () => {
  const asked = request('```script\nrun one\n```')
  const messages: ChatMessage[] = [
    ...asked.messages,
    { role: 'user', content: '<system-reminder>be brief</system-reminder>' },
  ]
  expect(planTurn({ ...asked, messages }).call?.input).toMatchObject({ command: 'one' })
})

test('tools of other runtimes are used in their own words', () => {
  const piTools = [tool('bash', 'command'), tool('write', 'path', 'content'), tool('edit', 'path', 'edits')]
  const turns = play(request('```script\nlook\nwrite x: y\nedit x: y => z\nask sure? | yes | no\n```', piTools))
  expect(turns.map(({ call }) => call?.input)).toEqual([
    { command: "ls -la '.'" },
    { path: 'x', content: 'y' },
    { path: 'x', edits: [{ oldText: 'y', newText: 'z' }] },
    undefined,
  ])
  expect(said(turns)).toContain('sure? (yes, no)')
})

test('without tools a request for a title is answered with the first line of the prompt', () => {
  const turn = planTurn({
    model: 'scripted',
    messages: [
      { role: 'system', content: 'You are a title generator.' },
      { role: 'user', content: 'Generate a title for this conversation:\n' },
      { role: 'user', content: 'Fix the login page\n\n```script\nsay hi\n```' },
    ],
  })
  expect(turn.pieces).toEqual([{ kind: 'text', text: 'Fix the login page' }])
})

test('a line that is not understood is named, with what is allowed', () => {
  const turns = play(request('```script\nsay hi\njump high\n```'))
  expect(said(turns)).toContain('line 2 of the script: `jump high`')
  expect(said(turns)).toContain('run <command>')
})
