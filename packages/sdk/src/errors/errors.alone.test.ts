import { describe, expect, test, vi } from 'vitest'
import { callAuth } from '../auth/call-auth.ts'
import { ApiError, AuthError, isApiError, isAuthError } from './api-error.ts'
import { BillingError, formatBillingErrorForUI, isBillingError, parseBillingError } from './billing-error.ts'
import { describeAbort, describeFailedReply, describeNetworkFailure, describeTimeout } from './describe-failure.ts'
import { featureDisabledKey, isAbortError, isFeatureDisabledError, isRetryableTurnError } from './guard-errors.ts'
import { HeadlessAuthError, isHeadlessAuthError } from './headless-auth-error.ts'
import { isRequestTooLargeError, RequestTooLargeError } from './request-too-large-error.ts'
import {
  isRuntimeNotReadyError,
  isSessionNotReadyError,
  isSessionStartError,
  RuntimeNotReadyError,
  SessionNotReadyError,
  SessionStartError,
} from './session-errors.ts'

const samples = [
  { error: new ApiError('x'), name: 'ApiError', guard: isApiError, parent: ApiError },
  { error: new AuthError(), name: 'AuthError', guard: isAuthError, parent: ApiError },
  { error: new BillingError(402, {}), name: 'BillingError', guard: isBillingError, parent: ApiError },
  { error: new RequestTooLargeError(), name: 'RequestTooLargeError', guard: isRequestTooLargeError, parent: ApiError },
  {
    error: new SessionNotReadyError('runtime'),
    name: 'SessionNotReadyError',
    guard: isSessionNotReadyError,
    parent: Error,
  },
  { error: new RuntimeNotReadyError(), name: 'RuntimeNotReadyError', guard: isRuntimeNotReadyError, parent: Error },
  {
    error: new SessionStartError('x', { terminal: true }),
    name: 'SessionStartError',
    guard: isSessionStartError,
    parent: Error,
  },
  {
    error: new HeadlessAuthError('invalid_credentials', 'x', 400),
    name: 'HeadlessAuthError',
    guard: isHeadlessAuthError,
    parent: Error,
  },
]

describe('classes', () => {
  test.each(samples)('$name has its name, its parent and a guard of its own', ({ error, name, guard, parent }) => {
    expect(error.name).toBe(name)
    expect(error).toBeInstanceOf(parent)
    expect(error).toBeInstanceOf(Error)
    expect(guard(error)).toBe(true)
    expect(guard(new Error('x'))).toBe(false)
    expect(guard(null)).toBe(false)
    expect(guard({ name })).toBe(false)
  })

  test('a subclass passes the guard of its parent, not the other way round', () => {
    expect(isApiError(new BillingError(402, {}))).toBe(true)
    expect(isBillingError(new ApiError('x', { status: 402 }))).toBe(false)
  })

  test('guards recognise errors of another copy of the package', async () => {
    vi.resetModules()
    const copy = await import('./api-error.ts')
    const billing = await import('./billing-error.ts')
    expect(copy.ApiError).not.toBe(ApiError)
    const foreign = new copy.ApiError('x', { status: 403, code: 'feature_disabled', details: { feature: 'apps' } })
    expect(foreign instanceof ApiError).toBe(false)
    expect(isApiError(foreign)).toBe(true)
    expect(ApiError.isInstance(foreign)).toBe(true)
    expect(featureDisabledKey(foreign)).toBe('apps')
    expect(isBillingError(new billing.BillingError(402, {}))).toBe(true)
  })

  test.each([
    ['x', 'x'],
    [null, ''],
    [undefined, ''],
    [7, '7'],
    [Object.create(null), '[object Object]'],
  ])('the message of ApiError(%j) is the enumerable text "%s"', (message, text) => {
    const error = new ApiError(message)
    expect(error.message).toBe(text)
    expect(Object.keys(error)).toContain('message')
  })

  test('fields are set when given', () => {
    const error = new ApiError('x', { status: 404, code: 'gone', details: { a: 1 } })
    expect(error).toMatchObject({ status: 404, code: 'gone', details: { a: 1 } })
    expect(error).not.toHaveProperty('url')
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ message: 'x', status: 404 })
  })

  test('AuthError has its code, SessionStartError its facts', () => {
    expect(new AuthError()).toMatchObject({ message: 'Not authenticated', code: 'NO_SESSION' })
    expect(new SessionStartError('x', { status: 409, code: 'c', terminal: false })).toMatchObject({
      status: 409,
      code: 'c',
      terminal: false,
    })
    expect(new RequestTooLargeError(431, { suggestion: 's' }).detail).toEqual({
      message: 'Request is too large',
      suggestion: 's',
    })
  })
})

