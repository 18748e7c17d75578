import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { problem } from '../kernel/http/index.ts'

/** The reference page is Swagger UI from its npm package, served by us: it works offline and loads nothing foreign. */

export const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc API reference</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript. The document itself is at <a href="/v1/openapi.json">/v1/openapi.json</a>.</noscript>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/init.js"></script>
</body>
</html>
`

const initScript = `window.ui = SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayOperationId: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
})
`

const assets: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'init.js': 'text/javascript; charset=utf-8',
}

export async function readReferenceAsset(file: string): Promise<{ body: Uint8Array; contentType: string }> {
  const contentType = Object.hasOwn(assets, file) ? assets[file] : undefined
  if (contentType === undefined) throw problem('not_found')
  if (file === 'init.js') return { body: Buffer.from(initScript), contentType }
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  return { body: await readFile(join(folder, file)), contentType }
}
