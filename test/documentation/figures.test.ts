// What pages say of CPU and of requests per second was measured: they quote one table, which names the commit of each figure.
import { expect, test } from 'bun:test'
import { pagesIn, readPage } from '../support/documentation/blocks.ts'

const PAGE = 'docs/decisions/measured-performance.md'
const COMPARISON = 'docs/migrate/comparison.md'

/** The rows of the table: what, figure, commit, day. */
const rows = (/^## The figures that pages quote$([\s\S]*?)^## /m.exec(readPage(PAGE))?.[1] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  )
const quotable = rows.map(([, figure = '']) => figure).join('\n')

test('each figure in the table names the commit and the day of its measurement', () => {
  expect(rows.length).toBeGreaterThan(10)
  const wrong = rows.filter(
    ([, , commit = '', day = '']) => !/^[0-9a-f]{7,8}$/.test(commit) || !/^2\d{3}-\d\d-\d\d$/.test(day),
  )
  expect(wrong).toEqual([])
})

/** The figures of other gateways are in tables and beside them. */
const proseOf = (page: string): string =>
  page === COMPARISON ? (/^## Figures$([\s\S]*?)^\|/m.exec(readPage(page))?.[1] ?? '') : readPage(page)

/** Whole figures: 12 us is not in 112 us. */
const isQuoted = (figure: string): boolean => {
  const escaped = figure.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\d.,])${escaped}`).test(quotable)
}

test('figures of CPU and of requests per second on the pages are those of the table', () => {
  const pages = [...pagesIn('docs'), 'README.md', 'README.zh-CN.md']
  const strange = pages.flatMap((page) =>
    [
      ...proseOf(page)
        .replace(/\s+/g, ' ')
        .matchAll(/\d[\d,.]*(?: (?:to|and) \d[\d,.]*)? (?:us|µs|requests per second)\b/g),
    ]
      .map(([figure]) => figure.replace('µs', 'us'))
      .filter((figure) => !isQuoted(figure))
      .map((figure) => `${page}: ${figure}`),
  )
  expect(strange).toEqual([])
})

test("Trivium's rows of the comparison are those of the table", () => {
  const figures = [
    ...readPage(COMPARISON).matchAll(/^\| Trivium(?:, PostgreSQL)? \| ([\d,]+)(?: \([^)]*\))? \|/gm),
  ].map(([, figure = '']) => figure)
  expect(figures.length).toBe(6)
  expect(figures.filter((figure) => !isQuoted(`${figure} us`) && !isQuoted(`${figure} ms`))).toEqual([])
})

test('what the READMEs compare is in the table of all gateways beside each other', () => {
  const table = /^\*\*CPU beside each other\*\*([\s\S]*?)^Trivium took/m.exec(readPage(COMPARISON))?.[1] ?? ''
  const lines = table.split('\n').filter((line) => line.startsWith('| '))
  const cellsOf = (line = '') => line.split('|').map((cell) => cell.trim())
  const names = cellsOf(lines[0]).map((name) => name.replace(/ [\d.]+$/, ''))
  const figures = cellsOf(lines.find((line) => line.startsWith('| Small JSON request')))
  for (const [page, to] of [
    ['README.md', 'to'],
    ['README.zh-CN.md', '至'],
  ] as const)
    for (const name of ['nginx', 'Trivium', 'Portkey', 'new-api', 'LiteLLM'])
      expect([page, readPage(page).replace(/\s+/g, ' ')]).toEqual([
        page,
        expect.stringContaining(`${name} ${figures[names.indexOf(name)]?.replace('to', to)}`),
      ])
})
