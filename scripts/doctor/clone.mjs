import { planBuild } from '../build/build-workspaces.mjs'
import { checkPackages } from '../setup/packages-state.mjs'
import { root } from '../setup/repository.mjs'
import { broken, ok, warning } from './finding.mjs'
import { findWriteProblem } from './places.mjs'

/** @type {import('./finding.mjs').Examination[]} */
export const clone = [
  { part: 'clone', look: lookAtFolder },
  { part: 'npm packages', look: lookAtPackages },
  { part: 'build', look: lookAtBuild },
]

function lookAtFolder() {
  const problem = findWriteProblem(root)
  if (!problem) return ok(`${root} can be written`)
  return broken(`${root} cannot be written: ${problem}`, 'clone to a folder of yours on a disk that is not read-only')
}

function lookAtPackages() {
  const state = checkPackages({ remember: false })
  if (state.current) return ok('node_modules is what the lock file says')
  const fix = state.why.startsWith('package-lock.json')
    ? 'git checkout package-lock.json'
    : 'npm ci (npm start does it too)'
  return broken(state.why, fix)
}

function lookAtBuild() {
  const { stale, all } = planBuild()
  if (all.length === 0) return broken('no workspace has sources', 'git checkout -- apps packages')
  if (stale.length === 0) return ok(`${all.length} packages are built`)
  const names = stale.map((workspace) => workspace.path).join(', ')
  return warning(`not built or older than the sources: ${names}`, 'npm run build (npm start does it too)')
}
