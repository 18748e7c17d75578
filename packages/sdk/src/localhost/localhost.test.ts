import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectLocalhostUrls, hasLocalhostUrls } from './detect-localhost-urls.ts'
import {
  isInternalLocalhostUrl,
  isProxiableLocalhostUrl,
  parseLocalhostUrl,
  proxyLocalhostUrl,
} from './parse-localhost-url.ts'
import { isPreviewUrl, parseSubdomainUrl, proxyUrlToInternal } from './parse-preview-url.ts'
import { hasPreviewTarget, rewriteLocalhostUrl, toInternalUrl } from './preview-options.ts'
import { buildWebProxyUrl, isWebProxyUrl, parseWebProxyUrl } from './web-proxy-url.ts'

const R = { sandboxId: 'SBX_1', backendPort: 443, apiBaseUrl: 'https://api.example.com/v1' }
const L = { sandboxId: 'SBX_1', backendPort: 8008, apiBaseUrl: 'http://localhost:8008/v1' }
const T = { ...R, previewUrlTemplate: 'https://dev-p{port}-{sandbox}.p.example.com' }

describe('parseLocalhostUrl', () => {
  test.each<[string | undefined, string | null, number?, string?]>([
    ['http://localhost:3000/a?b=1#c', 'http://localhost:3000/a?b=1#c', 3000, '/a?b=1#c'],
    ['http://localhost:8000/proxy/5173/x', 'http://localhost:5173/x', 5173, '/x'],
    ['http://localhost:8000/proxy/5173', 'http://localhost:5173/', 5173, '/'],
    ['http://localhost:8000/proxy/5173?q', 'http://localhost:5173/?q', 5173, '/?q'],
    ['http://localhost:8000/proxy/99999/x', 'http://localhost:8000/proxy/99999/x', 8000, '/proxy/99999/x'],
    ['http://localhost', null],
    ['http://localhost:80', null],
    ['https://localhost:443/', null],
    ['http://localhost:443/', 'http://localhost:443/', 443, '/'],
    ['http://localhost:0/', null],
    ['http://localhost:65536/', null],
    ['https://example.com:3000', null],
    ['ftp://localhost:3000', null],
    ['http://localhost:3000@evil.example/', null],
    ['http://localhost.evil.example:3000/', null],
    ['localhost:3000', null],
    ['', null],
    [undefined, null],
    ['(http://127.0.0.1:3000).', 'http://127.0.0.1:3000/', 3000, '/'],
    ['  "https://localhost:3000/x", ', 'https://localhost:3000/x', 3000, '/x'],
    ['`http://localhost:3000`', 'http://localhost:3000/', 3000, '/'],
    ['**http://localhost:3000/**', 'http://localhost:3000/', 3000, '/'],
    ['<http://localhost:3000/a>!', 'http://localhost:3000/a', 3000, '/a'],
    ['http://localhost:3000/a_(b)', 'http://localhost:3000/a_(b)', 3000, '/a_(b)'],
    ['(http://localhost:3000/a_(b))', 'http://localhost:3000/a_(b)', 3000, '/a_(b)'],
    ['http://localhost:3000/app](http://localhost:3000/app)', 'http://localhost:3000/app', 3000, '/app'],
    ['[the app](http://localhost:3000/app)', 'http://localhost:3000/app', 3000, '/app'],
    ['open http://localhost:4321/x now', 'http://localhost:4321/x', 4321, '/x'],
    ['http://p3000-sbx-1.localhost:8008/a?b', 'http://localhost:3000/a?b', 3000, '/a?b'],
    ['https://api.example.com/v1/p/SBX_1/3000', 'http://localhost:3000/', 3000, '/'],
    ['https://dev-p3000-sbx-1.p.example.com/a#b', 'http://localhost:3000/a#b', 3000, '/a#b'],
  ])('%s', (url, originalUrl, port, path) => {
    expect(parseLocalhostUrl(url)).toEqual(originalUrl === null ? null : { originalUrl, port, path })
  })
})

