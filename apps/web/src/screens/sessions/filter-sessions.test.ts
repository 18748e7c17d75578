import { expect, test } from 'vitest'
import { isInState, matchesText, type StateFilter } from './filter-sessions.ts'

const session = {
  name: 'Fix the Footer',
  agent_name: 'build',
  branch_name: 's-1',
  owner_email: 'ann@example.com',
  status: 'running',
  waiting_for: 'question',
}

test('a search finds every word anywhere, whatever its case', () => {
  expect(matchesText(session, 'footer BUILD')).toBe(true)
  expect(matchesText(session, ' ann ')).toBe(true)
  expect(matchesText(session, 'footer header')).toBe(false)
  expect(matchesText({ ...session, name: null }, '')).toBe(true)
})

test('a session that waits is running as well; one that starts is neither', () => {
  const states: StateFilter[] = ['all', 'waiting', 'running']
  expect(states.every((state) => isInState(session, state))).toBe(true)
  expect(isInState({ ...session, waiting_for: null }, 'waiting')).toBe(false)
  expect(isInState({ ...session, status: 'queued' }, 'starting')).toBe(true)
  expect(isInState({ ...session, status: 'queued' }, 'running')).toBe(false)
})
