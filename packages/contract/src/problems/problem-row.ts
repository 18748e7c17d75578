/** `say` is for people; a handler may put a more specific sentence in its place. */
export interface ProblemRow {
  readonly status: number
  readonly say: string
  readonly next?: string
}
