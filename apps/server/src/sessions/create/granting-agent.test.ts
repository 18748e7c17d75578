import { expect, test } from 'vitest'
import { commitFiles } from '../../git/index.ts'
import { ada, makeRepository } from '../../git/testing/make-repository.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { Parts } from '../parts.ts'
import { findGrantingAgent } from './granting-agent.ts'
import { readPlan } from './read-plan.ts'

const manifest = (grant: string) =>
  `svc_version: 2\ndefault_agent: svc\nagents:\n  svc:\n    svc_cli: ${grant}\n    secrets: ${grant}\n`

test('an agent cannot widen its grants by starting a session from a branch where it wrote them', async () => {
  const { repository: git, commit } = await makeRepository([{ path: 'svc.yaml', content: manifest('none') }])
  const changes = [{ path: 'svc.yaml', content: manifest('all') }]
  const wide = { branch: 'own', expectedParent: null, changes, message: 'Wider', author: ada }
  await commitFiles(git, wide)
  // Only what reading a plan reaches is there.
  const openCurrent = async () => ({ git, defaultBranch: 'main', manifestPath: 'svc.yaml', commit })
  const parts = { repositories: { openCurrent } } as unknown as Parts
  const projectId = newId()
  const grantOf = async (baseRef: string, spawnedBy: string | null) => {
    const plan = await readPlan(parts, projectId, baseRef)
    const agent = await findGrantingAgent(parts, { projectId, agentName: 'svc', spawnedBy }, plan)
    return [agent?.svcCli, agent?.secrets]
  }
  expect(await grantOf('own', newId())).toEqual(await grantOf('main', newId()))
  expect(await grantOf('own', newId())).not.toContain('all')
  // A person who starts from a branch means what stands there.
  expect(await grantOf('own', null)).toEqual(['all', 'all'])
})
