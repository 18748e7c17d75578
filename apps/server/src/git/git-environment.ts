/**
 * What every git process starts with. Nothing of the machine's or the operator's own git set-up reaches it: no system
 * or global configuration, no hooks, no prompts, no credential helpers, no outbound protocol unless a caller opens one.
 */
const settings: Record<string, string> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.quotePath': 'false',
  'core.warnAmbiguousRefs': 'false',
  // A force-push or a merge can be undone: the old tip stays in the reflog until it expires.
  'core.logAllRefUpdates': 'true',
  // What was acknowledged survives a power cut, loose objects included.
  'core.fsync': 'committed,loose-object,reference',
  'core.fsyncMethod': 'batch',
  'core.filesRefLockTimeout': '2000',
  'core.packedRefsTimeout': '5000',
  // Blobs above this are streamed by git, never held in its memory.
  'core.bigFileThreshold': '16m',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'protocol.allow': 'never',
  'safe.directory': '*',
  'submodule.recurse': 'false',
  'log.showSignature': 'false',
  'diff.renameLimit': '1000',
  'merge.renameLimit': '1000',
  'pack.threads': '2',
  'pack.windowMemory': '128m',
  'uploadpack.allowFilter': 'true',
  'uploadpack.advertiseBundleURIs': 'false',
  'transfer.fsckObjects': 'true',
  'transfer.hideRefs': 'refs/svc',
  'transfer.advertiseSID': 'false',
}

const inherited = ['PATH', 'TMPDIR', 'TZ', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'GIT_EXEC_PATH']

export type GitSettings = Readonly<Record<string, string>>

export function buildGitEnvironment(
  extraSettings: GitSettings = {},
  extraVariables: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { ...baseVariables(), ...encodeSettings({ ...settings, ...extraSettings }), ...extraVariables }
}

function baseVariables(): Record<string, string> {
  const variables: Record<string, string> = {
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    SHELL: '/bin/sh',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'false',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_DEFAULT_REF_FORMAT: 'files',
    GIT_NO_LAZY_FETCH: '1',
    GIT_COMMITTER_NAME: 'svc',
    GIT_COMMITTER_EMAIL: 'git@svc.invalid',
    GIT_AUTHOR_NAME: 'svc',
    GIT_AUTHOR_EMAIL: 'git@svc.invalid',
  }
  for (const name of inherited) {
    const value = process.env[name]
    if (value !== undefined) variables[name] = value
  }
  return variables
}

function encodeSettings(all: GitSettings): Record<string, string> {
  const encoded: Record<string, string> = {}
  const entries = Object.entries(all)
  encoded.GIT_CONFIG_COUNT = String(entries.length)
  entries.forEach(([key, value], index) => {
    encoded[`GIT_CONFIG_KEY_${index}`] = key
    encoded[`GIT_CONFIG_VALUE_${index}`] = value
  })
  return encoded
}
