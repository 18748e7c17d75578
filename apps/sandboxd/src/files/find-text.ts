import { Worker } from 'node:worker_threads'
import { refuse } from '../http/reply.ts'

export interface TextMatch {
  readonly path: string
  readonly lines: string
  readonly line_number: number
  readonly absolute_offset: number
  readonly submatches: readonly { start: number; end: number }[]
}

export interface TextSearch {
  readonly workspace: string
  readonly files: readonly string[]
  readonly pattern: string
}

const deadlineMs = 20_000

/**
 * Searches in a thread of its own that ends at a deadline: a pattern can take for ever, and a caller must not be able
 * to stop the daemon with one. `program` is this very program, which knows that it is such a thread.
 */
export function findText(program: string, search: TextSearch): Promise<readonly TextMatch[]> {
  try {
    new RegExp(search.pattern, 'u')
  } catch (error) {
    return Promise.reject(refuse(400, 'bad_pattern', `This pattern cannot be read: ${String(error)}.`))
  }
  return new Promise((resolve, reject) => {
    const limits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }
    const worker = new Worker(program, { workerData: { textSearch: search }, resourceLimits: limits, execArgv: [] })
    let matches: TextMatch[] = []
    const timer = setTimeout(() => worker.terminate(), deadlineMs)
    worker.on('message', (found: TextMatch[]) => {
      matches = [...matches, ...found]
    })
    worker.once('error', (error) => reject(error))
    worker.once('exit', () => {
      clearTimeout(timer)
      resolve(matches)
    })
  })
}
