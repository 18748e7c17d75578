let lastIp = 0

/** A browser without script: follows redirects, keeps cookies, fills in the forms of the page it is on. */
export function createBrowser(base: string) {
  const cookies = new Map<string, string>()
  const state = { page: '', status: 0, url: base, policy: '' }
  lastIp += 1
  const forwarded = { 'x-forwarded-for': `10.200.${lastIp >> 8}.${lastIp & 255}` }

  async function visit(address: string, init: RequestInit = {}): Promise<void> {
    const url = new URL(address, state.url.startsWith(base) ? state.url : base)
    // Another site: the test looks at the address the browser was sent to.
    if (url.origin !== base) {
      Object.assign(state, { url: url.href, page: '' })
      return
    }
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...forwarded, cookie, accept: 'text/html', ...init.headers }
    const response = await fetch(url, { ...init, redirect: 'manual', headers })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get('location')
    const policy = response.headers.get('content-security-policy') ?? ''
    Object.assign(state, { status: response.status, url: url.href, page: await response.text(), policy })
    if (location !== null) await visit(location)
  }

  const csrf = () => /name="csrf" value="([^"]+)"/.exec(state.page)?.[1] ?? ''

  return {
    get page() {
      return state.page
    },
    get status() {
      return state.status
    },
    get url() {
      return state.url
    },
    get policy() {
      return state.policy
    },
    get csrf() {
      return csrf()
    },
    cookie: (name: string) => cookies.get(name),
    open: (address: string) => visit(address),
    /** Sends the form of this page with that action; hidden fields go along as they are. */
    async submit(action: string, fields: Record<string, string>): Promise<void> {
      const form = new RegExp(`<form method="post" action="${action}">([\\s\\S]*?)</form>`).exec(state.page)?.[1]
      if (form === undefined) throw new Error(`no form for ${action} on:\n${state.page}`)
      const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
      const known = hidden.map(([, name = '', value = '']) => [name, decodeEntities(value)])
      await visit(action, { method: 'POST', body: new URLSearchParams({ ...Object.fromEntries(known), ...fields }) })
    },
    async post(
      path: string,
      fields: Record<string, string>,
      { origin, site }: { origin?: string | undefined; site?: string | undefined },
    ): Promise<number> {
      const headers = { ...(origin ? { origin } : {}), ...(site ? { 'sec-fetch-site': site } : {}) }
      const { page } = state
      await visit(path, { method: 'POST', headers, body: new URLSearchParams(fields) })
      state.page = page
      return state.status
    },
  }
}

function decodeEntities(value: string): string {
  return value.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
