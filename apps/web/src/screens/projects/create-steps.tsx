import { CREATE_PROJECT_STEPS, type CreateProjectReport, type CreateProjectStep } from '@svc/sdk/react'
import { Check, CircleDashed, LoaderCircle, TriangleAlert } from 'lucide-react'
import { classNames } from '../../ui/class-names.ts'

const names: Readonly<Record<CreateProjectStep, string>> = {
  repository: 'Make the project and its repository',
  commit: 'Write the first commit',
  manifest: 'Read its manifest',
  machine: 'See whether agents can run',
}

/** Every step with how it ended; the first without an end is under way. */
export function CreateSteps({ reports }: { readonly reports: readonly CreateProjectReport[] }) {
  return (
    <ol aria-label="Steps" aria-live="polite" className="flex flex-col gap-2">
      {CREATE_PROJECT_STEPS.map((step, at) => {
        const report = reports.find((one) => one.step === step)
        return (
          <li key={step} className="flex items-start gap-3">
            <StepIcon report={report} isRunning={!report && at === reports.length} />
            <div className="min-w-0">
              <p className={classNames(!report && at !== reports.length && 'text-ink-faint')}>{names[step]}</p>
              {report?.detail && <p className="text-xs break-all text-ink-soft">{report.detail}</p>}
              {report?.error && <p className="text-xs break-words text-warn">{report.error.message}</p>}
            </div>
          </li>
        )
      })}
    </ol>
  )
}

interface StepIconProps {
  readonly report: CreateProjectReport | undefined
  readonly isRunning: boolean
}

function StepIcon({ report, isRunning }: StepIconProps) {
  const look = 'mt-0.5 size-4 shrink-0'
  if (report?.error) return <TriangleAlert className={`${look} text-warn`} aria-label="failed" />
  if (report) return <Check className={`${look} text-good`} aria-label="done" />
  if (isRunning) return <LoaderCircle className={`${look} animate-spin text-accent`} aria-label="under way" />
  return <CircleDashed className={`${look} text-ink-faint`} aria-label="to come" />
}
