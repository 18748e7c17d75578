import { problem } from '../kernel/http/index.ts'

/** No installation of the account reaches what was asked for; the link, if any, is where to change that. */
export function installationRequired(installUrl: string | null) {
  return problem('installation_required', { extras: { install_url: installUrl } })
}
