import { parseLocalhostUrl } from '@svc/sdk'
import { openPreview } from '@svc/sdk/react'
import type { OpenLink } from '../../markdown/link-opener.ts'
import { openInTab } from './panel/preview/open-in-tab.ts'

/** An agent's `localhost` is its machine, not yours: such a link opens what that port of the machine serves. */
export function openMachineLinks(projectId: string, sessionId: string): OpenLink {
  return (href) => {
    const local = parseLocalhostUrl(href)
    if (!local) return undefined
    return () => openInTab(openPreview(projectId, sessionId, local.port, local.path))
  }
}
