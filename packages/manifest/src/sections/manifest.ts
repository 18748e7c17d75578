import { AGENT_RUNTIMES, type ManifestVersion } from '../constants.ts'
import { filled, oneOf, type RecordShape, record } from '../shape/shape.ts'
import { agentsV1 } from './agents-v1.ts'
import { agentsV2, checkDefaultAgent } from './agents-v2.ts'
import { apps } from './apps.ts'
import { channels } from './channels.ts'
import { connectorsV1, connectorsV2 } from './connectors.ts'
import { env, opencode, project } from './project.ts'
import { sandbox } from './sandbox.ts'
import { checkTriggerAgents, triggers } from './triggers.ts'
import { versionField } from './version.ts'

const sandboxes = 'the name is `sandbox.templates`: move the entries there'

const manifestV1 = record(
  {
    svc_version: versionField,
    project,
    env,
    opencode,
    sandbox,
    agents: agentsV1,
    triggers,
    connectors: connectorsV1,
    channels,
  },
  { forbidden: { sandboxes, apps: '`apps` needs version 2; set `svc_version: 2`' } },
)

const manifestV2 = record(
  {
    svc_version: versionField,
    default_agent: filled({ about: 'Agent used when a session or trigger names none.' }),
    runtime: oneOf(AGENT_RUNTIMES, { about: 'Agent runtime; "opencode" when left out.' }),
    agents: agentsV2,
    project,
    env,
    opencode,
    sandbox,
    triggers,
    connectors: connectorsV2,
    apps,
  },
  {
    required: ['agents', 'default_agent'],
    forbidden: { sandboxes },
    check: (root, context) => {
      checkDefaultAgent(root, context)
      checkTriggerAgents(root, context)
    },
  },
)

export const MANIFEST_SHAPES: Readonly<Record<ManifestVersion, RecordShape>> = { 1: manifestV1, 2: manifestV2 }
