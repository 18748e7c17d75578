/** The app's registered address with what the answer adds. The address itself stays as it was registered. */
export function returnToApp(redirectUri: string, answer: Readonly<Record<string, string | null | undefined>>): string {
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(answer)) if (typeof value === 'string') added.append(name, value)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${added}`
}
