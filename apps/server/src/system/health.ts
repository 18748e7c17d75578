import type { Health, Part } from '@svc/contract'
import type { z } from 'zod'

type HealthDocument = z.input<typeof Health>
export type PartDocument = z.input<typeof Part>

/** A part that the platform consists of, and how to ask it how it is. Must answer quickly and never throw. */
export interface HealthCheck {
  readonly name: string
  /** The platform cannot take work without it. */
  readonly required: boolean
  readonly read: () => Promise<Omit<PartDocument, 'name'>>
}

export interface HealthOptions {
  readonly version: string
  readonly checks: readonly HealthCheck[]
  readonly isDraining: () => boolean
}

export async function readHealth({ version, checks, isDraining }: HealthOptions): Promise<HealthDocument> {
  const parts = await Promise.all(checks.map(async ({ name, read }) => ({ name, ...(await read()) })))
  const broken = checks.some(
    ({ required }, index) => required && ['down', 'missing'].includes(parts[index]?.status ?? ''),
  )
  const ready = !broken && !isDraining()
  const degraded = parts.some((part) => part.status !== 'ok')
  return {
    status: ready ? (degraded ? 'degraded' : 'ok') : 'unavailable',
    live: true,
    ready,
    version,
    uptime_seconds: Math.round(process.uptime()),
    parts,
  }
}
