import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { listWorkspaces } from '../build/workspaces.mjs'
import { root } from '../setup/repository.mjs'
import { findCircles } from './find-circles.mjs'
import { outerFolders, reachedByTests, testFile, workspaceRules } from './rules.mjs'
import { listSources, scanFile } from './scan-imports.mjs'
import { checkLayer, checkSql } from './server-rules.mjs'
import { checkBuiltin, checkWorkspaceImport } from './workspace-rules.mjs'

/**
 * @typedef {object} Source
 * @property {string} path from the root of the repository
 * @property {string} folder of its workspace, or its outer folder
 * @property {string} inside path below the workspace's src (or below the outer folder)
 * @property {boolean} isTest
 * @property {import('./scan-imports.mjs').ScannedFile} scanned
 */

/**
 * @param {string} [repository]
 * @returns {{ problems: string[], fileCount: number }} every forbidden import and every circle, each with its place
 */
export function checkTree(repository = root) {
  const workspaces = listWorkspaces(repository)
  const byName = new Map(workspaces.map((workspace) => [workspace.name, workspace]))
  const sources = [
    ...workspaces.flatMap(({ path }) => readSources(repository, path, `${path}/src`)),
    ...outerFolders.flatMap(({ folder }) => readSources(repository, folder, folder)),
  ]
  /** @type {Map<string, string[]>} */
  const files = new Map(sources.map((source) => [source.path, []]))
  /** @type {Map<string, string[]>} */
  const packages = new Map(workspaces.map((workspace) => [workspace.path, []]))

  const problems = workspaces.flatMap(checkPlace)
  for (const source of sources) {
    problems.push(...checkSql(source))
    for (const found of source.scanned.imports) {
      const at = `${source.path}:${found.line}`
      const target = resolveRelative(source.path, found.module)
      if (target !== undefined) {
        files.get(source.path)?.push(target)
        problems.push(...checkRelative(source, target, at))
        continue
      }
      const workspace = findWorkspace(byName, found.module)
      if (workspace) packages.get(source.folder)?.push(workspace.path)
      if (workspace) problems.push(...checkWorkspaceImport(source, found, workspace, byName, at))
      problems.push(...checkBuiltin(source, found, at))
    }
  }
  problems.push(...describeCircles(files, 'files'), ...describeCircles(packages, 'packages'))
  return { problems, fileCount: sources.length }
}

/** @param {import('../build/workspaces.mjs').Workspace} workspace */
function checkPlace({ path }) {
  if (workspaceRules.some((rule) => rule.folder === path)) return []
  return [`${path} has no row in scripts/dependencies/rules.mjs: say there what it may import`]
}

/**
 * @param {string} repository
 * @param {string} folder
 * @param {string} sourceFolder
 * @returns {Source[]}
 */
function readSources(repository, folder, sourceFolder) {
  if (!existsSync(join(repository, sourceFolder))) return []
  return listSources(join(repository, sourceFolder)).map((inside) => {
    const path = `${sourceFolder}/${inside}`
    return { path, folder, inside, isTest: testFile.test(inside), scanned: scanFile(join(repository, path)) }
  })
}

/**
 * @param {string} from
 * @param {string} module
 */
const resolveRelative = (from, module) =>
  module.startsWith('.') ? posix.join(posix.dirname(from), module).replace(/\?.*$/, '') : undefined

/**
 * @param {Map<string, import('../build/workspaces.mjs').Workspace>} byName
 * @param {string} module
 */
const findWorkspace = (byName, module) =>
  byName.get(
    module
      .split('/')
      .slice(0, module.startsWith('@') ? 2 : 1)
      .join('/'),
  )

/**
 * @param {Source} source
 * @param {string} target
 * @param {string} at
 */
function checkRelative(source, target, at) {
  if (target.startsWith(`${source.folder}/`)) return checkLayer(source, target, at)
  const outer = outerFolders.find(({ folder }) => folder === source.folder)
  if (outer?.mayImport === 'everything') return []
  if (source.isTest && reachedByTests.some((folder) => target.startsWith(folder))) return []
  return [`${at} reaches out of ${source.folder} to ${target}: import a workspace by its package name`]
}

/**
 * @param {Map<string, string[]>} graph
 * @param {string} of
 */
const describeCircles = (graph, of) =>
  findCircles(graph).map((circle) => `a circle of ${of}: ${circle.join(' -> ')}: move what both need below them`)
