import {
  MONITOR_EXPECT_EVENT_FLOOR_SECONDS,
  MONITOR_INTERVAL_FLOOR_SECONDS,
  MONITOR_MODES,
  MONITOR_RUN_MAX_CHARS,
  SESSION_MODES,
  TRIGGER_TYPES,
} from '../constants.ts'
import { isMap, own, ownList, ownMap, ownText, type PlainMap } from '../plain-data.ts'
import { durationSeconds, findCronProblem, isDateTime, isTimeZone } from '../schedule.ts'
import type { CheckContext } from '../shape/check-context.ts'
import { quote } from '../shape/describe-value.ts'
import { filled, list, map, oneOf, record, text } from '../shape/shape.ts'
import { duration, enabled, slug, upperEnvName } from './values.ts'

const sessionMode = oneOf(SESSION_MODES, { about: 'Which session a fire runs in.' })
const sessionKey = text({ about: 'Fires with the same key share a session.' })
const sessionId = filled({ about: 'The session a pinned trigger runs in.' })
const runAt = filled({ about: 'ISO-8601 date-time of a single run; wins over `cron`.' })
const secretEnv = upperEnvName('Name of the secret that signs the webhook.')

const SCHEDULE_KEYS = ['cron', 'schedule', 'run_at', 'runAt']
const SECRET_KEYS = ['secret_env', 'secretEnv']

export const trigger = record(
  {
    slug: slug('Name of the trigger.'),
    type: oneOf(TRIGGER_TYPES, { about: 'What starts it: "cron", "webhook" or "monitor".' }),
    name: text({ about: 'Name shown to people; the slug when left out.' }),
    agent: filled({ about: 'Agent that does the work; the default agent when left out.' }),
    agent_name: filled({ about: 'Other name of `agent`.' }),
    enabled,
    session_mode: sessionMode,
    sessionMode,
    session_key: sessionKey,
    sessionKey,
    session_id: sessionId,
    sessionId,
    filter: map(text(), { about: 'Only events whose fields have these values start the trigger.' }),
    prompt: filled({ about: 'What the agent is asked to do.' }),
    prompt_template: filled({ about: 'Other name of `prompt`.' }),
    cron: filled({ about: 'Cron expression: six fields, seconds first, or five.' }),
    schedule: filled({ about: 'Other name of `cron`.' }),
    run_at: runAt,
    runAt,
    timezone: text({ about: 'IANA time zone of the schedule; UTC when left out.' }),
    secret_env: secretEnv,
    secretEnv,
    run: filled({ maxChars: MONITOR_RUN_MAX_CHARS, about: 'Command of a monitor.' }),
    mode: oneOf(MONITOR_MODES, { about: 'Whether a monitor polls or streams.' }),
    interval: duration('Time between two polls, for example "5m".'),
    expect_event_within: duration('Report a monitor that stays silent for longer.'),
  },
  {
    name: 'trigger',
    required: ['slug', 'type'],
    rules: [
      { rule: 'some', of: ['prompt', 'prompt_template'], says: '`prompt` (or `prompt_template`) is missing' },
      {
        rule: 'when',
        is: { type: ['cron'] },
        rules: [
          {
            rule: 'some',
            of: SCHEDULE_KEYS,
            says: 'a cron trigger needs `cron` (or `schedule`), for example "0 0 9 * * *", or `run_at` for a single run',
          },
        ],
      },
      {
        rule: 'when',
        is: { type: ['webhook'] },
        rules: [
          {
            rule: 'some',
            of: ['secret_env', 'secretEnv'],
            says: 'a webhook trigger needs `secret_env`: the name of the secret that signs its requests',
          },
        ],
      },
      {
        rule: 'when',
        is: { type: ['monitor'] },
        rules: [
          { rule: 'some', of: ['run'], says: 'a monitor needs `run`: the command that watches' },
          { rule: 'some', of: ['mode'], says: 'a monitor needs `mode`: "poll" or "stream"' },
          {
            rule: 'none',
            of: [...SCHEDULE_KEYS, 'timezone', ...SECRET_KEYS],
            says: 'is not allowed on a monitor; remove it',
          },
        ],
      },
      {
        rule: 'when',
        is: { type: ['monitor'], mode: ['poll'] },
        rules: [{ rule: 'some', of: ['interval'], says: 'a polling monitor needs `interval`, for example "5m"' }],
      },
      {
        rule: 'when',
        is: { type: ['monitor'], mode: ['stream'] },
        rules: [{ rule: 'none', of: ['interval'], says: 'is not allowed on a streaming monitor; remove it' }],
      },
    ],
    check: checkTrigger,
  },
)

