import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { bytes, text } from './kernel/payload.ts'

/** The dashboard: one page for all of its addresses, and the files it is made of. */

const page = { needs: 'public', audit: 'none', returns: text('text/html') } as const

export const home = operation({
  ...page,
  id: 'web.home',
  at: 'GET /',
  summary: 'The dashboard; the API reference where it was not built',
})

export const screen = operation({
  ...page,
  id: 'web.screen',
  at: 'GET /:section{(?:projects|accounts|profile|operator)}',
  summary: 'A screen of the dashboard',
})

export const deepScreen = operation({
  ...page,
  id: 'web.deepScreen',
  at: 'GET /:section{(?:projects|accounts|profile|operator)}/:rest{.*}',
  summary: 'A screen of the dashboard below another',
  params: { rest: z.string() },
})

export const cliAuthorize = operation({
  ...page,
  id: 'web.cliAuthorize',
  at: 'GET /cli/authorize',
  summary: 'The dashboard: let a command line in',
  description:
    'A command line that waits at `callback`, a port of the same machine, opens this page. Whoever is signed in there decides; the page then posts `{state, token}` as JSON to `callback`, whose answer must allow this origin (CORS).',
  query: z.object({
    callback: z.string().max(2048).default(''),
    state: z.string().max(512).default(''),
    label: z.string().max(512).default(''),
  }),
})

export const asset = operation({
  id: 'web.asset',
  at: 'GET /assets/:file{[A-Za-z0-9_.-]+}',
  summary: 'A file of the dashboard; its name holds a hash of its content',
  needs: 'public',
  audit: 'none',
  returns: bytes('application/octet-stream'),
  errors: ['not_found'],
})
