import type { PartHealth } from '../../kernel/capability.ts'
import { runProgram } from './run-program.ts'
import { isFilterArch } from './seccomp/filter.ts'

const namespaces = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net']

export interface CheckInput {
  readonly program?: string
  readonly uid?: number
}

/** A version is no evidence: a sandbox like those of sessions is really made, by somebody who is not root. */
export async function checkBubblewrap({ program = 'bwrap', uid }: CheckInput): Promise<PartHealth> {
  if (process.platform !== 'linux' || !isFilterArch(process.arch)) {
    return {
      status: 'missing',
      detail: `Local sandboxes need Linux on x64 or arm64; this is ${process.platform} on ${process.arch}.`,
      next: 'Set SVC_SANDBOX_PROVIDERS=docker and run Docker or Podman.',
    }
  }
  const view = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev']
  const args = [...namespaces, '--disable-userns', '--die-with-parent', ...view, '/bin/true']
  const { code, output } = await runProgram(program, args, uid === undefined ? {} : { uid })
  if (code === 0) return { status: 'ok' }
  if (code === null) {
    return {
      status: 'missing',
      detail: 'bubblewrap is not installed: sessions cannot start.',
      next: 'Install it: apt-get install bubblewrap (Fedora: dnf install bubblewrap; Alpine: apk add bubblewrap).',
    }
  }
  if (output.includes('--disable-userns')) {
    return {
      status: 'missing',
      detail: 'bubblewrap is too old: sessions cannot start.',
      next: 'Install bubblewrap 0.8 or newer.',
    }
  }
  return {
    status: 'missing',
    detail: `bubblewrap cannot make a sandbox: ${output.split('\n')[0] ?? ''}`,
    next: 'Allow user namespaces (sysctl user.max_user_namespaces=15000; in a container: --security-opt seccomp=unconfined).',
  }
}
