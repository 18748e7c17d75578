import type { Health, Part } from '@svc/contract'
import type { z } from 'zod'
import type { HealthCheck } from '../kernel/capability.ts'

type HealthDocument = z.input<typeof Health>
type PartDocument = z.input<typeof Part>

export interface HealthOptions {
  readonly version: string
  readonly checks: () => readonly HealthCheck[]
  readonly isDraining: () => boolean
}

export async function readHealth(options: HealthOptions): Promise<HealthDocument> {
  const { version, isDraining } = options
  const checks = options.checks()
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
