import { isUtf8 } from 'node:buffer'
import { readMarkup, type Tag } from './read-markup.ts'

/**
 * Why a drawing is refused, or undefined when it holds nothing that runs, embeds or fetches. What is not known to be
 * harmless is refused: elements and namespaces stand on a list, references stay within the file.
 */
export function checkSvg(content: Buffer): string | undefined {
  if (!isUtf8(content) || content.includes(0)) return notAPicture
  const text = content.toString('utf8').replace(/^\ufeff/, '')
  if (!/^\s*<(\?xml|!--|!doctype|svg)/i.test(text)) return notAPicture
  const markup = readMarkup(text)
  if (markup === undefined) return 'The SVG is not well-formed XML that can be checked, or declares entities.'
  const [root] = markup.tags
  if (root?.name !== 'svg' || root.attributes.get('xmlns') !== svgNamespace) return notAPicture
  return findReason(markup.tags) ?? (isUnsafeStyle(markup.styles) ? unsafeStyle : undefined)
}

const notAPicture = 'The file is not a PNG, JPEG, WebP, ICO or SVG picture.'
const unsafeStyle = 'The SVG has styles that import, fetch or hide something.'
const svgNamespace = 'http://www.w3.org/2000/svg'

const elements = new Set(
  `svg g defs desc title metadata symbol use switch path rect circle ellipse line polyline polygon text tspan textPath
  style image pattern mask marker clipPath linearGradient radialGradient stop filter feBlend feColorMatrix
  feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow
  feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight
  feSpecularLighting feSpotLight feTile feTurbulence view`.split(/\s+/),
)

/** Namespaces of drawing programs: browsers give their elements no meaning. */
const notes = [
  'http://www.inkscape.org/namespaces/inkscape',
  'http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  'http://purl.org/dc/elements/1.1/',
  'http://creativecommons.org/ns#',
  'http://www.bohemiancoding.com/sketch/ns',
  'http://www.serif.com/',
  'http://www.figma.com/figma/ns',
]
const linkNamespaces = ['http://www.w3.org/1999/xlink', 'http://www.w3.org/XML/1998/namespace']

function findReason(tags: readonly Tag[]): string | undefined {
  const namespaces = new Map([['xml', 'http://www.w3.org/XML/1998/namespace']])
  for (const { name, attributes } of tags) {
    for (const [attribute, value] of attributes) {
      if (attribute !== 'xmlns' && !attribute.startsWith('xmlns:')) continue
      const prefix = attribute.slice('xmlns:'.length)
      const known = namespaces.get(prefix)
      const isHarmless = value === svgNamespace || linkNamespaces.includes(value) || notes.includes(value)
      if (!isHarmless || (attribute === 'xmlns' && value !== svgNamespace))
        return `The SVG uses the namespace ${quote(value)}.`
      if (known !== undefined && known !== value) return 'The SVG gives one prefix two meanings.'
      namespaces.set(prefix, value)
    }
    if (!isKnownElement(name, namespaces))
      return `The SVG holds the element ${quote(name)}, which pictures do not need.`
    for (const [attribute, value] of attributes) {
      if (isUnsafeAttribute(attribute, value))
        return `The SVG has the attribute ${quote(attribute)} with a value that can run or fetch something.`
    }
  }
  return undefined
}

function isKnownElement(name: string, namespaces: ReadonlyMap<string, string>): boolean {
  const [prefix, local] = name.includes(':') ? name.split(':', 2) : [undefined, name]
  if (prefix === undefined) return elements.has(name)
  const namespace = namespaces.get(prefix)
  if (namespace === svgNamespace) return elements.has(local ?? '')
  return namespace !== undefined && notes.includes(namespace)
}

function isUnsafeAttribute(name: string, value: string): boolean {
  const local = (name.split(':').at(-1) ?? '').toLowerCase()
  if (/^on/.test(local)) return true
  if (name === 'xmlns' || name.startsWith('xmlns:')) return false
  const squeezed = value.replace(/[\s\p{Cc}\p{Cf}]/gu, '').toLowerCase()
  if (/(java|vb|live)script:|data:text|data:application/.test(squeezed)) return true
  if (local === 'href' || local === 'src') return !isInnerReference(squeezed)
  if (local === 'base') return true
  return local === 'style' || squeezed.includes('url(') ? isUnsafeStyle(value) : false
}

/** A part of the same file, or a picture of dots within it. */
function isInnerReference(squeezed: string): boolean {
  return (
    squeezed === '' ||
    /^#[^"'()]*$/.test(squeezed) ||
    /^data:image\/(png|jpe?g|webp|gif);base64,[a-z0-9+/=]*$/.test(squeezed)
  )
}

function isUnsafeStyle(style: string): boolean {
  if (/[\\<]|@import|@font-face|image-set|\bsrc\(|expression|behavior|-moz-binding|javascript/i.test(style)) return true
  const lower = style.toLowerCase()
  for (let start = lower.indexOf('url('); start !== -1; start = lower.indexOf('url(', start + 4)) {
    const end = lower.indexOf(')', start)
    if (end === -1) return true
    const target = lower.slice(start + 4, end).replace(/[\s"']/g, '')
    if (!isInnerReference(target)) return true
  }
  return false
}

const quote = (text: string) => `“${text.slice(0, 60)}”`
