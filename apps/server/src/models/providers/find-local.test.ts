import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createLogger, createMemoryWriter } from '../../kernel/log/index.ts'
import { withLocalModels } from './find-local.ts'
import { readOperatorModels } from './models-file.ts'

test('a model server on this machine is offered for nothing, chosen for nobody, and gone when it is', async () => {
  const server = createServer((_incoming, outgoing) => {
    outgoing.setHeader('content-type', 'application/json')
    outgoing.end(JSON.stringify({ object: 'list', data: [{ id: 'qwen3:8b' }, { id: 'hf.co/some/model' }] }))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1`
  const stops: (() => void | Promise<void>)[] = []
  const log = createLogger({ writer: createMemoryWriter() })
  const file = readOperatorModels(undefined, log)
  const source = withLocalModels(file, (stop) => void stops.push(stop), { ollama: url })
  expect(source.current().models).toEqual({})
  await source.look()
  expect(Object.keys(source.current().models)).toEqual(['qwen3:8b', 'hf.co-some-model'])
  expect(source.current().models['qwen3:8b']).toMatchObject({ provider: 'ollama', cost: { input: 0, output: 0 } })
  expect(source.current().providers.ollama?.base_url).toBe(url)
  expect(source.current().default_model).toBe('scripted')
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await source.look()
  expect(source.current().models).toEqual({})
  for (const stop of stops) await stop()
})
