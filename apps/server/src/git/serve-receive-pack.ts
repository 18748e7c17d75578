import { answerHooks, type ReceivePolicy, type RefUpdate } from './answer-hooks.ts'
import { ensureHooks } from './receive-hooks.ts'
import { receiveSettings } from './receive-settings.ts'
import type { Repository } from './repository.ts'
import { noCache, requireRepository } from './serve-info-refs.ts'
import { type GitReply, type ServiceRequest, startService } from './serve-service.ts'

export interface ReceiveRequest extends ServiceRequest, ReceivePolicy {
  /** Bytes of the pack as sent. */
  readonly maxPackBytes?: number
  /** What git may hold in memory while it unfolds the pack. */
  readonly maxMemoryBytes?: number
}

export interface ReceiveResult {
  /** The refs that moved, as git reported them. Empty when everything was refused. */
  readonly applied: readonly RefUpdate[]
}

const defaultMaxPackBytes = 2 * 1024 ** 3
const defaultMaxMemoryBytes = 1024 ** 3
const maxCommandBytes = 16 * 1024 * 1024

/**
 * Push. New objects stay in quarantine until the policy has agreed; only then do refs move, each in git's own
 * compare-and-swap. A client that leaves half-way leaves nothing behind; one that leaves after its whole request gets
 * what it asked for.
 */
export async function serveReceivePack(
  repository: Repository,
  request: ReceiveRequest,
): Promise<GitReply<ReceiveResult>> {
  requireRepository(repository)
  const maxPackBytes = request.maxPackBytes ?? defaultMaxPackBytes
  const service = startService(repository, request, {
    command: ['receive-pack', '--stateless-rpc'],
    settings: {
      ...receiveSettings,
      'core.hooksPath': await ensureHooks(repository),
      'receive.maxInputSize': String(maxPackBytes),
    },
    variables: {},
    maxRequestBytes: maxPackBytes + maxCommandBytes,
    maxMemoryBytes: request.maxMemoryBytes ?? defaultMaxMemoryBytes,
    finishesAlone: true,
  })
  const hooks = answerHooks(repository, service.hookLine, request)
  return {
    status: 200,
    headers: { ...noCache, 'content-type': 'application/x-git-receive-pack-result' },
    body: service.output,
    done: service.exited.then(() => hooks.finish()),
  }
}
