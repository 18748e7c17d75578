import type { CreateMachineInput } from '../create-machine.ts'
import type { MachineRow } from '../store.ts'
import type { Parts } from './parts.ts'
import { prepareTemplate } from './prepare-template.ts'
import type { BuildJob } from './request-build.ts'

export interface MachineMaker {
  findMachine(sandboxId: string): Promise<MachineRow | undefined>
  createMachine(input: CreateMachineInput): Promise<MachineRow>
}

/** A first build may fetch an image and compile half the world; a session waits for it no longer than this. */
const patienceMs = 35 * 60_000

/** A machine keeps the image it was first made from; only a new one looks at what its template is now. */
export function withTemplates<Source extends MachineMaker>(parts: Parts, job: BuildJob, machines: Source): Source {
  return {
    ...machines,
    async createMachine(input: CreateMachineInput) {
      if (input.image !== undefined || (await machines.findMachine(input.sandboxId)))
        return machines.createMachine(input)
      const { projectId, accountId, templateSlug, provider } = input
      const signal = AbortSignal.timeout(patienceMs)
      const question = { projectId, accountId, slug: templateSlug, provider, signal }
      const found = await prepareTemplate(parts, job, question)
      const { image, resources, entrypoint } = found
      const made = {
        ...input,
        provider: found.provider,
        templateSlug: found.slug,
        resources: input.resources ?? resources,
      }
      if (image === undefined) return machines.createMachine(made)
      return machines.createMachine({ ...made, image, ...(entrypoint === null ? {} : { entrypoint }) })
    },
  }
}
