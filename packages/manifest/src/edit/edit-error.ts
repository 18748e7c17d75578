export type ManifestEditCode = 'entry_exists' | 'entry_not_found' | 'layout_not_supported' | 'invalid_target'

/** An edit that was not made; the text is unchanged. */
export class ManifestEditError extends Error {
  readonly code: ManifestEditCode

  constructor(code: ManifestEditCode, message: string) {
    super(message)
    this.name = 'ManifestEditError'
    this.code = code
  }

  static isInstance(error: unknown): error is ManifestEditError {
    return error instanceof Error && error.name === 'ManifestEditError'
  }
}
