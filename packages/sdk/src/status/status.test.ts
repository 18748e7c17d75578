import { describe, expect, test } from 'vitest'
import { extractGatewayErrorDetails } from './extract-gateway-error.ts'
import { getRetryInfo, getRetryMessage } from './get-retry-info.ts'
import { getChildSessionError, getTurnError, getTurnErrorDetails, hasDiffs } from './get-turn-error.ts'
import { computeStatusFromPart, getTurnStatus } from './get-turn-status.ts'
import { getWorkingState } from './get-working-state.ts'
import { unwrapError } from './unwrap-error.ts'

const FAILURE = {
  attempt: 1,
  provider: 'acme',
  route_model: 'fast',
  resolved_model: 'acme/fast-1',
  stage: 'upstream',
  status: 502,
  code: 'bad_gateway',
  message: 'Bad Gateway',
}

describe('working state', () => {
  test.each([
    [{ type: 'busy' as const }, true, true],
    [{ type: 'retry' as const, attempt: 1, message: '', next: 0 }, true, true],
    [{ type: 'idle' as const }, true, false],
    [undefined, true, false],
    [{ type: 'busy' as const }, false, false],
  ])('%j last %s -> %s', (status, isLast, working) => {
    expect(getWorkingState(status, isLast)).toBe(working)
  })
})

describe('status text', () => {
  const DELEGATING = 'Delegating to an agent…'
  test.each([
    ['task', DELEGATING],
    ['session_spawn', DELEGATING],
    ['session-spawn', DELEGATING],
    ['session_start_background', DELEGATING],
    ['agent_spawn', DELEGATING],
    ['agent-task', DELEGATING],
    ['agent_task_update', 'Updating tasks…'],
    ['task_update', 'Updating tasks…'],
    ['task-done', 'Updating tasks…'],
    ['agent_message', 'Messaging an agent…'],
    ['agent_task_message', 'Messaging an agent…'],
    ['task_message', 'Messaging an agent…'],
    ['task_create', 'Starting a task…'],
    ['task_start', 'Starting a task…'],
    ['task_list', 'Listing tasks…'],
    ['todowrite', 'Planning…'],
    ['todoread', 'Planning…'],
    ['read', 'Reading…'],
    ['list', 'Searching files…'],
    ['grep', 'Searching files…'],
    ['glob', 'Searching files…'],
    ['webfetch', 'Fetching a page…'],
    ['scrape-webpage', 'Fetching a page…'],
    ['websearch', 'Searching the web…'],
    ['web-search', 'Searching the web…'],
    ['web_search', 'Searching the web…'],
    ['image-search', 'Searching images…'],
    ['image-gen', 'Generating an image…'],
    ['video-gen', 'Generating a video…'],
    ['presentation-gen', 'Building slides…'],
    ['show', 'Showing output…'],
    ['show-user', 'Showing output…'],
    ['edit', 'Editing files…'],
    ['write', 'Editing files…'],
    ['morph_edit', 'Editing files…'],
    ['apply_patch', 'Editing files…'],
    ['bash', 'Running a command…'],
    ['prune', 'Trimming context…'],
    ['distill', 'Trimming context…'],
    ['compress', 'Trimming context…'],
    ['context_info', 'Reading context…'],
    ['mystery', 'Working…'],
    ['constructor', 'Working…'],
  ])('tool %s -> %s', (tool, text) => {
    expect(computeStatusFromPart({ type: 'tool', tool })).toBe(text)
  })

  test.each([
    [{ type: 'reasoning', text: '**Plan** first' }, 'Thinking: Plan…'],
    [{ type: 'reasoning', text: 'plan' }, 'Thinking…'],
    [{ type: 'reasoning', text: '**open' }, 'Thinking…'],
    [{ type: 'reasoning', text: '****' }, 'Thinking…'],
    [{ type: 'text', text: '' }, 'Writing…'],
    [{ type: 'step-finish' }, undefined],
    [undefined, undefined],
  ])('%j -> %s', (part, text) => {
    expect(computeStatusFromPart(part)).toBe(text)
  })

  const entries = (...parts: { type: string; [field: string]: unknown }[]) => parts.map((part) => ({ part }))
  test('the newest part with a text wins', () => {
    expect(getTurnStatus([])).toBe('Working…')
    expect(getTurnStatus(entries({ type: 'text' }, { type: 'tool', tool: 'read' }))).toBe('Reading…')
    expect(getTurnStatus(entries({ type: 'tool', tool: 'read' }, { type: 'step-finish' }))).toBe('Reading…')
  })

  const child = (...parts: { type: string; [field: string]: unknown }[]) => ({
    info: { id: 'c', role: 'assistant' },
    parts,
  })
  test.each(['task', 'agent_task', 'task_create', 'task-start'])('a running %s says what its child does', (tool) => {
    const running = entries({ type: 'tool', tool, state: { status: 'running' } })
    const busy = [child({ type: 'text' }), child({ type: 'tool', tool: 'bash' }, { type: 'step-start' })]
    expect(getTurnStatus(running, busy)).toBe('Running a command…')
    expect(getTurnStatus(running, [child({ type: 'step-start' })])).toBe(DELEGATING)
    expect(getTurnStatus(running, [{ ...child({ type: 'text' }), info: { id: 'u', role: 'user' } }])).toBe(DELEGATING)
  })
  test('without child messages, or once it is done, the call speaks for itself', () => {
    expect(getTurnStatus(entries({ type: 'tool', tool: 'task_create', state: { status: 'running' } }), [])).toBe(
      'Starting a task…',
    )
    const done = entries({ type: 'tool', tool: 'task', state: { status: 'completed' } })
    expect(getTurnStatus(done, [child({ type: 'text' })])).toBe(DELEGATING)
  })
})

