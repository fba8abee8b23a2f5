import { expect, test } from 'bun:test'
import { readPages } from './pages.ts'

const ALL = Array.from({ length: 25 }, (_, index) => `req_${25 - index}`)

/** A server whose pages have `size` rows at most. */
const pages =
  (size: number) =>
  async ({ limit, after }: { limit: number; after?: string }) => {
    const start = after === undefined ? 0 : ALL.indexOf(after) + 1
    const items = ALL.slice(start, start + Math.min(size, limit))
    return { items, next: start + items.length < ALL.length ? (items.at(-1) ?? null) : null }
  }

test.each([
  [0, 10, 25],
  [0, 25, 25],
  [12, 10, 12],
  [10, 10, 10],
  [3, 1, 3],
  [100, 7, 25],
])('limit %i in pages of %i: %i rows, each once and in order', async (limit, size, expected) => {
  expect(await readPages(pages(size), limit)).toEqual(ALL.slice(0, expected))
})

test('an empty list is one page', async () => {
  expect(await readPages(async () => ({ items: [], next: null }), 0)).toEqual([])
})
