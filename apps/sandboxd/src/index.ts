import { fileURLToPath } from 'node:url'

/**
 * The folder a machine mounts read-only at `/opt/svc/sandboxd`: `sandboxd.mjs`, the proxy preload, the native part of
 * terminals. The built one, whether this module runs from its sources or from `dist`.
 */
export const sandboxdFolder = fileURLToPath(new URL('../dist/', import.meta.url))
