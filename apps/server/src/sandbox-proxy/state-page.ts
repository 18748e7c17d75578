import type { ServerResponse } from 'node:http'
import { escapeHtml } from '../kernel/http/index.ts'

/** What somebody sees who opens a preview that is not there yet. It looks again by itself, without any script. */
export function sendStatePage(outgoing: ServerResponse, title: string, sentence: string, refreshSeconds = 3): void {
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="${refreshSeconds}"></head>
<body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(sentence)}</p><p>This page looks again every ${refreshSeconds} seconds.</p></main></body></html>
`
  outgoing.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors *",
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  outgoing.end(page)
}
