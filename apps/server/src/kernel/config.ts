import { resolve } from 'node:path'
import { z } from 'zod'
import { areMasterKeys } from './crypto/index.ts'
import { isConnectionString } from './database/connection.ts'
import { type GithubApp, githubAppSettings, readGithubApp } from './github-app.ts'
import { isPreviewTemplate } from './http/preview-hosts.ts'
import { type IdentityProvider, identityProviderSettings, readIdentityProviders } from './identity-providers.ts'
import { isAllowEntry } from './outbound/address-policy.ts'
import { parseCidr } from './outbound/ip-address.ts'
import { StartError } from './start-error.ts'

/**
 * Every setting of the platform, in one place. Each row is an environment variable with its rule, its default, what
 * it means and an example; the operator's guide is generated from this table.
 */
interface Setting<T> {
  readonly rule: z.ZodType<T>
  readonly fallback: string | undefined
  readonly about: string
  readonly example: string
}

const setting = <T>(row: Setting<T>): Setting<T> => row

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number from 0 to 65535')
  .transform(Number)
  .pipe(z.number().max(65_535, 'must be a port number from 0 to 65535'))

const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)

const count = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number)

const flag = z
  .enum(['', '0', '1', 'true', 'false'], 'must be 1, 0, true or false')
  .transform((value) => value === '1' || value === 'true')

const httpUrl = z.string().refine(isHttpUrl, 'must be an absolute http or https URL')

