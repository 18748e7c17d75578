import { expect, test } from 'vitest'
import { parseDraft } from './prompt-drafts.ts'

test('a draft comes back as it was kept', () => {
  const draft = { text: 'Look', files: [{ name: 'a.zip', path: '/tmp/attachments/a.zip' }] }
  expect(parseDraft(JSON.stringify(draft))).toEqual(draft)
})

test.each(['', 'null', '[]', '{"text": 7, "files": "x"}', '{"files": [null, {"name": "a"}, 3]}'])(
  'what is not a draft is an empty one: %s',
  (kept) => {
    expect(parseDraft(kept)).toEqual({ text: '', files: [] })
  },
)
