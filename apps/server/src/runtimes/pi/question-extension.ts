/**
 * The tool `question` for pi, which has none of its own. It takes what the tool of that name takes in the first runtime;
 * the dialog it opens reaches people through the bridge.
 */
export const questionExtension = `export default function (pi) {
  pi.registerTool({
    name: 'question',
    label: 'Question',
    description: 'Ask the person a question and wait for the answer. Use it when guessing would be expensive.',
    parameters: {
      type: 'object',
      properties: {
        questions: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            properties: {
              question: { type: 'string', description: 'The whole question' },
              header: { type: 'string', description: 'A very short label' },
              options: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: { label: { type: 'string' }, description: { type: 'string' } },
                  required: ['label'],
                },
              },
            },
            required: ['question', 'options'],
          },
        },
      },
      required: ['questions'],
    },
    async execute(_id, { questions }, _signal, _update, context) {
      const lines = []
      for (const { question, options } of questions) {
        const labels = options.map(({ label }) => label)
        const answer = labels.length > 0 ? await context.ui.select(question, labels) : await context.ui.input(question)
        if (answer === undefined) throw new Error('The person did not answer.')
        lines.push(question + ' ' + answer)
      }
      return { content: [{ type: 'text', text: lines.join('\\n') }], details: {} }
    },
  })
}
`
