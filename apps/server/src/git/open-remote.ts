import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkRemoteUrl, type RemoteUrl } from './check-remote-url.ts'
import { explainRemoteFailure } from './explain-remote-failure.ts'
import type { GitSettings } from './git-environment.ts'
import { GitError } from './git-error.ts'
import type { RunGitOptions } from './run-git.ts'
import { buildSshCommand, sshProxyScript } from './ssh-command.ts'

export type RemoteCredential =
  | { readonly type: 'basic'; readonly username?: string; readonly password: string }
  | { readonly type: 'ssh'; readonly privateKey: string }

export interface RemoteAccess {
  readonly url: string
  readonly credential?: RemoteCredential | null
  /** The guarded dialer as an HTTP CONNECT proxy. Null dials directly: only for operators who allow every address. */
  readonly proxyUrl: string | null
  /** Where ssh host keys are pinned on first use. Needed for ssh. */
  readonly knownHostsFile?: string
  /** Certificates to trust instead of the system's. */
  readonly caFile?: string
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

export interface OpenRemote {
  readonly remote: RemoteUrl
  readonly options: RunGitOptions
}

const defaultTimeoutMs = 10 * 60_000

/**
 * Prepares git to talk to one foreign repository: only its protocol, only through the proxy, no redirects, and the
 * credential in the environment for exactly that host, never on a command line. Failures come out as typed errors in
 * which the secret cannot appear.
 */
export async function withRemote<T>(access: RemoteAccess, work: (open: OpenRemote) => Promise<T>): Promise<T> {
  const remote = checkRemoteUrl(access.url)
  const keyFolder = access.credential?.type === 'ssh' ? await writeKey(access.credential.privateKey) : null
  try {
    const reach = remote.protocol === 'https' ? reachHttps(remote, access) : reachSsh(access, keyFolder)
    const settings = { 'protocol.allow': 'never', [`protocol.${remote.protocol}.allow`]: 'always', ...reach.settings }
    const variables = { ...reach.variables, GIT_ALLOW_PROTOCOL: remote.protocol, GIT_PROTOCOL_FROM_USER: '0' }
    const timeoutMs = access.timeoutMs ?? defaultTimeoutMs
    return await work({ remote, options: { settings, variables, timeoutMs, signal: access.signal } })
  } catch (error) {
    throw explainRemoteFailure(error, access.credential?.type === 'basic' ? access.credential.password : null)
  } finally {
    if (keyFolder) await rm(keyFolder, { recursive: true, force: true })
  }
}

interface Reach {
  readonly settings: GitSettings
  readonly variables: Readonly<Record<string, string>>
}

function reachHttps(remote: RemoteUrl, { credential, proxyUrl, caFile }: RemoteAccess): Reach {
  const settings: Record<string, string> = {
    'http.followRedirects': 'false',
    'http.lowSpeedLimit': '100',
    'http.lowSpeedTime': '60',
    'http.proxy': proxyUrl ?? '',
    ...(caFile ? { 'http.sslCAInfo': caFile } : {}),
  }
  if (!credential) return { settings, variables: {} }
  if (credential.type !== 'basic') {
    throw new GitError('invalid_input', 'An https repository needs a token or password, not an ssh key.')
  }
  const username = credential.username ?? 'x-access-token'
  if (/[\r\n\0]/.test(username + credential.password)) {
    throw new GitError('invalid_input', 'A git credential is one line.')
  }
  const origin = new URL(remote.url).origin
  settings[`credential.${origin}.helper`] =
    `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$SVC_GIT_USERNAME" "$SVC_GIT_PASSWORD"; }; f`
  return { settings, variables: { SVC_GIT_USERNAME: username, SVC_GIT_PASSWORD: credential.password } }
}

function reachSsh({ credential, proxyUrl, knownHostsFile }: RemoteAccess, keyFolder: string | null): Reach {
  if (!knownHostsFile) throw new GitError('invalid_input', 'An ssh repository needs a file to pin its host key in.')
  if (credential && credential.type !== 'ssh') {
    throw new GitError('invalid_input', 'An ssh repository needs an ssh key, not a token or password.')
  }
  const keyFile = keyFolder ? join(keyFolder, 'key') : null
  const variables: Record<string, string> = {
    GIT_SSH_COMMAND: buildSshCommand({ knownHostsFile, keyFile, usesProxy: proxyUrl !== null }),
    GIT_SSH_VARIANT: 'ssh',
  }
  if (proxyUrl) {
    Object.assign(variables, { SVC_NODE: process.execPath, SVC_SSH_PROXY: proxyUrl, SVC_SSH_CONNECT: sshProxyScript })
  }
  return { settings: {}, variables }
}

/** ssh reads a key only from a file: a private folder of its own, removed when the call ends. */
async function writeKey(privateKey: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-ssh-'))
  await chmod(folder, 0o700)
  const text = privateKey.endsWith('\n') ? privateKey : `${privateKey}\n`
  await writeFile(join(folder, 'key'), text, { mode: 0o600 })
  return folder
}
