// What goes beside the executable: NOTICE, the bill of materials, and the packages of all platforms.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { components } from './components.ts'
import { noticeOf } from './notice.ts'
import { sbomOf } from './sbom.ts'
import { hostTarget } from './targets.ts'

const ROOT = join(import.meta.dir, '../..')
const found = components(ROOT)

test('NOTICE is what `npm run notice` writes', () => {
  expect(readFileSync(join(ROOT, 'NOTICE'), 'utf8')).toBe(noticeOf(found))
})

test('NOTICE has every package with a license that is known', () => {
  const names = found.map(({ name }) => name)
  for (const name of ['bun', 'react-dom', 'kysely', 'yaml', 'nodemailer']) expect(names).toContain(name)
  expect(names).not.toContain('typebox')
  expect(found.filter(({ license }) => license === 'unknown')).toEqual([])
})

test('the bill of materials lists each package once, with its hash as hexadecimal digits', () => {
  const bill = sbomOf('1.2.3', found, new Date(0)) as {
    metadata: { timestamp: string }
    components: { 'bom-ref': string; purl: string; hashes?: { alg: string; content: string }[] }[]
  }
  expect(bill.metadata.timestamp).toBe('1970-01-01T00:00:00.000Z')
  expect(new Set(bill.components.map((each) => each['bom-ref'])).size).toBe(found.length)
  const query = bill.components.find(({ purl }) => purl.startsWith('pkg:npm/%40tanstack/react-query@'))
  expect(query?.hashes?.[0]?.alg).toBe('SHA-512')
  expect(query?.hashes?.[0]?.content).toMatch(/^[0-9a-f]{128}$/)
})

test('there is an executable for this machine', () => expect(hostTarget().cpu).toBe(process.arch as 'x64'))