describe('preview addresses', () => {
  test.each([
    [3000, '/a', R, 'https://api.example.com/v1/p/SBX_1/3000/a'],
    [3000, 'a', L, 'http://p3000-sbx-1.localhost:8008/a'],
    [3000, '/a', { ...L, apiBaseUrl: 'http://127.0.0.1:8008/v1/' }, 'http://p3000-sbx-1.localhost:8008/a'],
    [3000, '/a', T, 'https://dev-p3000-sbx-1.p.example.com/a'],
    [
      3000,
      '/a',
      { ...R, previewUrlTemplate: 'https://{port}.example.com' },
      'https://api.example.com/v1/p/SBX_1/3000/a',
    ],
    [3000, '/a', { ...R, sandboxId: '' }, 'http://localhost:3000/a'],
    [3000, '', { ...R, apiBaseUrl: 'https://api.example.com/v1//' }, 'https://api.example.com/v1/p/SBX_1/3000/'],
  ])('port %s path "%s" %j', (port, path, options, expected) => {
    expect(rewriteLocalhostUrl(port, path, options)).toBe(expected)
  })

  test.each([
    ['http://localhost:3000/settings', 'http://localhost:3000/settings'],
    ['http://127.0.0.1:3000/projects/1', 'http://localhost:3000/projects/1'],
    ['http://localhost:8000/x', 'http://localhost:8000/x'],
    ['http://localhost:3000/settingsx', 'https://api.example.com/v1/p/SBX_1/3000/settingsx'],
    ['https://example.com', 'https://example.com'],
    ['not a url', 'not a url'],
    ['http://localhost:3000/a?b=1', 'https://api.example.com/v1/p/SBX_1/3000/a?b=1'],
    [undefined, undefined],
  ])('%s is shown at %s', (url, expected) => {
    expect(proxyLocalhostUrl(url, R)).toBe(expected)
  })

  test.each([
    ['http://p3000-sbx-1.localhost:8008/a', { port: 3000, sandboxId: 'sbx-1', backendPort: 8008, path: '/a' }],
    [
      'https://staging-p5173-sbx-1.preview.example.com/',
      { port: 5173, sandboxId: 'sbx-1', backendPort: 443, path: '/' },
    ],
    ['http://prod-p1-a.example.com:81/?q', { port: 1, sandboxId: 'a', backendPort: 81, path: '/?q' }],
    ['https://api.example.com/v1/p/SBX_1/3000/a#b', { port: 3000, sandboxId: 'SBX_1', backendPort: 443, path: '/a#b' }],
    ['https://test-p3000-a.example.com/', null],
    ['http://p0-a.localhost:80/', null],
    ['https://api.example.com/v2/p/SBX_1/3000/', null],
    ['https://api.example.com/v1/p/SBX_1/30x/', null],
    ['ftp://p3000-a.localhost/', null],
    ['', null],
  ])('%s reads as %j', (url, target) => {
    expect(parseSubdomainUrl(url)).toEqual(target)
    expect(isPreviewUrl(url)).toBe(target !== null)
  })

  test('each form leads back to the port, and twice gives the same as once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 65_535 }).filter((port) => ![22, 80, 4096, 8000].includes(port)),
        fc.stringMatching(/^\/[a-z0-9/_-]{0,12}(?:\?[a-z]=[0-9]{1,3})?(?:#[a-z]{1,4})?[a-z0-9]$/),
        fc.constantFrom(R, L, T),
        (port, path, options) => {
          const inside = `http://localhost:${port}${path}`
          if (!isProxiableLocalhostUrl(inside)) return
          const outside = proxyLocalhostUrl(inside, options)
          expect(proxyUrlToInternal(outside)).toBe(new URL(inside).href)
          expect(proxyLocalhostUrl(outside, options)).toBe(outside)
        },
      ),
    )
  })

  test('small questions', () => {
    expect(hasPreviewTarget(R)).toBe(true)
    expect(hasPreviewTarget({ ...R, sandboxId: '' })).toBe(false)
    expect(toInternalUrl(1, 'a')).toBe('http://localhost:1/a')
    expect(proxyUrlToInternal('https://example.com/')).toBe('https://example.com/')
    expect(isInternalLocalhostUrl('http://localhost:3000')).toBe(true)
    expect(isInternalLocalhostUrl('http://p3000-a.localhost:8008/')).toBe(false)
    expect(isProxiableLocalhostUrl('http://localhost:4096/')).toBe(false)
    expect(isProxiableLocalhostUrl('http://localhost:3000/auth')).toBe(false)
    expect(isProxiableLocalhostUrl('http://localhost:3000/')).toBe(true)
  })
})

