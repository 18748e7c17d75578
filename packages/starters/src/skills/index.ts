import type { StarterFile } from '../starter-file.ts'
import { documentSkills } from './document-skills.ts'
import { webSkills } from './web-skills.ts'

/** The skills of the `general` starter, as files. */
export const skillFiles: readonly StarterFile[] = [...documentSkills, ...webSkills].map(
  ({ name, description, body }) => ({
    path: `.svc/opencode/skills/${name}/SKILL.md`,
    content: `---\nname: ${name}\ndescription: ${description}\n---\n\n${body.trim()}\n`,
  }),
)
