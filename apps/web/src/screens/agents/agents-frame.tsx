import { agentTabs } from '../../shell/sections.ts'
import { ProjectTabs } from '../project/project-tabs.tsx'

/** Who works in a project, and the manifest that says so. */
export function AgentsFrame() {
  return (
    <ProjectTabs
      title="Agents"
      intro="Declared in the repository; a change to it is a change request like any other."
      tabs={agentTabs}
    />
  )
}
