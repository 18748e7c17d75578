import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { findPackageRoot } from '../kernel/package-root.ts'

export interface Asset {
  readonly body: Buffer
  /** Made when it is first asked for. */
  readonly gzip: Buffer | undefined
  readonly contentType: string
}

export interface Dashboard {
  /** The page, with the word that its own styles prove themselves with. */
  page(styleNonce: string): string
  asset(name: string): Asset | undefined
}

/** Stands in the page where each answer puts its own word. */
const nonceMark = 'STYLE-NONCE'

/** Where the build of `apps/web` lies beside this server. */
const builtFolder = fileURLToPath(new URL('../web/dist/', findPackageRoot()))

/**
 * The built dashboard in memory, read once: pages that are open go on while another build takes its place on the disk.
 * Undefined where it was not built.
 */
export function readDashboard(folder = builtFolder): Dashboard | undefined {
  const pagePath = join(folder, 'index.html')
  if (!existsSync(pagePath)) return undefined
  const pieces = readFileSync(pagePath, 'utf8').split(nonceMark)
  const assets = new Map(
    readdirSync(join(folder, 'assets')).map((name) => [name, readAsset(join(folder, 'assets', name))]),
  )
  return {
    page: (styleNonce) => pieces.join(styleNonce),
    asset: (name) => assets.get(name),
  }
}

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.wasm': 'application/wasm',
}

function readAsset(path: string): Asset {
  const body = readFileSync(path)
  const contentType = contentTypes[extname(path)] ?? 'application/octet-stream'
  const isText = /text|json|svg|javascript/.test(contentType)
  let zipped: Buffer | undefined
  return {
    body,
    contentType,
    get gzip() {
      if (isText) zipped ??= gzipSync(body, { level: 9 })
      return zipped
    },
  }
}
