import { operations } from '@svc/contract'
import { invalid, problem } from '../../kernel/http/index.ts'
import { type AskedDelivery, consumersOf, type Delivery, type EgressPolicy, type SecretConsumer } from './delivery.ts'
import { isModelProviderKey } from './model-provider-keys.ts'

/** The delivery that results from what is and what is asked for; throws when that is no delivery there can be. */
export function chooseDelivery(name: string, asked: AskedDelivery, current: Delivery | undefined): Delivery {
  const strategy = asked.strategy ?? current?.strategy ?? (isModelProviderKey(name) ? 'broker' : 'runtime')
  const consumer = chooseConsumer(name, strategy, asked, current)
  const staysPut = current?.strategy === strategy && current.consumer === consumer
  const kept = staysPut ? current.egressPolicy : null
  const egressPolicy = asked.egress_policy === undefined ? kept : readPolicy(asked.egress_policy)
  checkPolicy(strategy, consumer, egressPolicy)
  return {
    strategy,
    consumer,
    egressPolicy,
    handlePrefix: strategy === 'egress' ? (asked.handle_prefix ?? current?.handlePrefix ?? null) : null,
  }
}

function chooseConsumer(
  name: string,
  strategy: Delivery['strategy'],
  asked: AskedDelivery,
  current: Delivery | undefined,
): SecretConsumer | null {
  const allowed = consumersOf[strategy]
  const given = asked.consumer ?? undefined
  if (given !== undefined && !allowed.includes(given)) {
    const which = allowed.length === 0 ? 'takes none' : `takes ${allowed.join(', ')}`
    throw invalid([{ path: 'consumer', message: `does not go with the strategy ${strategy}, which ${which}` }])
  }
  if (given !== undefined) return given
  if (current?.strategy === strategy) return current.consumer
  if (strategy === 'broker' && isModelProviderKey(name)) return 'llm_gateway'
  return allowed[0] ?? null
}

function readPolicy(given: Readonly<Record<string, unknown>> | null): EgressPolicy | null {
  if (given === null) return null
  const parsed = operations.secrets.EgressPolicy.safeParse(given)
  if (parsed.success) return parsed.data
  throw refused(
    parsed.error.issues.slice(0, 20).map(({ path, message }) => ({ path: path.map(String).join('.'), message })),
  )
}

function checkPolicy(strategy: Delivery['strategy'], consumer: SecretConsumer | null, policy: EgressPolicy | null) {
  const isRequired = consumer === 'network' || consumer === 'broker'
  if (policy === null) {
    if (isRequired) throw problem('secret_delivery_policy_required')
    return
  }
  if (strategy === 'runtime' || strategy === 'denied') {
    throw refused([{ path: '', message: `the strategy ${strategy} takes no policy` }])
  }
  const wild = policy.rules.findIndex(({ host }) => host.startsWith('*.'))
  if (strategy === 'egress' && wild >= 0) {
    throw refused([{ path: `rules.${wild}.host`, message: 'must be exact for the strategy egress' }])
  }
  const backend = consumer === 'broker' ? 'svc_fetch' : consumer
  if (strategy === 'broker' && policy.backend !== backend && (consumer === 'broker' || policy.backend !== undefined)) {
    throw refused([{ path: 'backend', message: `must be ${backend} for the consumer ${consumer}` }])
  }
}

/** Never with what was sent: a value may have been put in the wrong place. */
function refused(issues: readonly { path: string; message: string }[]) {
  const extras = { issues: issues.map(({ path, message }) => ({ path: joinPath(path), message })) }
  return problem('secret_delivery_policy_invalid', { extras })
}

const joinPath = (path: string) => (path === '' ? 'egress_policy' : `egress_policy.${path}`)
