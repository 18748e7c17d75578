import { expect, test } from 'vitest'
import { readShellOutput } from './read-shell-output.ts'

test('colours stay, what the runtime adds goes', () => {
  const output = '\u001b[32mok\u001b[0m\n<bash_metadata>\nexit 0\n</bash_metadata>\n<exit_code>2</exit_code>'
  expect(readShellOutput(output)).toBe('\u001b[32mok\u001b[0m')
})

test('output without colours is left to the library', () => {
  expect(readShellOutput('plain')).toBeUndefined()
  expect(readShellOutput(undefined)).toBeUndefined()
})
