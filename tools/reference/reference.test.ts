// The generated reference is that of the code. After a change of a table: npm run reference.
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CREATE_VERSIONS, MIGRATIONS } from '@trivium/gateway/storage/migrations/migrations.ts'
import { expectedFiles, onDisk, ROOT, sectionsOf } from './generated.ts'
import { GENERATED } from './index.ts'

describe('generated text', () => {
  test.each([...expectedFiles(GENERATED)])('%s is up to date (else: npm run reference)', (file, text) => {
    expect(onDisk(file)).toBe(text)
  })

  test('every section with markers has a generator', () => {
    const known = new Set(GENERATED.map(({ file, section }) => `${file}: ${section}`))
    const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name))
    const marked = pages.flatMap((page) =>
      sectionsOf(readFileSync(join(ROOT, page), 'utf8')).map((section) => `${page}: ${section}`),
    )
    expect(marked.filter((each) => !known.has(each))).toEqual([])
  })
})

/** What the product consists of, without its tests: the text of each file. */
const sources = ['packages/gateway/src', 'packages/http/src', 'packages/sandbox/src', 'packages/protocol/src'].flatMap(
  (folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|mjs)$/.test(name) && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
)

test('every environment variable that the code reads is in the reference', () => {
  const page = onDisk('docs/reference/environment.md') ?? ''
  const text = [...sources, onDisk('tools/run.mjs')].join('\n')
  const read = [
    ...text.matchAll(/\benv(?:\.|\[')([A-Z][A-Z0-9_]+)/g),
    ...text.matchAll(/(?<![$\w])((?:TRIVIUM|OTEL|DATABASE_URL)_[A-Z_]*[A-Z])\b/g),
  ].map(([, name = '']) => name)
  const missing = new Set(read.filter((name) => !page.includes(`\`${name}\``)))
  expect([...missing]).toEqual([])
  expect(new Set(read).size).toBeGreaterThan(20)
})

test("every header of the gateway's own is in the reference", () => {
  const page = onDisk('docs/reference/api.md') ?? ''
  const headers = new Set(sources.join('\n').match(/(?<=')x-(?:trivium|sandbox)[a-z-]*(?=')/g))
  expect([...headers].filter((name) => !page.includes(`\`${name}`))).toEqual([])
  expect(headers.size).toBeGreaterThan(4)
})

test('every table of the database, of all versions and both engines, is in the reference', () => {
  const page = onDisk('docs/reference/database.md') ?? ''
  const statements = MIGRATIONS.flatMap(({ ledger, contents, postgres }) => [ledger, contents, postgres])
  const tables = new Set([CREATE_VERSIONS, ...statements].join('\n').match(/(?<=CREATE (?:UNLOGGED )?TABLE )\w+/g))
  expect([...tables].filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
  expect(tables.size).toBeGreaterThan(50)
})

describe('the reference of the log', () => {
  const page = onDisk('docs/reference/log.md') ?? ''
  const text = sources.join('\n')

  test('has every message at the levels error and warn', () => {
    const calls = [
      ...text.matchAll(/\b\w*[lL]og\.(?:error|warn)\(\s*(['"`])(.+?)\1/g),
      ...text.matchAll(/\blogUpstream\(\w+, (['"`])(.+?)\1/g),
      ...text.matchAll(/\breport\((['"`])(the |a |request |journal|cleaning)(.+?)\1/g),
    ].map(([, , ...message]) => message.join(''))
    // A part that varies is `...` there.
    const shown = calls.map((message) => message.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '...'))
    expect(shown.filter((message) => !page.includes(`\`${message}\``))).toEqual([])
    expect(shown.length).toBeGreaterThan(80)
  })

  test('has every field of a request', () => {
    const line = /function jsonRequest[\s\S]*?const line = \{([\s\S]*?)\n {2}\}/.exec(text)?.[1] ?? ''
    const fields = [...line.matchAll(/^ {4}(\w+):/gm)].map(([, name = '']) => name)
    expect(fields.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
    expect(fields.length).toBeGreaterThan(20)
  })
})

test('the example of docs/reference/receipts.md was charged what its formula says', () => {
  const example = /```json\n([\s\S]*?)```/.exec(onDisk('docs/reference/receipts.md') ?? '')?.[1] ?? ''
  const { formula, cost_usd: cost, shortfall_usd: shortfall } = JSON.parse(example)
  expect([formula.split(' = ')[1], shortfall]).toEqual([`${cost} USD`, '0.00'])
})
