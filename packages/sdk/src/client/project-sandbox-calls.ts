import type { SandboxShare } from '../generated/operations.ts'
import type { Body, Query, Result } from './call-types.ts'

/** `svc.project(id).sandbox`: what sandboxes are made from, and who runs them. */
export interface ProjectSandboxCalls {
  list(): Result<'sandbox.list'>
  snapshots(): Result<'sandbox.snapshots'>
  /** The end of what a build printed. */
  buildLog(buildId: string): Result<'sandbox.buildLog'>
  /** Builds from the beginning; without a slug, the project's default template. */
  rebuildSnapshot(slug?: string): Result<'sandbox.rebuildSnapshot'>
  fixWithAgent(): Result<'sandbox.fixWithAgent'>
  createTemplate(input: Body<'sandbox.createTemplate'>): Result<'sandbox.createTemplate'>
  /** Null clears a field. */
  updateTemplate(templateId: string, input: Body<'sandbox.updateTemplate'>): Result<'sandbox.updateTemplate'>
  removeTemplate(templateId: string): Result<'sandbox.removeTemplate'>
  buildTemplate(templateId: string): Result<'sandbox.buildTemplate'>
  /** Null: the platform's default. Another provider than the one in use is prepared first; follow `transition()`. */
  setProvider(provider: string | null): Result<'sandbox.setProvider'>
  transition(): Result<'sandbox.transition'>
  readonly egress: SandboxEgressCalls
}

/** `svc.project(id).sandbox.egress` */
export interface SandboxEgressCalls {
  get(): Result<'sandbox.egress.get'>
  /** Hosts that sandboxes may connect to; null: every public host. */
  update(allow: readonly string[] | null): Result<'sandbox.egress.update'>
  log(options?: Query<'sandbox.egress.log'>): Result<'sandbox.egress.log'>
}

/** `svc.sandboxShares`: links that open one port of a sandbox. */
export interface SandboxShareCalls {
  list(sandboxId: string): Promise<SandboxShare[]>
  create(input: {
    readonly sandboxId: string
    readonly port: number
    /** `30m`, `1h`, `7d`; an hour unless it is said. */
    readonly ttl?: string | undefined
    readonly label?: string | undefined
  }): Result<'sandboxShares.create'>
  revoke(sandboxId: string, token: string): Result<'sandboxShares.revoke'>
}
