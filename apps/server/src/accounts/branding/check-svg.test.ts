import { describe, expect, test } from 'vitest'
import { checkSvg } from './check-svg.ts'

const check = (text: string) => checkSvg(Buffer.from(text))
const drawing = (inside: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`

const repeat = (filler: string) => filler.repeat(Math.floor((1024 * 1024 - 200) / filler.length))

describe('a drawing', () => {
  test.each([
    ['plain shapes', drawing('<path d="M0 0"/><g fill="#fff"><rect width="1" height="1"/></g>')],
    ['gradients by reference', drawing('<defs><linearGradient id="a"/></defs><rect fill="url(#a)"/>')],
    ['use of a part', drawing('<symbol id="s"/><use href="#s"/><use xlink:href="#s"/>')],
    ['an embedded picture of dots', drawing('<image href="data:image/png;base64,iVBORw0KGgo="/>')],
    ['its own styles', drawing('<style>.a{fill:red}</style><style><![CDATA[.b>c{fill:url(#a)}]]></style>')],
    [
      'a declaration, a comment and a document type',
      `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
${drawing('')}`,
    ],
    [
      'notes of a drawing program',
      drawing(
        '<sodipodi:namedview inkscape:zoom="1"/>',
        'xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"',
      ),
    ],
    ['text with its references', drawing('<title>a &amp; b &#169; &#xA9;</title><text>1 &lt; 2</text>')],
  ])('is accepted with %s', (_, text) => expect(check(text)).toBeUndefined())

  test.each([
    ['a script', drawing('<script>alert(1)</script>')],
    ['a script of another case', drawing('<SCRIPT>alert(1)</SCRIPT>')],
    ['a script under a prefix of SVG', drawing('<s:script/>', 'xmlns:s="http://www.w3.org/2000/svg"')],
    ['a script under a prefix of HTML', drawing('<h:script/>', 'xmlns:h="http://www.w3.org/1999/xhtml"')],
    [
      'a prefix whose meaning changes',
      drawing(
        '<g xmlns:n="http://www.w3.org/2000/svg"><n:script/></g>',
        'xmlns:n="http://www.inkscape.org/namespaces/inkscape"',
      ),
    ],
    ['HTML as the inner namespace', drawing('<g xmlns="http://www.w3.org/1999/xhtml"><style/></g>')],
    ['an event handler', drawing('<rect onclick="alert(1)"/>')],
    ['an event handler on the root', drawing('', 'onload="alert(1)"')],
    ['an event handler of another case', drawing("<rect OnClick = 'alert(1)'/>")],
    ['an event handler under a prefix', drawing('<rect xlink:onload="x"/>')],
    ['a foreign object', drawing('<foreignObject><b/></foreignObject>')],
    ['a frame', drawing('<iframe src="https://example.com"/>')],
    ['an object', drawing('<object data="x"/>')],
    ['an embed', drawing('<embed src="x"/>')],
    ['an animation', drawing('<set attributeName="href" to="javascript:alert(1)"/>')],
    ['a link', drawing('<a href="javascript:alert(1)"><rect/></a>')],
    ['an address that runs', drawing('<use href="javascript:alert(1)"/>')],
    ['an address that runs, written in references', drawing('<use href="&#106;ava&#x73;cript&#58;alert(1)"/>')],
    ['an address that runs, with gaps', drawing('<use href="java\tscript:alert(1)"/>')],
    ['an address that runs in any attribute', drawing('<rect fill="javascript:alert(1)"/>')],
    ['a reference outside', drawing('<use href="https://example.com/x.svg#a"/>')],
    ['a picture from outside', drawing('<image xlink:href="//example.com/x.png"/>')],
    ['a drawing inside', drawing('<image href="data:image/svg+xml;base64,AAAA"/>')],
    ['a page inside', drawing('<image href="data:text/html,x"/>')],
    ['a base address', drawing('<g xml:base="https://example.com/"/>')],
    ['a style that fetches', drawing('<rect style="fill:url(https://example.com/x)"/>')],
    ['a fill that fetches', drawing('<rect fill="url( \'https://example.com/x\' )"/>')],
    ['a style that imports', drawing('<style>@import "https://example.com/x.css"</style>')],
    ['a style that imports, split in two', drawing('<style>@imp<!-- -->ort "https://example.com/x.css"</style>')],
    ['a style that hides its words', drawing('<style>@\\69mport "x"</style>')],
    ['a style with an open address', drawing(`<style>${'url('.repeat(1000)}</style>`)],
    ['entities of its own', `<!DOCTYPE svg [<!ENTITY x "<script/>">]>${drawing('&x;')}`],
    ['an entity nobody declared', drawing('<title>&nbsp;</title>')],
    ['a processing instruction', `<?xml-stylesheet href="javascript:alert(1)"?>${drawing('')}`],
    ['an instruction inside', drawing('<?php x ?>')],
    ['a second root', `${drawing('')}<script/>`],
    ['text before the root', `x${drawing('')}`],
    ['an element left open', drawing('<g>')],
    ['elements that cross', drawing('<g><text></g></text>')],
    ['an attribute twice', drawing('<rect fill="a" fill="b"/>')],
    ['an attribute without quotes', drawing('<rect fill=a/>')],
    ['a comment that is none', drawing('<!-- -- --><rect/>')],
    ['a section outside a style', drawing('<text><![CDATA[<script/>]]></text>')],
    ['no namespace', '<svg><rect/></svg>'],
    ['HTML around it', `<html>${drawing('')}</html>`],
    ['a zero byte', drawing('\0')],
  ])('is refused with %s', (_, text) => expect(check(text)).toMatch(/^The /))

  test('that is not UTF-8 is refused', () => {
    const utf16 = Buffer.from(`\ufeff${drawing('<script/>')}`, 'utf16le')
    expect(checkSvg(utf16)).toMatch(/^The file/)
    expect(checkSvg(Buffer.concat([Buffer.from(drawing('')), Buffer.from([0xff])]))).toMatch(/^The file/)
  })

  test('of the largest size is read without stepping back over it again and again', () => {
    const accepted = [' ', '<rect fill="url(#a)"/>'].map((filler) => check(drawing(repeat(filler))))
    expect(accepted).toEqual([undefined, undefined])
    for (const filler of ['<g>', '<!--', '<g a="', '&', '<g ', '<![CDATA[', '<style>url(']) {
      expect([filler, check(drawing(repeat(filler)))]).toEqual([filler, expect.stringMatching(/^The /)])
    }
  })
})
