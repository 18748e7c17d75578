import { showProblem } from '../../../../ui/toasts.tsx'

/**
 * Opens an address that is still being made. The tab opens at once, while the click still counts, and knows nothing of
 * this page.
 */
export function openInTab(address: Promise<string>): void {
  const tab = window.open('', '_blank')
  if (tab) tab.opener = null
  address.then(
    (url) => {
      if (tab) tab.location.replace(url)
      else showProblem(new Error('The browser did not allow a new tab. Allow them for this page and try again.'))
    },
    (error: unknown) => {
      tab?.close()
      showProblem(error)
    },
  )
}
