import { useParams } from '@tanstack/react-router'
import { modelTabs } from '../../shell/sections.ts'
import { ProjectTabs } from '../project/project-tabs.tsx'

/** What all screens about models share. */
export function ModelsFrame() {
  return (
    <ProjectTabs
      title="Models"
      intro="Which models answer, what they were called for, what they cost, and what may be spent."
      tabs={modelTabs}
    />
  )
}

export const useModelsProject = () => useParams({ from: '/projects/$projectId' }).projectId
