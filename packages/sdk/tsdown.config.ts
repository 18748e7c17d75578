import { defineConfig } from 'tsdown'

const shared = { platform: 'neutral', target: 'es2022', clean: false } as const
const bundle = { ...shared, dts: false, minify: true, platform: 'browser' } as const

/** The module tree with its declarations, and two bundles of the root for pages without a bundler. */
export default defineConfig([
  {
    ...shared,
    entry: [
      ...['index', 'react', 'server', 'message-queue', 'event-stream', 'session-state'],
      ...['server-store', 'sandbox-connection-store', 'idb-sync-cache'],
    ].map((name) => `src/${name}.ts`),
    format: 'esm',
    fixedExtension: true,
    dts: true,
    clean: true,
    // Only `/server` has them, and only on Node and Bun; React and the query library are the host's own.
    deps: { neverBundle: ['node:async_hooks', 'node:crypto', 'react', '@tanstack/react-query'] },
  },
  {
    ...bundle,
    entry: { svc: 'src/index.ts' },
    format: 'esm',
    outputOptions: { entryFileNames: 'svc.esm.min.js' },
  },
  {
    ...bundle,
    entry: { svc: 'src/index.ts' },
    format: 'iife',
    globalName: 'Svc',
    outputOptions: { entryFileNames: 'svc.global.js' },
  },
])
