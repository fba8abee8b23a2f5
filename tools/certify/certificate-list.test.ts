// The list of certificates after a certification: complete, and a module that works.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { certificateList } from './certificate-list.ts'

const CERTIFIED = join(import.meta.dir, '../../packages/gateway/src/upstreams/certified')
const index = readFileSync(join(CERTIFIED, 'index.ts'), 'utf8')
const files = readdirSync(CERTIFIED).filter((name) => name.endsWith('.json'))

test('it is what a certification writes, and a new table is added once', () => {
  expect(certificateList(index, files)).toBe(index)
  const added = certificateList(index, [...files, 'openai.json'])
  expect(added).toContain("import openai from './openai.json' with { type: 'json' }\n")
  expect(added).toMatch(/\[[\w, ]+, openai\] as Certificate\[\]/)
  expect(certificateList(added, [...files, 'openai.json'])).toBe(added)
})
