export interface Skill {
  readonly name: string
  readonly description: string
  readonly body: string
}
