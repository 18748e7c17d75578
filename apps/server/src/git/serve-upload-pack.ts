import type { Repository } from './repository.ts'
import { noCache, protocolVariables, requireRepository } from './serve-info-refs.ts'
import { type GitReply, type ServiceRequest, startService } from './serve-service.ts'

const maxRequestBytes = 64 * 1024 * 1024

/** Clone and fetch: full, shallow and partial. The pack is streamed as git makes it. */
export async function serveUploadPack(repository: Repository, request: ServiceRequest): Promise<GitReply> {
  requireRepository(repository)
  const { output, exited } = startService(repository, request, {
    command: ['upload-pack', '--stateless-rpc'],
    settings: {},
    variables: { ...protocolVariables(request.gitProtocol) },
    maxRequestBytes,
    // What is packed here was measured when it came in.
    maxMemoryBytes: null,
    finishesAlone: false,
  })
  return {
    status: 200,
    headers: { ...noCache, 'content-type': 'application/x-git-upload-pack-result' },
    body: output,
    done: exited.then(() => undefined),
  }
}
