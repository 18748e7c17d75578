import {
  anything,
  choice,
  decimal,
  flag,
  integer,
  map,
  matching,
  oneOf,
  record,
  type Shape,
  text,
} from '../shape/shape.ts'

export const AGENT_MODES = ['primary', 'subagent', 'all'] as const
export const AGENT_COLORS = ['primary', 'secondary', 'accent', 'success', 'warning', 'error', 'info'] as const
export const PERMISSION_ACTIONS = ['ask', 'allow', 'deny'] as const
/** Tools whose permission is an action only, never a map of patterns. */
export const ACTION_ONLY_TOOLS = ['todowrite', 'question', 'webfetch', 'websearch', 'doom_loop'] as const

const action = oneOf(PERMISSION_ACTIONS)
const actionOrPatterns = choice('"ask", "allow", "deny", or a map of glob pattern to one of them', [
  action,
  map(action),
])

const permissionMap = record(Object.fromEntries(ACTION_ONLY_TOOLS.map((tool): [string, Shape] => [tool, action])), {
  others: actionOrPatterns,
})

/** Front matter of `<config_dir>/agents/<name>.md`. Every key is optional. */
export const agentFrontMatter = record(
  {
    description: text({ about: 'What the agent is for.' }),
    model: text({ about: 'Model the agent uses.' }),
    variant: text({ about: 'Variant of the model.' }),
    mode: oneOf(AGENT_MODES, { about: 'Whether people or other agents start it.' }),
    temperature: decimal({ about: 'Sampling temperature.' }),
    top_p: decimal({ about: 'Nucleus sampling.' }),
    steps: integer({ min: 1, about: 'Most steps of one turn.' }),
    color: matching(
      `^(?:#[0-9A-Fa-f]{6}|${AGENT_COLORS.join('|')})$`,
      `a colour "#rrggbb" or one of ${AGENT_COLORS.join(', ')}`,
      { about: 'Colour in the interface.' },
    ),
    hidden: flag({ about: 'Leave the agent out of menus.' }),
    disable: flag({ about: 'Switch the agent off in the runtime.' }),
    options: map(anything(), { about: 'Options passed to the model provider.' }),
    permission: choice('"ask", "allow", "deny", or a map from tool to action', [action, permissionMap], {
      about: 'What the agent may do without asking.',
    }),
  },
  {
    name: 'agentMdFrontmatter',
    about: 'Front matter of an agent Markdown file.',
    forbidden: { tools: '`tools` is gone; use `permission`', maxSteps: '`maxSteps` is gone; use `steps`' },
  },
)