export const triggers = list(trigger, { unique: 'slug', about: 'What starts agent work.' })

/** Two spellings of one key; the first one wins. */
export const TRIGGER_SPELLINGS = [
  ['session_mode', 'sessionMode'],
  ['session_key', 'sessionKey'],
  ['session_id', 'sessionId'],
  ['run_at', 'runAt'],
  ['secret_env', 'secretEnv'],
] as const

/** Version 2: a trigger's agent is a declared one. The word `default` stands for the default agent. */
export function checkTriggerAgents(root: PlainMap, context: CheckContext): void {
  const agents = ownMap(root, 'agents')
  if (agents === undefined) return
  const names = Object.keys(agents)
  for (const [index, item] of ownList(root, 'triggers').entries()) {
    if (!isMap(item)) continue
    const key = own(item, 'agent') === undefined ? 'agent_name' : 'agent'
    const name = ownText(item, key)
    if (name === undefined || name === '' || name === 'default' || Object.hasOwn(agents, name)) continue
    const near = context.suggest(name, names)
    const hint = near === undefined ? '' : ` Did you mean ${quote(near)}?`
    context.warn(`${quote(name)} is not a declared agent, so every fire fails.${hint}`, ['triggers', index, key])
  }
}

function checkTrigger(trigger: PlainMap, context: CheckContext): void {
  checkSchedule(trigger, context)
  checkSession(trigger, context)
  for (const [snake, camel] of TRIGGER_SPELLINGS) {
    const ignored = own(trigger, camel)
    const used = own(trigger, snake)
    if (ignored === undefined || used === undefined || ignored === used) continue
    context.warn(`differs from \`${snake}\`, which wins; remove one of them`, [camel], { on: 'key' })
  }
  checkFloor(trigger, 'interval', MONITOR_INTERVAL_FLOOR_SECONDS, context)
  checkFloor(trigger, 'expect_event_within', MONITOR_EXPECT_EVENT_FLOOR_SECONDS, context)
}

function checkSchedule(trigger: PlainMap, context: CheckContext): void {
  for (const key of ['cron', 'schedule']) {
    const expression = ownText(trigger, key)
    if (expression === undefined || expression === '') continue
    const problem = findCronProblem(expression)
    if (problem === null) continue
    context.error(
      `${quote(expression)} is not a cron expression: ${problem}. Write six fields, seconds first ("0 30 9 * * 1-5"), or five`,
      [key],
    )
  }
  const zone = ownText(trigger, 'timezone')
  if (zone !== undefined && !isTimeZone(zone)) {
    context.error(`${quote(zone)} is not an IANA time zone; write one such as "Europe/Berlin" or "UTC"`, ['timezone'])
  }
  for (const key of ['run_at', 'runAt']) {
    const moment = ownText(trigger, key)
    if (moment === undefined || moment === '' || isDateTime(moment)) continue
    context.error(`${quote(moment)} is not an ISO-8601 date-time; write one such as "2030-01-31T09:00:00Z"`, [key])
  }
}

function checkSession(trigger: PlainMap, context: CheckContext): void {
  const key = own(trigger, 'session_mode') === undefined ? 'sessionMode' : 'session_mode'
  const mode = own(trigger, key)
  const has = (snake: string, camel: string) => own(trigger, snake) !== undefined || own(trigger, camel) !== undefined
  if (mode === 'pinned' && !has('session_id', 'sessionId')) {
    context.warn('"pinned" without `session_id` falls back to "reuse"; add `session_id`', [key])
  }
  if (mode === 'keyed' && !has('session_key', 'sessionKey')) {
    context.warn('"keyed" without `session_key` makes every fire fresh; add `session_key`', [key])
  }
}

function checkFloor(trigger: PlainMap, key: string, floorSeconds: number, context: CheckContext): void {
  const seconds = durationSeconds(own(trigger, key))
  if (seconds === undefined || seconds >= floorSeconds) return
  context.warn(`is under the floor of ${floorSeconds} s; ${floorSeconds}s will be used`, [key])
}
