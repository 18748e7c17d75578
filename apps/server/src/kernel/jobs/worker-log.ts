import type { Logger as WorkerLogger } from 'graphile-worker'
import type { Logger } from '../log/index.ts'

/** graphile-worker's own lines, without its metadata: that holds payloads. Failed jobs are logged by us. */
export async function createWorkerLog(log: Logger): Promise<WorkerLogger> {
  const { Logger: GraphileLogger } = await import('graphile-worker')
  return new GraphileLogger(() => (level, message, meta) => {
    if (meta?.failure === true) return
    if (level === 'error') log.error(message)
    else if (level === 'warning') log.warn(message)
    else log.debug(message)
  })
}
