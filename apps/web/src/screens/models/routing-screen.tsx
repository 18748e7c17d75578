import { useGatewayRouting, useProjectModels } from '@svc/sdk/react'
import { useKeptDraft } from '../../data/use-kept-draft.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { LeaveDialog } from '../../ui/leave-dialog.tsx'
import { Notice, ProblemNotice } from '../../ui/notice.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { FallbackOn } from './fallback-on.tsx'
import { ModelChain } from './model-chain.tsx'
import { useModelsProject } from './models-frame.tsx'
import { RoutePreview } from './route-preview.tsx'
import { RoutingRules } from './routing-rules.tsx'

type Routing = ReturnType<typeof useGatewayRouting>
type Document = NonNullable<Routing['data']>
type Policy = Document['project']

/** Which model answers, and which take over when it cannot. */
export function RoutingScreen() {
  const projectId = useModelsProject()
  const routing = useGatewayRouting(projectId)
  const models = useProjectModels(projectId)
  return (
    <QueryView query={routing}>
      {(document) => (
        <>
          {models.error && <ProblemNotice error={models.error} onRetry={() => void models.refetch()} />}
          <RoutePreview routing={routing} models={Object.keys(models.data?.models ?? {})} />
          <PolicyForm document={document} models={Object.keys(models.data?.models ?? {})} routing={routing} />
        </>
      )}
    </QueryView>
  )
}

const sources = { project: 'this project’s', account: 'the account’s', platform: 'the platform’s' } as const

interface PolicyFormProps {
  readonly document: Document
  readonly models: readonly string[]
  readonly routing: Routing
}

function PolicyForm({ document, models, routing }: PolicyFormProps) {
  const { draft, setDraft, isChanged, isOvertaken, ...kept } = useKeptDraft<Policy>(document.project)
  const isOff = !document.capabilities.write
  const { effective, platform } = document
  const fallback = draft.defaultFallback
  const set = (part: Partial<Policy>) => setDraft({ ...draft, ...part })
  const save = async () => {
    // What somebody else saved meanwhile is not replaced unasked.
    const { data: now } = await routing.refetch()
    if (now && kept.isOvertakenBy(now.project)) return
    await routing.set.mutateAsync({ ...draft })
    showToast('Saved. New calls follow it.')
  }
  return (
    <Section
      title="Policy"
      intro={`Now ${effective.defaultModel} answers by default: ${sources[effective.defaultModelSource]} choice.`}
      actions={
        !isOff && (
          <ConfirmDialog
            title="Go back to the platform’s routing?"
            description="The default model, the fallbacks and the rules of this project are removed."
            confirmLabel="Remove them"
            trigger={<Button size="small">Reset</Button>}
            onConfirm={() => routing.reset.mutateAsync(undefined)}
          />
        )
      }
    >
      <LeaveDialog unsaved={isChanged ? 'the routing' : undefined} />
      {isOvertaken && (
        <Notice tone="warn">
          <p className="font-medium">Somebody else saved another routing since you began.</p>
          <p className="mt-1">What you changed is still below, and is not saved.</p>
          <div className="mt-2 flex flex-wrap gap-2">
            <Button size="small" onClick={kept.keepMine}>
              Go on with mine
            </Button>
            <Button size="small" onClick={kept.takeTheirs}>
              Take theirs
            </Button>
          </div>
        </Notice>
      )}
      {isOff && <Notice>You may look at the routing of this project, not change it.</Notice>}
      <div className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4">
        <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
          <ModelField
            label="Default model"
            hint="Answers when a call asks for “auto”."
            unset={`Not chosen here (${platform.defaultModel})`}
            value={draft.defaultModel}
            models={models}
            isOff={isOff}
            onChange={(defaultModel) => set({ defaultModel })}
          />
          <ModelField
            label="Model for pictures"
            hint="Takes over where a call holds a picture that its model cannot see."
            unset={platform.visionModel ?? 'None'}
            value={draft.visionModel}
            models={models}
            isOff={isOff}
            onChange={(visionModel) => set({ visionModel })}
          />
        </div>
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 font-medium">When the default model fails, try</legend>
          <ModelChain
            label="Fallback models"
            models={fallback?.models ?? []}
            choices={models}
            isOff={isOff}
            onChange={(next) =>
              set({
                defaultFallback:
                  next.length === 0 ? null : { models: next, fallbackOn: fallback?.fallbackOn ?? 'transient' },
              })
            }
          />
          {fallback && (
            <FallbackOn
              value={fallback.fallbackOn}
              isOff={isOff}
              onChange={(fallbackOn) => set({ defaultFallback: { ...fallback, fallbackOn } })}
            />
          )}
        </fieldset>
        <RoutingRules rules={draft.rules} models={models} isOff={isOff} onChange={(rules) => set({ rules })} />
        {routing.set.error && <ProblemNotice error={routing.set.error} />}
        {!isOff && (
          <div className="flex gap-2">
            <Button
              look="primary"
              disabled={!isChanged || isOvertaken}
              isBusy={routing.set.isPending}
              // The refusal is shown above the button.
              onClick={() => void save().catch(() => undefined)}
            >
              Save
            </Button>
            <Button look="quiet" disabled={!isChanged} onClick={kept.takeTheirs}>
              Undo all
            </Button>
          </div>
        )}
      </div>
    </Section>
  )
}

interface ModelFieldProps {
  readonly label: string
  readonly hint: string
  readonly unset: string
  readonly value: string | null
  readonly models: readonly string[]
  readonly isOff: boolean
  readonly onChange: (model: string | null) => void
}

function ModelField({ label, hint, unset, value, models, isOff, onChange }: ModelFieldProps) {
  const names = value === null || models.includes(value) ? models : [value, ...models]
  return (
    <SelectField
      label={label}
      hint={hint}
      value={value ?? ''}
      disabled={isOff}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">{unset}</option>
      {names.map((model) => (
        <option key={model} value={model}>
          {model}
        </option>
      ))}
    </SelectField>
  )
}
