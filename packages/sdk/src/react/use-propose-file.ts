'use client'
import type { ChangeRequest } from '../generated/operations.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation } from './svc-query.ts'

/** A file as it should become. */
export interface ProposedFile {
  readonly path: string
  readonly content: string
  readonly title: string
  /** Told before each step, in words for people. */
  readonly onStep?: (step: string) => void
}

/**
 * Writes one file on a branch of its own and opens a change request with it. The branch is a session's, so the person
 * who looks at the request can go on there.
 *
 * @example
 * const propose = useProposeFile(projectId)
 * const request = await propose.mutateAsync({ path: 'svc.yaml', content, title: 'Another default agent' })
 */
export function useProposeFile(projectId: MaybeId) {
  return useSvcMutation(
    (file: ProposedFile) => requireId(projectId, (id) => proposeFile(id, file)),
    svcKey('project', projectId, 'change-requests'),
    svcKey('project', projectId, 'sessions'),
  )
}

async function proposeFile(projectId: string, file: ProposedFile): Promise<ChangeRequest> {
  const { path, content, title, onStep = () => undefined } = file
  const project = hookClient().project(projectId)
  onStep('Making a branch…')
  const made = await project.sessions.create({ name: title })
  if (!made.session_id) throw new Error('The session was queued without an id. Try again in a moment.')
  const session = project.session(made.session_id)
  onStep('Starting a machine for it…')
  await session.ensureReady()
  onStep('Writing the file…')
  await session.files.write(`/workspace/${path}`, new Blob([content]))
  onStep('Committing…')
  await session.commit({ message: title })
  onStep('Opening the change request…')
  return project.changeRequests.open({ title, head_ref: made.session_id, session_id: made.session_id })
}
