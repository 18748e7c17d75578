export { createMetrics, type Gauge, type Metrics } from './metrics.ts'
export { addProcessGauges } from './process-gauges.ts'
