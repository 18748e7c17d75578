import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Capability } from '../../kernel/capability.ts'
import { defineJob, defineSchedule } from '../../kernel/jobs/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type MachineMaker, withTemplates } from './make-machine.ts'
import type { Parts, TemplatesOptions } from './parts.ts'
import { prepareTemplate, resolveTemplate, type TemplateQuestion } from './prepare-template.ts'
import { templateRoutes } from './routes.ts'
import { createBuildJob } from './run-build.ts'
import { createTransitionJob } from './run-transition.ts'
import { cleanBuilds, failAbandonedBuilds } from './store/builds.ts'
import { findSelectedProviders } from './store/choices.ts'

export { BuildError, type BuildErrorCategory } from './build-error.ts'
export type { TemplatesOptions } from './parts.ts'
export type { ResolvedTemplate, TemplateQuestion } from './prepare-template.ts'

export type Templates = ReturnType<typeof createTemplates>

/** Longer than a build may take, with all its attempts. */
const abandonedAfterMs = 3 * 60 * 60_000
const buildsKept = 200

/** What sandboxes are made from: templates, their images, and the provider that runs them. */
export function createTemplates(kernel: Kernel, options: TemplatesOptions) {
  const parts: Parts = { ...options, kernel }
  const build = createBuildJob(parts)
  const transition = createTransitionJob(parts)
  const sweep = defineJob({
    name: 'sandbox.sweep-builds',
    payload: z.object({}),
    maxAttempts: 3,
    async run() {
      await failAbandonedBuilds(kernel.database.db, new Date(kernel.clock.nowMs() - abandonedAfterMs))
      await cleanBuilds(kernel.database.db, buildsKept)
    },
  })
  const capability: Capability = {
    routes: templateRoutes(parts, { build, transition }),
    jobs: [build, transition, sweep],
    schedules: [defineSchedule({ name: 'sandbox.sweep-builds', cron: '*/10 * * * *', job: sweep, payload: {} })],
  }
  return {
    ...capability,
    /** What a machine of the template would be made from; throws what a caller should be told when there is none. */
    resolveTemplate: (question: TemplateQuestion) => resolveTemplate(parts, question),
    /** The same, with its image there: built first when needed. */
    prepareTemplate: (question: TemplateQuestion & { accountId: string; signal: AbortSignal }) =>
      prepareTemplate(parts, build, question),
    /** Machines that are made from their template's image, which is built first when it is not there. */
    machinesOf: <Source extends MachineMaker>(machines: Source) => withTemplates(parts, build, machines),
    /** The provider each project chose; those that chose none are left out. */
    selectedProviders: (projectIds: readonly string[]) => findSelectedProviders(kernel.database.db, projectIds),
    /** Before anybody is served: removes what builds of a killed process left on disk. */
    repair: () => rm(join(kernel.config.dataDir, 'builds'), { recursive: true, force: true }),
  }
}
