import { problem } from '../../kernel/http/index.ts'

/** Where programs usually listen, when nobody says more. */
export const previewCandidates = [
  { id: 'web', label: 'Web', port: 3000 },
  { id: 'vite', label: 'Vite', port: 5173 },
  { id: 'dev-server', label: 'Dev server', port: 8080 },
  { id: 'api-docs', label: 'API docs', port: 8001 },
].map((candidate) => ({ ...candidate, path: '/', status: 'unknown' as const, source: 'default' }))

/** The daemon, the runtime and other ports of the machine itself. */
const blocked = [22, 8000, 4096, 4097, 3211, 4098, 3128]

export function requireSharable(port: number): number {
  if (!blocked.includes(port)) return port
  throw problem('share_port_blocked', { say: `Port ${port} is never shared.` })
}
