import { expect, test } from 'vitest'
import { makeRepository } from '../../git/testing/make-repository.ts'
import { systemActor } from '../../kernel/actor.ts'
import { problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { anonymousPrincipal } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import { draftSession } from './create-session.ts'

const manifest = 'svc_version: 2\ndefault_agent: svc\nagents:\n  svc: {}\n  closed: {}\n'

test('the first prompt cannot name an agent that its caller may not run', async () => {
  const { repository: git } = await makeRepository([{ path: 'svc.yaml', content: manifest }])
  // Only what is reached before the refusal is there.
  const parts = {
    repositories: { openCurrent: async () => ({ git, defaultBranch: 'main', manifestPath: 'svc.yaml' }) },
    refusal: async (_who: unknown, _what: unknown, { object }: { object: { id: string } }) =>
      object.id === 'closed' ? problem('forbidden') : undefined,
  } as unknown as Parts
  const principal = { ...anonymousPrincipal(systemActor), kind: 'user' as const, id: newId() }
  const creator = { principal, actor: systemActor, accountId: newId(), projectId: newId() }
  const drafted = draftSession(parts, creator, { pending_prompt: { text: 'Go', agent: 'closed' } })
  await expect(drafted).rejects.toMatchObject({ code: 'agent_not_accessible', extras: { accessible_agents: ['svc'] } })
})
