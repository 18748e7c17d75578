import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatTable, median } from './support/rounds.ts'

/**
 * What the client library costs its users' type checker: a program of 50 lines on the package as it is published,
 * beside one of 50 lines on `openai`. Bound: at most the time of the other.
 */

export const needsPeers = true

const rounds = 5

export async function run(): Promise<void> {
  const root = process.cwd()
  const folder = join(root, 'node_modules', '.cache', 'svc', 'bench-sdk-typecheck')
  rmSync(folder, { recursive: true, force: true })
  const ours = layOut(join(folder, 'ours'), renderOurs())
  const theirs = layOut(join(folder, 'theirs'), renderTheirs())
  publish(root, folder, join(ours, 'node_modules', '@svc', 'sdk'))
  const peers = process.env.SVC_BENCH_PEERS ?? join(root, 'bench', 'peers')
  symlinkSync(join(peers, 'node_modules', 'openai'), join(theirs, 'node_modules', 'openai'))
  const measured: Record<string, Figures[]> = { ours: [], theirs: [] }
  for (let round = 0; round < rounds; round += 1) {
    measured.ours?.push(check(root, ours))
    measured.theirs?.push(check(root, theirs))
  }
  const seconds = (side: string) => median((measured[side] ?? []).map((run) => run.seconds))
  const row = (name: string, side: string) => [
    name,
    `${seconds(side).toFixed(2)} s`,
    `${Math.round(median((measured[side] ?? []).map((run) => run.memoryMb)))} MB`,
  ]
  console.log(`type-checking a program of 50 lines, median of ${rounds} rounds`)
  console.log(formatTable(['program', 'time', 'memory'], [row('@svc/sdk', 'ours'), row('openai', 'theirs')]))
  const share = seconds('ours') / seconds('theirs')
  console.log(`ours / theirs: ${share.toFixed(2)} (<= 1) ${share <= 1 ? 'ok' : 'ABOVE'}`)
  rmSync(folder, { recursive: true, force: true })
}

interface Figures {
  readonly seconds: number
  readonly memoryMb: number
}

function check(root: string, folder: string): Figures {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const output = execFileSync(process.execPath, [tsc, '-p', folder, '--extendedDiagnostics'], { encoding: 'utf8' })
  const read = (label: string) => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm').exec(output)?.[1] ?? Number.NaN)
  return { seconds: read('Total time'), memoryMb: read('Memory used') / 1024 }
}

function layOut(folder: string, program: string): string {
  mkdirSync(join(folder, 'node_modules', '@svc'), { recursive: true })
  if (program.trim().split('\n').length !== 50) throw new Error('the programs are of 50 lines each')
  writeFileSync(join(folder, 'program.ts'), program)
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2023', 'dom', 'dom.iterable'],
    strict: true,
    noEmit: true,
    // Declarations of libraries are checked too: it is their cost that is measured.
    skipLibCheck: false,
    types: [],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['program.ts'] }))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return folder
}

function publish(root: string, work: string, target: string): void {
  const tsdown = join(root, 'node_modules', 'tsdown', 'dist', 'run.mjs')
  const dist = join(work, 'dist')
  const args = [tsdown, '--fixed-extension', '--logLevel', 'error', '--out-dir', dist]
  execFileSync(process.execPath, args, { cwd: join(root, 'packages', 'sdk') })
  execFileSync(process.execPath, [join(root, 'packages', 'sdk', 'stage-package.mjs'), target, dist])
}

const fill = (head: string, line: (at: number) => string): string => {
  const lines = head.trim().split('\n')
  for (let at = 0; lines.length < 50; at += 1) lines.push(line(at))
  return `${lines.join('\n')}\n`
}

function renderOurs(): string {
  const head = `
import { classifyTurn, createSvc, groupMessagesIntoTurns, isApiError, type Message } from '@svc/sdk'
const svc = createSvc({ backendUrl: 'https://svc.example.com/v1', getToken: async () => 'token' })
export async function list(): Promise<string[]> {
  const projects = await svc.projects.list()
  return projects.map((project) => project.name)
}
export async function read(id: string): Promise<string> {
  try {
    return (await svc.project(id).files.read('svc.yaml')).content
  } catch (error) {
    return isApiError(error) ? (error.code ?? '') : ''
  }
}
export const count = (messages: Message[]) =>
  groupMessagesIntoTurns(messages).flatMap((turn) => turn.assistantMessages.map((message) => classifyTurn(message).parts.length))`
  return fill(
    head,
    (at) =>
      `export const call${at} = async (id: string) => (await svc.project(id).changeRequests.list('open')).change_requests.map(({ title }) => title + ${at})`,
  )
}

function renderTheirs(): string {
  const head = `
import OpenAI from 'openai'
const client = new OpenAI({ apiKey: 'key', baseURL: 'https://svc.example.com/v1' })
export async function list(): Promise<string[]> {
  const models = await client.models.list()
  return models.data.map((model) => model.id)
}
export async function read(id: string): Promise<string> {
  try {
    return (await client.files.retrieve(id)).filename
  } catch (error) {
    return error instanceof OpenAI.APIError ? (error.code ?? '') : ''
  }
}
export const count = (completion: OpenAI.ChatCompletion) =>
  completion.choices.map((choice) => choice.message.tool_calls?.length ?? 0)`
  return fill(
    head,
    (at) =>
      `export const call${at} = async (id: string) => (await client.vectorStores.list({ after: id })).data.map(({ name }) => name + ${at})`,
  )
}
