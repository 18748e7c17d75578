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
  const details = await Promise.all(checks.map(async ({ name, read }) => ({ name, ...(await read()) })))
  const isDown = ({ status }: PartDocument) => status === 'down' || status === 'missing'
  const required = new Set(checks.filter((check) => check.required).map((check) => check.name))
  const ready = !isDraining() && !details.some((part) => required.has(part.name) && isDown(part))
  return {
    status: ready && details.every((part) => part.status === 'ok') ? 'ok' : 'degraded',
    live: true,
    ready,
    version,
    uptime_seconds: Math.round(process.uptime()),
    parts: Object.fromEntries(details.map((part) => [part.name, isDown(part) ? 'down' : 'ok'])),
    details,
  }
}
