import type { Person } from '../../../../../tests/support/people.ts'

export interface TestAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any
}

type Caller = Pick<Person, 'accessToken'> | string | undefined

/** Calls a running test platform as a person, or with any bearer token. */
export function createCaller(url: string) {
  return async (caller: Caller, route: string, body?: unknown): Promise<TestAnswer> => {
    const [method = 'GET', path = ''] = route.split(' ')
    const token = typeof caller === 'string' ? caller : caller?.accessToken
    const isForm = body instanceof FormData
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: readBody(text) }
  }
}

function readBody(text: string): unknown {
  return /^[[{]/.test(text) ? JSON.parse(text) : text
}
