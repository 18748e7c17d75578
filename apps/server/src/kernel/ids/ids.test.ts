import { expect, test } from 'vitest'
import { defineId, isUuid, newId, readIdTime } from './index.ts'

test('ids of one process are unique and sort in the order they were made', () => {
  const ids = Array.from({ length: 50_000 }, () => newId())
  expect(new Set(ids).size).toBe(ids.length)
  expect([...ids].sort()).toEqual(ids)
})

test('ids keep their order when the clock steps back', () => {
  const far = Date.now() + 60_000
  const first = newId(far)
  const second = newId(far - 30_000)
  expect(second > first).toBe(true)
})

test('an id is a version 7 UUID that carries its time', () => {
  const at = Date.now() + 120_000
  const id = newId(at)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(readIdTime(id)).toBe(at)
})

test('a kind of id parses UUIDs in either case and nothing else', () => {
  const ProjectId = defineId('project')
  const id = ProjectId.create()
  expect(ProjectId.parse(id.toUpperCase())).toBe(id)
  for (const bad of ['', 'x', `${id} `, `${id}0`, id.replaceAll('-', ''), 7, null, undefined, {}]) {
    expect(ProjectId.parse(bad)).toBeUndefined()
  }
  expect(isUuid(id)).toBe(true)
})
