import { pathToFileURL } from 'node:url'
import {
  classifyTurn,
  getTurnStatus,
  groupMessagesIntoTurns,
  stripAnsi,
  toolViewModel,
} from '../packages/sdk/src/index.ts'
import { createSessionState } from '../packages/sdk/src/session-state.ts'

const ROUNDS = 5
const WARM_UP = 4
const SAMPLE_MS = 40

interface Row {
  readonly name: string
  readonly size: number
  readonly medianMs: number
  /** Time per element against the smallest size of the same name; 1 means linear growth. */
  readonly ratioPerElement: number
}

/** The growth of the client library's helpers: medians of five rounds of processor time, and the time per element as sizes grow. */
export function run(): Row[] {
  const rows = [
    ...measureGrowth('group and classify, per message', [1000, 10_000, 100_000], (size) => {
      const messages = makeMessages(size)
      return () => {
        for (const turn of groupMessagesIntoTurns(messages)) {
          for (const message of turn.assistantMessages) classifyTurn(message)
        }
      }
    }),
    ...measureGrowth(
      'streamed event in a turn of n parts, per 1000 events',
      [100, 1000, 10_000, 100_000],
      (size) => {
        const state = makeTurn(size)
        return () => {
          for (let at = 0; at < 1000; at++) state.apply(makeDelta(`prt_${pad(size - 1)}`))
        }
      },
      1000,
    ),
    ...measureGrowth(
      'status of a turn of n parts',
      [100, 10_000, 100_000],
      (size) => {
        const parts = Array.from({ length: size }, () => ({ part: { type: 'text', text: 'x' } }))
        return () => {
          for (let at = 0; at < 1000; at++) getTurnStatus(parts)
        }
      },
      1000,
    ),
    ...measureGrowth('edit diff, per character', [32_768, 131_072, 262_144], (size) => {
      const half = makeText(size / 2)
      const input = { oldString: `${half.slice(1)}x`, newString: `${half.slice(1)}y` }
      return () => void toolViewModel({ name: 'edit', title: '', status: 'done', input })
    }),
    ...measureGrowth('edit diff with nothing in common, per character', [32_768, 131_072, 262_144], (size) => {
      const input = { oldString: makeText(size / 2), newString: makeText(size / 2).replaceAll('line', 'LINE') }
      return () => void toolViewModel({ name: 'edit', title: '', status: 'done', input })
    }),
    ...measureGrowth('terminal escapes removed, per character', [10_000, 100_000, 1_000_000], (size) => {
      const bomb = '\u001b[1;3'.repeat(size / 6)
      return () => void stripAnsi(bomb)
    }),
  ]
  console.table(
    rows.map((row) => ({ ...row, medianMs: row.medianMs.toFixed(3), ratioPerElement: row.ratioPerElement.toFixed(2) })),
  )
  return rows
}

function measureGrowth(
  name: string,
  sizes: readonly number[],
  prepare: (size: number) => () => void,
  elements?: number,
): Row[] {
  let smallest: number | undefined
  return sizes.map((size) => {
    const work = prepare(size)
    const times = Array.from({ length: ROUNDS + WARM_UP }, () => measureCpuMs(work))
      .slice(WARM_UP)
      .sort((a, b) => a - b)
    const medianMs = times[Math.floor(ROUNDS / 2)] ?? 0
    const perElement = medianMs / (elements ?? size)
    smallest ??= perElement
    return { name, size, medianMs, ratioPerElement: perElement / smallest }
  })
}

/** Processor time of one call, averaged over enough calls to be measurable. A busy machine does not change it. */
function measureCpuMs(work: () => void): number {
  const before = process.cpuUsage()
  for (let calls = 1; ; calls++) {
    work()
    const { user, system } = process.cpuUsage(before)
    const cpuMs = (user + system) / 1000
    if (cpuMs >= SAMPLE_MS) return cpuMs / calls
  }
}

function makeMessages(count: number) {
  return Array.from({ length: count }, (_, at) => {
    const turn = Math.floor(at / 4)
    const isPrompt = at % 4 === 0
    return {
      info: { id: id(at), role: isPrompt ? 'user' : 'assistant', ...(!isPrompt && { parentID: id(turn * 4) }) },
      parts: [
        { type: 'step-start', id: `prt_${at}a` },
        { type: 'text', id: `prt_${at}b`, text: 'I will look at the file.' },
        {
          type: 'tool',
          id: `prt_${at}c`,
          tool: 'read',
          state: { status: 'completed', title: '', input: { filePath: '/a/b.ts' }, output: '{"success":true}' },
        },
        { type: 'step-finish', id: `prt_${at}d`, cost: 0.01 },
      ],
    }
  })
}

function makeTurn(parts: number) {
  const state = createSessionState('s')
  state.apply({ type: 'message.updated', properties: { sessionID: 's', info: { id: id(0), role: 'assistant' } } })
  for (let at = 0; at < parts; at++) {
    const part = { id: `prt_${pad(at)}`, messageID: id(0), type: 'text', text: '' }
    state.apply({ type: 'message.part.updated', properties: { sessionID: 's', part } })
  }
  return state
}

function makeDelta(partID: string) {
  return {
    type: 'message.part.delta',
    properties: { sessionID: 's', messageID: id(0), partID, field: 'text', delta: 'word ' },
  }
}

function makeText(length: number): string {
  const lines: string[] = []
  for (let chars = 0, at = 0; chars < length; at++) {
    const line = `line ${at}`
    lines.push(line)
    chars += line.length + 1
  }
  return lines.join('\n').slice(0, length)
}

function id(at: number): string {
  return `msg_${pad(at)}abcdefghijklmn`
}

function pad(at: number): string {
  return at.toString(16).padStart(12, '0')
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) run()
