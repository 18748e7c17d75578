import { SVC_CLI_PERMISSIONS_V1, SVC_CLI_PERMISSIONS_V1_ONLY } from '../permissions.ts'
import { own, type PlainMap } from '../plain-data.ts'
import type { CheckContext } from '../shape/check-context.ts'
import { list, oneOf, record } from '../shape/shape.ts'
import { grant, slug } from './values.ts'

const RETIRED = new Set<unknown>(SVC_CLI_PERMISSIONS_V1_ONLY)

const agent = record(
  {
    name: slug('Name of the agent.'),
    connectors: grant('Connectors the agent may use; none when left out.'),
    svc_cli: grant('Platform permissions of the agent; none when left out.', oneOf(SVC_CLI_PERMISSIONS_V1)),
    env: grant('Secrets delivered to the agent; all when left out.'),
  },
  { name: 'agentV1', required: ['name'], check: checkRetiredPermissions },
)

export const agentsV1 = list(agent, { unique: 'name', about: 'What each agent may use.' })

function checkRetiredPermissions(agent: PlainMap, context: CheckContext): void {
  const granted = own(agent, 'svc_cli')
  if (!Array.isArray(granted)) return
  for (const [index, name] of granted.entries()) {
    if (!RETIRED.has(name)) continue
    context.warn(`${JSON.stringify(name)} is retired and has no effect; remove it`, ['svc_cli', index])
  }
}
