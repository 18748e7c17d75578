import { useProject, useProjectTokens } from '@svc/sdk/react'
import { useNavigate, useParams } from '@tanstack/react-router'
import { CreateToken, TokenList } from '../../tokens/token-list.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { FeatureFlags } from './feature-flags.tsx'
import { ProjectForm } from './project-form.tsx'

export function SettingsScreen() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const project = useProject(projectId)
  return (
    <Page title="Settings">
      <QueryView query={project}>
        {(data) => (
          <>
            <Section title="Project">
              <ProjectForm key={data.updated_at} project={data} onSave={project.update.mutateAsync} />
            </Section>
            <Section title="Repository" intro="Clone it with git; a token of yours is the password.">
              <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface p-3">
                <code className="min-w-0 flex-1 basis-64 font-mono text-xs break-all">
                  git clone {data.git_origin_url}
                </code>
                <CopyButton text={`git clone ${data.git_origin_url}`} />
              </div>
            </Section>
            <FeatureFlags flags={data.experimental_features} onSet={project.setFeatureFlag.mutateAsync} />
            <Archive projectId={projectId} onArchive={() => project.archive.mutateAsync({})} />
            <ProjectTokens projectId={projectId} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function ProjectTokens({ projectId }: { readonly projectId: string }) {
  const tokens = useProjectTokens(projectId)
  return (
    <Section
      title="Tokens"
      intro="For programs that work on this project alone."
      actions={<CreateToken onCreate={(name) => tokens.create.mutateAsync({ name })} />}
    >
      <QueryView query={tokens}>
        {({ items }) => <TokenList tokens={items} onRevoke={tokens.revoke.mutateAsync} />}
      </QueryView>
    </Section>
  )
}

function Archive({ onArchive }: { readonly projectId: string; readonly onArchive: () => Promise<unknown> }) {
  const navigate = useNavigate()
  const archive = async () => {
    await onArchive()
    showToast('Archived. Its repository is kept.')
    await navigate({ to: '/projects' })
  }
  return (
    <Section
      title="Archive"
      intro="The project disappears from the lists and its sessions stop. Its repository is kept."
    >
      <div>
        <ConfirmDialog
          title="Archive this project?"
          description="Its sessions stop. The repository and the audit log are kept."
          confirmLabel="Archive"
          trigger={<Button look="danger">Archive the project</Button>}
          onConfirm={archive}
        />
      </div>
    </Section>
  )
}
