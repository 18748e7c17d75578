import { posix } from 'node:path'
import { defaultConfigDir, type MachinePaths } from '../machine-paths.ts'
import type { BootFile, PreparedRuntime, RuntimeInput, WarmRuntime } from '../runtime.ts'
import { buildConfig, buildWarmConfig } from './build-config.ts'
import { renderWarmUpPlugin } from './warm-up-plugin.ts'

/** What a machine needs to run opencode: its files, its environment and the command that starts it. */
export function prepareOpencode(input: RuntimeInput, paths: MachinePaths): PreparedRuntime {
  const { defaults, overlay, files } = buildConfig(input, paths)
  const configDir = posix.join(paths.workspace, input.configDir ?? defaultConfigDir)
  const readsRepository = input.hasRepository !== false
  // Certificates are read once, when the runtime starts: one that waited does not know those of the project.
  const settle = input.meetsOwnCertificates ? {} : { settle: settleOf(paths) }
  return {
    process: {
      ...describeProcess(paths),
      env: {
        OPENCODE_CONFIG_CONTENT: overlay,
        ...(readsRepository ? { OPENCODE_CONFIG_DIR: configDir } : { OPENCODE_DISABLE_PROJECT_CONFIG: '1' }),
        ...offline,
      },
      ...settle,
      wakePath: '/config',
    },
    files: [...files, ...lastingFiles(paths, defaults)],
  }
}

/** The same program with everything that no session changes. */
export function prepareWarmOpencode(paths: MachinePaths): WarmRuntime {
  const folder = posix.join(paths.tmp, 'svc-warm-up')
  const plugin = posix.join(paths.home, '.svc/warm-up.mjs')
  const modelPort = paths.port + 1
  const lines = { warmLine: 'svc: the runtime is warm', takenLine: 'svc: the runtime has its session' }
  const { defaults, overlay } = buildWarmConfig({ paths, plugin, modelUrl: `http://127.0.0.1:${modelPort}/v1` })
  return {
    process: { ...describeProcess(paths), env: { OPENCODE_CONFIG_CONTENT: overlay, ...offline } },
    files: [
      ...lastingFiles(paths, defaults),
      {
        path: plugin,
        content: renderWarmUpPlugin({ folder, modelPort, settle: settleOf(paths), tools: paths.tools, ...lines }),
        mode: 0o644,
      },
      { path: posix.join(folder, 'README'), content: 'Nothing is kept here.\n', mode: 0o644 },
    ],
    warmUpPath: `/config?directory=${encodeURIComponent(folder)}`,
    ...lines,
  }
}

const launcherOf = ({ home }: MachinePaths) => posix.join(home, '.svc/launch-opencode.sh')
const settleOf = (paths: MachinePaths) => ['/bin/sh', launcherOf(paths), 'settle']
const settingsOf = ({ home }: MachinePaths) => posix.join(home, '.config/opencode')

const describeProcess = (paths: MachinePaths) => ({
  kind: 'opencode' as const,
  argv: ['/bin/sh', launcherOf(paths)],
  port: paths.port,
  readyLine: 'listening on',
})

/** The runtime reads these once: they are the same for every session. */
function lastingFiles(paths: MachinePaths, defaults: object): BootFile[] {
  const settings = settingsOf(paths)
  return [
    { path: posix.join(settings, 'opencode.json'), content: JSON.stringify(defaults), mode: 0o644 },
    ...pluginStub(settings),
    { path: launcherOf(paths), content: renderLauncher(settings, paths), mode: 0o755 },
  ]
}

/** It asks nobody for updates, models, language servers or plugins: a machine works without a network. */
const offline = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_SHARE: '1',
  OPENCODE_DISABLE_EMBEDDED_WEB_UI: '1',
}

/**
 * In every folder of settings the runtime installs its plugin package from the network, unless a lock file there names
 * it already. The stand-in does what tools need of it offline.
 */
function pluginStub(folder: string): BootFile[] {
  const module = posix.join(folder, 'node_modules/@opencode-ai/plugin')
  const name = '@opencode-ai/plugin'
  const manifest = { name, version: '0.0.0', type: 'module', exports: './index.js' }
  const lock = { lockfileVersion: 3, packages: { '': { dependencies: { [name]: '*' } } } }
  return [
    { path: posix.join(folder, 'package-lock.json'), content: JSON.stringify(lock), mode: 0o644 },
    { path: posix.join(module, 'package.json'), content: JSON.stringify(manifest), mode: 0o644 },
    { path: posix.join(module, 'index.js'), content: 'export const tool = (definition) => definition\n', mode: 0o644 },
  ]
}

/**
 * Git in the workspace does not see what it adds. A repository without a folder of settings gets one: the runtime would
 * make it and install its package there. With `settle` it prepares the workspace and starts nothing.
 */
function renderLauncher(settings: string, { workspace, opencode, tools, port }: MachinePaths): string {
  return `#!/bin/sh
stand_in() {
  [ -d "$1" ] || return 0
  [ -e "$1/node_modules" ] || [ -e "$1/package-lock.json" ] && return 0
  cp -R '${settings}/node_modules' '${settings}/package-lock.json' "$1/" || return 0
  [ -d '${workspace}/.git' ] && mkdir -p '${workspace}/.git/info' || return 0
  folder="\${1#${workspace}}"
  printf '%s\\n' "$folder/node_modules" "$folder/package-lock.json" "$folder/.gitignore" >> '${workspace}/.git/info/exclude'
}
if [ -n "$OPENCODE_CONFIG_DIR" ]; then
  # A workspace that is still to be cloned stays empty.
  [ ! -d '${workspace}/.git' ] || mkdir -p "$OPENCODE_CONFIG_DIR"
  stand_in "$OPENCODE_CONFIG_DIR"
fi
[ -n "$OPENCODE_DISABLE_PROJECT_CONFIG" ] || stand_in '${workspace}/.opencode'
[ "$1" = settle ] && exit 0
PATH='${tools}':"$PATH"
export PATH
exec '${opencode}' serve --hostname 127.0.0.1 --port ${port}
`
}
