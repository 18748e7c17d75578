import { usePlayground, useProjectModels } from '@svc/sdk/react'
import { Send, Square } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TextArea } from '../../ui/field.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { useModelsProject } from './models-frame.tsx'
import { PlaygroundColumn } from './playground-column.tsx'

const mostModels = 6

/** The same question to up to six models, side by side, as they answer. It counts against the budgets like any call. */
export function PlaygroundScreen() {
  const projectId = useModelsProject()
  const models = useProjectModels(projectId)
  const { answers, isAnswering, ask, stop } = usePlayground(projectId)
  const [picked, setPicked] = useState<readonly string[]>()
  const [prompt, setPrompt] = useState('')
  const [system, setSystem] = useState('')
  return (
    <QueryView query={models}>
      {({ models: known, defaultModel }) => {
        const names = Object.entries(known).flatMap(([id, { enabled }]) => (enabled ? [id] : []))
        const chosen = picked ?? names.filter((one) => one === defaultModel)
        if (names.length === 0)
          return <EmptyState title="No models">Connect a provider, or switch a model on.</EmptyState>
        const submit = (event: FormEvent) => {
          event.preventDefault()
          void ask({ prompt, models: chosen, ...(system.trim() === '' ? {} : { system }) })
        }
        return (
          <>
            <form onSubmit={submit} className="flex flex-col gap-2">
              <ModelPicks names={names} chosen={chosen} onChange={setPicked} />
              <TextArea
                label="Prompt"
                value={prompt}
                maxLength={8_000}
                onChange={(event) => setPrompt(event.target.value)}
              />
              <details>
                <summary className="w-fit cursor-pointer rounded text-ink-soft hover:text-ink">
                  Instructions for the model
                </summary>
                <TextArea
                  label="Instructions"
                  rows={2}
                  value={system}
                  maxLength={4_000}
                  onChange={(event) => setSystem(event.target.value)}
                />
              </details>
              <div className="flex flex-wrap items-center gap-3">
                {isAnswering ? (
                  <Button icon={<Square className="size-4" aria-hidden />} onClick={stop}>
                    Stop
                  </Button>
                ) : (
                  <Button
                    look="primary"
                    type="submit"
                    icon={<Send className="size-4" aria-hidden />}
                    disabled={prompt.trim() === '' || chosen.length === 0}
                  >
                    Ask {chosen.length === 1 ? 'the model' : `${chosen.length} models`}
                  </Button>
                )}
                <span className="text-ink-soft">Counts against the budgets of the project.</span>
              </div>
            </form>
            {answers.length > 0 && (
              <div
                className={classNames(
                  'grid gap-3',
                  answers.length > 1 && 'md:grid-cols-2',
                  answers.length > 2 && 'xl:grid-cols-3',
                )}
              >
                {answers.map((answer) => (
                  <PlaygroundColumn key={answer.model} answer={answer} info={known[answer.model]} />
                ))}
              </div>
            )}
          </>
        )
      }}
    </QueryView>
  )
}

interface ModelPicksProps {
  readonly names: readonly string[]
  readonly chosen: readonly string[]
  readonly onChange: (models: readonly string[]) => void
}

function ModelPicks({ names, chosen, onChange }: ModelPicksProps) {
  const isFull = chosen.length >= mostModels
  const toggle = (name: string) =>
    onChange(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name])
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Models, up to {mostModels}</legend>
      <div className="flex max-h-40 flex-wrap gap-x-4 gap-y-1 overflow-y-auto rounded-lg border border-line bg-surface p-3">
        {names.map((name) => (
          <label key={name} className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              disabled={isFull && !chosen.includes(name)}
              onChange={() => toggle(name)}
            />
            <span className="font-mono text-xs break-all">{name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
