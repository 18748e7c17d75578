import { z } from 'zod'
import { defineTopic } from '../kernel/events/index.ts'

/** Branches or tags of a project's repository have moved. Whoever remembers something read from it looks again. */
export const repositoryChanged = defineTopic(
  'repository.changed',
  z.object({
    project_id: z.string(),
    account_id: z.string(),
    refs: z.array(z.object({ ref: z.string(), old_sha: z.string().nullable(), new_sha: z.string().nullable() })),
    /** The default branch is among them: manifest, agents and connectors may have changed. */
    moves_default: z.boolean(),
  }),
)
