// The generated reference is that of the code. After a change of a table: npm run reference.
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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
