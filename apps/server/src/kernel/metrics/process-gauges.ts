import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Metrics } from './metrics.ts'

/** What the process itself costs: memory, the event loop's delay, uptime. */
export function addProcessGauges(metrics: Metrics): void {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  metrics.addGauge({
    name: 'svc_process_memory_bytes',
    help: 'Memory of the server process',
    read: () => {
      const { rss, heapUsed, external } = process.memoryUsage()
      return Object.entries({ rss, heap_used: heapUsed, external }).map(([kind, value]) => ({
        labels: { kind },
        value,
      }))
    },
  })
  metrics.addGauge({
    name: 'svc_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last reading',
    read: () => {
      const rows = [0.5, 0.99].map((quantile) => ({
        labels: { quantile: String(quantile) },
        value: delay.percentile(quantile * 100) / 1e9,
      }))
      delay.reset()
      return rows
    },
  })
  metrics.addGauge({ name: 'svc_uptime_seconds', help: 'Seconds since the start', read: () => process.uptime() })
}
