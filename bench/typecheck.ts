import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatTable, median } from './support/rounds.ts'

/**
 * Type-checking a synthetic contract of 300 operations with its handlers and its client: time and memory, from nothing
 * and again after one handler was edited. Bound: the second run takes at most a quarter of the first.
 */

const operations = 300
const perFile = 15
const rounds = 5

export async function run(): Promise<void> {
  // Inside the repository, so that `@svc/contract` and its types resolve as they do for the server.
  const folder = join(process.cwd(), 'node_modules', '.cache', 'svc', 'bench-typecheck')
  rmSync(folder, { recursive: true, force: true })
  writeProject(folder)
  const first: Figures[] = []
  const second: Figures[] = []
  for (let round = 0; round < rounds; round += 1) {
    rmSync(join(folder, 'info.tsbuildinfo'), { force: true })
    first.push(check(folder))
    writeFileSync(join(folder, 'handlers-0.ts'), renderHandlers(0, `edited ${round}`))
    second.push(check(folder))
  }
  const share = median(second.map((run) => run.seconds)) / median(first.map((run) => run.seconds))
  const row = (name: string, runs: readonly Figures[]) => [
    name,
    `${median(runs.map((run) => run.seconds)).toFixed(2)} s`,
    `${Math.round(median(runs.map((run) => run.memoryMb)))} MB`,
  ]
  console.log(`type-checking ${operations} operations with handlers and client, median of ${rounds} rounds`)
  console.log(formatTable(['run', 'time', 'memory'], [row('from nothing', first), row('one handler edited', second)]))
  console.log(`second / first: ${share.toFixed(2)} (<= 0.25) ${share <= 0.25 ? 'ok' : 'ABOVE'}`)
  rmSync(folder, { recursive: true, force: true })
}

interface Figures {
  readonly seconds: number
  readonly memoryMb: number
}

function check(folder: string): Figures {
  const tsc = join(process.cwd(), 'node_modules', 'typescript-checker', 'bin', 'tsc')
  const output = execFileSync(process.execPath, [tsc, '-p', folder, '--extendedDiagnostics'], { encoding: 'utf8' })
  const read = (label: string) => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm').exec(output)?.[1] ?? Number.NaN)
  return { seconds: read('Total time'), memoryMb: read('Memory used') / 1024 }
}

function writeProject(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const files = operations / perFile
  for (let file = 0; file < files; file += 1) {
    writeFileSync(join(folder, `contract-${file}.ts`), renderContract(file))
    writeFileSync(join(folder, `handlers-${file}.ts`), renderHandlers(file))
    writeFileSync(join(folder, `client-${file}.ts`), renderClientUse(file))
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(process.cwd(), 'tsconfig.json'),
      compilerOptions: { incremental: true, tsBuildInfoFile: join(folder, 'info.tsbuildinfo') },
      include: [`${folder}/*.ts`],
    }),
  )
}

const ids = (file: number) => Array.from({ length: perFile }, (_, index) => file * perFile + index)

function renderContract(file: number): string {
  const rows = ids(file).map(
    (n) => `
export const Record${n} = z.object({ id: z.uuid(), name: z.string(), count: z.number(), tags: z.array(z.string()), owner: z.object({ id: z.uuid(), email: z.string().nullable() }).optional() }).meta({ id: 'Record${n}' })
export const create${n} = operation({ id: 'things${n}.create', at: 'POST /v1/projects/:projectId/things${n}/:thingId', summary: 'Create', needs: 'project.write', audit: 'thing.create', query: z.object({ dry: z.string().optional() }), body: z.object({ name: z.string(), count: z.number().int(), kind: z.enum(['a', 'b', 'c']) }), returns: Record${n}, errors: ['not_found'] })`,
  )
  return `import { operation } from '@svc/contract'\nimport { z } from 'zod'\n${rows.join('\n')}\n`
}

/** As a capability's `routes.ts` has it: handlers in a list of the declared type. `note` is what an edit changes in one of them. */
function renderHandlers(file: number, note = 'as written'): string {
  const kernel = join(process.cwd(), 'apps', 'server', 'src', 'kernel', 'http', 'index.ts')
  const rows = ids(file).map(
    (n) => `  handle(contract.create${n}, async ({ params, body, query, actor }) => ({
    id: params.thingId, name: body.name, count: body.count, tags: [query.dry ?? body.kind, params.projectId${n % perFile === 0 ? `, '${note}'` : ''}], owner: { id: actor.userId ?? '', email: null },
  })),`,
  )
  return `import { type Handled, handle } from '${kernel}'\nimport * as contract from './contract-${file}.ts'\n\nexport const handlers: Handled[] = [\n${rows.join('\n')}\n]\n`
}

function renderClientUse(file: number): string {
  const rows = ids(file).map(
    (n) => `export async function use${n}() {
  const made = await call(contract.create${n}, { params: { projectId: 'p', thingId: 't' }, body: { name: 'n', count: 1, kind: 'a' } })
  return made.tags.map((tag) => tag.length + made.count)
}`,
  )
  return `import type { AnyOperation, BodyInputOf, ParamsOf, ResultOf } from '@svc/contract'
import * as contract from './contract-${file}.ts'

declare function call<Op extends AnyOperation>(operation: Op, input: { params: ParamsOf<Op>; body: BodyInputOf<Op> }): Promise<ResultOf<Op>>

${rows.join('\n')}
`
}
