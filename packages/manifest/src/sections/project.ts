import { DEFAULT_CONFIG_DIR } from '../constants.ts'
import { list, record, text } from '../shape/shape.ts'
import { envName, relativePath } from './values.ts'

export const project = record(
  {
    name: text({ about: 'Name of the project.' }),
    description: text({ about: 'What the project is for.' }),
  },
  { name: 'project', about: 'Name and description of the project.' },
)

export const env = record(
  {
    required: list(envName('Name of an environment variable; compared in upper case.'), {
      about: 'Variables a session cannot do without.',
    }),
    optional: list(envName('Name of an environment variable; compared in upper case.'), {
      about: 'Variables a session can use when they are set.',
    }),
  },
  {
    name: 'env',
    about: 'Environment variables the project expects.',
    warnUnknown: true,
  },
)

export const opencode = record(
  { config_dir: relativePath(`Folder with the runtime's configuration; ${DEFAULT_CONFIG_DIR} by default.`) },
  { name: 'opencode', about: 'Settings of the agent runtime.' },
)
