// The log of new-api: sums by day, and charges with what explains them.
import { expect, test } from 'bun:test'
import { all, cells, option, type Row, type Rows, readRows } from '../../../test-support/quota-database.ts'
import { CHANGED } from '../quota/logs/charges.ts'
import { MORE } from './charges.ts'

const SECONDS = Date.UTC(2026, 10, 18, 12) / 1000
const users = [cells('id=1 username=u status=1 role=1 group=default quota=0 used_quota=0')]
const tokens = [cells(`id=1 user_id=1 name=t1 status=1 group= key=${'k'.repeat(48)}`)]
const channels = [cells('id=1 type=1 key=sk-vendor status=1 name=c base_url= models=m group=default priority=0')]
const read = (rows: Rows) => readRows('new-api', { users, tokens, channels, ...rows })
const ratios = () => option('ModelRatio', { m: 1 })

const other = (more: object = {}) =>
  JSON.stringify({
    model_ratio: 1,
    completion_ratio: 1,
    cache_ratio: 1,
    model_price: -1,
    group_ratio: 1,
    user_group_ratio: -1,
    ...more,
  })
const log = (id: number, more: Row = {}): Row => {
  const row = `id=${id} user_id=1 created_at=${SECONDS} type=2 token_id=1 token_name=t1 model_name=m quota=10`
  return cells(`${row} prompt_tokens=8 completion_tokens=2 group=default`, { other: other(), ...more })
}

test('sums by day have failures and refunds, and no row twice', async () => {
  const found = await read({
    logs: [
      log(1),
      log(2, { quota: 30, other: other({ cache_tokens: 5 }) }),
      log(3, { type: 5, quota: 0 }),
      log(4, { type: 6, quota: 4 }),
      log(5, { type: 1, quota: 9_999 }),
      log(6, { token_id: 77, user_id: 78 }),
      log(7, {
        created_at: String(SECONDS + 86_400),
        other: other({ claude: true, cache_tokens: 100, cache_creation_tokens: 10 }),
      }),
    ],
  })
  const sums = await all(found.usage())
  expect(
    sums.map(({ day, key, person, requests, failed, inputTokens, cachedTokens, outputTokens, cost }) => [
      day,
      key,
      person,
      requests,
      failed,
      inputTokens,
      cachedTokens,
      outputTokens,
      cost,
    ]),
  ).toEqual([
    [20_775, 'token:1', 'user:1', 3, 1, 16, 5, 4, 72_000n],
    [20_775, undefined, undefined, 1, 0, 8, 0, 2, 20_000n],
    [20_776, 'token:1', 'user:1', 1, 0, 118, 100, 2, 20_000n],
  ])
})

test('a charge that the price here does not explain says why', async () => {
  const found = await read({
    options: [ratios()],
    logs: [
      log(1),
      log(2, { other: other({ model_ratio: 2 }) }),
      log(3, { other: other({ completion_ratio: 2 }) }),
      log(4, { other: other({ cache_ratio: 0.5 }) }),
      log(5, { other: other({ cache_ratio: 0.5, cache_tokens: 3 }) }),
      log(6, { other: other({ group_ratio: 0.7 }) }),
      log(7, { other: other({ web_search: true }) }),
      log(8, { model_name: 'gone' }),
    ],
  })
  const charges = await all(found.charges(100))
  expect(charges.map(({ special }) => special)).toEqual([
    undefined,
    CHANGED,
    CHANGED,
    undefined,
    CHANGED,
    CHANGED,
    MORE,
    CHANGED,
  ])
  expect(charges[0]).toMatchObject({ from: 'logs 1', group: 'default', charged: 20_000n, rounding: 2_000n })
})

test('a sample is spread evenly over a log of any length', async () => {
  const found = await read({
    options: [ratios()],
    logs: Array.from({ length: 1_000 }, (_, at) => log(at + 1, { created_at: SECONDS + at })),
  })
  const numbers = (await all(found.charges(20))).map(({ from }) => Number(from.split(' ')[1]))
  expect(numbers).toHaveLength(20)
  const gaps = numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThan(20)
  expect(Math.max(...gaps)).toBeLessThan(80)
})
