/** One secret that an agent may use, as `SVC_SECRET_CAPABILITIES` lists it. Never a value. */
export interface SecretCapability {
  readonly identifier?: unknown
  readonly delivery?: unknown
  readonly environment_variable?: unknown
  readonly consumer?: unknown
  readonly hosts?: unknown
}

const mostListed = 200

/** What an agent is told about the secrets it may use; undefined when there are none. */
export function describeSecrets(capabilities: readonly SecretCapability[]): string | undefined {
  if (capabilities.length === 0) return undefined
  const lines = capabilities
    .slice(0, mostListed)
    .map((secret) => `- \`${String(secret.identifier)}\`: ${describe(secret)}`)
  const rest = capabilities.length - lines.length
  return `# Secrets of this session

Never print, log, commit or send a secret anywhere but where it belongs. Of these you may make use:

${lines.join('\n')}
${rest > 0 ? `- and ${rest} more: read \`$SVC_SECRET_CAPABILITIES\`\n` : ''}`
}

function describe({ identifier, delivery, environment_variable, consumer, hosts }: SecretCapability): string {
  const variable = `the environment variable \`${String(environment_variable ?? identifier)}\``
  if (delivery === 'sandbox') return `its value is in ${variable}.`
  if (delivery === 'network') {
    return `${variable} holds a handle. Send it as if it were the secret, by HTTPS to ${listHosts(hosts)}; the real value takes its place outside.`
  }
  if (delivery === 'https_broker') {
    return `not in this machine. Make the call through \`POST $SVC_API_URL/projects/$SVC_PROJECT_ID/secrets/${String(identifier)}/broker\`, to ${listHosts(hosts)}.`
  }
  return `used by the platform for you${typeof consumer === 'string' ? ` (${consumer})` : ''}; there is nothing to do.`
}

function listHosts(hosts: unknown): string {
  const names: unknown[] = Array.isArray(hosts) ? hosts : []
  return names.length === 0 ? 'the hosts of its policy' : names.map((host) => `\`${String(host)}\``).join(', ')
}
