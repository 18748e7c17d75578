import { createPrivateKey, type KeyObject } from 'node:crypto'
import { StartError } from './start-error.ts'

/** The GitHub app of this instance, as the operator registered it. */
export interface GithubApp {
  readonly appId: string
  /** Its name in GitHub's addresses. */
  readonly slug: string
  readonly privateKey: KeyObject
  readonly apiUrl: string
}

type Env = Readonly<Record<string, string | undefined>>

/** All three of id, slug and key, or none: half an app would refuse people in the middle of installing it. */
export function readGithubApp(env: Env): { webUrl: string; app: GithubApp | undefined } {
  const webUrl = readUrl(env, 'SVC_GITHUB_URL', 'https://github.com')
  const apiUrl = readUrl(
    env,
    'SVC_GITHUB_API_URL',
    webUrl === 'https://github.com' ? 'https://api.github.com' : `${webUrl}/api/v3`,
  )
  const missing = required.filter((name) => !env[name])
  if (missing.length === required.length) return { webUrl, app: undefined }
  const [appId, slug, key] = required.map((name) => env[name] ?? '')
  if (missing.length > 0 || !appId || !slug || !key) {
    throw new StartError(
      `${missing.join(' and ')} must be set too, for the GitHub app to work.`,
      'Copy the app’s id, its name in the address, and a private key from the settings of the app at GitHub.',
    )
  }
  return { webUrl, app: { appId, slug, privateKey: readKey(key), apiUrl } }
}

const required = ['SVC_GITHUB_APP_ID', 'SVC_GITHUB_APP_SLUG', 'SVC_GITHUB_APP_PRIVATE_KEY'] as const

/** The PEM text itself, with `\n` for its line breaks if need be, or that text in base64. */
function readKey(text: string): KeyObject {
  const pem = text.includes('-----BEGIN') ? text.replaceAll('\\n', '\n') : Buffer.from(text, 'base64').toString()
  try {
    return createPrivateKey(pem)
  } catch {
    // What was given is a secret, so neither it nor the parser's words about it are repeated.
    throw new StartError(
      'SVC_GITHUB_APP_PRIVATE_KEY is no private key.',
      'Set it to the text of the .pem file that GitHub gave you, or to that text in base64.',
    )
  }
}

function readUrl(env: Env, name: string, fallback: string): string {
  const given = env[name] ?? fallback
  if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return given.replace(/\/+$/, '')
  throw new StartError(
    `${name}: ${JSON.stringify(given)} must be an absolute http or https URL.`,
    `For example: ${name}=${fallback}`,
  )
}

/** For the operator's guide. */
export const githubAppSettings = [
  {
    name: 'SVC_GITHUB_APP_ID',
    fallback: '',
    about: 'The id of the GitHub app through which projects reach repositories at GitHub.',
    example: '123456',
  },
  {
    name: 'SVC_GITHUB_APP_SLUG',
    fallback: '',
    about: 'The app’s name in its address: github.com/apps/<slug>.',
    example: 'acme-agents',
  },
  {
    name: 'SVC_GITHUB_APP_PRIVATE_KEY',
    fallback: '',
    about: 'A private key of the app: the text of its .pem file, or that text in base64.',
    example: 'the output of: base64 -w0 acme-agents.private-key.pem',
  },
  {
    name: 'SVC_GITHUB_URL',
    fallback: 'https://github.com',
    about: 'The address of an own GitHub server.',
    example: 'https://github.example.com',
  },
  {
    name: 'SVC_GITHUB_API_URL',
    fallback: 'https://api.github.com',
    about: 'The address of its REST API; of an own server, <SVC_GITHUB_URL>/api/v3 unless set.',
    example: 'https://github.example.com/api/v3',
  },
]
