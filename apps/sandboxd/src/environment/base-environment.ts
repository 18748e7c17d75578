import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { Settings } from '../settings.ts'

const systemBundles = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem']
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** What every child of the daemon starts from: a home, a path, the way out, the certificates it needs there. */
export function baseEnvironment(settings: Settings, inherited: NodeJS.ProcessEnv): Record<string, string> {
  return {
    HOME: settings.home,
    USER: 'agent',
    LOGNAME: 'agent',
    SHELL: existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh',
    LANG: 'C.UTF-8',
    // Without a level Bash takes a socket on its input, as Node gives it, for a remote login and ignores BASH_ENV.
    SHLVL: '1',
    TERM: 'xterm-256color',
    TMPDIR: inherited.TMPDIR ?? '/tmp',
    // The platform's own Node comes last: a template's Node is the one the project meant.
    PATH: `${inherited.PATH ?? systemPath}${delimiter}${dirname(process.execPath)}`,
    ...proxyEnvironment(settings),
    ...certificateEnvironment(settings),
    ...gitEnvironment(settings),
  }
}

function proxyEnvironment({ proxyPort, installDir }: Settings): Record<string, string> {
  const proxy = `http://127.0.0.1:${proxyPort}`
  const direct = '127.0.0.1,localhost,::1'
  const preload = join(installDir, 'node-proxy.cjs')
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: direct,
    no_proxy: direct,
    ...(existsSync(preload) ? { NODE_OPTIONS: `--require ${preload}` } : {}),
  }
}

/** The bundle is the system's certificates and the session's own, which signs for hosts that secrets are sent to. */
function certificateEnvironment({ runDir }: Settings): Record<string, string> {
  const bundle = join(runDir, 'ca-bundle.pem')
  const own = join(runDir, 'ca.pem')
  if (!existsSync(bundle) && existsSync(own)) {
    const parts = [readSystemBundle(), readFileSync(own, 'utf8')].filter((part) => part !== '')
    writeFileSync(bundle, parts.map((part) => `${part.trim()}\n`).join('\n'), { mode: 0o644 })
  }
  if (!existsSync(bundle)) return {}
  return {
    NODE_EXTRA_CA_CERTS: bundle,
    SSL_CERT_FILE: bundle,
    CURL_CA_BUNDLE: bundle,
    REQUESTS_CA_BUNDLE: bundle,
    GIT_SSL_CAINFO: bundle,
  }
}

let systemBundle: string | undefined

/** Large, and the same as long as the machine runs: one that waits for its owner has it read by then. */
export function readSystemBundle(): string {
  const path = systemBundles.find((one) => existsSync(one))
  systemBundle ??= path === undefined ? '' : readFileSync(path, 'utf8')
  return systemBundle
}

/** Git asks for the platform's repository with the session's token, read at the moment it is needed and never stored. */
function gitEnvironment({ apiPort, workspace }: Settings): Record<string, string> {
  return {
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: '3',
    GIT_CONFIG_KEY_0: `credential.http://127.0.0.1:${apiPort}.helper`,
    GIT_CONFIG_VALUE_0: '',
    GIT_CONFIG_KEY_1: `credential.http://127.0.0.1:${apiPort}.helper`,
    GIT_CONFIG_VALUE_1:
      '!f() { test "$1" = get && printf "username=x-access-token\\npassword=%s\\n" "$SVC_TOKEN"; }; f',
    // A prepared checkout may belong to the user who made it.
    GIT_CONFIG_KEY_2: 'safe.directory',
    GIT_CONFIG_VALUE_2: workspace,
  }
}
