/**
 * The server cannot start (or go on) until a person changes something. `message` says what is wrong, `fix` what to do
 * about it. Whoever prints it shows both and exits with a non-zero status; nothing has been damaged.
 */
export class StartError extends Error {
  readonly fix: string

  constructor(message: string, fix: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartError'
    this.fix = fix
  }

  static isInstance(error: unknown): error is StartError {
    return error instanceof Error && error.name === 'StartError' && 'fix' in error && typeof error.fix === 'string'
  }
}
