import { serverLayers, sqlRule } from './rules.mjs'

/** @typedef {import('./check-tree.mjs').Source} Source */

/**
 * @param {Source} source
 * @param {string} target
 * @param {string} at
 * @returns {string[]}
 */
export function checkLayer(source, target, at) {
  const { folder, kernel, door, composition } = serverLayers
  const prefix = `${folder}/src/`
  if (source.folder !== folder || !target.startsWith(prefix) || composition.test(source.inside)) return []

  const from = splitLayer(source.inside)
  const to = splitLayer(target.slice(prefix.length))
  if (to.layer === from.layer || to.layer === kernel) return []
  if (from.layer === kernel) return [`${at} imports ${target}: the kernel imports nothing but the kernel`]
  if (to.layer === '') return [`${at} imports ${target}: only composition files stand above the capabilities`]
  if (from.layer === '') return [`${at} imports ${target}: only main.ts and platform.ts may import capabilities`]
  if (to.rest === door || source.isTest) return []
  return [`${at} imports ${target}: reach ${to.layer} through ${to.layer}/${door}`]
}

/**
 * @param {Source} source
 * @returns {string[]}
 */
export function checkSql(source) {
  const { folder, modules, tag, allowedIn } = sqlRule
  if (source.folder !== folder || source.isTest || allowedIn.some((pattern) => pattern.test(source.inside))) return []
  const why = 'SQL belongs in store.ts or schema.ts of the capability, or in the kernel'
  const imports = source.scanned.imports.filter(
    ({ module, typeOnly }) => !typeOnly && modules.some((name) => module === name || module.startsWith(`${name}/`)),
  )
  const tags = source.scanned.tags.filter(({ name }) => name === tag)
  return [
    ...imports.map(({ module, line }) => `${source.path}:${line} imports ${module}: ${why}`),
    ...tags.map(({ line }) => `${source.path}:${line} has a ${tag} template: ${why}`),
  ]
}

/** @param {string} inside */
function splitLayer(inside) {
  const slash = inside.indexOf('/')
  return slash < 0 ? { layer: '', rest: inside } : { layer: inside.slice(0, slash), rest: inside.slice(slash + 1) }
}
