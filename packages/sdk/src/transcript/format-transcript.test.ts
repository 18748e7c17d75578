import { expect, test } from 'vitest'
import { formatTranscript, getTranscriptFilename } from './format-transcript.ts'

const messages = [
  {
    info: { id: 'u', role: 'user' },
    parts: [
      { type: 'text', text: 'Fix the tests' },
      { type: 'text', text: 'hidden', synthetic: true },
    ],
  },
  { info: { id: 'empty', role: 'assistant' }, parts: [{ type: 'step-start' }] },
  {
    info: {
      id: 'a',
      role: 'assistant',
      agent: 'build',
      modelID: 'fake-1',
      time: { created: 1000, completed: 6000 },
      error: { name: 'APIError', data: { message: 'busy' } },
    },
    parts: [
      { type: 'reasoning', text: 'think\ntwice' },
      {
        type: 'tool',
        tool: 'bash',
        state: { status: 'completed', title: 'ls', input: { command: 'ls' }, output: '```\na' },
      },
      { type: 'text', text: 'Done.' },
    ],
  },
]

test('the conversation alone', () => {
  expect(formatTranscript({ id: 'ses_1', title: 'Tests', time: { created: 0 } }, messages)).toBe(
    [
      '# Tests\n\n**Session:** ses_1\n\n**Created:** 1970-01-01T00:00:00.000Z',
      '## User\n\nFix the tests',
      '## Assistant\n\n**Tool:** bash — ls\n\nDone.\n\n**Error:** busy\n',
    ].join('\n\n---\n\n'),
  )
})

test('with everything', () => {
  const text = formatTranscript(null, messages, { reasoning: true, toolDetails: true, metadata: true })
  expect(text).toContain('# Session')
  expect(text).toContain('## Assistant (build · fake-1 · 5s)')
  expect(text).toContain('> think\n> twice')
  expect(text).toContain('```json\n{\n  "command": "ls"\n}\n```')
  expect(text).toContain('````\n```\na\n````')
  expect(text).not.toContain('hidden')
})

test('the file is named after the session', () => {
  expect(getTranscriptFilename('ses_1')).toBe('session-ses_1.md')
})
