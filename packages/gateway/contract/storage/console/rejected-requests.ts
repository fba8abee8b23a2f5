import { expect, test } from 'bun:test'
import type { RejectedCount } from '../../../src/storage/storage.ts'
import type { Use } from '../harness.ts'

const MINUTE = 60_000
const BOUNDS = { perKey: 100, perAccount: 100, inAll: 100 }
const row = (fields: Partial<RejectedCount> = {}): RejectedCount => ({
  account: 1n,
  key: 2n,
  code: 'rate_limit_exceeded',
  minute: 10 * MINUTE,
  count: 1,
  lastRequest: 'req_1',
  reason: 'Too many.',
  ...fields,
})

export function rejectedRequestsContract(use: Use): void {
  test('counts of a key, a code and a minute are summed; the last request and its reason stay', async () => {
    const { storage } = use()
    const add = (...rows: RejectedCount[]) => storage.rejectedRequests.add(rows, BOUNDS)
    await add()
    await add(row({ count: 3 }), row({ code: 'model_not_found' }))
    await add(row({ count: 4, lastRequest: 'req_9', reason: `a\0${'x'.repeat(500)}` }))
    await add(row({ minute: 11 * MINUTE }), row({ account: 7n }), row({ key: 3n }))
    const list = (filter = {}, limit = 10) => storage.rejectedRequests.list(filter, limit)
    const rows = await list({ account: 1n })
    expect(rows.map(({ key, code, minute, count }) => [key, code, minute / MINUTE, count])).toEqual([
      [2n, 'rate_limit_exceeded', 11, 1],
      [3n, 'rate_limit_exceeded', 10, 1],
      [2n, 'rate_limit_exceeded', 10, 7],
      [2n, 'model_not_found', 10, 1],
    ])
    expect(rows[2]).toMatchObject({ lastRequest: 'req_9', reason: `a${'x'.repeat(198)}` })
    expect(await list({ account: 1n, key: 3n })).toHaveLength(1)
    expect(await list({ from: 11 * MINUTE + 5 })).toHaveLength(1)
    const all = await list()
    expect(all.map(({ account }) => account)).toEqual([1n, 7n, 1n, 1n, 1n])
    // Page by page, whatever the rows of a minute have in common.
    const pages: RejectedCount[] = []
    for (let before = all.at(0); before; before = pages.at(-1) === before ? undefined : pages.at(-1))
      pages.push(...(await list({ before }, 2)))
    expect(pages).toEqual(all.slice(1))
    const last = all.at(-1) ?? row()
    expect([await list({ after: last }, 2), await list({ after: last })]).toEqual([all.slice(2, 4), all.slice(0, 4)])
    expect(await list({ code: 'model_not_found' })).toHaveLength(1)
    expect(await list({ account: 1n, lastRequest: 'req_9' })).toEqual([rows[2] ?? row()])
    expect(await list({ account: 7n, lastRequest: 'req_9' })).toEqual([])
    expect(await list({ to: 11 * MINUTE })).toHaveLength(4)
    expect(await storage.ledger.usage(1n, 0)).toEqual([])
  })

  test('each write keeps the rows of a key, of an account and of all within their bounds: the oldest go', async () => {
    const { storage } = use()
    const { rejectedRequests } = storage
    const bounds = { perKey: 4, perAccount: 6, inAll: 9 }
    const minutes = async (account: bigint) =>
      (await rejectedRequests.list({ account }, 99)).map(({ key, minute }) => `${key}@${minute / MINUTE}`)
    const add = (account: bigint, key: bigint, from: number, to: number) =>
      rejectedRequests.add(
        Array.from({ length: to - from + 1 }, (_, at) => row({ account, key, minute: (from + at) * MINUTE })),
        bounds,
      )
    await add(1n, 5n, 1, 1)
    await add(2n, 6n, 1, 8)
    expect(await minutes(2n)).toEqual(['6@8', '6@7', '6@6', '6@5'])
    await add(2n, 7n, 6, 9)
    expect(await minutes(2n)).toEqual(['7@9', '7@8', '6@8', '7@7', '6@7', '7@6', '6@6'])
    await add(2n, 8n, 10, 11)
    expect(await minutes(2n)).toEqual(['8@11', '8@10', '7@9', '7@8', '6@8', '7@7', '6@7'])
    // However much one account adds, the row of the other stays.
    expect(await minutes(1n)).toEqual(['5@1'])
    await add(3n, 9n, 20, 22)
    expect(await minutes(1n)).toEqual([])
    expect((await rejectedRequests.list({}, 99)).length).toBeLessThanOrEqual(bounds.inAll + 1)
  })

  test('rows are removed after their time', async () => {
    const { rejectedRequests } = use().storage
    await rejectedRequests.add(
      [1, 2, 3].map((at) => row({ minute: at * MINUTE })),
      BOUNDS,
    )
    await rejectedRequests.sweep(3 * MINUTE)
    expect((await rejectedRequests.list({}, 9)).map(({ minute }) => minute / MINUTE)).toEqual([3])
  })
}
