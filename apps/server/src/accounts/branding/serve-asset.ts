import { answer, problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { findAssetFile } from '../store/branding.ts'
import { contentTypes } from './detect-image.ts'

/**
 * A picture by the hash of its bytes: the address never shows other bytes, so it may be kept for ever. Opened by itself,
 * even a drawing that slipped through may run, load and frame nothing.
 */
export async function serveAsset({ kernel }: Parts, accountId: string, file: string) {
  const [sha256 = '', extension = ''] = file.split('.')
  const found = await findAssetFile(kernel.database.sql, accountId, sha256)
  if (found?.extension !== extension) throw problem('not_found')
  return answer(found.content, {
    headers: {
      'content-type': contentTypes[found.extension],
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'cross-origin',
      'content-disposition': 'inline',
      etag: `"${sha256}"`,
    },
  })
}
