import { expect, test } from 'vitest'
import { type Attachment, findMime, joinTexts, readParts, toParts } from './attachment.ts'

test.each([
  ['a picture', new File([new Uint8Array([137, 80, 0])], 'a.png', { type: 'image/png' }), 'image/png'],
  ['a text with a wrong type', new File(['const a = 1'], 'a.ts', { type: 'video/mp2t' }), 'text/plain'],
  ['a text cut inside a character', new File([`${'x'.repeat(8_191)}é`], 'a.txt'), 'text/plain'],
  ['a drawing, which is text', new File(['<svg/>'], 'a.svg', { type: 'image/svg+xml' }), 'text/plain'],
  ['bytes', new File([new Uint8Array([0, 1, 2])], 'a.bin'), undefined],
  ['no UTF-8', new File([new Uint8Array([0xff, 0xfe, 0x41])], 'a.txt', { type: 'text/plain' }), undefined],
])('%s', async (_what, file, mime) => {
  expect(await findMime(file)).toBe(mime)
})

test('files that a model can look at go along, others are named, those not there yet do neither', () => {
  const one = (name: string, rest: Partial<Attachment>): Attachment => ({
    id: name,
    name,
    state: 'ready',
    loadedBytes: 0,
    ...rest,
  })
  const parts = toParts('Look', [
    one('a b#1.txt', { path: '/tmp/attachments/a b#1.txt', mime: 'text/plain' }),
    one('c.zip', { path: '/tmp/attachments/c.zip' }),
    one('d.txt', { state: 'uploading', mime: 'text/plain' }),
  ])
  expect(parts).toEqual([
    { type: 'text', text: 'Look\n\nAttached: /tmp/attachments/c.zip' },
    { type: 'file', mime: 'text/plain', url: 'file:///tmp/attachments/a%20b%231.txt', filename: 'a b#1.txt' },
  ])
})

test('a prompt that is taken back has its words and its files again', () => {
  const files = [
    { name: 'a b#1.txt', path: '/tmp/attachments/a b#1.txt', mime: 'text/plain' },
    { name: 'c.zip', path: '/tmp/attachments/c.zip' },
  ]
  const sent = toParts(
    'Look\n\nat these',
    files.map((file) => ({ ...file, id: file.name, state: 'ready', loadedBytes: 0 })),
  )
  expect(readParts(sent)).toEqual({ text: 'Look\n\nat these', files })
  expect(readParts([{ type: 'text', text: 'Attached: nothing' }])).toEqual({ text: 'Attached: nothing', files: [] })
})

test('a prompt that comes back stands before what was written since', () => {
  expect(joinTexts('first', 'second')).toBe('first\n\nsecond')
  expect([joinTexts('', 'second'), joinTexts('first', ' ')]).toEqual(['second', 'first'])
})
