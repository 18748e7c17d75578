import type { IncomingMessage } from 'node:http'

/**
 * Previews open on hosts of their own, so that a page an agent made never shares an origin with the platform:
 * `p{port}-{sandbox}.localhost` on one machine, or the operator's own pattern. Every path of such a host belongs to
 * the preview; nothing of the platform answers there.
 */
export interface PreviewHosts {
  /** The pattern with its `{port}` and `{sandbox}` slots; undefined while previews open on this machine only. */
  readonly template: string | undefined
  isPreviewHost(host: string | undefined): boolean
  /** The origins of all previews, as a Content-Security-Policy names them. */
  origins(publicUrl: string): string
  /** Points a request for a preview's own host at the proxy's route. */
  rewrite(incoming: IncomingMessage): void
}

const rewritten = new WeakSet<IncomingMessage>()

/** Whether the request came in on a preview's own host: there, cookies and headers are the preview's own. */
export function isOnPreviewHost(incoming: IncomingMessage): boolean {
  return rewritten.has(incoming)
}

export function createPreviewHosts(template: string | undefined): PreviewHosts {
  const patterns = [/^p(\d{1,5})-(sb[0-9a-z]{18})\.localhost$/]
  if (template !== undefined) patterns.push(toPattern(template))

  function match(host: string | undefined): { port: string; sandbox: string } | undefined {
    const name = (host ?? '').replace(/:\d*$/, '').toLowerCase()
    for (const pattern of patterns) {
      const found = pattern.exec(name)
      if (found?.[1] !== undefined && found[2] !== undefined) return { port: found[1], sandbox: found[2] }
    }
    return undefined
  }

  return {
    template,
    isPreviewHost: (host) => match(host) !== undefined,
    origins(publicUrl) {
      const port = new URL(publicUrl).port
      const local = `http://*.localhost${port === '' ? '' : `:${port}`}`
      return template === undefined ? local : `${local} ${template.replace(/\/\/[^.]+/, '//*').replace(/\/$/, '')}`
    },
    rewrite(incoming) {
      const found = match(incoming.headers.host)
      if (!found) return
      const path = incoming.url?.startsWith('/') ? incoming.url : '/'
      incoming.url = `/v1/p/${found.sandbox}/${found.port}${path}`
      rewritten.add(incoming)
    },
  }
}

/** `https://p{port}-{sandbox}.previews.example.com` as a pattern for host names; the port comes first. */
function toPattern(template: string): RegExp {
  const host = template.replace(/^https?:\/\//, '').replace(/[/:].*$/, '')
  const escaped = host.toLowerCase().replace(/[.*+?^$()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replace('{port}', '(\\d{1,5})').replace('{sandbox}', '(sb[0-9a-z]{18})')}$`)
}

/** A template is a URL whose host name has both slots, the port first, as labels of one name. */
export function isPreviewTemplate(value: string): boolean {
  return /^https?:\/\/[a-z0-9-]*\{port\}[a-z0-9-]*\{sandbox\}[a-z0-9-]*(\.[a-z0-9-]+)+(:\d+)?\/?$/i.test(value)
}
