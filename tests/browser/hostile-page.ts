/**
 * A page that an agent serves, and that tries everything a page could try against the dashboard: the one around it when
 * it stands in a frame, the one that opened it when it has a tab of its own.
 */
export const hostilePage = (dashboard: string) => `<!doctype html><title>served</title><p id="found">trying</p><script>
const isFramed = top !== self
const other = isFramed ? parent : opener
const ask = (headers) => fetch('${dashboard}/session/access', { method: 'POST', credentials: 'include', headers })
const tries = {
  async title() { return other.document.title },
  async storage() { return JSON.stringify(other.localStorage) },
  async address() { return other.location.href },
  async cookie() { return document.cookie || Promise.reject(Error('none')) },
  async leave() {
    if (!isFramed) throw Error('is the top itself')
    top.location = 'https://evil.example/'
    return 'the frame moved the page around it'
  },
  async token() { return (await ask({})).text() },
  async tokenWithHeader() { return (await ask({ 'x-svc-client': 'web' })).text() },
}
const read = []
const all = Object.entries(tries).map(([name, run]) => run().then((value) => read.push(name + ': ' + value), () => undefined))
Promise.all(all).then(() => { found.textContent = read.length === 0 ? 'Nothing was read.' : read.join('; ') })
</script>`

/** A program that serves one page on a port of the machine. */
export const serveCode = (page: string, port: number) =>
  `require('node:http').createServer((_, reply) => reply.setHeader('content-type', 'text/html').end(${JSON.stringify(page)})).listen(${port})`
