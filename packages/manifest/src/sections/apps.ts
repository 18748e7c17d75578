import { APP_RESERVED_PORTS, APP_TYPES, RESERVED_ENV_NAMES, RESERVED_ENV_PREFIXES } from '../constants.ts'
import { ownMap, type PlainMap } from '../plain-data.ts'
import type { CheckContext } from '../shape/check-context.ts'
import { quote } from '../shape/describe-value.ts'
import { decimal, filled, flag, integer, list, map, matching, oneOf, record } from '../shape/shape.ts'
import { relativePath, slug, upperEnvName } from './values.ts'

const resources = record(
  {
    cpu: integer({ min: 1, max: 64, about: 'CPU cores.' }),
    memory_gb: integer({ min: 1, max: 512, about: 'Memory in GB.' }),
    disk_gb: integer({ min: 1, max: 2048, about: 'Disk in GB.' }),
  },
  { name: 'appResources', open: false, about: 'What the app may use.' },
)

const app = record(
  {
    path: relativePath('Folder of the app.'),
    type: oneOf(APP_TYPES, { about: 'How the app is built and served.' }),
    image: filled({ about: 'Image of an `oci_image` app.' }),
    dockerfile: relativePath('Dockerfile of a `dockerfile` app.'),
    command: list(filled(), { minItems: 1, about: 'Command that starts the app.' }),
    port: integer({ min: 1, max: 65_535, except: APP_RESERVED_PORTS, about: 'Port the app listens on.' }),
    root: relativePath('Folder the build runs in.'),
    output_dir: relativePath('Folder the build writes to.'),
    install_command: filled({ about: 'Runs before the build.' }),
    build_command: filled({ about: 'Builds the app.' }),
    spa: flag({ about: 'Serve the entry page for unknown paths (static, bundle).' }),
    readiness_path: matching('^/', 'a path starting with "/"', { about: 'Path that answers when the app is ready.' }),
    idle_timeout_seconds: integer({ min: 120, max: 86_400, about: 'Stop the app after this time without a request.' }),
    monthly_budget_usd: decimal({ min: 0, about: 'Most the app may cost in a month.' }),
    resources,
    env: map(filled(), { keys: upperEnvName('Environment name.'), about: 'Environment of the app.' }),
    secrets: map(filled(), {
      keys: upperEnvName('Environment name.'),
      about: 'Environment name to secret identifier.',
    }),
  },
  {
    name: 'app',
    open: false,
    rules: [
      {
        rule: 'when',
        is: { type: ['dockerfile', 'oci_image'] },
        rules: [
          { rule: 'some', of: ['command'], says: 'an app that runs a container needs `command`' },
          { rule: 'some', of: ['port'], says: 'an app that runs a container needs `port`' },
        ],
      },
      {
        rule: 'when',
        is: { type: ['oci_image'] },
        rules: [{ rule: 'some', of: ['image'], says: 'an `oci_image` app needs `image`' }],
      },
    ],
    check: checkEnvironment,
  },
)

export const apps = map(app, { keys: slug('Name of the app.'), about: 'Apps of the project, keyed by name.' })

export function isReservedEnvName(name: string): boolean {
  return (
    RESERVED_ENV_PREFIXES.some((prefix) => name.startsWith(prefix)) || RESERVED_ENV_NAMES.some((own) => own === name)
  )
}

function checkEnvironment(app: PlainMap, context: CheckContext): void {
  for (const section of ['env', 'secrets']) {
    for (const name of Object.keys(ownMap(app, section) ?? {})) {
      if (!isReservedEnvName(name)) continue
      context.error(`${quote(name)} is reserved by the platform; choose another name`, [section, name], { on: 'key' })
    }
  }
}
