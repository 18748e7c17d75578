import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { GitError } from './git-error.ts'
import { receiveSettings } from './receive-settings.ts'
import type { Repository } from './repository.ts'
import type { GitReply } from './serve-service.ts'
import { streamGit } from './stream-git.ts'

export type GitService = 'git-upload-pack' | 'git-receive-pack'

export const noCache = {
  'cache-control': 'no-cache, max-age=0, must-revalidate',
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
}

/** Whether this is a service name we offer: the `service` parameter of `info/refs`. */
export function isGitService(name: string | undefined | null): name is GitService {
  return name === 'git-upload-pack' || name === 'git-receive-pack'
}

/** The discovery answer of smart HTTP. Protocol version 2 for fetching when the client asks for it. */
export async function serveInfoRefs(
  repository: Repository,
  question: { service: GitService; gitProtocol?: string | undefined; signal?: AbortSignal | undefined },
): Promise<GitReply> {
  requireRepository(repository)
  const { service, signal } = question
  const protocol = service === 'git-upload-pack' ? protocolVariables(question.gitProtocol) : {}
  const args = [service.slice('git-'.length), '--stateless-rpc', '--advertise-refs', repository.path]
  const settings = service === 'git-receive-pack' ? receiveSettings : {}
  const refs = streamGit({ ...repository, variables: protocol }, args, signal, settings)
  const isVersion2 = protocol.GIT_PROTOCOL?.includes('version=2') ?? false
  const body = isVersion2 ? refs : prepend(refs, `${packetLine(`# service=${service}\n`)}0000`)
  return {
    status: 200,
    headers: { ...noCache, 'content-type': `application/x-${service}-advertisement` },
    body,
    done: new Promise((resolve) => body.once('close', resolve)),
  }
}

/** Asked without leaving the thread: one look at the disk costs less than a turn through the thread pool. */
export function requireRepository(repository: Repository): void {
  if (existsSync(join(repository.path, 'HEAD'))) return
  throw new GitError('repository_not_found', 'The repository does not exist.')
}

/** The client's wish for a protocol version; anything that does not read like one is ignored. */
export function protocolVariables(header: string | undefined): { GIT_PROTOCOL?: string } {
  return header && /^[a-z0-9=:._-]{1,200}$/i.test(header) ? { GIT_PROTOCOL: header } : {}
}

function packetLine(text: string): string {
  return (text.length + 4).toString(16).padStart(4, '0') + text
}

function prepend(stream: Readable, text: string): Readable {
  const body = new PassThrough()
  body.write(text)
  stream.on('error', (error) => body.destroy(error))
  body.on('close', () => stream.destroy())
  return stream.pipe(body)
}
