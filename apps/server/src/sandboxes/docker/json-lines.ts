import type { Readable } from 'node:stream'
import { isRecord } from './engine.ts'

const maxLineBytes = 1024 * 1024

/** An engine reports on long work as documents one after another, usually one a line. */
export async function* readJsonLines(stream: Readable): AsyncGenerator<Record<string, unknown>> {
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    rest += chunk
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLineBytes) throw new Error('the engine sent a line without end')
    for (const line of lines) yield* parse(line)
  }
  yield* parse(rest)
}

function* parse(line: string): Generator<Record<string, unknown>> {
  if (line.trim() === '') return
  const value: unknown = JSON.parse(line)
  if (isRecord(value)) yield value
}
