import { useProject, useProjectConfig } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { ManifestEditor } from './manifest-editor.tsx'

export function ManifestScreen() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const config = useProjectConfig(projectId)
  const path = useProject(projectId).data?.manifest_path ?? 'svc.yaml'
  return (
    <QueryView query={config}>
      {({ manifest_raw: text }) =>
        text === null ? (
          <EmptyState title="No manifest">
            Add <code className="font-mono">{path}</code> to the repository.
          </EmptyState>
        ) : (
          <ManifestEditor key={projectId} projectId={projectId} path={path} stored={text} />
        )
      }
    </QueryView>
  )
}
