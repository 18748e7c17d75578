import { problem } from '../../kernel/http/index.ts'
import type { ImageExtension } from '../store/branding.ts'
import { checkSvg } from './check-svg.ts'

export const contentTypes: Readonly<Record<ImageExtension, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  ico: 'image/x-icon',
  svg: 'image/svg+xml',
}

/** What the bytes are, whatever their name or declared type says; refuses everything that is not a picture we serve. */
export function detectImage(content: Buffer): ImageExtension {
  if (isPng(content)) return 'png'
  if (isJpeg(content)) return 'jpg'
  if (isWebp(content)) return 'webp'
  if (isIco(content)) return 'ico'
  const reason = checkSvg(content)
  if (reason === undefined) return 'svg'
  throw problem('unsafe_image', { say: reason })
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function isPng(content: Buffer): boolean {
  return content.subarray(0, 8).equals(pngSignature) && content.toString('latin1', 12, 16) === 'IHDR'
}

function isJpeg(content: Buffer): boolean {
  return content.length > 4 && content.readUInt16BE(0) === 0xffd8 && content.readUInt8(2) === 0xff
}

function isWebp(content: Buffer): boolean {
  const isRiff = content.toString('latin1', 0, 4) === 'RIFF' && content.toString('latin1', 8, 12) === 'WEBP'
  return isRiff && /^VP8[ LX]$/.test(content.toString('latin1', 12, 16))
}

/** A directory whose every entry lies within the file. */
function isIco(content: Buffer): boolean {
  if (content.length < 22 || content.readUInt32BE(0) !== 0x0000_0100) return false
  const count = content.readUInt16LE(4)
  if (count === 0 || content.length < 6 + count * 16) return false
  return Array.from({ length: count }, (_, index) => 6 + index * 16).every((entry) => {
    const [sizeBytes, offset] = [content.readUInt32LE(entry + 8), content.readUInt32LE(entry + 12)]
    return sizeBytes > 0 && offset >= 6 + count * 16 && offset + sizeBytes <= content.length
  })
}
