import { request } from 'undici'
import type { OnStop } from '../../kernel/kernel.ts'
import { asArray, asObject, asText, tryParse } from '../wire/json.ts'
import type { OperatorModels, OperatorModelsSource } from './models-file.ts'

/** Where model servers on this machine listen unless told otherwise. */
export const usualPlaces: Readonly<Record<string, string>> = {
  ollama: 'http://127.0.0.1:11434/v1',
  'llama.cpp': 'http://127.0.0.1:8080/v1',
}

const lookAgainMs = 60_000
const answerWithinMs = 500
const maxModels = 100

type Found = Pick<OperatorModels, 'providers' | 'models'>

/**
 * Offers the models of an Ollama or llama.cpp server on this machine as managed ones, free of charge. What the models
 * file says comes first, and with `"local": false` in it nobody looks.
 */
export function withLocalModels(
  file: OperatorModelsSource,
  onStop: OnStop,
  places: Readonly<Record<string, string>> = usualPlaces,
): OperatorModelsSource & { look(): Promise<void> } {
  let found: Found = { providers: {}, models: {} }
  let merged: { readonly from: OperatorModels; readonly value: OperatorModels } | undefined

  async function look(): Promise<void> {
    if (!file.current().local) return
    const parts = await Promise.all(Object.entries(places).map(([id, url]) => askPlace(id, url)))
    const next: Found = { providers: {}, models: {} }
    for (const part of parts) {
      Object.assign(next.providers, part.providers)
      Object.assign(next.models, part.models)
    }
    if (JSON.stringify(next) === JSON.stringify(found)) return
    found = next
    merged = undefined
  }

  const timer = setInterval(() => void look(), lookAgainMs)
  timer.unref()
  onStop(() => clearInterval(timer))

  return {
    look,
    current() {
      const from = file.current()
      if (merged?.from === from) return merged.value
      const value: OperatorModels = {
        ...from,
        providers: { ...found.providers, ...from.providers },
        models: { ...from.models, ...withoutKnown(found.models, from.models) },
        // What happens to run on the machine is offered, never chosen for anybody.
        default_model: from.default_model ?? Object.keys(from.models)[0] ?? 'scripted',
      }
      merged = { from, value }
      return value
    },
  }
}

function withoutKnown(found: Found['models'], known: Found['models']): Found['models'] {
  return Object.fromEntries(Object.entries(found).filter(([id]) => !(id in known)))
}

async function askPlace(provider: string, baseUrl: string): Promise<Found> {
  const ids = await listIds(baseUrl)
  if (ids.length === 0) return { providers: {}, models: {} }
  const models = ids.map((model) => {
    const cost = { input: 0, output: 0 }
    return [model.replaceAll('/', '-'), { provider, model, cost, description: `Runs on this machine (${provider}).` }]
  })
  const row = { base_url: baseUrl, protocol: 'openai' as const, secret_names: [], responses: false, headers: {} }
  return { providers: { [provider]: row }, models: Object.fromEntries(models) }
}

/** Nothing is there most of the time, and that is no news. */
async function listIds(baseUrl: string): Promise<string[]> {
  try {
    const timeouts = { headersTimeout: answerWithinMs, bodyTimeout: answerWithinMs }
    const signal = AbortSignal.timeout(answerWithinMs * 2)
    const { statusCode, body } = await request(`${baseUrl}/models`, { ...timeouts, signal })
    const text = await body.text()
    if (statusCode !== 200) return []
    return asArray(asObject(tryParse(text)).data)
      .flatMap((row) => asText(asObject(row).id) ?? [])
      .filter((id) => /^[\x21-\x7e]{1,128}$/.test(id))
      .slice(0, maxModels)
  } catch {
    // Nobody listens there, or it is no model server.
    return []
  }
}