describe('unwrapError', () => {
  test.each([
    [undefined, 'An error occurred'],
    [null, 'An error occurred'],
    ['', 'An error occurred'],
    [{}, 'An error occurred'],
    [[], 'An error occurred'],
    ['Error: boom', 'boom'],
    ['{"error":{"message":"no key"}}', 'no key'],
    ['Error: 402 Error: {"error":true,"message":"Insufficient credits"}', 'Insufficient credits'],
    ['"{\\"message\\":\\"twice\\"}"', 'twice'],
    [{ name: 'APIError', data: { message: 'rate limited' } }, 'rate limited'],
    ['{"foo":1}', '{"foo":1}'],
    [{ message: '', error: 'second' }, 'second'],
    [{ error: { message: 'fourth' }, data: { message: 'third' } }, 'third'],
    [{ error: { message: 'fourth' } }, 'fourth'],
    [new Error('thrown'), 'thrown'],
    [42, '42'],
    [true, 'true'],
  ])('%j -> %s', (raw, text) => {
    expect(unwrapError(raw)).toBe(text)
  })
})

describe('gateway details', () => {
  const body = {
    message: 'All models failed',
    provider: 'acme',
    code: 'upstream_failed',
    suggestion: 'Try again',
    upstream_status: 502,
    request_id: 'req_1',
    attempt_failures: [FAILURE],
  }
  const details = {
    message: 'All models failed',
    provider: 'acme',
    code: 'upstream_failed',
    suggestion: 'Try again',
    upstreamStatus: 502,
    requestId: 'req_1',
    attemptFailures: [
      {
        attempt: 1,
        provider: 'acme',
        routeModel: 'fast',
        resolvedModel: 'acme/fast-1',
        stage: 'upstream',
        status: 502,
        code: 'bad_gateway',
        message: 'Bad Gateway',
      },
    ],
  }
  test.each([
    ['itself', body],
    ['its error', { error: body }],
    ['the reply body', { name: 'APIError', data: { message: 'x', responseBody: JSON.stringify({ error: body }) } }],
    ['the cause', { message: 'x', cause: { body } }],
    ['JSON text', JSON.stringify(body)],
    ['JSON in text', `502: ${JSON.stringify({ error: body })}`],
  ])('are found in %s', (_where, raw) => {
    expect(extractGatewayErrorDetails(raw)).toStrictEqual(details)
  })
  test.each([[undefined], ['Bad Gateway'], [{ message: 'x' }], [{ code: 5 }], [{ upstream_status: '502' }]])(
    'are not made up from %j',
    (raw) => {
      expect(extractGatewayErrorDetails(raw)).toBeUndefined()
    },
  )
  test.each([
    { attempt: 0 },
    { attempt: 1.5 },
    { provider: '' },
    { route_model: undefined },
    { resolved_model: 7 },
    { stage: null },
    { message: '' },
    { code: Number.POSITIVE_INFINITY },
    { status: 99 },
    { status: 600 },
  ])('a failure row with %j is skipped', (change) => {
    const found = extractGatewayErrorDetails({ ...body, attempt_failures: [{ ...FAILURE, ...change }, null, 'x'] })
    expect(found?.attemptFailures).toEqual([])
  })
  test('a row without a status, or with a number as its code, is kept', () => {
    const { status: _none, ...row } = FAILURE
    const found = extractGatewayErrorDetails({ attempt_failures: [{ ...row, code: 502 }] })
    expect(found?.attemptFailures?.[0]).toMatchObject({ code: 502 })
    expect(found?.attemptFailures?.[0]).not.toHaveProperty('status')
  })
})

