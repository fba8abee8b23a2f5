// The pages of the documentation: links, length, and names of things that exist.
import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { anchorOf } from '@trivium/console/src/pages/help/addresses.ts'
import { blocksOf, pagesIn, ROOT, readPage } from '../support/documentation/blocks.ts'

const markdown = ['docs', 'packages', 'faults', 'torture', 'court', 'deploy'].flatMap((folder) =>
  pagesIn(folder).filter((page) => !/node_modules|\/fixtures\//.test(page)),
)
const all = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...markdown,
  ...readdirSync(join(ROOT, 'docs/decisions')).map((name) => join('docs/decisions', name)),
]
const prose = (page: string): string[] => {
  const code = blocksOf(page).flatMap(({ line, code }) =>
    Array.from({ length: code.split('\n').length }, (_, index) => line + index),
  )
  const inCode = new Set(code)
  return readPage(page)
    .split('\n')
    .map((line, index) => (inCode.has(index) ? '' : line))
}

const anchorsOf = (page: string): string[] =>
  [
    ...prose(page)
      .join('\n')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, heading = '']) => anchorOf(heading))

test('links lead to files and headings that exist', () => {
  const broken = all.flatMap((page) =>
    [
      ...prose(page)
        .join('\n')
        .matchAll(/\]\(([^)\s]+)\)/g),
    ].flatMap(([, link = '']) => {
      if (/^[a-z]+:/.test(link)) return []
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : join(dirname(page), path)
      const exists = existsSync(join(ROOT, target)) && (anchor === undefined || anchorsOf(target).includes(anchor))
      return exists ? [] : [`${page}: ${link}`]
    }),
  )
  expect(broken).toEqual([])
})

test('source files that pages name exist', () => {
  const files = ['packages', 'test', 'exhaustive', 'bench', 'faults', 'torture', 'court', 'tools'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `/${folder}/${name}`),
  )
  const missing = all.flatMap((page) =>
    [...readPage(page).matchAll(/`([\w./*-]+\.(?:ts|mjs|sql))`/g)].flatMap(([, name = '']) => {
      const pattern = new RegExp(`/${name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`)
      return files.some((file) => pattern.test(file)) ? [] : [`${page}: ${name}`]
    }),
  )
  expect(missing).toEqual([])
})

test('ARCHITECTURE.md shows the floors that the test of the architecture enforces', () => {
  const names = (text: string) => [...text.matchAll(/[\w-]+/g)].map(([name]) => name).join()
  const list = /const FLOORS[^=]*= \[([\s\S]*?)\n\]/.exec(readPage('test/architecture.test.ts'))?.[1] ?? ''
  const enforced = list.trim().split('\n').map(names)
  const shown = /^## Imports$[\s\S]*?```\n([\s\S]*?)\n```/m.exec(readPage('ARCHITECTURE.md'))?.[1] ?? ''
  expect(shown.split('\n').map(names)).toEqual(enforced)
  expect(enforced.length).toBeGreaterThan(10)
})

test('every page is listed in docs/README.md', () => {
  const index = readPage('docs/README.md')
  const listed = pagesIn('docs').map((page) => page.slice('docs/'.length))
  expect(listed.filter((page) => page !== 'README.md' && !index.includes(`](${page})`))).toEqual([])
})

test('pages begin with a title, and not by speaking of themselves', () => {
  const wrong = pagesIn('docs').filter((page) => !/^# \S.*\n\n(?!This page)/.test(readPage(page)))
  expect(wrong).toEqual([])
})

/** Tables, headings, pictures and URLs cannot be wrapped. */
const isWide = (line: string): boolean =>
  !/^\s*(?:\||#|<!--|!\[|\[!)/.test(line) && line.replace(/\]\([^)]*\)/g, ']').length > 100

test('pages are short, and their lines fit on a screen', () => {
  const long = pagesIn('docs').filter(
    (page) => !page.startsWith('docs/reference/') && readPage(page).split('\n').length > 251,
  )
  expect(long).toEqual([])
  const pages = [...pagesIn('docs'), 'README.md', 'README.zh-CN.md', 'CONTRIBUTING.md', 'SECURITY.md']
  const wide = pages.flatMap((page) =>
    prose(page).flatMap((line, index) => (isWide(line) ? [`${page}:${index + 1}`] : [])),
  )
  expect(wide).toEqual([])
})

test('the first page is short', () => {
  expect(readPage('README.md').trimEnd().split('\n').length).toBeLessThan(120)
})
