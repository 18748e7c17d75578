/** Only a port of the machine that the browser runs on, as the server's policy for this page says too. */
export function isWaiting(callback: string, state: string): boolean {
  if (state === '' || !URL.canParse(callback)) return false
  const { protocol, hostname, port } = new URL(callback)
  return protocol === 'http:' && hostname === '127.0.0.1' && port !== ''
}

/** Gives the command line what it waits for. Rejects when nobody there took it. */
export async function handOver(
  callback: string,
  answer: { readonly state: string; readonly token: string },
): Promise<void> {
  const response = await fetch(callback, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(answer),
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  }).catch((cause: unknown) => {
    throw new Error(
      'The command line no longer waits. Run `svc login` again, or make a token in your profile and give it with --token.',
      { cause },
    )
  })
  if (response.ok) return
  throw new Error(`The command line did not take the token (it answered ${response.status}). Run \`svc login\` again.`)
}
