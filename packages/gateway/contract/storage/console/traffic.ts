import { expect, test } from 'bun:test'
import { hold, newWallet, settle, type Use } from '../harness.ts'
import { HOUR_MS, START, spender } from './spender.ts'

const MINUTE_MS = 60_000

export function trafficContract(use: Use): void {
  test('sums of hours, and those of requests by steps, agree; the accounts that spent most come first', async () => {
    const { begin, request, newId, alive } = spender(use)
    const { storage, wallet, node } = await begin()
    const other = await newWallet(storage)
    await request(storage, wallet, node, 30n, 'a')
    await use().elapse(6 * MINUTE_MS)
    await request(storage, other, node, 8n, 'a')
    await request(storage, other, node, 0n, 'b')
    const known = newId()
    await storage.ledger.apply(hold(known, wallet, await alive(storage, node), { model: 'b' }))
    await storage.ledger.apply(settle(known, node, 5n, { upstream: 'main', upstreamCost: 4n, outcome: 'completed' }))
    await storage.ledger.apply(hold(newId(), wallet, node, { model: 'b' }))
    const range = { from: START, to: START + HOUR_MS }
    const { traffic } = storage
    const steps = await traffic.requests(range, 5 * MINUTE_MS)
    expect(
      steps
        .map(({ at, model, outcome, requests, charged }) => [
          (at - START) / MINUTE_MS,
          model,
          outcome,
          requests,
          charged,
        ])
        .toSorted(),
    ).toEqual([
      [0, 'a', 'done', 1, 30n],
      [5, 'a', 'done', 1, 8n],
      [5, 'b', 'completed', 1, 5n],
      [5, 'b', 'free', 1, 0n],
      [5, 'b', 'running', 1, 0n],
    ])
    expect(steps.find(({ outcome }) => outcome === 'completed')).toMatchObject({
      upstream: 'main',
      upstreamCost: 4n,
      unknownCosts: 0,
    })
    const ended = (await traffic.requests(range, HOUR_MS)).filter(({ outcome }) => outcome !== 'running')
    const inOrder = (sums: typeof ended) =>
      sums.toSorted((one, two) => (one.model + one.outcome < two.model + two.outcome ? -1 : 1))
    expect(inOrder(await traffic.hours(range))).toEqual(inOrder(ended))
    expect(await traffic.hours({ from: range.to, to: range.to + HOUR_MS })).toEqual([])
    const top = { account: wallet.account, charged: 35n }
    for (const source of ['requests', 'hours', 'days'] as const) {
      const from = source === 'days' ? START - 12 * HOUR_MS : START
      expect(await traffic.topAccounts({ from, to: range.to }, source, 5)).toMatchObject([
        top,
        { account: other.account, requests: 2, charged: 8n },
      ])
      expect(await traffic.topAccounts({ from, to: range.to }, source, 1)).toHaveLength(1)
    }
  })

  test('rejected requests by steps, and times to the first token over all models', async () => {
    const { begin } = spender(use)
    const { storage } = await begin()
    const rejected = { account: 1n, key: 2n, code: 'no_balance', reason: '', lastRequest: 'req_1' }
    const bounds = { perKey: 10, perAccount: 10, inAll: 10 }
    for (const [minute, count] of [
      [1, 3],
      [4, 4],
      [5, 1],
      [60, 9],
    ] as const)
      await storage.rejectedRequests.add([{ ...rejected, minute: START + minute * MINUTE_MS, count }], bounds)
    const range = { from: START, to: START + HOUR_MS }
    expect(await storage.traffic.rejected(range, 5 * MINUTE_MS)).toEqual(
      new Map([
        [START, 7],
        [START + 5 * MINUTE_MS, 1],
      ]),
    )
    await storage.spending.addLatencies([
      { model: 'a', bucket: 3, count: 2 },
      { model: 'b', bucket: 3, count: 5 },
      { model: 'b', bucket: 9, count: 1 },
    ])
    expect(await storage.traffic.firstTokens({ from: START + MINUTE_MS, to: range.to })).toEqual([
      { bucket: 3, count: 7 },
      { bucket: 9, count: 1 },
    ])
    expect(await storage.traffic.firstTokens({ from: range.to, to: range.to + HOUR_MS })).toEqual([])
  })
}
