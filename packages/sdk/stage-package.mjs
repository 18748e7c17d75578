// Lays out what is published: the built files and a manifest without anything that only the workspace needs.
//   node packages/sdk/stage-package.mjs <folder> [<built dist>]    then: npm publish <folder>
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

/**
 * @param {string} folder where the package is laid out
 * @param {string} [dist] the built files
 */
export function stagePackage(folder, dist = join(here, 'dist')) {
  mkdirSync(folder, { recursive: true })
  cpSync(dist, join(folder, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.build-hash') })
  const root = join(here, '..', '..')
  for (const [from, name] of [
    [join(here, 'README.md'), 'README.md'],
    [join(root, 'LICENSE'), 'LICENSE'],
  ]) {
    if (existsSync(from)) cpSync(from, join(folder, name))
  }
  const { private: _private, devDependencies: _dev, scripts: _scripts, ...manifest } = readManifest()
  for (const entry of Object.values(manifest.exports)) if (typeof entry === 'object') delete entry['svc-source']
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** @returns {Record<string, any>} */
function readManifest() {
  return JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder, dist] = process.argv.slice(2)
  if (!folder) throw new Error('Name the folder to lay the package out in.')
  stagePackage(folder, dist)
}
