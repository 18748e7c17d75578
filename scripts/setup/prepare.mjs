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
 * @param {() => Promise<void>} [besideBuild] what needs the packages and no build, done while it goes on
 * @returns {Promise<{ setupMs: number }>}
 */
export async function prepare(purpose, besideBuild = async () => undefined) {
  const startedAt = performance.now()
  requireNode()
  if (isPrepared(purpose)) {
    await besideBuild()
  } else {
    await withSetupLock(async () => {
      // The one waits for the network, the other for the disk.
      await allOf([installPackages(), installSystemPackages(purpose)])
      await allOf([buildWorkspaces(), besideBuild()])
    })
  }
  return { setupMs: Math.round(performance.now() - startedAt) }
}

/**
 * Fails like `Promise.all`, but leaves nothing running behind.
 *
 * @param {Promise<unknown>[]} parts
 */
async function allOf(parts) {
  await Promise.allSettled(parts)
  await Promise.all(parts)
}

/** @param {'start' | 'test'} purpose */
const isPrepared = (purpose) =>
  checkPackages().current && listMissing(purpose).length === 0 && planBuild().stale.length === 0

function requireNode() {
  if (isAtLeast(process.version, oldestNode)) return
  throw new Error(`This is Node ${process.version}; the platform needs ${oldestNode} or newer: https://nodejs.org`)
}
