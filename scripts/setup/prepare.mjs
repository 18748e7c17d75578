import { buildWorkspaces, planBuild } from '../build/build-workspaces.mjs'
import { installPackages } from './install-packages.mjs'
import { installSystemPackages, listMissing } from './install-system-packages.mjs'
import { checkPackages } from './packages-state.mjs'
import { isAtLeast, oldestNode } from './repository.mjs'
import { withSetupLock } from './setup-lock.mjs'

/**
 * Everything between a bare clone and a program that can run: npm packages, system packages, builds. With nothing to
 * do it only looks, in well under 300 ms.
 *
 * @param {'start' | 'test'} purpose
 * @returns {Promise<{ setupMs: number }>}
 */
export async function prepare(purpose) {
  const startedAt = performance.now()
  requireNode()
  if (!isPrepared(purpose)) {
    await withSetupLock(async () => {
      await installPackages()
      await installSystemPackages(purpose)
      await buildWorkspaces()
    })
  }
  return { setupMs: Math.round(performance.now() - startedAt) }
}

/** @param {'start' | 'test'} purpose */
const isPrepared = (purpose) =>
  checkPackages().current && listMissing(purpose).length === 0 && planBuild().stale.length === 0

function requireNode() {
  if (isAtLeast(process.version, oldestNode)) return
  throw new Error(`This is Node ${process.version}; the platform needs ${oldestNode} or newer: https://nodejs.org`)
}
