import { isBuiltin } from 'node:module'
import { outerFolders, workspaceRules } from './rules.mjs'

/** @typedef {import('./check-tree.mjs').Source} Source */
/** @typedef {import('./scan-imports.mjs').FoundImport} FoundImport */
/** @typedef {import('../build/workspaces.mjs').Workspace} Workspace */

/**
 * @param {Source} source
 * @param {FoundImport} found
 * @param {Workspace} target
 * @param {Map<string, Workspace>} byName
 * @param {string} at
 * @returns {string[]}
 */
export function checkWorkspaceImport(source, found, target, byName, at) {
  if (target.path === source.folder) return [`${at} imports its own package by name: use a relative path`]
  const outer = outerFolders.find(({ folder }) => folder === source.folder)
  if (outer) return checkOuter(outer, found, target, at)

  const rule = workspaceRules.find(({ folder }) => folder === source.folder)
  if (!rule) return []
  const problems = checkDeclared(source, target, byName, at)
  if (rule.mayImport.includes(target.path)) return problems
  if (!rule.typesOnly?.includes(target.path)) {
    return [`${at} imports ${found.module}: ${describeAllowed(rule)}`, ...problems]
  }
  if (found.typeOnly || source.isTest || rule.typesOnlyExcept?.includes(found.module)) return problems
  return [
    `${at} imports ${found.module} at run time: ${source.folder} may use its types only, write import type`,
    ...problems,
  ]
}

/**
 * @param {Source} source
 * @param {FoundImport} found
 * @param {string} at
 * @returns {string[]}
 */
export function checkBuiltin(source, found, at) {
  const rule = workspaceRules.find(({ folder }) => folder === source.folder)
  if (!rule?.noNodeBuiltins || source.isTest || !isBuiltin(found.module)) return []
  if (rule.nodeBuiltinsIn?.some((folder) => source.inside.startsWith(folder))) return []
  const where = rule.nodeBuiltinsIn?.map((folder) => `${source.folder}/src/${folder}`).join(', ')
  const allowed = where ? `Node built-ins belong in ${where}` : 'no Node built-ins there'
  return [`${at} imports ${found.module}: ${source.folder} also runs in browsers, ${allowed}`]
}

/**
 * @param {{ folder: string, mayImport: string | string[] }} outer
 * @param {FoundImport} found
 * @param {Workspace} target
 * @param {string} at
 */
function checkOuter(outer, found, target, at) {
  if (outer.mayImport === 'everything' || outer.mayImport.includes(target.path)) return []
  return [`${at} imports ${found.module}: ${describeAllowed({ ...outer, mayImport: [...outer.mayImport] })}`]
}

/**
 * The order of builds comes from package.json, so an import that is not declared there is built too late.
 *
 * @param {Source} source
 * @param {Workspace} target
 * @param {Map<string, Workspace>} byName
 * @param {string} at
 */
function checkDeclared(source, target, byName, at) {
  const owner = [...byName.values()].find((workspace) => workspace.path === source.folder)
  if (!owner || owner.needs.includes(target.name)) return []
  return [
    `${at} imports ${target.name}, which ${source.folder}/package.json does not name as a dependency: add it there`,
  ]
}

/** @param {{ folder: string, mayImport: string[], typesOnly?: string[] }} rule */
function describeAllowed({ folder, mayImport, typesOnly = [] }) {
  const allowed = [...mayImport, ...typesOnly.map((one) => `${one} (types only)`)]
  return `${folder} may import ${allowed.length > 0 ? allowed.join(', ') : 'nothing of ours'}`
}
