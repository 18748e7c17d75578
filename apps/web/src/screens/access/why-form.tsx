import { useExplain, usePermissions } from '@svc/sdk/react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Notice, ProblemNotice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { ObjectOptions } from './object-options.tsx'
import { findObject, useObjects } from './use-objects.ts'

interface WhyFormProps {
  readonly accountId: string
  readonly projectId: string
  readonly members: readonly { readonly user_id: string; readonly email?: string | undefined }[]
}

const stepNames: Readonly<Record<string, string>> = {
  token_binding: 'what the token is bound to',
  acting_principal: 'who acts',
  project_binding: 'the project the token is for',
  account_role: 'the role in the account',
  project_role: 'the role in the project',
  object_rule: 'a rule for this very thing',
  agent_grant: 'what the agent was granted',
}

/** May they, and why: the server's own answer, with the rule that decided. */
export function WhyForm({ accountId, projectId, members }: WhyFormProps) {
  const { data } = usePermissions(accountId, 'project')
  const explain = useExplain(accountId)
  const [userId, setUserId] = useState('')
  const [action, setAction] = useState('')
  const [objectKey, setObjectKey] = useState('')
  const objects = useObjects(projectId)
  const permissions = data?.permissions ?? []
  const chosen = action || permissions[0]?.action || ''
  const ask = (event: FormEvent) => {
    event.preventDefault()
    const object = findObject(objects, objectKey)
    explain.mutate({
      probes: [
        {
          action: chosen,
          project_id: projectId,
          ...(object ? { object: { type: object.type, id: object.id } } : {}),
        },
      ],
      ...(userId === '' ? {} : { principal: { type: 'user' as const, id: userId } }),
    })
  }
  const verdict = explain.data?.results[0]
  return (
    <Section title="Why?" intro="Ask whether somebody may do something here, and which rule decides.">
      <form onSubmit={ask} className="flex flex-wrap items-start gap-3">
        <div className="w-56 max-w-full">
          <SelectField label="Who" value={userId} onChange={(event) => setUserId(event.target.value)}>
            <option value="">Me</option>
            {members.map(({ user_id, email }) => (
              <option key={user_id} value={user_id}>
                {email ?? user_id}
              </option>
            ))}
          </SelectField>
        </div>
        <div className="w-72 max-w-full">
          <SelectField
            label="May do"
            value={chosen}
            hint={permissions.find((one) => one.action === chosen)?.description}
            onChange={(event) => setAction(event.target.value)}
          >
            {permissions.map((one) => (
              <option key={one.action} value={one.action}>
                {one.action}
              </option>
            ))}
          </SelectField>
        </div>
        <div className="w-48 max-w-full">
          <SelectField label="With" value={objectKey} onChange={(event) => setObjectKey(event.target.value)}>
            <option value="">Nothing in particular</option>
            <ObjectOptions objects={objects} />
          </SelectField>
        </div>
        <Button type="submit" className="mt-6" isBusy={explain.isPending} disabled={chosen === ''}>
          Ask
        </Button>
      </form>
      {explain.error && <ProblemNotice error={explain.error} />}
      {verdict && (
        <Notice tone={verdict.allowed ? 'good' : 'warn'}>
          <p className="font-medium">{verdict.allowed ? 'Yes.' : 'No.'}</p>
          <p>{verdict.reason}</p>
          <p className="mt-1 text-xs">
            Decided by {stepNames[verdict.decided_by.step] ?? verdict.decided_by.step}
            {verdict.decided_by.role_key && `: ${verdict.decided_by.role_key}`}
            {verdict.decided_by.assignment_id && `, assignment ${verdict.decided_by.assignment_id}`}
          </p>
        </Notice>
      )}
    </Section>
  )
}