describe('errors of turns', () => {
  const answer = (error?: unknown) => ({ info: { id: 'a', role: 'assistant', error }, parts: [] })
  const turn = (...errors: unknown[]) => ({ userMessage: answer(), assistantMessages: errors.map(answer) })
  test('the first failed answer names the turn’s error', () => {
    expect(getTurnError(turn(undefined, 'first', 'second'))).toBe('first')
    expect(getTurnError(turn())).toBeUndefined()
    expect(getTurnError(turn({ error: { provider: 'acme', message: 'via gateway' } }))).toBe('via gateway')
    expect(getTurnErrorDetails(turn({ error: { provider: 'acme', message: 'm' } }))).toEqual({
      provider: 'acme',
      message: 'm',
    })
  })
  test('the newest failed answer names a child’s error', () => {
    expect(getChildSessionError([answer('old'), answer('new'), answer()])).toBe('new')
    expect(getChildSessionError([])).toBeUndefined()
    expect(getChildSessionError(undefined)).toBeUndefined()
  })
  test('a prompt has diffs when its summary lists some', () => {
    const prompt = (summary: unknown) => ({ info: { id: 'u', role: 'user', summary }, parts: [] })
    expect(hasDiffs(prompt({ diffs: [{}] }))).toBe(true)
    expect(hasDiffs(prompt({ diffs: [] }))).toBe(false)
    expect(hasDiffs(prompt(undefined))).toBe(false)
  })
})

describe('retry', () => {
  test('only a retry status has it', () => {
    expect(getRetryInfo({ type: 'busy' })).toBeUndefined()
    expect(getRetryMessage({ type: 'idle' })).toBeUndefined()
    expect(getRetryInfo(undefined)).toBeUndefined()
  })
  test('attempt, message and next are passed on', () => {
    expect(getRetryInfo({ type: 'retry', attempt: 2, next: 456, message: 'Bad Gateway' })).toStrictEqual({
      attempt: 2,
      message: 'Bad Gateway',
      next: 456,
      details: undefined,
    })
  })
  test('60 characters are whole; 61 are cut to 59 and an ellipsis', () => {
    const status = (message: string) => ({ type: 'retry' as const, attempt: 1, next: 0, message })
    expect(getRetryInfo(status('a'.repeat(60)))?.message).toBe('a'.repeat(60))
    expect(getRetryInfo(status('a'.repeat(61)))?.message).toBe(`${'a'.repeat(59)}…`)
    expect(getRetryMessage(status('a'.repeat(61)))).toBe('a'.repeat(61))
    expect(getRetryInfo(status('😀'.repeat(40)))?.message).toBe(`${'😀'.repeat(29)}…`)
  })
  test('a gateway body in the message fills the details', () => {
    const message = JSON.stringify({ message: 'm', provider: 'p', request_id: 'r', attempt_failures: [FAILURE] })
    const details = getRetryInfo({ type: 'retry', attempt: 1, next: 0, message })?.details
    expect(details).toMatchObject({ provider: 'p', requestId: 'r', attemptFailures: [{ routeModel: 'fast' }] })
  })
})
