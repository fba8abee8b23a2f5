import { expect, test } from 'bun:test'
import { readUsage } from './usage-pages.ts'

const ALL = Array.from({ length: 25 }, (_, index) => ({ request_id: `req_${25 - index}` }))
const ids = (rows: readonly { request_id: string }[]): string[] => rows.map(({ request_id }) => request_id)

/** A server whose pages have `size` rows at most. */
function pages(size: number) {
  const asked: Record<string, string>[] = []
  const ask = async (values: Record<string, string>) => {
    asked.push(values)
    const start = values.before === undefined ? 0 : ids(ALL).indexOf(values.before) + 1
    const most = values.limit === '0' ? size : Math.min(size, Number(values.limit))
    return ALL.slice(start, start + most)
  }
  return { ask, asked }
}

test.each([
  ['0', 10, 25],
  ['0', 25, 25],
  ['12', 10, 12],
  ['10', 10, 10],
  ['3', 1, 3],
  ['100', 7, 25],
])('--limit %s in pages of %i: %i rows, each once and in order', async (limit, size, expected) => {
  const { ask, asked } = pages(size)
  expect(ids(await readUsage(ask, { account: 'ada@example.com', limit }))).toEqual(ids(ALL.slice(0, expected)))
  for (const values of asked) expect(values.account).toBe('ada@example.com')
})

test('an account without requests has an empty list', async () => {
  expect(await readUsage(async () => [], { limit: '0' })).toEqual([])
})
