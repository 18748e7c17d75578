import { expect, test } from 'vitest'
import { chooseSkills, chooseTools } from './choose-tools.ts'

const everything = ['read', 'bash', 'edit', 'write', 'grep', 'ls']

test.each([
  ['no rule', undefined, everything],
  ['allow', 'allow', everything],
  ['deny', 'deny', []],
  ['ask', 'ask', []],
  ['edit denied', { edit: 'deny' }, ['read', 'bash', 'grep', 'ls']],
  [
    'patterns that are not all open',
    { bash: { '*': 'allow', 'rm *': 'deny' } },
    everything.filter((t) => t !== 'bash'),
  ],
  ['patterns that are all open', { bash: { '*': 'allow' } }, everything],
  ['all but reading denied', { '*': 'deny', read: 'allow' }, ['read']],
])('%s leaves exactly the tools that are open outright', (_name, permission, tools) => {
  expect(chooseTools(permission)).toEqual(tools)
})

test.each([
  [undefined, 'all'],
  [{ skill: 'allow' }, 'all'],
  [{ skill: 'deny' }, []],
  [{ skill: 'ask' }, []],
  [{ skill: { '*': 'deny', pdf: 'allow', docx: 'ask' } }, ['pdf']],
  ['deny', []],
])('skills: %j gives %j', (permission, skills) => {
  expect(chooseSkills(permission)).toEqual(skills)
})
