import { expect, test } from 'vitest'
import { describeSecrets } from './describe-secrets.ts'

test('each secret is told with the way it is used', () => {
  const text = describeSecrets([
    { identifier: 'A', delivery: 'sandbox', environment_variable: 'A_KEY' },
    { identifier: 'B', delivery: 'network', environment_variable: 'B_KEY', hosts: ['api.example.com'] },
    { identifier: 'C', delivery: 'https_broker', hosts: ['x.example.com', 'y.example.com'] },
    { identifier: 'D', delivery: 'svc_service', consumer: 'llm_gateway' },
  ])
  expect(text).toContain('- `A`: its value is in the environment variable `A_KEY`.')
  expect(text).toMatch(/- `B`: .*`B_KEY` holds a handle.*`api\.example\.com`/)
  expect(text).toMatch(/- `C`: not in this machine.*secrets\/C\/broker.*`x\.example\.com`, `y\.example\.com`/)
  expect(text).toContain('- `D`: used by the platform for you (llm_gateway)')
})

test('no secrets, no instructions; very many are cut and counted', () => {
  expect(describeSecrets([])).toBeUndefined()
  const many = Array.from({ length: 250 }, (_, index) => ({ identifier: `S${index}`, delivery: 'sandbox' }))
  expect(describeSecrets(many)).toContain('and 50 more')
})
