import { operations } from '@svc/contract'
import {
  type GitReply,
  measureRepository,
  type RefUpdate,
  type ServiceRequest,
  serveInfoRefs,
  serveReceivePack,
  serveUploadPack,
} from '../../git/index.ts'
import { answer, type Call, type Handled, handle } from '../../kernel/http/index.ts'
import { answerGit } from '../git-problem.ts'
import type { Parts, ProjectRepository } from '../parts.ts'
import { recordChange } from '../record-change.ts'
import { requireRepositoryAccess } from '../require-repository-access.ts'
import { judgePush } from './push-policy.ts'

/** Git over HTTP. Bytes flow between the client and git; nothing is gathered here. */
export function hostingRoutes(parts: Parts): Handled[] {
  const { infoRefs, uploadPack, receivePack } = operations.repositories

  async function open(call: Call): Promise<ProjectRepository> {
    const repository = await parts.openCurrent(call.projectId)
    await requireRepositoryAccess(call.principal, repository)
    return repository
  }

  return [
    handle(infoRefs, (call) =>
      answerGit(async () => {
        const { service } = call.query
        if (service === 'git-receive-pack') await call.require('project.gitops.push')
        const { git } = await open(call)
        return send(await serveInfoRefs(git, { service, ...readProtocol(call), signal: call.signal }))
      }),
    ),

    handle(uploadPack, (call) =>
      answerGit(async () => {
        const { git } = await open(call)
        return send(await serveUploadPack(git, readService(call)))
      }),
    ),

    handle(receivePack, (call) =>
      answerGit(async () => {
        const repository = await open(call)
        const used = await measureRepository(repository.git)
        const reply = await serveReceivePack(repository.git, {
          ...readService(call),
          maxInflatedBytes: Math.max(0, parts.quotaBytes - used),
          async authorizeUpdates(updates, context) {
            const refusal = await judgePush(call, repository, updates, context)
            const accepted = updates.filter(({ ref }) => !Object.hasOwn(refusal.refs ?? {}, ref))
            await parts.remotes.push(repository, context.repository, accepted.map(toRemoteUpdate))
            return refusal
          },
          onProblem: (error) =>
            parts.kernel.log.error('a push could not be checked or noted', { project_id: repository.projectId, error }),
          async onApplied(applied) {
            if (applied.length === 0) return
            await parts.kernel.database.transact(call.actor, (tx) =>
              recordChange(tx, repository, applied, { action: 'repository.push' }),
            )
          },
        })
        return send(reply)
      }),
    ),
  ]
}

function toRemoteUpdate({ ref, oldSha, newSha }: RefUpdate) {
  return { branch: ref.replace(/^refs\/heads\//, ''), newSha, expectedSha: oldSha }
}

function send(reply: GitReply<unknown>) {
  return answer(reply.body, { status: reply.status, headers: { ...reply.headers } })
}

function readProtocol({ request }: Call): { gitProtocol?: string } {
  const header = request.incoming.headers['git-protocol']
  return typeof header === 'string' ? { gitProtocol: header } : {}
}

function readService(call: Call): ServiceRequest {
  const { incoming } = call.request
  return {
    body: incoming,
    contentEncoding: incoming.headers['content-encoding'],
    ...readProtocol(call),
    signal: call.signal,
  }
}
