import { useProjects } from '@svc/sdk/react'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useChosenAccount } from './account-choice.ts'
import { useIsOperator } from './is-operator.ts'
import { accountSections, operatorSections, projectParts, projectSections } from './sections.ts'

export interface Command {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly run: () => void
}

interface Place {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly go: () => unknown
}

/** Every place the palette leads to: sections of the open project first, then screens, then projects. */
export function useCommands(onDone: () => void): readonly Command[] {
  const navigate = useNavigate()
  const { projectId: openId } = useParams({ strict: false })
  const { account } = useChosenAccount()
  const { data: projects = [] } = useProjects(account?.account_id)
  const isOperator = useIsOperator()
  const open = projects.find(({ project_id }) => project_id === openId)
  const sections = open
    ? [...projectSections, ...projectParts].map(({ to, label }) => ({
        id: `section-${label}`,
        label,
        hint: open.name,
        go: () => navigate({ to, params: { projectId: open.project_id } }),
      }))
    : []
  const own = projects.map(({ project_id: projectId, name }) => ({
    id: projectId,
    label: name,
    hint: 'Project',
    go: () => navigate({ to: '/projects/$projectId', params: { projectId } }),
  }))
  const screens: Place[] = [
    { id: 'projects', label: 'Projects', hint: 'Screen', go: () => navigate({ to: '/projects' }) },
    { id: 'profile', label: 'Your profile', hint: 'Screen', go: () => navigate({ to: '/profile' }) },
  ]
  const accountId = account?.account_id
  if (accountId) {
    screens.push(
      ...accountSections.map(({ to, label }) => ({
        id: `account-${label}`,
        label,
        hint: 'Account',
        go: () => navigate({ to, params: { accountId } }),
      })),
    )
  }
  if (isOperator) {
    screens.push(
      ...operatorSections.map(({ to, label }) => ({
        id: `operator-${label}`,
        label: `Operator: ${label}`,
        hint: 'Instance',
        go: () => navigate({ to }),
      })),
    )
  }
  return [...sections, ...screens, ...own].map(({ go, ...command }) => ({
    ...command,
    run: () => {
      onDone()
      void go()
    },
  }))
}