describe('web proxy', () => {
  test.each([
    ['https://ex.com/a?b=1', R, 'https://api.example.com/v1/p/SBX_1/8000/web-proxy/https/ex.com/a?b=1'],
    ['http://ex.com:81', L, 'http://p8000-sbx-1.localhost:8008/web-proxy/http/ex.com:81/'],
    ['https://ex.com/#h', T, 'https://dev-p8000-sbx-1.p.example.com/web-proxy/https/ex.com/#h'],
  ])('%s and back', (target, options, expected) => {
    const built = buildWebProxyUrl(target, options)
    expect(built).toBe(expected)
    expect(parseWebProxyUrl(built)).toBe(new URL(target).href)
    expect(isWebProxyUrl(built)).toBe(true)
  })
  test.each(['ftp://ex.com', 'javascript:alert(1)', 'nothing', ''])('%s has none', (target) => {
    expect(buildWebProxyUrl(target, R)).toBeNull()
  })
  test.each(['https://ex.com/a', 'https://ex.com/x/web-proxy/https/b/', 'nothing'])('%s is none', (url) => {
    expect(parseWebProxyUrl(url)).toBeNull()
    expect(isWebProxyUrl(url)).toBe(false)
  })
})

describe('detectLocalhostUrls', () => {
  test('finds an address and where it stands', () => {
    expect(detectLocalhostUrls('Live at http://localhost:3000/app')).toEqual([
      {
        originalUrl: 'http://localhost:3000/app',
        port: 3000,
        path: '/app',
        startIndex: 8,
        endIndex: 33,
        inCodeBlock: false,
      },
    ])
  })
  test('each address once, in order, without infrastructure ports', () => {
    const text =
      'http://localhost:3000, http://localhost:3000/ http://localhost:22 http://localhost:4096/ http://localhost:8000/ http://127.0.0.1:5173/x.'
    expect(detectLocalhostUrls(text).map(({ originalUrl }) => originalUrl)).toEqual([
      'http://localhost:3000/',
      'http://127.0.0.1:5173/x',
    ])
  })
  test.each([
    ['`http://localhost:1000/`', true],
    ['``http://localhost:1000/``', true],
    ['`x` http://localhost:1000/ `y`', false],
    ['` http://localhost:1000/', false],
    ['```\nhttp://localhost:1000/\n```', true],
    ['```sh\nx\n```\nhttp://localhost:1000/', false],
    ['~~~\nhttp://localhost:1000/', true],
    ['```\n~~~\nhttp://localhost:1000/', true],
    ['```js\n``` x\nhttp://localhost:1000/', true],
    ['````\n```\nhttp://localhost:1000/\n````', true],
    ['`` a ` http://localhost:1000/ `` b', true],
    ['``` http://localhost:1000/ `', true],
    ['a ``` http://localhost:1000/ `', false],
    ['`a\nhttp://localhost:1000/ b`', false],
  ])('%j in code: %s', (text, inCodeBlock) => {
    expect(detectLocalhostUrls(text)).toMatchObject([{ port: 1000, inCodeBlock }])
  })
  test('colours around an address are not part of it', () => {
    expect(detectLocalhostUrls('\u001b[36mhttp://localhost:5173/\u001b[0m')).toMatchObject([{ path: '/' }])
  })
  test('indexes point at what was written', () => {
    const text = 'a (http://localhost:3000/x_(y)). b [c](http://localhost:4000/z)!'
    const found = detectLocalhostUrls(text).map(({ startIndex, endIndex }) => text.slice(startIndex, endIndex))
    expect(found).toEqual(['http://localhost:3000/x_(y)', 'http://localhost:4000/z'])
  })
  test('hasLocalhostUrls says whether there is one', () => {
    expect(hasLocalhostUrls('http://localhost:3000')).toBe(true)
    expect(hasLocalhostUrls('http://localhost:8000 http://localhost')).toBe(false)
  })
  test.each([['`'], ['``` '], ['http://localhost:'], ['http://localhost:3000/('], ['(((((']])(
    'a million characters of %j are read',
    (piece) => {
      const text = piece.repeat(1_000_000 / piece.length)
      expect(detectLocalhostUrls(text).length).toBeLessThanOrEqual(1)
      expect(detectLocalhostUrls(`http://localhost:3000/ ${text}`).length).toBeGreaterThanOrEqual(1)
    },
  )
})
