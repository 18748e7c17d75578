import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger, createMemoryWriter } from '../kernel/log/index.ts'
import { type ProjectWorld, startProjectWorld } from '../projects/testing/project-world.ts'
import { createGarbageCollection } from './collect-garbage.ts'

let world: ProjectWorld
let folder: string
beforeAll(async () => {
  world = await startProjectWorld()
  folder = await mkdtemp(join(tmpdir(), 'svc-gc-'))
})
afterAll(async () => {
  await world?.stop()
  await rm(folder, { recursive: true, force: true })
})

test('the nightly job packs what has grown, reads go on, and a broken repository keeps no other from it', async () => {
  const pathOf = (projectId: string) => join(world.platform.dataDir, 'repositories', `${projectId}.git`)
  const projects = [await world.provision(), await world.provision()]
  const [broken, grown] = projects.map(({ project_id }) => project_id).sort()
  await writeFile(join(pathOf(broken ?? ''), 'config'), 'nonsense [')
  const many = Array.from({ length: 600 }, (_, index) => `blob\ndata ${String(index).length}\n${index}\n`).join('')
  const path = pathOf(grown ?? '')
  await world.runClient(path, ['-c', 'fastimport.unpackLimit=10000', 'fast-import', '--quiet'], { input: many })
  const countLoose = async () =>
    Number(/^count: (\d+)/m.exec(await world.runClient(path, ['count-objects', '-v']))?.[1])
  expect(await countLoose()).toBeGreaterThan(500)

  const writer = createMemoryWriter()
  const { job } = createGarbageCollection(world.platform, pathOf)
  const log = createLogger({ writer })
  await job.execute({}, { id: '1', attempt: 1, maxAttempts: 3, signal: new AbortController().signal, log })
  expect(await world.runClient(path, ['count-objects', '-v'])).toMatch(/^packs: 1$/m)
  expect(writer.lines.join('\n')).toContain(broken)
  const { body } = await world.call('GET', `/v1/projects/${grown}/files/content?path=svc.yaml`)
  expect(body.content).toContain('svc_version')
})
