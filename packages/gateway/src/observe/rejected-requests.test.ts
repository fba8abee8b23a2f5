import { expect, test } from 'bun:test'
import { countRejectedRequests } from './rejected-requests.ts'
import { RequestRecord } from './request-record.ts'

function rejected(key: bigint, error: string | undefined, account = 1n): RequestRecord {
  const record = new RequestRecord('POST', '/v1/chat/completions', `req_${key}`, 0)
  return Object.assign(record, { account, key, error, reason: 'Why.' })
}

test('counts by key and code what had no receipt, until it is taken', () => {
  const counts = countRejectedRequests(() => 125_000)
  for (const record of [rejected(1n, 'model_not_found'), rejected(1n, 'model_not_found'), rejected(2n, 'bad_request')])
    counts.ended(record)
  counts.ended(rejected(1n, undefined))
  counts.ended(Object.assign(rejected(1n, 'upstream_error'), { outcome: 'failed' }))
  counts.ended(new RequestRecord('GET', '/', 'req_0', 0))
  const row = {
    account: 1n,
    key: 1n,
    code: 'model_not_found',
    minute: 120_000,
    count: 2,
    lastRequest: 'req_1',
    reason: 'Why.',
  }
  expect(counts.take()).toEqual([row, { ...row, key: 2n, code: 'bad_request', count: 1, lastRequest: 'req_2' }])
  expect(counts.take()).toEqual([])
})

test('a greedy account cannot grow it without bound, and takes nothing from others', () => {
  const counts = countRejectedRequests(() => 0)
  for (let key = 1n; key <= 1_000n; key += 1n) counts.ended(rejected(key, 'bad_request'))
  counts.ended(rejected(5_000n, 'bad_request', 2n))
  const rows = counts.take()
  expect(rows.filter(({ account }) => account === 1n)).toHaveLength(51)
  expect(rows.find(({ key }) => key === 0n)).toMatchObject({ account: 1n, code: 'other', count: 950 })
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(1_001)
  expect(rows.at(-1)).toMatchObject({ account: 2n, count: 1 })
})

test('what exceeds the bound of all accounts is counted together, and nothing is lost', () => {
  const counts = countRejectedRequests(() => 0)
  for (let account = 1n; account <= 3_000n; account += 1n) counts.ended(rejected(1n, 'bad_request', account))
  const rows = counts.take()
  expect(rows).toHaveLength(2_001)
  expect(rows.at(-1)).toMatchObject({ account: 0n, key: 0n, code: 'other', count: 1_000 })
})
