import type { HealthCheck } from '../../kernel/capability.ts'
import type { Ledger } from './ledger.ts'

/** Whether calls of models could be written down when the last one tried. */
export function journalCheck(ledger: Pick<Ledger, 'journalFailure'>): HealthCheck {
  return {
    name: 'journal of model calls',
    required: false,
    async read() {
      const failure = ledger.journalFailure()
      if (failure === undefined) return { status: 'ok' }
      return {
        status: 'down',
        detail: failure instanceof Error ? failure.message : String(failure),
        next: 'Calls of models are refused. Make room on the disk of the data directory.',
      }
    },
  }
}
