/** One file of a new project's repository. Its content may hold placeholders such as `{{projectName}}`. */
export interface StarterFile {
  readonly path: string
  readonly content: string
}
