import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type Engine, isEngineError } from './engine.ts'

const Created = z.looseObject({ Id: z.string() })
const Ended = z.looseObject({ StatusCode: z.number() })
const State = z.looseObject({
  State: z.looseObject({
    OOMKilled: z.boolean().optional(),
    ExitCode: z.number().optional(),
    Running: z.boolean().optional(),
    Status: z.string().optional(),
  }),
})

export interface Ending {
  readonly exitCode: number
  readonly wasOutOfMemory: boolean
  /** The end of what it printed. */
  readonly output: string
}

export interface Container {
  readonly id: string
  readonly name: string
}

const outputBytes = 8_000
const outputLines = 30
const askAgainMs = 1_000

/** Takes the place of one of the same name that a crash left. */
export async function makeContainer(engine: Engine, name: string, config: unknown): Promise<Container> {
  await removeContainer(engine, name)
  const made = Created.parse(await engine.ask('/containers/create', { method: 'POST', query: { name }, body: config }))
  return { id: made.Id, name }
}

export async function startContainer(engine: Engine, { id }: Container): Promise<void> {
  await engine.ask(`/containers/${id}/start`, { method: 'POST' })
}

/** Resolves when it has ended, however long that takes. An engine that is restarted meanwhile is asked again. */
export async function waitForEnd(engine: Engine, { id }: Container, signal?: AbortSignal): Promise<Ending> {
  const call = { method: 'POST', timeoutMs: 0, ...(signal ? { signal } : {}) } as const
  for (;;) {
    try {
      const { StatusCode } = Ended.parse(await engine.ask(`/containers/${id}/wait`, call))
      return await describeEnding(engine, id, StatusCode)
    } catch (error) {
      signal?.throwIfAborted()
      if (!(await mayRun(engine, id))) throw error
      await sleep(askAgainMs)
    }
  }
}

/** Only a container that the engine does not know, or knows to be over, has certainly ended. */
async function mayRun(engine: Engine, id: string): Promise<boolean> {
  try {
    const { State: state } = State.parse(await engine.ask(`/containers/${id}/json`))
    return state.Running === true || state.Status === 'stopping'
  } catch (error) {
    return !isEngineError(error, 404)
  }
}

async function describeEnding(engine: Engine, id: string, exitCode: number): Promise<Ending> {
  const output = await readOutput(engine, id).catch(() => '')
  const state = await engine.ask(`/containers/${id}/json`).then(State.parse, () => undefined)
  return { exitCode, wasOutOfMemory: state?.State.OOMKilled === true, output }
}

export async function readOutput(engine: Engine, id: string): Promise<string> {
  const query = { stdout: '1', stderr: '1', tail: String(outputLines) }
  const stream: Readable = await engine.stream(`/containers/${id}/logs`, { query, timeoutMs: 10_000 })
  return joinFrames(await buffer(stream)).slice(-outputBytes)
}

/** Output of both kinds comes in frames: a head of eight bytes, whose last four are the length of what follows. */
function joinFrames(output: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; at + headBytes <= output.length; ) {
    const end = at + headBytes + output.readUInt32BE(at + 4)
    parts.push(output.subarray(at + headBytes, end))
    at = end
  }
  return Buffer.concat(parts).toString('utf8')
}

const headBytes = 8

/** Ends it first. Removing one that is gone changes nothing. */
export async function removeContainer(engine: Engine, nameOrId: string): Promise<void> {
  try {
    const query = { force: '1', v: '1' }
    await engine.ask(`/containers/${encodeURIComponent(nameOrId)}`, { method: 'DELETE', query })
  } catch (error) {
    if (!isEngineError(error, 404, 409)) throw error
  }
}
