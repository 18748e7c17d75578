import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveScripted } from '../../apps/server/src/models/testing/serve-scripted.ts'

/** Models with a price beside the built-in one, on a server that speaks the real protocol. */
export const pricedModels = ['quick', 'thorough'] as const

export async function serveModels() {
  const upstream = await serveScripted()
  const folder = await mkdtemp(join(tmpdir(), 'svc-models-'))
  const path = join(folder, 'models.json')
  const priced = { provider: 'own', model: 'scripted', cost: { input: 3, output: 15 }, output: 4_000 }
  const models = Object.fromEntries(pricedModels.map((name) => [name, priced]))
  await writeFile(path, JSON.stringify({ providers: { own: { base_url: upstream.url } }, models }))
  return {
    env: { SVC_MODELS_FILE: path },
    async stop() {
      await upstream.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
