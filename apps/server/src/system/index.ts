export type { HealthCheck } from './health.ts'
export { systemRoutes } from './routes.ts'
