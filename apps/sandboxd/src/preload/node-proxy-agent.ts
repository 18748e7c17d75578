import { EnvHttpProxyAgent } from 'undici'

export const createAgent = () => new EnvHttpProxyAgent()
