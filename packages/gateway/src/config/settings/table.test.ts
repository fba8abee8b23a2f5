// The table of settings against what reads them: no setting is missing, each default is the one in force, and only the file may have what
// is marked so.
import { expect, test } from 'bun:test'
import { stringify } from 'yaml'
import { generate } from '../../../test-support/generate-configuration.ts'
import { isFileOnly, setAt } from '../../../test-support/spread-configuration.ts'
import { assemble } from '../assemble.ts'
import { SETTING_SECTIONS } from '../stored.ts'
import type { FileConfig } from '../types.ts'
import { SETTING_FIELDS } from './table.ts'

const SOURCES = { source: '', file: 'trivium.yaml', env: {} } as const

/** Settings that a section reads only beside others. */
const TOGETHER = ['media.s3.region', 'alerts.email']

test('every setting that a configuration may have is in the table, once', () => {
  const written = new Set<string>()
  for (let seed = 1; seed <= 60; seed++)
    for (const { kind, id } of generate(seed).entries) if (kind === 'setting') written.add(id)
  const known = SETTING_FIELDS.map(({ id }) => id)
  expect([...written].filter((id) => !known.includes(id))).toEqual([])
  expect(known.filter((id) => !written.has(id))).toEqual([])
  expect(new Set(known).size).toBe(known.length)
  expect([...new Set(known.map((id) => id.split('.')[0] ?? ''))]).toEqual([...SETTING_SECTIONS])
})

/** `faultsWritten` distinguishes `false` from nothing. */
function comparable(config: FileConfig | undefined) {
  if (!config) throw new Error('there are mistakes')
  return { ...config, sandbox: { ...config.sandbox, faultsWritten: false }, hash: '', fileHash: '', warnings: [] }
}

const CASES = SETTING_FIELDS.map((field) => [field.id, field] as const)

test.each(CASES)('%s: its default, written, changes nothing', (id, field) => {
  const none = assemble(SOURCES)
  if (!none.config) throw new Error('the defaults are wrong')
  const value = field.defaultIn(none.defaults)
  if (value === null || TOGETHER.includes(id)) return
  const file = {}
  setAt(file, id.split('.'), value)
  const { config, mistakes } = assemble({ ...SOURCES, source: stringify(file) })
  expect(mistakes).toEqual([])
  expect(comparable(config)).toEqual(comparable(none.config))
})

test('what only the file may have is marked', () => {
  for (const field of SETTING_FIELDS) {
    const entry = { kind: 'setting' as const, id: field.id, value: field.type === 'objects' ? [] : 'x' }
    const result = assemble({ ...SOURCES, stored: [{ ...entry, revision: 1 }] })
    const invalid = result.config ? result.invalid : []
    const messages = invalid.flatMap(({ mistakes }) => mistakes.map(({ message }) => message)).join('\n')
    expect({ id: field.id, isFileOnly: messages.includes('can only be set in the configuration file') }).toEqual({
      id: field.id,
      isFileOnly: field.isFileOnly,
    })
    expect(isFileOnly(entry)).toBe(field.isFileOnly)
  }
})
