import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as sdk from './index.ts'
import { createSessionState } from './session-state.ts'

const RUNS = process.env.SVC_TEST_LONG === '1' ? 100_000 : 10_000
const SEED = Number(process.env.SVC_TEST_SEED ?? Date.now() % 2 ** 31)

/** Helpers whose arguments the host makes itself, or that do input and output. */
const HOST_ONLY = new Set([
  ...['openEventStream', 'createSvc', 'configureSvc', 'createSvcSession', 'authenticatedFetch', 'getAuthToken'],
  ...['listAssignments', 'createAssignment', 'revokeAssignment', 'listPermissions'],
  ...['getClient', 'getClientForUrl', 'dropClientForUrl', 'resetClient', 'getSessionHealth', 'createRest'],
])

const cyclic: Record<string, unknown> = { type: 'tool', tool: 'task', id: 'cycle' }
cyclic.state = { status: 'completed', input: cyclic, output: '{}', metadata: cyclic }
cyclic.error = cyclic
cyclic.info = cyclic
cyclic.parts = [cyclic]
cyclic.data = cyclic
cyclic.cause = { body: cyclic }

const HUGE = 'a'.repeat(300_000)
const BOMB = '\u001b[31m\u001b]0;'.repeat(2000)
const JSON_BOMB = '[{"error":'.repeat(3000)

const usualWord = fc.constantFrom(
  '',
  ' ',
  'text',
  'tool',
  'step-finish',
  'task',
  'bash',
  'edit',
  'grep',
  'oc-session-spawn',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\ud800',
  '\udc00lone',
  'http://localhost:3000/a',
  'http://[',
  'Found 1 match\n/a:\n Line 1: x;',
  '{"success":false,"error":{"message":5}}',
  'Error: {"message":"x","provider":"p"}',
  'Session: ses_1',
  '<exit_code>9</exit_code><bash_metadata>',
)
const word = fc.oneof(
  { arbitrary: usualWord, weight: 200 },
  { arbitrary: fc.constantFrom(HUGE, BOMB, JSON_BOMB), weight: 1 },
)
const number = fc.constantFrom(0, -0, 1, -1, 1.5, -1e308, 1e308, Number.NaN, Infinity, -Infinity, 2 ** 53)
const leaf = fc.oneof(
  word,
  number,
  fc.constantFrom(null, undefined, true, false, 10n, cyclic),
  fc.string({ maxLength: 8 }),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        ...['type', 'id', 'text', 'tool', 'state', 'status', 'input', 'output', 'metadata', 'title', 'time', 'created'],
        ...['info', 'parts', 'role', 'error', 'data', 'message', 'tokens', 'cost', 'cache', 'files', 'callID', 'part'],
        ...['properties', 'sessionID', 'info', '__proto__', 'constructor', 'name', 'mime', 'questions', 'todos'],
      ),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
}))

const mostly = <T, U>(usual: fc.Arbitrary<T>, wild: fc.Arbitrary<U>) =>
  fc.oneof({ arbitrary: usual, weight: 4 }, { arbitrary: wild, weight: 1 })
const TYPES = [
  ...['text', 'reasoning', 'tool', 'file', 'subtask', 'patch', 'snapshot', 'agent', 'retry', 'compaction'],
  ...['step-start', 'step-finish', 'hologram'],
]
const TOOLS = [
  ...['bash', 'read', 'write', 'edit', 'grep', 'glob', 'task', 'todowrite', 'question', 'web_search', 'webfetch'],
  ...['session_spawn', 'presentation-gen', 'scrape-webpage', 'apply_patch', 'image-gen', '__proto__'],
]
const state = fc.record(
  {
    status: mostly(fc.constantFrom('pending', 'running', 'completed', 'error', 'frozen'), value),
    input: mostly(
      fc.dictionary(
        fc.constantFrom(
          'command',
          'filePath',
          'oldString',
          'newString',
          'pattern',
          'todos',
          'questions',
          'urls',
          'files',
        ),
        value,
      ),
      value,
    ),
    output: mostly(word, value),
    error: value,
    title: mostly(word, value),
    metadata: value,
    time: value,
  },
  { requiredKeys: [] },
)
const part = mostly(
  fc.record(
    {
      type: mostly(fc.constantFrom(...TYPES), value),
      id: mostly(word, value),
      text: mostly(word, value),
      tool: mostly(fc.constantFrom(...TOOLS), value),
      state: mostly(state, value),
      callID: value,
      mime: value,
      files: value,
      error: value,
      time: value,
      tokens: value,
      cost: mostly(number, value),
      synthetic: value,
      model: value,
    },
    { requiredKeys: [] },
  ),
  value,
)
const message = mostly(
  fc.record(
    {
      info: mostly(
        fc.record(
          {
            id: mostly(word, value),
            role: mostly(fc.constantFrom('user', 'assistant'), value),
            parentID: mostly(word, value),
            time: value,
            error: value,
            tokens: value,
            providerID: mostly(word, value),
            modelID: mostly(word, value),
            summary: value,
          },
          { requiredKeys: [] },
        ),
        value,
      ),
      parts: mostly(fc.array(part, { maxLength: 3 }), value),
    },
    { requiredKeys: [] },
  ),
  value,
)

