// The ledger as a whole: balances of its accounts, what was not charged, the runs of its audit, and the largest sums of usage.
import { expect, test } from 'bun:test'
import { CREDIT, REVENUE, SHORTFALL, TESTS } from '../../../src/money/book.ts'
import { firstIdAt } from '../../../src/money/request-ids.ts'
import { USAGE_DIMENSIONS, type UsageSort } from '../../../src/storage/storage.ts'
import { hold, newNode, newWallet, settle, type Use } from '../harness.ts'

const DAY_MS = 86_400_000

export function wholeLedgerContract(use: Use): void {
  /** A request that costs 1,500 of a wallet with 1,000, and one that costs 60 of another one. */
  async function charged() {
    const { storage } = use()
    const now = storage.now()
    const [poor, rich, node] = [await newWallet(storage), await newWallet(storage, 5_000n), await newNode(storage)]
    const [first, second] = [firstIdAt(now), firstIdAt(now) + 1n]
    await storage.ledger.apply(hold(first, poor, node, { model: 'a' }))
    await storage.ledger.apply(settle(first, node, 1_500n, { upstreamCost: 1_700n }))
    await storage.ledger.apply(hold(second, rich, node, { model: 'b' }))
    await storage.ledger.apply(settle(second, node, 60n))
    const day = now - (now % DAY_MS)
    return { storage, poor, rich, first, range: { from: day, to: day + DAY_MS } }
  }

  test('all accounts of the ledger add up to nothing', async () => {
    const { storage } = await charged()
    await storage.upstreams.bookTest(7n, 'a test')
    for (let round = 0; round < 2; round += 1) {
      const { wallets, held, accounts } = await storage.books.balances()
      expect([wallets, held]).toEqual([4_940n, 0n])
      expect(accounts).toEqual(
        new Map([
          [CREDIT, -6_000n],
          [SHORTFALL, -500n],
          [TESTS, -7n],
          [REVENUE, 1_567n],
        ]),
      )
      // The days are added up, too.
      await use().elapse(2 * DAY_MS)
      await storage.reports.addUp()
    }
  })

  test('what was not charged counts where the charge does', async () => {
    const { storage, poor, rich, range } = await charged()
    const sums = async (by: 'model' | 'account', filter = {}) =>
      (await storage.reports.usage([by], range, filter, 10)).rows.map(({ group, requests, charged, shortfall }) => [
        group[by],
        requests,
        charged,
        shortfall,
      ])
    const models = [
      ['a', 1, 1_000n, 500n],
      ['b', 1, 60n, 0n],
    ]
    expect(await sums('model')).toEqual(models)
    expect(await sums('account', { account: poor.account })).toEqual([[poor.account, 1, 1_000n, 500n]])
    expect(await sums('account', { account: rich.account })).toEqual([[rich.account, 1, 60n, 0n]])
    await use().elapse(2 * DAY_MS)
    await storage.reports.addUp()
    expect(await sums('model')).toEqual(models)
  })

  test.each<[UsageSort['by'], boolean, string[]]>([
    ['charged', true, ['a', 'b']],
    ['charged', false, ['b', 'a']],
    ['margin', false, ['a', 'b']],
    ['unknown_costs', true, ['b', 'a']],
    ['shortfall', true, ['a', 'b']],
  ])('the first groups by %s (descending: %p)', async (by, descends, models) => {
    const { storage, range } = await charged()
    const top = (limit: number, dimension: 'model' | 'account') =>
      storage.reports.topUsage([dimension], range, {}, limit, { by, descends })
    expect((await top(5, 'model')).map(({ group }) => group.model)).toEqual(models)
    expect((await top(1, 'account')).length).toBe(1)
    const [all] = await storage.reports.topUsage([], range, {}, 1, { by, descends })
    expect(all).toMatchObject({ requests: 2, charged: 1_060n, upstreamCost: 1_700n, unknownCosts: 1, shortfall: 500n })
  })

  test.each<[string]>([
    ['account'],
    ['key'],
    ['account,model'],
    ['key,model'],
    ['account,day'],
  ])('the first groups of %s have all their sums', async (names) => {
    const dimensions = USAGE_DIMENSIONS.filter((each) => names.split(',').includes(each))
    const { storage, range } = await charged()
    const { rows } = await storage.reports.usage(dimensions, range, {}, 10)
    const dearest = rows.toSorted((one, other) => Number(other.charged - one.charged))
    expect(dearest.map(({ charged, shortfall }) => [charged, shortfall])).toEqual([
      [1_000n, 500n],
      [60n, 0n],
    ])
    const top = (limit: number) =>
      storage.reports.topUsage(dimensions, range, {}, limit, { by: 'charged', descends: true })
    expect(await top(10)).toEqual(dearest)
    expect(await top(1)).toEqual(dearest.slice(0, 1))
  })

  test('transfers are found by their request, oldest first, and by their reference', async () => {
    const { storage, poor, first } = await charged()
    const ofRequest = await storage.lists.transfers({ request: first }, {}, 10)
    expect(ofRequest.rows.map(({ debit, amount }) => [debit, amount])).toEqual([
      [poor.account, 1_000n],
      [SHORTFALL, 500n],
    ])
    await storage.accounts.credit(poor.account, 5n, 'again', 'order 7')
    expect((await storage.lists.transfers({ reference: 'order 7' }, {}, 10)).rows).toMatchObject([{ amount: 5n }])
    expect((await storage.lists.transfers({ reference: 'order 8' }, {}, 10)).rows).toEqual([])
  })

  test('an audit tells its steps, and its run is kept', async () => {
    const { storage } = await charged()
    const { books } = storage
    const steps: number[] = []
    let all = 0
    const run = await books.beginAudit({ type: 'job', id: 'nightly' })
    await storage.ledger.audit({
      onStep(done, of) {
        all = of
        steps.push(done)
      },
    })
    expect(steps).toEqual(Array.from({ length: all }, (_, index) => index + 1))
    await books.renewAudit(run, 3, all)
    const [running] = await books.audits({}, 5)
    expect(running).toMatchObject({
      id: run,
      actor: { type: 'job', id: 'nightly' },
      step: 3,
      steps: all,
      ok: undefined,
    })
    await books.endAudit(run, true, '{}')
    const next = await books.beginAudit({ type: 'person', id: '7' })
    expect((await books.audits({}, 5)).map(({ id, ok }) => [id, ok])).toEqual([
      [next, undefined],
      [run, true],
    ])
    expect((await books.audits({ before: next }, 5)).map(({ id }) => id)).toEqual([run])
    expect((await books.audits({ after: run }, 5)).map(({ id }) => id)).toEqual([next])
  })
}