const settings = {
  PORT: setting({ rule: port, fallback: '8008', about: 'Port to listen on; 0 picks a free one.', example: '8008' }),
  HOST: setting({
    rule: z.string().min(1, 'must not be empty'),
    fallback: '127.0.0.1',
    about: 'Address to listen on. Loopback by default; 0.0.0.0 opens it to the network.',
    example: '127.0.0.1',
  }),
  SVC_DATA_DIR: setting({
    rule: z.string().min(1, 'must not be empty'),
    fallback: '.data',
    about: 'Folder for the database, repositories and keys. One running instance per folder.',
    example: '/var/lib/svc',
  }),
  DATABASE_URL: setting({
    rule: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must start with postgres:// or postgresql://')
      .refine(isConnectionString, 'must be a valid URL; in a password, write % as %25, @ as %40, / as %2F and : as %3A')
      .optional(),
    fallback: undefined,
    about: 'A PostgreSQL to use in place of the embedded one.',
    example: 'postgres://svc:password@db.internal:5432/svc',
  }),
  SVC_PUBLIC_URL: setting({
    rule: httpUrl.optional(),
    fallback: undefined,
    about: 'The address people open, when it differs from HOST and PORT (behind a proxy).',
    example: 'https://agents.example.com',
  }),
  SVC_GATEWAY_URL: setting({
    rule: httpUrl.optional(),
    fallback: undefined,
    about: 'A host for the model gateway alone: there its routes are at /v1/, and nothing else answers.',
    example: 'https://models.example.com',
  }),
  SVC_PREVIEW_URL: setting({
    rule: z
      .string()
      .refine(isPreviewTemplate, 'must be a URL whose host name has the slots {port} and {sandbox}, in this order')
      .optional(),
    fallback: undefined,
    about: 'Where previews open, on hosts of their own. Without it they open on this machine, below localhost.',
    example: 'https://p{port}-{sandbox}.previews.example.com',
  }),
  SVC_ALLOWED_HOSTS: setting({
    rule: list,
    fallback: '',
    about: 'Further host names this server answers for, separated by commas. Others are refused.',
    example: 'agents.internal,agents.lan',
  }),
  SVC_TRUSTED_PROXIES: setting({
    rule: list.refine(
      (values) => values.every((value) => parseCidr(value) !== undefined),
      'must be IP addresses or networks, separated by commas',
    ),
    fallback: '',
    about: 'Addresses or networks of proxies whose X-Forwarded-For counts, separated by commas.',
    example: '10.0.0.0/8',
  }),
  SVC_LOG_LEVEL: setting({
    rule: z.enum(['debug', 'info', 'warn', 'error'], 'must be debug, info, warn or error'),
    fallback: 'info',
    about: 'The least serious level that is logged.',
    example: 'info',
  }),
  SVC_LOG: setting({
    rule: z.enum(['json', 'pretty'], 'must be json or pretty').optional(),
    fallback: undefined,
    about: 'The form of log lines: json or pretty. Without it, pretty on a terminal and json elsewhere.',
    example: 'json',
  }),
  SVC_MASTER_KEY: setting({
    rule: z
      .string()
      .refine(areMasterKeys, 'must be 32 bytes in base64, or several such keys separated by commas')
      .optional(),
    fallback: undefined,
    about:
      'The key that wraps all others, in place of the file in the data directory. While it is being changed: the new key, a comma, the old ones.',
    example: 'the output of: openssl rand -base64 32',
  }),
  SVC_ALLOW_PRIVATE_HOSTS: setting({
    rule: list.refine(
      (values) => values.every(isAllowEntry),
      'must be host names, IP addresses or networks, separated by commas',
    ),
    fallback: '',
    about: 'Hosts or networks that outbound calls may reach although they are private, separated by commas.',
    example: 'git.internal,10.1.0.0/16',
  }),
  SVC_PROJECT_LIMIT: setting({
    rule: count.optional(),
    fallback: undefined,
    about: 'Active projects an account may have. Without it, as many as it likes.',
    example: '50',
  }),
  SVC_REPOSITORY_QUOTA_MB: setting({
    rule: count.pipe(z.number().min(1, 'must be at least 1')),
    fallback: '10240',
    about: 'Megabytes a repository may hold, unpacked history included. Pushes beyond it are refused.',
    example: '2048',
  }),
  SVC_LLM_GATEWAY: setting({
    rule: z.enum(['on', 'off', 'unavailable'], 'must be on, off or unavailable'),
    fallback: 'on',
    about:
      'Whether model calls of projects pass the gateway: on or off until a project chooses, or unavailable to all of them.',
    example: 'off',
  }),
  SVC_MODELS_FILE: setting({
    rule: z.string().min(1).optional(),
    fallback: undefined,
    about:
      'A JSON file with the providers and models that this instance offers. A change of it counts within a second.',
    example: '/etc/svc/models.json',
  }),
  SVC_MODEL_CATALOG_URL: setting({
    rule: httpUrl,
    fallback: 'https://models.dev/api.json',
    about:
      'Where limits and prices of models are fetched from when the operator refreshes them: a document in the format of models.dev. It may lie on a private address.',
    example: 'https://mirror.example.com/models.json',
  }),
  SVC_MODEL_CATALOG_REFRESH: setting({
    rule: z.enum(['off', 'daily'], 'must be off or daily'),
    fallback: 'off',
    about: 'Whether limits and prices of models are also fetched by themselves, once a day.',
    example: 'daily',
  }),
  SVC_GIT_CA_FILE: setting({
    rule: z.string().min(1).optional(),
    fallback: undefined,
    about: 'Certificates to trust for repositories on other hosts, in place of the system’s (a PEM file).',
    example: '/etc/ssl/company-ca.pem',
  }),
  SVC_SMTP_URL: setting({
    rule: z
      .string()
      .refine(
        (value) => URL.canParse(value) && /^smtps?:$/.test(new URL(value).protocol),
        'must start with smtp:// or smtps://',
      )
      .optional(),
    fallback: undefined,
    about: 'The mail server. Without one, mail stays in the local mailbox at /dev/mailbox.',
    example: 'smtps://user:password@mail.example.com:465',
  }),
  SVC_MAIL_FROM: setting({
    rule: z.string().min(3).max(320).optional(),
    fallback: undefined,
    about: 'The sender of mail; needed with SVC_SMTP_URL.',
    example: 'Agents <agents@example.com>',
  }),
  SVC_REDIRECT_URLS: setting({
    rule: list.refine((values) => values.every(isHttpUrl), 'must be absolute http or https URLs, separated by commas'),
    fallback: '',
    about: 'Addresses that apps may be returned to after a sign-in, besides those the operator adds while it runs.',
    example: 'https://app.example.com/auth/callback',
  }),
  SVC_SANDBOX_PROVIDERS: setting({
    rule: list.refine((values) => values.length > 0, 'must name at least one provider'),
    fallback: 'local',
    about: 'The kinds of sandboxes that sessions may run in, separated by commas; the first is the default.',
    example: 'local,docker',
  }),
  SVC_SANDBOX_IMAGE: setting({
    rule: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/, 'must be the name of an image'),
    fallback: 'docker.io/library/buildpack-deps:bookworm-scm',
    about: 'With docker sandboxes: the image of the default template. It must be Debian-family and have git.',
    example: 'registry.example.com/agents/base:2026-01',
  }),
  SVC_DOCKER_SOCKET: setting({
    rule: z.string().min(1).optional(),
    fallback: undefined,
    about: 'The socket of Docker or Podman. Without it, the usual places are looked at.',
    example: '/run/podman/podman.sock',
  }),
  SVC_DOCKER_BUILD_NETWORK: setting({
    rule: z.enum(['none', 'default'], 'must be none or default'),
    fallback: 'none',
    about:
      'What the RUN steps of a Dockerfile may reach: nothing, or whatever the engine’s own containers may, private networks included.',
    example: 'default',
  }),
  SVC_SANDBOX_UID_BASE: setting({
    rule: z
      .string()
      .regex(/^\d{4,10}$/, 'must be a user id from 1000 on')
      .transform(Number)
      .pipe(
        z
          .number()
          .min(1_000, 'must be a user id from 1000 on')
          .max(2_000_000_000, 'must be a user id up to 2000000000'),
      ),
    fallback: '2100000',
    about:
      'When the server is root: the first of a million user ids, of which local sandboxes of a data directory take 10,000. Nobody else may have them.',
    example: '2100000',
  }),
  SVC_MAX_MACHINES: setting({
    rule: z
      .string()
      .regex(/^\d{1,5}$/, 'must be a whole number from 0 on')
      .transform(Number)
      .optional(),
    fallback: undefined,
    about:
      'How many sessions may have a machine at once; others wait until one is free. Without it, one for each 400 MB of memory.',
    example: '20',
  }),
  SVC_WARM_SANDBOXES: setting({
    rule: z
      .string()
      .regex(/^\d{1,3}$/, 'must be a number from 0 to 100')
      .transform(Number)
      .pipe(z.number().max(100, 'must be a number from 0 to 100')),
    fallback: '0',
    about: 'Sandboxes kept started for sessions to come; each takes the memory of an idle agent.',
    example: '2',
  }),
  SVC_VALIDATE_RESPONSES: setting({
    rule: flag,
    fallback: '0',
    about: 'Check every response against the contract: for development; the tests have it on.',
    example: '1',
  }),
  SVC_START_REPORT: setting({
    rule: z.string().min(1).optional(),
    fallback: undefined,
    about: 'A file to write the times of the start to, as JSON.',
    example: '/tmp/start.json',
  }),
} as const

