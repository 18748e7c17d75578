import type { operations, ReplyOf } from '@svc/contract'
import type { Call } from '../../kernel/http/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Repositories } from '../../repositories/index.ts'
import type { SandboxProvider } from '../provider.ts'

export interface TemplatesOptions {
  /** What this deployment offers, the default first. */
  readonly providers: () => readonly SandboxProvider[]
  readonly repositories: Repositories
  readonly describeProject: (
    projectId: string,
    principal: Principal,
  ) => Promise<ReplyOf<typeof operations.projects.get>>
  /** Starts a session on behalf of the caller; its id. Without it no agent can repair anything. */
  readonly startSession?: (
    call: Call,
    session: { readonly name: string; readonly prompt: string; readonly sandboxSlug: string },
  ) => Promise<string>
}

export interface Parts extends TemplatesOptions {
  readonly kernel: Kernel
}
