import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import type { MachinePlaces } from './layout.ts'

const Spec = z.object({
  externalId: z.string(),
  hostUid: z.number().int().nullable(),
  resources: z.object({ cpu: z.number(), memoryGb: z.number(), diskGb: z.number() }),
  disk: z.enum(['image', 'folder']),
  /** What the workspace begins as; null for an empty one. */
  start: z.object({ checkout: z.string(), branch: z.string(), commit: z.string() }).nullable().default(null),
})
export type LocalSpec = z.infer<typeof Spec>
export type WorkspaceStart = NonNullable<LocalSpec['start']>

/** What a start made outside the machine's folder. */
const Running = z.object({ cgroups: z.array(z.string()) })
export type RunningRecord = z.infer<typeof Running>

/** The last step of making a machine: without it the folder is a leftover. */
export async function writeSpec({ spec }: MachinePlaces, value: LocalSpec): Promise<void> {
  await writeWhole(spec, value)
}

export async function readSpec({ spec }: MachinePlaces): Promise<LocalSpec | undefined> {
  const read = Spec.safeParse(await readJson(spec))
  return read.success ? read.data : undefined
}

export async function writeRunning({ running }: MachinePlaces, value: RunningRecord): Promise<void> {
  await writeWhole(running, value)
}

export async function readRunning({ running }: MachinePlaces): Promise<RunningRecord | undefined> {
  const read = Running.safeParse(await readJson(running))
  return read.success ? read.data : undefined
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    // Not there, or cut off by a crash: both mean that the step it stands for did not finish.
    return undefined
  }
}

async function writeWhole(path: string, value: unknown): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(value), { mode: 0o600 })
  await rename(`${path}.new`, path)
}
