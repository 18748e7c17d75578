import { useOperatorUsers } from '@svc/sdk/react'
import { useDeferredValue, useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { List, Row } from '../../ui/list.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

export function PeopleScreen() {
  const [text, setText] = useState('')
  const users = useOperatorUsers(useDeferredValue(text.trim()))
  return (
    <Page title="People" intro="Everyone who can sign in to this instance.">
      <search className="max-w-sm">
        <TextField label="Search" value={text} onChange={(event) => setText(event.target.value)} />
      </search>
      <QueryView query={users}>
        {({ users: rows }) =>
          rows.length === 0 ? (
            <EmptyState title="Nobody matches" />
          ) : (
            <>
              <List label="People">
                {rows.map((user) => (
                  <Row
                    key={user.user_id}
                    title={user.email}
                    note={
                      <>
                        {user.account_count} {user.account_count === 1 ? 'account' : 'accounts'}, last signed in{' '}
                        <RelativeTime at={user.last_sign_in_at} />
                      </>
                    }
                  >
                    {user.is_operator && <Badge tone="accent">operator</Badge>}
                    {user.email_confirmed_at === null && <Badge tone="warn">address not confirmed</Badge>}
                  </Row>
                ))}
              </List>
              <LoadMore query={users} />
            </>
          )
        }
      </QueryView>
    </Page>
  )
}
