import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryManifest } from '../test/arbitrary-manifest.ts'
import { acceptsBySchema, acceptsByShape } from '../test/schema-rules.ts'
import { isLongRun, TEST_SEED } from '../test/seed.ts'
import {
  materializeManifest,
  parseManifestText,
  serializeManifestObject,
  upgradeManifest,
  validateManifest,
} from './index.ts'

const runs = { seed: TEST_SEED, numRuns: isLongRun ? 5_000 : 300 }
const manifests = fc.oneof(arbitraryManifest(1), arbitraryManifest(2))

describe('generated manifests', { timeout: 600_000 }, () => {
  test('the schema and the validator accept the same ones, apart from the validator-only rules', () => {
    let accepted = 0
    fc.assert(
      fc.property(manifests, (manifest) => {
        const bySchema = acceptsBySchema(manifest)
        if (bySchema) accepted += 1
        expect(acceptsByShape(manifest)).toBe(bySchema)
        if (!bySchema) expect(validateManifest(manifest).valid).toBe(false)
      }),
      runs,
    )
    expect(accepted).toBeGreaterThan(runs.numRuns / 100)
  })

  test('text and object say the same, and every issue in text has a place', () => {
    fc.assert(
      fc.property(manifests, (manifest) => {
        const fromObject = validateManifest(manifest).issues.map((issue) => `${issue.path} ${issue.message}`)
        const text = serializeManifestObject(manifest, 'yaml')
        const { issues } = validateManifest(text, 'yaml')
        expect(issues.map((issue) => `${issue.path} ${issue.message}`).sort()).toEqual(fromObject.sort())
        const lines = text.split('\n').length
        for (const { line = 0, column = 0 } of issues) {
          expect(line).toBeGreaterThan(0)
          expect(line).toBeLessThanOrEqual(lines)
          expect(column).toBeGreaterThan(0)
        }
      }),
      runs,
    )
  })

  test('what is written is read back, in both formats', () => {
    fc.assert(
      fc.property(manifests, (manifest) => {
        const yaml = serializeManifestObject(manifest, 'yaml')
        expect(parseManifestText(yaml, 'yaml')).toEqual(manifest)
        expect(yaml.startsWith('svc_version:')).toBe(true)
        if (JSON.stringify(manifest).includes('null')) return
        expect(parseManifestText(serializeManifestObject(manifest, 'toml'), 'toml')).toEqual(manifest)
      }),
      runs,
    )
  })

  test('a version 1 manifest without errors is version 2 without errors after the upgrade', () => {
    fc.assert(
      fc.property(arbitraryManifest(1), (manifest) => {
        fc.pre(validateManifest(manifest).valid)
        const { manifest: upgraded } = upgradeManifest(manifest)
        expect(validateManifest(upgraded).issues.filter((issue) => issue.severity === 'error')).toEqual([])
      }),
      { ...runs, numRuns: runs.numRuns / 5 },
    )
  })

  test('materialising never throws, and loses no entry of a list', () => {
    fc.assert(
      fc.property(manifests, (manifest) => {
        const resolved = materializeManifest(manifest)
        if (!Array.isArray(manifest.triggers)) return
        expect(resolved.triggers.entries.length + resolved.triggers.problems.length).toBe(manifest.triggers.length)
      }),
      runs,
    )
  })
})