describe('failed replies', () => {
  const fail = (status: number, body: unknown) => describeFailedReply({ status, statusText: 'Oops' }, body)
  test.each([
    [{ message: 'a', error: 'b' }, 'a'],
    [{ error: 'b', detail: 'c' }, 'b'],
    [{ detail: 'c', reason: 'e' }, 'c'],
    [{ detail: { message: 'd' }, reason: 'e' }, 'd'],
    [{ reason: 'e' }, 'e'],
    [{ error: true }, 'HTTP 500: Oops'],
    ['<html>', 'HTTP 500: Oops'],
    [null, 'HTTP 500: Oops'],
  ])('%j says %s', (body, message) => {
    expect(fail(500, body).message).toBe(message)
  })
  test.each([
    [{ code: 'a', error_code: 'b' }, 'a'],
    [{ error_code: 'b' }, 'b'],
    [{ detail: { error_code: 'c' } }, 'c'],
    [{}, '500'],
  ])('%j has code %s', (body, code) => {
    expect(fail(500, body).code).toBe(code)
  })
  test('the body is kept twice, the detail once', () => {
    const body = { error: 'x', detail: { a: 1 } }
    expect(fail(400, body)).toMatchObject({ status: 400, details: body, data: body, detail: { a: 1 } })
  })
  test('402 is a billing error, 431 a request too large', () => {
    const billing = fail(402, { error: 'Custom roles need rbac', code: 'entitlement_required' })
    expect(isBillingError(billing)).toBe(true)
    expect(billing).toMatchObject({
      status: 402,
      code: 'entitlement_required',
      message: 'Custom roles need rbac',
      detail: { message: 'Custom roles need rbac', code: 'entitlement_required' },
    })
    expect(isRequestTooLargeError(fail(431, null))).toBe(true)
  })
  test('timeout, abort and network failure', () => {
    expect(describeTimeout('https://h/v1/x', '/x', 30_000)).toMatchObject({
      code: 'TIMEOUT',
      message: 'Request timed out after 30s: /x',
      url: 'https://h/v1/x',
      endpoint: '/x',
      timeout: 30_000,
    })
    expect(describeAbort()).toMatchObject({ name: 'AbortError', code: 'ABORTED' })
    const cause = new TypeError('fetch failed')
    expect(describeNetworkFailure(cause)).toMatchObject({ name: 'TypeError', message: 'fetch failed', cause })
    expect(describeNetworkFailure(cause).stack).toBe(cause.stack)
  })
  test('a sign-in failure takes code and sentence from the body', async () => {
    const fail = (body: unknown, status: number, statusText: string) => {
      const fetch = async () => Response.json(body, { status, statusText })
      const calling = callAuth(() => ({ backendUrl: 'http://h/v1', getToken: async () => null, fetch }), 'signup', {})
      return calling.then(
        () => undefined,
        (error: unknown) => error,
      )
    }
    const wrong = await fail({ error: 'invalid_credentials', error_description: 'Wrong' }, 400, 'Bad')
    expect(isHeadlessAuthError(wrong)).toBe(true)
    expect(wrong).toMatchObject({ code: 'invalid_credentials', message: 'Wrong', status: 400 })
    expect(await fail({ error: 'e' }, 400, 'Bad')).toMatchObject({ code: 'e', message: 'e' })
    expect(await fail(null, 502, 'Bad Gateway')).toMatchObject({ code: 'auth_error', message: 'Bad Gateway' })
  })
})

describe('feature flags', () => {
  const disabled = (status: number, code: string) => new ApiError('x', { status, code, details: { feature: 'apps' } })
  test('403 feature_disabled names its flag', () => {
    const error = disabled(403, 'feature_disabled')
    expect(isFeatureDisabledError(error)).toBe(true)
    expect(error.feature).toBe('apps')
    expect(featureDisabledKey(error)).toBe('apps')
  })
  test.each([
    [disabled(404, 'feature_disabled')],
    [disabled(403, 'forbidden')],
    [new Error('feature_disabled')],
    [{ status: 403, code: 'feature_disabled', details: { feature: 'apps' } }],
    [null],
  ])('%s is not that error', (error) => {
    expect(isFeatureDisabledError(error)).toBe(false)
    expect(featureDisabledKey(error)).toBeNull()
  })
  test('a frozen error is read without a throw', () => {
    expect(featureDisabledKey(Object.freeze(disabled(403, 'feature_disabled')))).toBe('apps')
  })
})

describe('billing', () => {
  test.each([
    [{ status: 402, data: { message: 'No credits' } }],
    [{ response: { status: 402, data: { message: 'No credits' } } }],
    [new ApiError('No credits', { status: 402 })],
  ])('%j becomes a BillingError', (error) => {
    const parsed = parseBillingError(error)
    expect(isBillingError(parsed)).toBe(true)
    expect(parsed).toMatchObject({ status: 402, message: 'No credits' })
  })
  test('anything else comes back unchanged', () => {
    const error = new ApiError('x', { status: 403 })
    expect(parseBillingError(error)).toBe(error)
    expect(parseBillingError('x')).toBe('x')
    const billing = new BillingError(402, {})
    expect(parseBillingError(billing)).toBe(billing)
  })
  test('wording for people', () => {
    expect(formatBillingErrorForUI(new Error('credit'))).toBeNull()
    for (const message of ['No credit left', 'Balance too low', 'Insufficient funds']) {
      expect(formatBillingErrorForUI(new BillingError(402, { message }))?.alertTitle).toBe('You are out of credits')
    }
    expect(formatBillingErrorForUI(new BillingError(402, { message: 'Card expired' }))).toEqual({
      alertTitle: 'There is a billing problem',
      alertSubtitle: 'Card expired',
    })
  })
})

describe('aborts and retries', () => {
  test.each([
    [{ name: 'AbortError' }, true],
    [{ name: 'MessageAbortedError', data: { message: 'Aborted' } }, true],
    ['Aborted by user', true],
    ['Request was cancelled by the user', true],
    ['The user aborted a request.', true],
    ['canceled by user', true],
    ['Aborted by user: 504 Gateway timeout', false],
    ['cancelled by user because the host is unreachable', false],
    ['Connection aborted', false],
    ['timeout', false],
    [undefined, false],
  ])('%j is an abort: %s', (error, isAbort) => {
    expect(isAbortError(error)).toBe(isAbort)
  })
  test.each([
    [{ data: { isRetryable: true } }, true],
    [{ data: { isRetryable: 'true' } }, false],
    [{ isRetryable: true }, false],
    [null, false],
  ])('%j is retryable: %s', (error, isRetryable) => {
    expect(isRetryableTurnError(error)).toBe(isRetryable)
  })
})