type Settings = { readonly [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['rule']> }

export interface Config {
  readonly port: number
  readonly host: string
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly publicUrl: string | undefined
  readonly gatewayUrl: string | undefined
  readonly previewUrl: string | undefined
  readonly allowedHosts: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly allowPrivateHosts: readonly string[]
  readonly logLevel: Settings['SVC_LOG_LEVEL']
  /** Undefined: what suits where the log goes. */
  readonly logFormat: Settings['SVC_LOG']
  readonly masterKey: string | undefined
  readonly validateResponses: boolean
  readonly startReport: string | undefined
  readonly projectLimit: number | undefined
  readonly repositoryQuotaBytes: number
  readonly llmGateway: Settings['SVC_LLM_GATEWAY']
  readonly modelsFile: string | undefined
  readonly modelCatalogUrl: string
  readonly modelCatalogRefresh: Settings['SVC_MODEL_CATALOG_REFRESH']
  readonly gitCaFile: string | undefined
  readonly smtpUrl: string | undefined
  readonly mailFrom: string | undefined
  readonly redirectUrls: readonly string[]
  readonly identityProviders: readonly IdentityProvider[]
  readonly sandboxProviders: readonly string[]
  readonly sandboxUidBase: number
  readonly sandboxImage: string
  readonly dockerSocket: string | undefined
  readonly dockerBuildNetwork: 'none' | 'default'
  /** Undefined: as the memory allows. */
  readonly maxMachines: number | undefined
  readonly warmSandboxes: number
  readonly github: { readonly webUrl: string; readonly app: GithubApp | undefined }
}

/** Reads the environment. A bad value ends the start and names the variable, the problem and an example. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const read = <Name extends keyof Settings>(name: Name) => readSetting(name, env[name]) as Settings[Name]
  return {
    port: read('PORT'),
    host: read('HOST'),
    dataDir: resolve(read('SVC_DATA_DIR')),
    databaseUrl: read('DATABASE_URL'),
    publicUrl: read('SVC_PUBLIC_URL')?.replace(/\/+$/, ''),
    gatewayUrl: read('SVC_GATEWAY_URL')?.replace(/\/+$/, ''),
    previewUrl: read('SVC_PREVIEW_URL'),
    allowedHosts: read('SVC_ALLOWED_HOSTS'),
    trustedProxies: read('SVC_TRUSTED_PROXIES'),
    allowPrivateHosts: read('SVC_ALLOW_PRIVATE_HOSTS'),
    logLevel: read('SVC_LOG_LEVEL'),
    logFormat: read('SVC_LOG'),
    masterKey: read('SVC_MASTER_KEY'),
    validateResponses: read('SVC_VALIDATE_RESPONSES'),
    startReport: read('SVC_START_REPORT'),
    projectLimit: read('SVC_PROJECT_LIMIT'),
    repositoryQuotaBytes: read('SVC_REPOSITORY_QUOTA_MB') * 1024 * 1024,
    llmGateway: read('SVC_LLM_GATEWAY'),
    modelsFile: read('SVC_MODELS_FILE'),
    modelCatalogUrl: read('SVC_MODEL_CATALOG_URL'),
    modelCatalogRefresh: read('SVC_MODEL_CATALOG_REFRESH'),
    gitCaFile: read('SVC_GIT_CA_FILE'),
    ...readMail(read('SVC_SMTP_URL'), read('SVC_MAIL_FROM')),
    redirectUrls: read('SVC_REDIRECT_URLS'),
    identityProviders: readIdentityProviders(env),
    sandboxProviders: read('SVC_SANDBOX_PROVIDERS'),
    sandboxUidBase: read('SVC_SANDBOX_UID_BASE'),
    sandboxImage: read('SVC_SANDBOX_IMAGE'),
    dockerSocket: read('SVC_DOCKER_SOCKET'),
    dockerBuildNetwork: read('SVC_DOCKER_BUILD_NETWORK'),
    maxMachines: read('SVC_MAX_MACHINES'),
    warmSandboxes: read('SVC_WARM_SANDBOXES'),
    github: readGithubApp(env),
  }
}

/** Half a mail configuration would lose mail silently. */
function readMail(smtpUrl: string | undefined, mailFrom: string | undefined) {
  if ((smtpUrl === undefined) === (mailFrom === undefined)) return { smtpUrl, mailFrom }
  const missing = smtpUrl === undefined ? 'SVC_SMTP_URL' : 'SVC_MAIL_FROM'
  throw new StartError(
    `${missing} is not set, but its companion is.`,
    `Set both SVC_SMTP_URL and SVC_MAIL_FROM, or neither. For example: ${missing}=${settings[missing].example}`,
  )
}

/** The settings as rows for the operator's guide. */
export function listSettings(): { name: string; fallback: string; about: string; example: string }[] {
  const rows = Object.entries(settings).map(([name, { fallback, about, example }]) => ({
    name,
    fallback: fallback ?? '',
    about,
    example,
  }))
  return [...rows, ...identityProviderSettings, ...githubAppSettings]
}

function readSetting(name: keyof typeof settings, given: string | undefined): unknown {
  const { rule, fallback, example } = settings[name]
  const parsed = rule.safeParse(given ?? fallback)
  if (parsed.success) return parsed.data
  const problem = parsed.error.issues[0]?.message ?? 'is not valid'
  // A secret must not reach a terminal or a log, not even a malformed one.
  const shown = secretSettings.includes(name) ? 'the given value' : JSON.stringify(given)
  throw new StartError(`${name}: ${shown} ${problem}.`, `Set ${name}, for example: ${name}=${example}`)
}

const secretSettings: readonly string[] = ['SVC_MASTER_KEY', 'DATABASE_URL', 'SVC_SMTP_URL']

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol)
}
