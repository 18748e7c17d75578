import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxProvider } from '../provider.ts'
import { canRun, type Definition, identifyImage, needsImage } from './definition.ts'
import type { BuildRow } from './store/builds.ts'

export interface Coverage {
  readonly provider: string
  readonly available: boolean
  readonly snapshotName: string
  readonly contentHash: string
  /** What the provider itself says. */
  readonly state: string | null
  readonly status: 'ready' | 'building' | 'failed' | 'not_built' | 'unavailable' | 'unknown'
  /** A machine can be made from it now, whatever else is going on. */
  readonly launchReady: boolean
  readonly observedAt: Date | null
}

const patienceMs = 8_000

/** How a template stands with a provider, as the provider sees it now. One that does not answer is not a missing one. */
export async function observeTemplate(
  projectId: string,
  definition: Definition,
  provider: SandboxProvider,
  latest: BuildRow | undefined,
): Promise<Coverage> {
  const identity = identifyImage(projectId, definition, provider)
  const base = { provider: provider.id, ...identity, observedAt: new Date() }
  if (!canRun(definition, provider)) {
    const state = 'This provider runs only the default template.'
    return { ...base, available: false, state, status: 'unavailable', launchReady: false }
  }
  const health = await within(provider.check())
  if (health === undefined) return unknown(base)
  if (health.status === 'missing' || health.status === 'down') {
    return { ...base, available: false, state: health.detail ?? null, status: 'unavailable', launchReady: false }
  }
  const isThere = needsImage(definition, provider) ? await within(hasImage(provider, identity.snapshotName)) : true
  if (isThere === undefined) return unknown(base)
  const status = latest?.status === 'building' ? 'building' : isThere ? 'ready' : statusOf(latest)
  return { ...base, available: true, state: isThere ? 'present' : 'absent', status, launchReady: isThere }
}

function statusOf(latest: BuildRow | undefined): 'failed' | 'not_built' {
  return latest?.status === 'failed' ? 'failed' : 'not_built'
}

function unknown(base: Pick<Coverage, 'provider' | 'snapshotName' | 'contentHash'>): Coverage {
  return { ...base, available: true, state: null, status: 'unknown', launchReady: false, observedAt: null }
}

async function hasImage(provider: SandboxProvider, name: string): Promise<boolean> {
  return (await provider.hasImage?.(name)) ?? false
}

/** Undefined when it fails or takes too long: nobody knows then. */
async function within<T>(answer: Promise<T>): Promise<T | undefined> {
  const stop = new AbortController()
  const late = sleep(patienceMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
  try {
    return await Promise.race([answer.catch(() => undefined), late])
  } finally {
    stop.abort()
  }
}
