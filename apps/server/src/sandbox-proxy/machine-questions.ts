import type { IncomingMessage } from 'node:http'
import type { AskAhead, RequestFacts } from '../kernel/http/index.ts'
import type { MachineQuestion } from '../sessions/index.ts'
import type { ProxyOptions } from './parts.ts'

export interface MachineQuestions {
  readonly askAhead: AskAhead
  askedFor(request: RequestFacts): MachineQuestion | undefined
}

/**
 * The question about the machine and its session is under way while the request is counted against its limit: both are
 * answered by the database, and a small request waits for little else.
 */
export function createMachineQuestions(sessions: Pick<ProxyOptions['sessions'], 'askMachine'>): MachineQuestions {
  const asked = new WeakMap<IncomingMessage, MachineQuestion>()
  return {
    askAhead({ incoming }, principal) {
      const externalId = /^\/v1\/p\/(sb[0-9a-z]{18})\//.exec(incoming.url ?? '')?.[1]
      if (externalId !== undefined) asked.set(incoming, sessions.askMachine(principal, externalId))
    },
    askedFor: ({ incoming }) => asked.get(incoming),
  }
}
