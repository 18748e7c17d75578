import { DEFAULT_CONFIG_DIR, SLUG_PATTERN, WORKSPACE_MODES } from '../constants.ts'
import { resolveGrantSet } from '../grants.ts'
import { SVC_CLI_PERMISSIONS } from '../permissions.ts'
import { isMap, own, ownMap, ownText, type PlainMap, textsOf } from '../plain-data.ts'
import type { CheckContext } from '../shape/check-context.ts'
import { quote } from '../shape/describe-value.ts'
import { filled, flag, list, map, oneOf, record } from '../shape/shape.ts'
import { grant, slug } from './values.ts'

/** Behaviour lives in the agent's Markdown file, never in the manifest. */
const BEHAVIOUR_KEYS = [
  'description',
  'model',
  'mode',
  'variant',
  'temperature',
  'top_p',
  'options',
  'color',
  'steps',
  'hidden',
  'prompt',
  'permission',
  'disable',
  'opencode',
]

const agent = record(
  {
    enabled: flag({ about: 'Whether sessions may use the agent; true when left out.' }),
    sandbox: slug('Slug of the sandbox template the agent runs in.'),
    connectors: grant('Connectors the agent may use; none when left out.'),
    connectors_required: list(filled(), { about: 'Connectors that must resolve before a session starts.' }),
    connectors_personal: list(filled(), { about: 'Deprecated name of `connectors_required`.' }),
    secrets: grant('Secrets the agent may use; none when left out.'),
    skills: grant('Skills the agent may load; none when left out.'),
    svc_cli: grant('Platform permissions of the agent; none when left out.', oneOf(SVC_CLI_PERMISSIONS)),
    repository_access: flag({ about: 'Whether sessions get the project repository; true when left out.' }),
    workspace: oneOf(WORKSPACE_MODES, { about: 'Deprecated: use `repository_access`.' }),
  },
  {
    name: 'agentV2',
    open: false,
    forbidden: {
      ...Object.fromEntries(BEHAVIOUR_KEYS.map((key) => [key, pointAtMarkdown])),
      env: '`env` is not a key of a version 2 agent; use `secrets`',
    },
    rules: [
      {
        rule: 'when',
        is: { workspace: ['branch'] },
        rules: [
          {
            rule: 'expect',
            at: ['repository_access'],
            equals: true,
            says: 'contradicts `workspace: branch`, which means true; remove `workspace` and keep `repository_access`',
          },
        ],
      },
      {
        rule: 'when',
        is: { workspace: ['runtime', 'read'] },
        rules: [
          {
            rule: 'expect',
            at: ['repository_access'],
            equals: false,
            says: 'contradicts `workspace`: `runtime` and `read` mean false; remove `workspace`, keep `repository_access`',
          },
        ],
      },
    ],
    check: checkAgent,
  },
)

export const agentsV2 = map(agent, {
  about: 'What each agent may use, keyed by agent name.',
  keys: slug('Name of the agent.'),
  minEntries: 1,
  listHint: 'a list is the version 1 shape: use the agent names as keys (`agents: {support: {...}}`)',
})

export const AGENT_NAME = new RegExp(SLUG_PATTERN, 'u')

/** `default_agent` names a declared agent that is not switched off. */
export function checkDefaultAgent(root: PlainMap, context: CheckContext): void {
  const wanted = ownText(root, 'default_agent')
  const agents = ownMap(root, 'agents')
  if (wanted === undefined || wanted === '' || agents === undefined) return
  const names = Object.keys(agents)
  if (names.length === 0) return
  if (!Object.hasOwn(agents, wanted)) {
    const near = context.suggest(wanted, names)
    const hint = near === undefined ? '' : ` Did you mean ${quote(near)}?`
    const declared = names.slice(0, 12).map(quote).join(', ')
    context.error(`names no declared agent; declared are ${declared}.${hint}`, ['default_agent'])
    return
  }
  const chosen = agents[wanted]
  if (!isMap(chosen) || own(chosen, 'enabled') !== false) return
  context.error(`names ${quote(wanted)}, which has \`enabled: false\`: sessions on it are refused`, ['default_agent'])
}

function pointAtMarkdown(context: CheckContext): string {
  const name = String(context.path.at(-2) ?? '<name>')
  const folder = ownText(ownMap(context.root, 'opencode') ?? {}, 'config_dir') ?? DEFAULT_CONFIG_DIR
  const file = `${folder.slice(0, 200).replace(/\/+$/, '')}/agents/${AGENT_NAME.test(name) ? name : '<name>'}.md`
  return `\`${context.path.at(-1)}\` is behaviour, not governance: move it to the front matter of ${file}`
}

function checkAgent(agent: PlainMap, context: CheckContext): void {
  if (own(agent, 'workspace') === 'read' && own(agent, 'repository_access') === undefined) {
    context.warn(
      '`workspace: read` never meant read-only access; choose `repository_access: true` or false (false until then)',
      ['workspace'],
    )
  }
  const personal = own(agent, 'connectors_personal')
  const required = own(agent, 'connectors_required')
  if (personal !== undefined) {
    context.warn('is deprecated; rename it to `connectors_required`', ['connectors_personal'], { on: 'key' })
  }
  if (Array.isArray(personal) && Array.isArray(required) && !haveSameItems(personal, required)) {
    context.warn('differs from `connectors_required`, which wins', ['connectors_personal'], { on: 'key' })
  }
  checkRequiredConnectors(agent, Array.isArray(required) ? 'connectors_required' : 'connectors_personal', context)
}

function checkRequiredConnectors(agent: PlainMap, key: string, context: CheckContext): void {
  const names = textsOf(own(agent, key))
  if (names.length === 0) return
  const granted = resolveGrantSet(own(agent, 'connectors'), 'none')
  if (granted === 'all') return
  const allowed = new Set(granted === 'none' ? [] : granted)
  const written = own(agent, key)
  if (!Array.isArray(written)) return
  for (const [index, name] of written.entries()) {
    if (typeof name !== 'string' || name === '' || allowed.has(name.trim())) continue
    context.warn(
      `${quote(name)} is required but not in this agent's \`connectors\` grant, so creating a session answers 403`,
      [key, index],
    )
  }
}

function haveSameItems(left: readonly unknown[], right: readonly unknown[]): boolean {
  const leftSet = new Set(left)
  const rightSet = new Set(right)
  return leftSet.size === rightSet.size && [...leftSet].every((item) => rightSet.has(item))
}
