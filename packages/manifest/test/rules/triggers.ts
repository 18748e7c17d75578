import { long, type RuleFixture, row, v1 } from './rule-fixture.ts'

const trigger = (fields: string) => v1(`triggers: [{slug: t, prompt: p, ${fields}}]`)
const cron = (fields: string) => trigger(`type: cron, cron: 0 0 9 * * *, ${fields}`)
const monitor = (fields: string) => trigger(`type: monitor, run: watch, ${fields}`)

export const TRIGGERS: RuleFixture[] = [
  row('triggers is a list', 'S', v1('triggers: {t: {}}'), 'error triggers'),
  row('trigger is a map', 'S', v1('triggers: [5]'), 'error triggers[0]'),
  row(
    'trigger slug is required',
    'S',
    v1('triggers: [{type: cron, cron: "* * * * *", prompt: p}]'),
    'error triggers[0].slug',
  ),
  row(
    'trigger slug pattern',
    'S',
    v1('triggers: [{slug: T, type: cron, cron: "* * * * *", prompt: p}]'),
    'error triggers[0].slug',
  ),
  row('trigger type is required', 'S', v1('triggers: [{slug: t, prompt: p}]'), 'error triggers[0].type'),
  row('trigger type enum', 'S', trigger('type: crom'), 'error triggers[0].type'),
  row(
    'duplicate trigger slug',
    'V',
    v1(
      'triggers: [{slug: t, type: cron, cron: "* * * * *", prompt: p}, {slug: t, type: cron, cron: "* * * * *", prompt: p}]',
    ),
    'error triggers[1].slug',
  ),
  row('trigger extra keys', 'S', cron('model: x, anything: [1]')),
  row(
    'trigger fields',
    'S',
    cron(
      'name: n, agent: a, agent_name: a, enabled: "Off", session_mode: keyed, session_key: k, session_id: s, filter: {a: b}, prompt_template: p, schedule: "0 9 * * *", run_at: "2030-01-01T00:00:00Z", timezone: Europe/Berlin, secret_env: A_B, expect_event_within: 5m, interval: 1h',
    ),
  ),
  row(
    'camelCase trigger fields',
    'S',
    cron('sessionMode: keyed, sessionKey: k, sessionId: s, runAt: "2030-01-01T00:00:00+01:00", secretEnv: _A'),
  ),
  row('trigger name is a string', 'S', cron('name: 1'), 'error triggers[0].name'),
  ...['agent', 'agent_name', 'session_id', 'sessionId', 'prompt_template', 'schedule', 'run_at', 'runAt'].flatMap(
    (key) => [
      row(`${key} is not empty`, 'S', cron(`${key}: ""`), `error triggers[0].${key}`),
      row(`${key} is a string`, 'S', cron(`${key}: 5`), `error triggers[0].${key}`),
    ],
  ),
  row(
    'prompt is not empty',
    'S',
    v1('triggers: [{slug: t, type: cron, cron: "* * * * *", prompt: ""}]'),
    'error triggers[0].prompt',
  ),
  row('cron is not empty', 'S', trigger('type: cron, cron: ""'), 'error triggers[0].cron'),
  ...['true', '"TRUE"', '"False"', '"1"', '"0"', '"yes"', '"No"', '"on"', '"OFF"', '1', '0', '2.5', '-1'].map((value) =>
    row(`enabled ${value}`, 'S', cron(`enabled: ${value}`)),
  ),
  ...['"maybe"', '""', '" on"', '[]', 'null', '.nan', '.inf'].map((value) =>
    row(`enabled ${value}`, 'S', cron(`enabled: ${value}`), 'error triggers[0].enabled'),
  ),
  row('session_mode enum', 'S', cron('session_mode: new'), 'error triggers[0].session_mode'),
  row('sessionMode enum', 'S', cron('sessionMode: new'), 'error triggers[0].sessionMode'),
  row('session_key is a string', 'S', cron('session_key: 5'), 'error triggers[0].session_key'),
  row('filter is a map', 'S', cron('filter: [a]'), 'error triggers[0].filter'),
  row('filter values are strings', 'S', cron('filter: {a: 1}'), 'error triggers[0].filter.a'),
  row('timezone is a string', 'S', cron('timezone: 1'), 'error triggers[0].timezone'),
  row('secret_env pattern', 'S', cron('secret_env: a'), 'error triggers[0].secret_env'),
  row('secretEnv pattern', 'S', cron('secretEnv: 1A'), 'error triggers[0].secretEnv'),
  row('run is at most 1024', 'S', cron(`run: ${long(1025)}`), 'error triggers[0].run'),
  row('run of 1024', 'S', cron(`run: ${long(1024)}`)),
  row('run counts characters, not code units', 'S', cron(`run: ${'😀'.repeat(1024)}`)),
  row('run is not empty', 'S', cron('run: ""'), 'error triggers[0].run'),
  row('mode enum', 'S', cron('mode: pull'), 'error triggers[0].mode'),
  ...['0s', '5', '5 s', '1w', '-1s', '05s', ''].map((value) =>
    row(`interval ${value}`, 'S', cron(`interval: "${value}"`), 'error triggers[0].interval'),
  ),
  row('expect_event_within pattern', 'S', cron('expect_event_within: 1.5h'), 'error triggers[0].expect_event_within'),
  row('rule 1: a prompt', 'S', v1('triggers: [{slug: t, type: cron, cron: "* * * * *"}]'), 'error triggers[0].prompt'),
  row('rule 1: a prompt_template', 'S', v1('triggers: [{slug: t, type: cron, cron: "* * * * *", prompt_template: p}]')),
  row('rule 2: a schedule', 'S', trigger('type: cron'), 'error triggers[0].cron'),
  ...['schedule: "* * * * *"', 'run_at: "2030-01-01T00:00:00Z"', 'runAt: "2030-01-01T00:00Z"'].map((field) =>
    row(`rule 2: ${field}`, 'S', trigger(`type: cron, ${field}`)),
  ),
  row('rule 3: a secret', 'S', trigger('type: webhook'), 'error triggers[0].secret_env'),
  row('rule 3: secret_env', 'S', trigger('type: webhook, secret_env: S')),
  row('rule 3: secretEnv', 'S', trigger('type: webhook, secretEnv: S')),
  row('rule 4: run and mode', 'S', trigger('type: monitor'), 'error triggers[0].run', 'error triggers[0].mode'),
  ...[
    'cron: "* * * * *"',
    'schedule: "* * * * *"',
    'run_at: "2030-01-01T00:00:00Z"',
    'runAt: "2030-01-01T00:00:00Z"',
    'timezone: UTC',
    'secret_env: S',
    'secretEnv: S',
  ].map((field) =>
    row(`rule 4: no ${field}`, 'S', monitor(`mode: stream, ${field}`), `error triggers[0].${field.split(':')[0]}`),
  ),
  row('rule 5: poll needs an interval', 'S', monitor('mode: poll'), 'error triggers[0].interval'),
  row('rule 5: poll with an interval', 'S', monitor('mode: poll, interval: 30s')),
  row('rule 5: stream has no interval', 'S', monitor('mode: stream, interval: 30s'), 'error triggers[0].interval'),
  row('rule 5: stream', 'S', monitor('mode: stream, expect_event_within: 5m')),
  ...['nonsense', '* * *', '61 * * * *', '0 0 0 0 0 * 2030', '2030-01-01T00:00:00Z'].map((value) =>
    row(`cron ${value}`, 'V', trigger(`type: cron, cron: "${value}"`), 'error triggers[0].cron'),
  ),
  row(
    'schedule is a cron expression',
    'V',
    trigger('type: cron, schedule: "99 * * * *"'),
    'error triggers[0].schedule',
  ),
  row('five fields', 'V', trigger('type: cron, cron: "*/5 * * * *"')),
  row('six fields', 'V', trigger('type: cron, cron: "*/5 * * * * MON-FRI"')),
  ...['Mars/Base', '', '+02:00'].map((zone) =>
    row(`timezone ${zone}`, 'V', cron(`timezone: "${zone}"`), 'error triggers[0].timezone'),
  ),
  ...[
    'tomorrow',
    '2030-01-01',
    '2030-02-30T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-01-01T25:00:00Z',
    '2030-01-01 00:00',
  ].map((value) => row(`run_at ${value}`, 'V', trigger(`type: cron, run_at: "${value}"`), 'error triggers[0].run_at')),
  row('runAt is a date-time', 'V', trigger('type: cron, runAt: soon'), 'error triggers[0].runAt'),
  row('leap day', 'V', trigger('type: cron, run_at: "2028-02-29T12:30:15.5+05:30"')),
  row('pinned without session_id', 'V', cron('session_mode: pinned'), 'warning triggers[0].session_mode'),
  row('pinned with session_id', 'V', cron('session_mode: pinned, sessionId: s')),
  row('keyed without session_key', 'V', cron('sessionMode: keyed'), 'warning triggers[0].sessionMode'),
  row('two spellings that differ', 'V', cron('session_key: a, sessionKey: b'), 'warning triggers[0].sessionKey'),
  row('two spellings that agree', 'V', cron('session_key: a, sessionKey: a')),
  row('interval under the floor', 'V', monitor('mode: poll, interval: 29s'), 'warning triggers[0].interval'),
  row(
    'expect_event_within under the floor',
    'V',
    monitor('mode: stream, expect_event_within: 4m'),
    'warning triggers[0].expect_event_within',
  ),
  row('a near-miss trigger key', 'V', cron('timezome: UTC'), 'warning triggers[0].timezome'),
]
