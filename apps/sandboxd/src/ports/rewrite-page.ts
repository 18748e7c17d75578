export interface PagePlace {
  /** Where the page came from. */
  readonly url: URL
  /** What stands before `/web-proxy` in the reader's address bar. */
  readonly prefix: string
}

const attributes = /(\s(?:href|src|action|poster|data|formaction)\s*=\s*)(?:"([^"]*)"|'([^']*)')/gi
const sourceSets = /(\ssrcset\s*=\s*)(?:"([^"]*)"|'([^']*)')/gi
const styleUrls = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^)'"\s]+))\s*\)/gi
const styleImports = /(@import\s+)(?:"([^"]*)"|'([^']*)')/gi

/** Links that name a host or begin at its root come back through the proxy; relative ones do so by themselves. */
export function rewritePage(page: string, place: PagePlace & { readonly kind: string }): string {
  const styles = page
    .replace(styleUrls, (_all, one, two, three) => `url("${webProxyPath(one ?? two ?? three, place)}")`)
    .replace(styleImports, (_all, lead, one, two) => `${lead}"${webProxyPath(one ?? two, place)}"`)
  if (place.kind === 'css') return styles
  return styles
    .replace(attributes, (_all, lead, one, two) => `${lead}"${webProxyPath(one ?? two, place)}"`)
    .replace(sourceSets, (_all, lead, one, two) => `${lead}"${rewriteSet(one ?? two, place)}"`)
}

/** The place of a link below the proxy; what is no page (mailto:, data:, #part) stays as it is. */
export function webProxyPath(link: string, { url, prefix }: PagePlace): string {
  const isRooted = link.startsWith('/')
  const isHttp = /^https?:\/\//i.test(link)
  if (!isRooted && !isHttp) return link
  if (!URL.canParse(link, url.href)) return link
  const target = new URL(link, url)
  return `${prefix}/web-proxy/${target.protocol.slice(0, -1)}/${target.host}${target.pathname}${target.search}${target.hash}`
}

const rewriteSet = (set: string, place: PagePlace) =>
  set
    .split(',')
    .map((candidate) => {
      const [link = '', ...rest] = candidate.trim().split(/\s+/)
      return [webProxyPath(link, place), ...rest].join(' ')
    })
    .join(', ')
