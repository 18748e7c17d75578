import { useGatewayBudgets } from '@svc/sdk/react'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { List, Row } from '../../ui/list.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { formatDollars } from './format-usage.ts'
import { useModelsProject } from './models-frame.tsx'

type BudgetQuery = ReturnType<typeof useGatewayBudgets>
type Period = 'day' | 'week' | 'month'
type Action = 'block' | 'warn'

/** What may be spent on models. The worst case of a call is set aside before it is made, so a limit holds. */
export function BudgetsScreen() {
  const projectId = useModelsProject()
  const budgets = useGatewayBudgets(projectId)
  return (
    <Section title="Budgets" intro="A limit that blocks cannot be overrun." actions={<SetBudget budgets={budgets} />}>
      <QueryView query={budgets}>
        {({ budgets: rows }) =>
          rows.length === 0 ? (
            <EmptyState title="No budgets">Without one, calls are limited by what the account may spend.</EmptyState>
          ) : (
            <List label="Budgets">
              {rows.map((row) => (
                <Row
                  key={row.budget_id}
                  title={row.scope === 'project' ? 'The whole project' : `One ${row.scope}`}
                  note={`${formatDollars(row.spent_usd)} of ${formatDollars(row.limit_usd)} this ${row.period}`}
                >
                  {row.spent_usd >= row.limit_usd && <Badge tone="bad">used up</Badge>}
                  <Badge tone={row.action === 'block' ? 'accent' : 'warn'}>
                    {row.action === 'block' ? 'blocks' : 'warns'}
                  </Badge>
                  <ConfirmDialog
                    title="Remove this budget?"
                    description="Calls are no longer held against it. You can set it again."
                    confirmLabel="Remove"
                    trigger={<Button size="small">Remove</Button>}
                    onConfirm={() => budgets.remove.mutateAsync(row.budget_id)}
                  />
                </Row>
              ))}
            </List>
          )
        }
      </QueryView>
    </Section>
  )
}

function SetBudget({ budgets }: { readonly budgets: BudgetQuery }) {
  const [limit, setLimit] = useState('')
  const [period, setPeriod] = useState<Period>('month')
  const [action, setAction] = useState<Action>('block')
  const usd = Number(limit)
  return (
    <FormDialog
      title="Budget of the project"
      submitLabel="Set"
      isComplete={limit.trim() !== '' && Number.isFinite(usd) && usd >= 0}
      trigger={<Button icon={<Plus className="size-4" aria-hidden />}>Set a budget</Button>}
      onSubmit={() => budgets.set.mutateAsync({ scope: 'project', limit_usd: usd, period, action })}
    >
      <TextField
        label="Limit in US dollars"
        inputMode="decimal"
        value={limit}
        onChange={(event) => setLimit(event.target.value)}
      />
      <SelectField label="For each" value={period} onChange={(event) => setPeriod(event.target.value as Period)}>
        <option value="day">Day</option>
        <option value="week">Week</option>
        <option value="month">Month</option>
      </SelectField>
      <SelectField
        label="When it is used up"
        value={action}
        onChange={(event) => setAction(event.target.value as Action)}
      >
        <option value="block">Refuse calls</option>
        <option value="warn">Go on, and say so</option>
      </SelectField>
    </FormDialog>
  )
}
