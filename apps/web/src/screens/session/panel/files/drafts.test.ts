import { expect, test } from 'vitest'
import { markSaved } from './drafts.ts'

test('what was typed while a save was under way is kept, and is unsaved', () => {
  const typedOn = new Map([['a', { base: 'old', text: 'sent and more' }]])
  expect(markSaved(typedOn, 'a', 'sent').get('a')).toEqual({ base: 'sent', text: 'sent and more' })
  expect(markSaved(new Map(), 'a', 'sent').get('a')).toEqual({ base: 'sent', text: 'sent' })
})
