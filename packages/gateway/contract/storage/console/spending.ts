import { describe, expect, test } from 'bun:test'
import { firstIdAt } from '../../../src/money/request-ids.ts'
import { hold, newKey, newWallet, settle, thrownBy, type Use, voided, type Wallet } from '../harness.ts'
import { DAY_MS, HOUR_MS, START, spender } from './spender.ts'

export function spendingContract(use: Use): void {
  const { begin, request, newId } = spender(use)
  const series = (account: bigint, step: 'hour' | 'day' | 'month', by: 'model' | 'key' | 'none', more = {}) =>
    use().storage.spending.series(account, { from: 0, to: START + 400 * DAY_MS, ...more }, step, by)

  describe('series', () => {
    test('sums by hour, day and month; by model, by key and in all', async () => {
      const { storage, wallet, node } = await begin()
      const { elapse } = use()
      const second = { ...wallet, key: (await newKey(storage, wallet.account)).id }
      await request(storage, wallet, node, 5n, 'a')
      await request(storage, wallet, node, 6n, 'b')
      await elapse(HOUR_MS)
      await request(storage, second, node, 7n, 'a')
      await elapse(DAY_MS)
      await request(storage, wallet, node, 8n, 'a')
      await elapse(40 * DAY_MS)
      await request(storage, wallet, node, 9n, 'a')
      const points = (rows: Awaited<ReturnType<typeof series>>) =>
        rows.map(({ at, name, requests, tokens, cost }) => [at, name, requests, tokens, Number(cost)])
      const [day, later] = [START - 12 * HOUR_MS, START + 41 * DAY_MS - 12 * HOUR_MS]
      expect(points(await series(wallet.account, 'hour', 'none'))).toEqual([
        [START, '', 2, 20, 11],
        [START + HOUR_MS, '', 1, 10, 7],
        [START + DAY_MS + HOUR_MS, '', 1, 10, 8],
        [START + 41 * DAY_MS + HOUR_MS, '', 1, 10, 9],
      ])
      expect(points(await series(wallet.account, 'day', 'model'))).toEqual([
        [day, 'a', 2, 20, 12],
        [day, 'b', 1, 10, 6],
        [day + DAY_MS, 'a', 1, 10, 8],
        [later, 'a', 1, 10, 9],
      ])
      expect(points(await series(wallet.account, 'day', 'key', { to: day + DAY_MS }))).toEqual([
        [day, String(wallet.key), 2, 20, 11],
        [day, String(second.key), 1, 10, 7],
      ])
      expect(points(await series(wallet.account, 'month', 'none'))).toEqual([
        [Date.UTC(2041, 4), '', 4, 40, 26],
        [Date.UTC(2041, 5), '', 1, 10, 9],
      ])
      const range = { from: START + HOUR_MS + 1, to: START + DAY_MS + HOUR_MS }
      expect(points(await series(wallet.account, 'hour', 'none', range))).toEqual([[START + HOUR_MS, '', 1, 10, 7]])
      expect(points(await series(wallet.account, 'day', 'none', { model: 'b' }))).toEqual([[day, '', 1, 10, 6]])
      expect(points(await series(wallet.account, 'day', 'none', { key: second.key }))).toEqual([[day, '', 1, 10, 7]])
      expect(await series(wallet.account + 1_000n, 'day', 'none')).toEqual([])
      expect(await thrownBy(series(wallet.account, 'day', 'none', { model: 'a\0' }))).toBeInstanceOf(TypeError)
      expect((await storage.ledger.audit()).ok).toBe(true)
    })

    test('upstream, outcome and upstream cost are kept with the sums, and the correction of a reaping moves them', async () => {
      const { storage, wallet, node } = await begin()
      const { raw } = use()
      const [paid, unknown, failed, reaped] = [newId(), newId(), newId(), newId()]
      for (const id of [paid, unknown, failed, reaped]) await storage.ledger.apply(hold(id, wallet, node))
      await storage.ledger.apply(settle(paid, node, 60n, { tokens: 3, upstream: 'second', upstreamCost: 45n }))
      await storage.ledger.apply(settle(unknown, node, 50n, { outcome: 'cut' }))
      await storage.ledger.apply(voided(failed, node))
      await storage.ledger.apply({ verb: 'leave', ...node })
      await storage.ledger.apply({ verb: 'reap', limit: 10 })
      const sums = async (table: string) => {
        const columns = 'upstream, outcome, requests, tokens, cost, upstream_cost, unknown_costs'
        const rows = await raw(`SELECT ${columns} FROM ${table} ORDER BY upstream, outcome`)
        return rows.map(({ upstream, outcome, ...amounts }) => [
          upstream,
          outcome,
          ...Object.values(amounts).map(Number),
        ])
      }
      const settled = [
        ['main', 'cut', 1, 0, 50, 0, 1],
        ['main', 'failed', 1, 0, 0, 0, 0],
      ]
      for (const table of ['hourly_spending', 'daily_spending', 'daily_key_spending'])
        expect(await sums(table)).toEqual([
          ...settled,
          ['main', 'reaped', 1, 0, 0, 0, 1],
          ['second', 'done', 1, 3, 60, 45, 0],
        ])
      await storage.ledger.apply(settle(reaped, node, 10n, { upstream: 'second', upstreamCost: 7n }))
      for (const table of ['hourly_spending', 'daily_spending', 'daily_key_spending'])
        expect(await sums(table)).toEqual([
          ...settled,
          ['main', 'reaped', 0, 0, 0, 0, 0],
          ['second', 'done', 2, 3, 70, 52, 0],
        ])
      expect((await storage.ledger.audit()).ok).toBe(true)
      await raw('UPDATE request SET upstream_cost = upstream_cost + 1 WHERE upstream_cost > 0')
      expect((await storage.ledger.audit()).spendingMismatches).toEqual([wallet.account])
    })

    test.each(['hour', 'day', 'month'] as const)('totals by model and by key, by %s', async (step) => {
      const { storage, wallet, node } = await begin()
      const { elapse } = use()
      const second = { ...wallet, key: (await newKey(storage, wallet.account)).id }
      await request(storage, wallet, node, 5n, 'a', 3)
      await request(storage, wallet, node, 6n, 'b', 4)
      await elapse(HOUR_MS)
      await request(storage, second, node, 70n, 'a', 5)
      await elapse(9 * DAY_MS)
      await request(storage, second, node, 800n, 'c', 6)
      const totals = async (by: 'model' | 'key', more: object = {}, limit = 10) => {
        const filter = { from: 0, to: START + DAY_MS, ...more }
        const { rows, names, all } = await storage.spending.totals(wallet.account, filter, step, by, limit)
        const flat = ({ requests, tokens, cost }: typeof all) => [requests, tokens, Number(cost)]
        return { rows: rows.map((row) => [row.name, ...flat(row)]), names, all: flat(all) }
      }
      expect(await totals('model')).toEqual({
        rows: [
          ['a', 2, 8, 75],
          ['b', 1, 4, 6],
        ],
        names: 2,
        all: [3, 12, 81], // biome-ignore format: a table
      })
      expect((await totals('key')).rows).toEqual([
        [String(second.key), 1, 5, 70],
        [String(wallet.key), 2, 7, 11],
      ])
      expect((await totals('model', { key: second.key })).rows).toEqual([['a', 1, 5, 70]])
      expect((await totals('key', { model: 'b' })).rows).toEqual([[String(wallet.key), 1, 4, 6]])
      expect(await totals('model', { to: START + 400 * DAY_MS }, 1)).toEqual({
        rows: [['c', 1, 6, 800]],
        names: 3,
        all: [4, 18, 881],
      })
      expect(await totals('model', { model: 'none' })).toEqual({ rows: [], names: 0, all: [0, 0, 0] })
    })

    test.each(['hour', 'day', 'month'] as const)('the largest names by %s, and the sum of the others', async (step) => {
      const { storage, wallet, node } = await begin(1_000_000n)
      const { elapse } = use()
      // The first of nine keys has the most requests, the second the most tokens, and the last five cost most.
      const keys = [wallet.key]
      for (let place = 1; place < 9; place++) keys.push((await newKey(storage, wallet.account)).id)
      for (const [place, key] of keys.entries())
        for (let count = place === 0 ? 3 : 1; count > 0; count--)
          await request(
            storage,
            { ...wallet, key },
            node,
            BigInt((10 ** (place / 2)) | 0),
            `m${place}`,
            place === 1 ? 99 : 1,
          )
      await elapse(40 * DAY_MS)
      await request(storage, { ...wallet, key: keys[3] ?? 0n }, node, 2n, 'm3', 5)
      await elapse(DAY_MS)
      await request(storage, { ...wallet, key: keys[2] ?? 0n }, node, 4n, 'm2', 1)
      const all = await series(wallet.account, step, 'none')
      for (const by of ['key', 'model'] as const) {
        const points = await series(wallet.account, step, by)
        const names = new Set(points.map(({ name }) => name))
        const nameOf = (place: number) => (by === 'key' ? String(keys[place]) : `m${place}`)
        for (const place of [0, 1, 4, 5, 6, 7, 8]) expect(names).toContain(nameOf(place))
        expect(names.has('')).toBe(names.size < 9)
        // Whatever has a name, nothing is lost.
        const sums = all.map(({ at }) =>
          points.filter((point) => point.at === at).reduce((sum, { cost }) => sum + cost, 0n),
        )
        expect(sums).toEqual(all.map(({ cost }) => cost))
        expect(await series(wallet.account, step, by, { key: keys[2] })).toHaveLength(2)
        expect(await series(wallet.account, step, by, { model: 'm3', key: keys[2] })).toEqual([])
        const ofModel = await series(wallet.account, step, by, { model: 'm3' })
        expect(ofModel.map(({ name }) => name)).toEqual([nameOf(3), nameOf(3)])
      }
      expect((await storage.ledger.audit()).ok).toBe(true)
    })

    test('what the reaper charged and its node corrects later adds up to the transfers', async () => {
      const { storage, wallet, node } = await begin()
      const { elapse, raw } = use()
      const [settled, cancelled, gone] = [newId(), newId(), newId()]
      for (const id of [settled, cancelled, gone]) {
        await storage.ledger.apply(
          hold(id, wallet, node, { amount: 100n, minimum: 100n, tokens: 30, extensible: true }),
        )
        await storage.ledger.apply({
          verb: 'extend',
          id,
          nodeId: node.nodeId,
          epoch: node.epoch,
          known: 100n,
          amount: 10n,
          minimum: 10n,
          tokens: 0,
          progress: 40n,
        })
      }
      await elapse(HOUR_MS)
      await storage.ledger.apply({ verb: 'reap', limit: 10 })
      expect(await series(wallet.account, 'hour', 'none')).toEqual([
        { at: START + HOUR_MS, name: '', requests: 3, tokens: 90, cost: 120n },
      ])
      await elapse(HOUR_MS)
      await storage.ledger.apply(settle(settled, node, 70n, { tokens: 35 }))
      await storage.ledger.apply(voided(cancelled, node))
      await storage.ledger.apply(settle(settled, node, 70n, { tokens: 35 }))
      expect(await series(wallet.account, 'hour', 'none')).toEqual([
        { at: START + HOUR_MS, name: '', requests: 3, tokens: 90, cost: 120n },
        { at: START + 2 * HOUR_MS, name: '', requests: 0, tokens: -25, cost: -10n },
      ])
      const [charged] = await raw(`SELECT sum(CASE WHEN debit > 0 THEN amount ELSE -amount END) AS charged FROM transfer
        WHERE request IS NOT NULL AND (debit = ${wallet.account} OR credit = ${wallet.account})`)
      expect(Number(charged?.charged)).toBe(110)
      expect((await storage.ledger.audit()).ok).toBe(true)
    })

    test('hundreds of requests at once over several keys and models are counted exactly', async () => {
      const { storage, wallet, node } = await begin()
      const wallets = [wallet, await newWallet(storage, 50_000n), await newWallet(storage, 50_000n)]
      const ids = Array.from({ length: 300 }, (_, index) => [newId(), index] as const)
      await Promise.all(
        ids.map(async ([id, index]) => {
          const one = wallets[index % 3] as Wallet
          await storage.ledger.apply(hold(id, one, node, { model: `m${index % 5}` }))
          await (index % 7 === 0
            ? storage.ledger.apply(voided(id, node))
            : storage.ledger.apply(settle(id, node, BigInt(index), { tokens: index })))
        }),
      )
      const ended = ids.filter(([, index]) => index % 3 === 0)
      const expected = ended.filter(([, index]) => index % 7 !== 0).reduce((sum, [, index]) => sum + index, 0)
      const points = await series(wallet.account, 'day', 'model')
      const total = (field: 'requests' | 'tokens') => points.reduce((sum, point) => sum + point[field], 0)
      expect(points.map(({ name }) => name)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4'])
      expect([total('requests'), total('tokens')]).toEqual([ended.length, expected])
      expect((await storage.ledger.audit()).ok).toBe(true)
    })

    test('sums survive a restart', async () => {
      const { storage, wallet, node } = await begin()
      await request(storage, wallet, node, 5n)
      const again = await use().reopen()
      expect(
        await again.spending.series(wallet.account, { from: 0, to: START + DAY_MS }, 'hour', 'none'),
      ).toMatchObject([{ requests: 1, cost: 5n }])
    })
  })

  describe('requests', () => {
    const list = async (account: bigint, filter = {}, limit = 10) => {
      const { rows, next } = await use().storage.spending.requests(account, filter, limit)
      return { ids: rows.map(({ request }) => request), next }
    }

    test('newest first, page by page, by time, model, key and outcome', async () => {
      const { storage, wallet, node } = await begin()
      const { elapse, now } = use()
      const second = { ...wallet, key: (await newKey(storage, wallet.account)).id }
      const first = await request(storage, wallet, node, 5n, 'a')
      await elapse(HOUR_MS)
      const other = await request(storage, second, node, 6n, 'b')
      await elapse(HOUR_MS)
      const free = await request(storage, wallet, node, 0n, 'b')
      expect(await list(wallet.account)).toEqual({ ids: [free, other, first], next: undefined })
      expect(await list(wallet.account, {}, 2)).toEqual({ ids: [free, other], next: other })
      expect(await list(wallet.account, { before: other }, 2)).toEqual({ ids: [first], next: undefined })
      expect(await list(wallet.account, {}, 3)).toEqual({ ids: [free, other, first], next: undefined })
      expect((await list(wallet.account, { model: 'b' })).ids).toEqual([free, other])
      expect((await list(wallet.account, { model: 'b' }, 1)).next).toBe(free)
      expect((await list(wallet.account, { key: second.key })).ids).toEqual([other])
      expect((await list(wallet.account, { outcome: 'free' })).ids).toEqual([free])
      expect((await list(wallet.account, { from: now() - HOUR_MS, to: now() })).ids).toEqual([other])
      expect((await list(wallet.account, { from: START + 1 })).ids).toEqual([free, other])
      expect((await list(wallet.account, { model: 'b', key: wallet.key, to: now() + 1 })).ids).toEqual([free])
      expect(await list(wallet.account + 1_000n)).toEqual({ ids: [], next: undefined })
      expect((await list(wallet.account, { outcome: 'errors' })).ids).toEqual([])
      const failed = newId()
      await storage.ledger.apply(hold(failed, wallet, node))
      await storage.ledger.apply(settle(failed, node, 0n, { outcome: 'timeout' }))
      expect((await list(wallet.account, { outcome: 'errors' })).ids).toEqual([failed])
      expect(await thrownBy(list(wallet.account, {}, 0))).toBeInstanceOf(RangeError)
      const { rows } = await storage.spending.requests(wallet.account, { before: other }, 1)
      expect(rows).toEqual(await storage.ledger.usage(wallet.account, 1, other))
    })

    test('a filter that matches little looks at a bounded number of requests and continues', async () => {
      const { storage, wallet, node } = await begin()
      const { raw, now } = use()
      const oldest = await request(storage, wallet, node, 5n, 'rare')
      const base = firstIdAt(now() + 1_000)
      await raw(`INSERT INTO request (id, account, key, node_id, epoch, state, held, held_at, model, upstream)
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9000)
        SELECT ${base} + n, ${wallet.account}, ${wallet.key}, 1, 1, 2, 0, ${now()}, 'common', 'main' FROM numbers`)
      const pages: (readonly [number, boolean])[] = []
      const found: bigint[] = []
      let before: bigint | undefined
      do {
        const { ids, next } = await list(wallet.account, { model: 'rare', ...(before && { before }) })
        found.push(...ids)
        pages.push([ids.length, next !== undefined])
        before = next
      } while (before !== undefined && pages.length < 10)
      expect(found).toEqual([oldest])
      expect(pages).toEqual([
        [0, true],
        [0, true],
        [1, false],
      ])
      expect((await list(wallet.account, { model: 'common' }, 3)).ids).toEqual(
        [9000n, 8999n, 8998n].map((n) => base + n),
      )
    })

    test('open requests, oldest first', async () => {
      const { storage, wallet, node } = await begin()
      const other = await newWallet(storage)
      const [first, second, ended] = [newId(), newId(), newId()]
      for (const id of [first, second, ended]) await storage.ledger.apply(hold(id, wallet, node))
      await storage.ledger.apply(hold(newId(), other, node))
      await storage.ledger.apply(settle(ended, node, 5n))
      const open = async (limit: number) =>
        (await storage.spending.openRequests(wallet.account, limit)).map((row) => [row.request, row.held, row.state])
      expect(await open(10)).toEqual([
        [first, 100n, 0],
        [second, 100n, 0],
      ])
      expect(await open(1)).toEqual([[first, 100n, 0]])
    })
  })

  test('the last use of each key', async () => {
    const { storage, wallet, node } = await begin()
    const { elapse, now } = use()
    const second = { ...wallet, key: (await newKey(storage, wallet.account)).id }
    const unused = (await newKey(storage, wallet.account)).id
    const foreign = await newWallet(storage)
    await request(storage, foreign, node, 5n)
    await request(storage, wallet, node, 5n)
    await request(storage, second, node, 5n, 'z')
    await elapse(1_000)
    await request(storage, wallet, node, 5n, 'a')
    const at = now()
    const keys = [wallet.key, second.key, unused, foreign.key]
    expect([...(await storage.spending.lastUsed(wallet.account, keys))].sort()).toEqual([
      [wallet.key, at],
      [second.key, START],
    ])
    expect((await storage.spending.lastUsed(wallet.account, [])).size).toBe(0)
  })

  test('latencies are added up by hour and summed over hours', async () => {
    const { storage, elapse, now } = { ...use(), ...(await begin()) }
    const { spending } = storage
    const one = { model: 'a', bucket: 3, count: 2 }
    await spending.addLatencies([])
    await spending.addLatencies([one, { model: 'b', bucket: 0, count: 1 }, one])
    await Promise.all(
      Array.from({ length: 10 }, () => spending.addLatencies([{ model: 'b', bucket: 1, count: 1 }, one])),
    )
    await elapse(HOUR_MS)
    await spending.addLatencies([{ ...one, count: 100 }])
    expect(await spending.latencies(START)).toEqual([
      { model: 'a', bucket: 3, count: 124 },
      { model: 'b', bucket: 0, count: 1 },
      { model: 'b', bucket: 1, count: 10 },
    ])
    expect(await spending.latencies(now())).toEqual([{ model: 'a', bucket: 3, count: 100 }])
    expect(await spending.sweepLatencies(START + HOUR_MS - 1)).toBe(0)
    expect(await spending.sweepLatencies(START + HOUR_MS)).toBe(3)
    expect(await spending.latencies(0)).toEqual([{ model: 'a', bucket: 3, count: 100 }])
    expect(await thrownBy(spending.addLatencies([{ ...one, count: 0.5 }]))).toBeInstanceOf(RangeError)
  })
}
