import { expect, test } from 'vitest'
import { manifestCandidatePaths, manifestFormatForPath, parseManifestText, serializeManifestObject } from './index.ts'

test('the candidates keep the folder and try three extensions', () => {
  expect(manifestCandidatePaths()).toEqual(['svc.yaml', 'svc.yml', 'svc.toml'])
  expect(manifestCandidatePaths('config/svc.toml')).toEqual(['config/svc.yaml', 'config/svc.yml', 'config/svc.toml'])
  expect(manifestCandidatePaths('a.b/svc')).toEqual(['a.b/svc.yaml', 'a.b/svc.yml', 'a.b/svc.toml'])
})

test('only .yaml and .yml are YAML', () => {
  expect(['svc.yaml', 'a/svc.yml', 'svc.toml', 'svc', 'yaml'].map(manifestFormatForPath)).toEqual([
    'yaml',
    'yaml',
    'toml',
    'toml',
    'toml',
  ])
})

test('a syntax error is the parser’s own', () => {
  expect(() => parseManifestText('a: [', 'yaml')).toThrow(expect.objectContaining({ name: 'YAMLParseError' }))
  expect(() => parseManifestText('a = [', 'toml')).toThrow(/TOML/)
  expect(() => parseManifestText('a: 1\na: 2', 'yaml')).toThrow(expect.objectContaining({ code: 'DUPLICATE_KEY' }))
  expect(parseManifestText('- a', 'yaml')).toEqual({})
})

test('the version is written first and the rest keeps its order', () => {
  const manifest = { project: { name: 'x' }, svc_version: 1, agents: [{ name: 'a' }] }
  expect(serializeManifestObject(manifest, 'yaml')).toBe('svc_version: 1\nproject:\n  name: x\nagents:\n  - name: a\n')
  expect(serializeManifestObject(manifest, 'toml')).toMatch(/^svc_version = 1\n/)
})
