// The tables are whole and of known kinds.
import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { RESULTS } from '../certification/check.ts'
import { KINDS } from '../kinds/index.ts'
import { CERTIFICATES, testedWith } from './index.ts'

test('each file is in the list', () => {
  expect(readdirSync(import.meta.dir).filter((file) => file.endsWith('.json'))).toHaveLength(CERTIFICATES.length)
})

describe.each(CERTIFICATES.map((each) => [each.server ?? each.kind, each] as const))('%s', (_, certificate) => {
  test('has a date, a known kind, a model, and a reason for all that did not pass', () => {
    const { kind, date, models, checks } = certificate
    expect([date, KINDS.has(kind), models.length > 0]).toEqual([
      expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
      true,
      true,
    ])
    for (const { result, reason } of checks) {
      expect(RESULTS).toContain(result)
      expect(reason === null).toBe(result === 'passed')
    }
  })
})

test('a kind is tested with the newest that was certified, else with what stands in for it', () => {
  expect(testedWith({ kind: 'llama-cpp', name: 'x', testedWith: 'sandbox' })).toMatch(/^llama-server \S+, 20/)
  expect(testedWith({ kind: 'openai', name: 'OpenAI', testedWith: 'sandbox' })).toBe('sandbox')
})
