import type { IncomingMessage } from 'node:http'

const home = '/v1/llm/'
const alias = '/v1/openai/'

/**
 * Other ways in: `/v1/openai/*` everywhere, and on a host that is the gateway's alone `/v1/*`, so that nothing but the
 * gateway can be reached there. What is already at home stays.
 */
export function createGatewayAlias(
  gatewayUrl: string | undefined,
): (incoming: Pick<IncomingMessage, 'url' | 'headers'>) => void {
  const host = gatewayUrl === undefined ? undefined : new URL(gatewayUrl).host
  return (incoming) => {
    const { url = '' } = incoming
    if (url.startsWith(alias)) incoming.url = home + url.slice(alias.length)
    else if (host !== undefined && incoming.headers.host?.toLowerCase() === host && !url.startsWith(home)) {
      incoming.url = url.startsWith('/v1/') ? home + url.slice('/v1/'.length) : `${home}unknown`
    }
  }
}
