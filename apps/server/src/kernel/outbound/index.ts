export { type AddressPolicy, createAddressPolicy } from './address-policy.ts'
export { findOutboundError, type OutboundCode, OutboundError } from './errors.ts'
export { createGuardedAgent, createGuardedConnector, type GuardedAgentOptions, type Resolve } from './guarded-agent.ts'
export {
  createOutbound,
  type GuardedFetchOptions,
  type GuardedResponse,
  type Outbound,
  type OutboundOptions,
} from './guarded-fetch.ts'
