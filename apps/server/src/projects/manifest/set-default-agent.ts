import type { operations } from '@svc/contract'
import { materializeAgents, type PlainMap, setTopLevelValue } from '@svc/manifest'
import { type Call, problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'

type DefaultAgentCall = Call<typeof operations.projects.setDefaultAgent>

/** The agent that new sessions use: one commit, after a check that it is declared and enabled. */
export async function setDefaultAgent(parts: Parts, { projectId, body, principal }: DefaultAgentCall) {
  await parts.repositories.editManifest(projectId, {
    principal,
    message: `Make ${body.agent} the default agent`,
    action: 'project.default_agent',
    invalidCode: 'invalid_config',
    change: (manifest) => {
      requireUsable(manifest.parsed, body.agent)
      return setTopLevelValue(manifest, 'default_agent', body.agent)
    },
  })
  return { ok: true as const, default_agent: body.agent }
}

function requireUsable(manifest: PlainMap, agent: string): void {
  if (manifest.svc_version !== 2) {
    throw refuse('svc_version', 'only a manifest of version 2 names a default agent; move it to version 2 first')
  }
  const entry = materializeAgents(manifest).entries.find(({ name }) => name === agent)
  if (!entry) throw refuse('default_agent', `the manifest declares no agent ${agent}`)
  if (!entry.enabled) throw refuse(`agents.${agent}.enabled`, `the agent ${agent} is turned off`)
}

function refuse(path: string, message: string) {
  return problem('invalid_config', {
    say: `${path}: ${message}`,
    extras: { issues: [{ path, message, severity: 'error' }] },
  })
}
