/** Figures in the Prometheus text format. A counter per operation and status class; one histogram of durations. */

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

interface OperationFigures {
  readonly byStatus: Map<number, number>
  readonly buckets: Float64Array
  sumSeconds: number
  count: number
}

export interface Gauge {
  readonly name: string
  readonly help: string
  /** Read when the page is asked for; a label set per value. */
  readonly read: () => number | ReadonlyArray<{ labels: Record<string, string>; value: number }>
}

export function createMetrics() {
  const operations = new Map<string, OperationFigures>()
  const gauges: Gauge[] = []

  return {
    /** Counts one finished request. Cheap enough for every request: no allocation after an operation's first call. */
    countRequest(operation: string, status: number, durationMs: number): void {
      let figures = operations.get(operation)
      if (!figures) {
        figures = { byStatus: new Map(), buckets: new Float64Array(bucketsSeconds.length), sumSeconds: 0, count: 0 }
        operations.set(operation, figures)
      }
      const seconds = durationMs / 1000
      figures.byStatus.set(status, (figures.byStatus.get(status) ?? 0) + 1)
      figures.sumSeconds += seconds
      figures.count += 1
      const index = bucketsSeconds.findIndex((bound) => seconds <= bound)
      if (index !== -1) figures.buckets[index] = (figures.buckets[index] ?? 0) + 1
    },

    addGauge(gauge: Gauge): void {
      gauges.push(gauge)
    },

    render(): string {
      return [...renderRequests(operations), ...renderDurations(operations), ...gauges.flatMap(renderGauge), ''].join(
        '\n',
      )
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>

function renderRequests(operations: ReadonlyMap<string, OperationFigures>): string[] {
  const lines = [
    '# HELP svc_http_requests_total Requests by operation and status',
    '# TYPE svc_http_requests_total counter',
  ]
  for (const [operation, { byStatus }] of operations) {
    for (const [status, count] of byStatus) {
      lines.push(`svc_http_requests_total${formatLabels({ operation, status: String(status) })} ${count}`)
    }
  }
  return lines
}

function renderDurations(operations: ReadonlyMap<string, OperationFigures>): string[] {
  const name = 'svc_http_request_duration_seconds'
  const lines = [`# HELP ${name} Time from request to answer`, `# TYPE ${name} histogram`]
  for (const [operation, { buckets, sumSeconds, count }] of operations) {
    let below = 0
    for (const [index, bound] of bucketsSeconds.entries()) {
      below += buckets[index] ?? 0
      lines.push(`${name}_bucket${formatLabels({ operation, le: String(bound) })} ${below}`)
    }
    lines.push(`${name}_bucket${formatLabels({ operation, le: '+Inf' })} ${count}`)
    lines.push(`${name}_sum${formatLabels({ operation })} ${sumSeconds}`)
    lines.push(`${name}_count${formatLabels({ operation })} ${count}`)
  }
  return lines
}

function renderGauge({ name, help, read }: Gauge): string[] {
  const value = read()
  const rows = typeof value === 'number' ? [{ labels: {}, value }] : value
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...rows.map((row) => `${name}${formatLabels(row.labels)} ${row.value}`),
  ]
}

function formatLabels(labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
}
