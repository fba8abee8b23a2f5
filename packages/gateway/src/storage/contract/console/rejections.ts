import { expect, test } from 'bun:test'
import type { RejectedRequests } from '../../storage.ts'
import type { Use } from '../harness.ts'

const MINUTE = 60_000
const row = (fields: Partial<RejectedRequests> = {}): RejectedRequests => ({
  account: 1n,
  key: 2n,
  code: 'rate_limit_exceeded',
  minute: 10 * MINUTE,
  count: 1,
  lastRequest: 'req_1',
  reason: 'Too many.',
  ...fields,
})

export function rejectionsContract(use: Use): void {
  test('counts of a key, a code and a minute are summed; the last request and its reason stay', async () => {
    const { storage } = use()
    await storage.rejections.add([row({ count: 3 }), row({ code: 'model_not_found' })])
    await storage.rejections.add([row({ count: 4, lastRequest: 'req_9', reason: `a\0${'x'.repeat(500)}` })])
    await storage.rejections.add([row({ minute: 11 * MINUTE }), row({ account: 7n }), row({ key: 3n })])
    const list = (filter = {}, limit = 10) => storage.rejections.list(1n, filter, limit)
    const rows = await list()
    expect(rows.map(({ key, code, minute, count }) => [key, code, minute / MINUTE, count])).toEqual([
      [2n, 'rate_limit_exceeded', 11, 1],
      [2n, 'model_not_found', 10, 1],
      [2n, 'rate_limit_exceeded', 10, 7],
      [3n, 'rate_limit_exceeded', 10, 1],
    ])
    expect(rows[2]).toMatchObject({ lastRequest: 'req_9', reason: `a${'x'.repeat(198)}` })
    expect(await list({ key: 3n })).toHaveLength(1)
    expect(await list({ from: 11 * MINUTE })).toHaveLength(1)
    expect(await list({ to: 11 * MINUTE }, 2)).toHaveLength(2)
    expect(await storage.ledger.usage(1n, 0)).toEqual([])
  })

  test('rows are removed after their time, and the oldest beyond the bounds of an account and of all', async () => {
    const { storage } = use()
    const minutes = Array.from({ length: 8 }, (_, at) => at)
    await storage.rejections.add(
      [1n, 2n].flatMap((account) => minutes.map((at) => row({ account, minute: at * MINUTE }))),
    )
    const left = async () =>
      await Promise.all(
        [1n, 2n].map(async (account) =>
          (await storage.rejections.list(account, {}, 99)).map(({ minute }) => minute / MINUTE),
        ),
      )
    expect(await storage.rejections.sweep(2 * MINUTE, 100, 100)).toBe(4)
    expect(await storage.rejections.sweep(0, 4, 100)).toBe(4)
    expect(await left()).toEqual([
      [7, 6, 5, 4],
      [7, 6, 5, 4],
    ])
    expect(await storage.rejections.sweep(0, 4, 6)).toBe(2)
    expect(await left()).toEqual([
      [7, 6, 5],
      [7, 6, 5],
    ])
  })
}