test(`no helper throws on anything a newer server might send (${RUNS} samples, seed ${SEED})`, {
  timeout: 3_000_000,
}, () => {
  const helpers = Object.entries(sdk).filter(([name, entry]) => isHelper(name, entry))
  expect(helpers.length).toBeGreaterThan(80)
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 4 }),
      part,
      value,
      fc.nat({ max: 5 }),
      (messages, onePart, wild, turn) => {
        const turns = sdk.groupMessagesIntoTurns(asList(messages))
        const entries = [{ part: onePart, message: messages[0] }, wild]
        const arguments_ = [messages, messages[0], turns[0], onePart, entries, wild]
        for (const [at, [name, helper]] of helpers.entries()) {
          callHelper(name, helper, arguments_[(at + turn) % arguments_.length], wild, messages)
          callHelper(name, helper, arguments_[(at + turn + 3) % arguments_.length], onePart, wild)
        }
        for (const entry of turns) sdk.collectTurnParts(entry)
        const session = createSessionState()
        session.apply({ type: 'message.updated', properties: { info: wild } })
        session.apply({ type: 'message.part.updated', properties: { part: onePart } })
        session.apply(wild)
        session.load(messages)
        session.snapshot()
        for (const entry of messages) sdk.toolViewModel(asView(sdk.classifyPart(entry)))
        sdk.toolViewModel(asView(sdk.classifyPart(onePart)))
        ;[messages[0], messages[1]].sort((a, b) => Number(Reflect.apply(sdk.sortSessions(1), undefined, [a, b])))
      },
    ),
    { numRuns: RUNS, seed: SEED },
  )
})

/** What the issue of this library names, one by one, so that a failure says which of them it was. */
test.each<[string, unknown]>([
  ['null', null],
  ['a string', 'text'],
  ['a cyclic object', cyclic],
  ['a list of itself', [cyclic, [cyclic]]],
  ['a huge string', HUGE],
  ['an ANSI bomb', BOMB],
  ['a JSON bomb', JSON_BOMB],
  ['a lone surrogate', '\ud800'],
  ['a negative number', -1],
  ['a number without end', Number.POSITIVE_INFINITY],
  ['no number', Number.NaN],
])('no helper throws on %s, bare or in any field', (_name, bad) => {
  const part = { type: bad, id: bad, text: bad, tool: bad, state: bad, mime: bad, error: bad, tokens: bad, cost: bad }
  const tool = { type: 'tool', tool: 'bash', state: { status: 'completed', input: bad, output: bad, title: bad } }
  const message = { info: { id: bad, role: bad, time: bad, error: bad, tokens: bad }, parts: [bad, part, tool] }
  const shapes = [bad, part, tool, message, [message], { userMessage: message, assistantMessages: [message] }]
  for (const [name, helper] of Object.entries(sdk).filter(([name, entry]) => isHelper(name, entry))) {
    for (const shape of shapes) callHelper(name, helper, shape, bad, shape)
  }
})

function isHelper(name: string, entry: unknown): entry is (...rest: unknown[]) => unknown {
  return typeof entry === 'function' && !/^[A-Z]/.test(name) && !HOST_ONLY.has(name)
}

/** Names the helper in the failure, so that a seed and a name are enough to find it. */
function callHelper(name: string, helper: unknown, ...rest: unknown[]): void {
  if (typeof helper !== 'function') return
  try {
    Reflect.apply(helper, undefined, rest)
  } catch (error) {
    throw new Error(`${name} threw`, { cause: error })
  }
}

function asList(list: unknown[]): { info: { id: string; role: string }; parts: { type: string }[] }[] {
  return JSON.parse('[]').concat(list)
}

function asView(classified: sdk.ClassifiedPart): sdk.ToolView {
  return classified.kind === 'tool' ? classified.tool : { name: 'x', title: 'x', status: 'done' }
}
