import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

const costs = '/v1/usage/session-costs'
const home = '/v1/llm/'
const alias = '/v1/openai/'
const nowhere = `${home}unknown`

/**
 * Other ways in: `/v1/openai/*` everywhere, and on a host that is the gateway's alone `/v1/*`, so that nothing but the
 * gateway can be reached there. What is already at home stays. Costs in another format have a path of their own.
 */
export function createGatewayAlias(
  gatewayUrl: string | undefined,
  publicUrl?: string | undefined,
): (incoming: Pick<IncomingMessage, 'url' | 'headers'>) => void {
  const isOnOwnHost = createOwnHostCheck(gatewayUrl, publicUrl)
  return (incoming) => {
    if (isOnOwnHost(incoming.headers.host)) incoming.url = stayAtHome(incoming.url ?? '')
    else if (incoming.url?.startsWith(alias)) incoming.url = home + incoming.url.slice(alias.length)
    else if (incoming.url?.startsWith(`${costs}?`) && /[?&]format=csv(&|$)/.test(incoming.url)) {
      incoming.url = `${costs}.csv${incoming.url.slice(costs.length)}`
    }
  }
}

/** A caller may say any port with the name: it counts only where the platform has the same name. */
function createOwnHostCheck(gatewayUrl: string | undefined, publicUrl: string | undefined) {
  if (gatewayUrl === undefined) return () => false
  const { host, hostname } = new URL(gatewayUrl)
  const isShared = hostname === new URL(publicUrl ?? 'http://localhost').hostname || isIP(hostname) !== 0
  return (given: string | undefined) => {
    const name = given?.toLowerCase()
    return isShared ? name === host : name?.replace(/:\d*$/, '').replace(/\.$/, '') === hostname
  }
}

/** Read as the router reads it, with dots resolved: a path may not begin at home and lead out of it. */
function stayAtHome(url: string): string {
  if (!url.startsWith('/') || !URL.canParse(`http://gateway${url}`)) return nowhere
  const { pathname, search } = new URL(`http://gateway${url}`)
  const found = [home, alias, '/v1/'].find((prefix) => pathname.startsWith(prefix))
  return found === undefined ? nowhere : home + pathname.slice(found.length) + search
}
