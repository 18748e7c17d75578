import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { hostilePayloads } from './hostile-payloads.ts'
import { isSafeAddress, Markdown } from './markdown.tsx'

const render = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }))

const allowedTags = new Set(
  'div p pre code ul ol li blockquote table thead tbody tr th td hr br strong em del a input'.split(' '),
)
const allowedAttributes = new Set('class href target rel start type checked disabled'.split(' '))

/** Everything in a rendered text that the allow-list does not name. React escapes text, so every `<` is a tag. */
function findForeign(markup: string): string[] {
  const foreign: string[] = []
  for (const [, name = '', attributes = ''] of markup.matchAll(/<\/?([^\s/>]+)((?:[^>"]|"[^"]*")*)>/g)) {
    if (!allowedTags.has(name)) foreign.push(name)
    for (const [, attribute = '', value = ''] of attributes.matchAll(/([^\s=/]+)(?:="([^"]*)")?/g)) {
      if (!allowedAttributes.has(attribute)) foreign.push(`${name} ${attribute}`)
      if (attribute === 'href' && !/^(https?:\/\/|mailto:)/.test(value)) foreign.push(`${name} ${attribute}=${value}`)
      if (attribute === 'type' && value !== 'checkbox') foreign.push(`${name} ${attribute}=${value}`)
    }
  }
  return foreign
}

describe('text from an agent', () => {
  test('the check itself sees a tag, an attribute and an address that do not belong', () => {
    expect(findForeign('<p><script>x</script></p>')).toContain('script')
    expect(findForeign('<p onclick="x">x</p>')).toContain('p onclick')
    expect(findForeign('<a href="javascript:x">x</a>')).toContain('a href=javascript:x')
  })

  test('the corpus has at least fifty payloads, none twice', () => {
    expect(hostilePayloads.length).toBeGreaterThanOrEqual(50)
    expect(new Set(hostilePayloads).size).toBe(hostilePayloads.length)
  })

  test.each(hostilePayloads)('nothing outside the allow-list comes out of %j', (payload) => {
    expect(findForeign(render(payload))).toEqual([])
  })

  test.each(hostilePayloads)('nor when it stands in the middle of a text: %j', (payload) => {
    expect(findForeign(render(`Some words. ${payload}\n\nMore words, and ${payload} again.`))).toEqual([])
  })

  test('a text that is cut off anywhere, as while it streams in, is as harmless', () => {
    for (const payload of hostilePayloads) {
      for (let length = 1; length < payload.length; length += 3) {
        expect(findForeign(render(payload.slice(0, length)))).toEqual([])
      }
    }
  })
})

test('a picture is a link: looking at a text fetches nothing', () => {
  expect(render('![cat](https://example.com/cat.png)')).not.toContain('<img')
})

test('what people write comes out as they meant it', () => {
  const markup = render('# Title\n\nA **bold** word, `code`, and [a link](https://example.com).\n\n- one\n- two')
  expect(markup).toContain('<strong>bold</strong>')
  expect(markup).toContain('href="https://example.com"')
  expect(markup.match(/<li>/g)).toHaveLength(2)
})

test('an address is safe only with a scheme that opens a page or a mail, and nothing hidden in it', () => {
  expect(['https://example.com/a?b=c', 'http://x', 'mailto:a@example.com'].every(isSafeAddress)).toBe(true)
  expect(['javascript:x', ' https://x y', 'https://x\u0000', '/sign-out', '//x', ''].some(isSafeAddress)).toBe(false)
})
