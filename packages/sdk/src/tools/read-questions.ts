import { dropUndefined, firstText, isRecord, toList, toRecord, toText } from '../wire/read-value.ts'

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
    .map(({ question, header, options }) =>
      dropUndefined({
        question: toText(question),
        header: firstText(header),
        options: toList(options).flatMap(readOption),
      }),
    )
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
  const isText = (answer: unknown): answer is string => typeof answer === 'string'
  if (Array.isArray(rows)) return rows.map((row) => [row].flat().filter(isText))
  const answers = questions.map(({ question }) => {
    const [, rest] = toText(output).split(`"${question}"="`, 2)
    return question && rest?.includes('"') ? [rest.slice(0, rest.indexOf('"'))] : []
  })
  return answers.some((answer) => answer.length > 0) ? answers : undefined
}

function readOption(option: unknown): AskedQuestion['options'][number][] {
  const { label, description } = toRecord(option)
  return firstText(label) ? [dropUndefined({ label: toText(label), description: firstText(description) })] : []
}
