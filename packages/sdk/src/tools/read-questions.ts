import { firstText, isRecord, toList, toRecord, toText } from '../wire/read-value.ts'

/** A question an agent put to a person. */
export interface AskedQuestion {
  readonly question: string
  readonly header?: string
  readonly options: readonly { readonly label: string; readonly description?: string }[]
}

/** The questions of a call; an option without a label is left out. */
export function readQuestions(rows: unknown): AskedQuestion[] {
  return toList(rows)
    .filter(isRecord)
    .map((row) => {
      const header = firstText(row.header)
      const options = toList(row.options).flatMap(readOption)
      return { question: toText(row.question), ...(header !== undefined && { header }), options }
    })
}

/**
 * The answers, one list per question: from JSON output, or from the sentence the runtime prints, where each pair reads
 * `"question"="answer"`. Undefined while nobody has answered.
 */
export function readAnswers(
  questions: readonly AskedQuestion[],
  parsed: unknown,
  output: string | undefined,
): string[][] | undefined {
  const rows = Array.isArray(parsed) ? parsed : toRecord(parsed).answers
  if (Array.isArray(rows)) return rows.map(readAnswerRow)
  if (output === undefined) return undefined
  const answers = questions.map(({ question }) => findPrintedAnswer(output, question))
  return answers.some((answer) => answer.length > 0) ? answers : undefined
}

function readOption(option: unknown): { label: string; description?: string }[] {
  const { label: rawLabel, description: rawDescription } = toRecord(option)
  const label = firstText(rawLabel)
  if (label === undefined) return []
  const description = firstText(rawDescription)
  return [{ label, ...(description !== undefined && { description }) }]
}

function readAnswerRow(row: unknown): string[] {
  const chosen = Array.isArray(row) ? row : [row]
  return chosen.filter((answer) => typeof answer === 'string')
}

function findPrintedAnswer(output: string, question: string): string[] {
  const marker = `"${question}"="`
  const at = question === '' ? -1 : output.indexOf(marker)
  if (at < 0) return []
  const start = at + marker.length
  const end = output.indexOf('"', start)
  return end < 0 ? [] : [output.slice(start, end)]
}
