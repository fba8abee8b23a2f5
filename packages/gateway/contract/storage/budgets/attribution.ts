// What requests are for: on their rows, in the sums, and in lists.
import { expect, test } from 'bun:test'
import { MOST_VALUES } from '../../../src/money/budgets/attribution.ts'
import { endOf } from '../../../src/money/limits.ts'
import type { Opened, Use } from '../harness.ts'
import { extend, hold, newNode, newWallet, settle, thrownBy, type Wallet } from '../harness.ts'

const DAY_MS = 86_400_000
const today = ({ now }: Opened) => ({ from: endOf('day', now()) - DAY_MS, to: endOf('day', now()) })
const attribution = (tags: string[], endUser = '', session = '') => ({
  attribution: { tags: tags.sort(), endUser, session },
})

export function attributionContract(use: Use): void {
  async function spend(wallet: Wallet, node: { nodeId: number; epoch: number }) {
    const { ledger } = use().storage
    const begin = async (id: bigint, fields: Parameters<typeof hold>[3]) =>
      await ledger.apply(hold(id, wallet, node, fields))
    await begin(1n, attribution(['team=search', 'env=prod'], 'u_1', 's_1'))
    await begin(2n, { ...attribution(['team=search']), model: 'other' })
    await begin(3n, attribution([], 'u_2', 's_1'))
    await begin(4n, {})
    await ledger.apply(settle(1n, node, 10n, { tokens: 5, upstreamCost: 3n }))
    await ledger.apply(settle(2n, node, 20n))
    await ledger.apply(settle(3n, node, 30n))
    await ledger.apply(settle(4n, node, 40n))
  }

  test('sums by tag and by end user, grouped, filtered, sorted and in pages', async () => {
    const opened = use()
    const { attribution: sums } = opened.storage
    const [wallet, other, node] = [
      await newWallet(opened.storage),
      await newWallet(opened.storage),
      await newNode(opened.storage),
    ]
    await spend(wallet, node)
    const more = hold(5n, other, node, attribution(['team=search']))
    await opened.storage.ledger.apply(more)
    await opened.storage.ledger.apply(settle(5n, node, 1n))
    const [range, { account }] = [today(opened), wallet]
    const tags = await sums.sums('tag', ['value'], range, { account }, 10)
    expect(tags).toEqual({
      rows: [
        {
          group: { value: 'env=prod' },
          requests: 1,
          tokens: 5,
          charged: 10n,
          upstreamCost: 3n,
          unknownCosts: 0,
          lastAt: opened.now(),
        },
        {
          group: { value: 'team=search' },
          requests: 2,
          tokens: 5,
          charged: 30n,
          upstreamCost: 3n,
          unknownCosts: 1,
          lastAt: opened.now(),
        },
      ].map((row) => ({ ...row, lastAt: expect.any(Number) })),
      next: undefined,
    })
    const names = async (...args: Parameters<typeof sums.sums>) =>
      (await sums.sums(...args)).rows.map(({ group, charged }) => [...Object.values(group), charged])
    expect(await names('end_user', ['value'], range, { account }, 10)).toEqual([
      ['u_1', 10n],
      ['u_2', 30n],
    ])
    const most = { sort: { by: 'charged', descends: true } } as const
    expect(await names('tag', ['value'], range, { account }, 1, most)).toEqual([['team=search', 30n]])
    const first = await sums.sums('tag', ['value'], range, { account }, 1)
    expect(await names('tag', ['value'], range, { account }, 1, { after: first.next })).toEqual([['team=search', 30n]])
    const ofTeam = { account, value: 'team=search' }
    expect(await names('tag', ['model'], range, ofTeam, 10)).toEqual([
      ['model-x', 10n],
      ['other', 20n],
    ])
    expect(await names('tag', ['value', 'day'], range, { ...ofTeam, model: 'other' }, 10)).toEqual([
      ['team=search', range.from, 20n],
    ])
    // Over all accounts.
    expect(await names('tag', ['account'], range, { value: 'team=search' }, 10)).toEqual([
      [account, 30n],
      [other.account, 1n],
    ])
    expect(await names('tag', ['value'], range, {}, 10)).toEqual([
      ['env=prod', 10n],
      ['team=search', 31n],
    ])
    expect(await names('tag', [], range, { account, key: wallet.key }, 10)).toEqual([[40n]])
    expect(await names('tag', [], { from: 0, to: DAY_MS }, {}, 10)).toEqual([])
    expect(await thrownBy(sums.sums('tag', [], { from: 1, to: DAY_MS }, {}, 10))).toBeInstanceOf(RangeError)
  })

  test('what the reaper charged is corrected in the sums of its tags', async () => {
    const opened = use()
    const { storage } = opened
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node, attribution(['a', 'b'])))
    await storage.ledger.apply(extend(1n, node, { amount: 0n, minimum: 0n, progress: 40n }))
    await storage.ledger.apply({ verb: 'leave', ...node })
    await storage.ledger.apply({ verb: 'reap', limit: 1 })
    await storage.ledger.apply(settle(1n, node, 15n))
    const { rows } = await storage.attribution.sums('tag', ['value', 'outcome'], today(opened), wallet, 10)
    expect(rows.map(({ group, requests, charged }) => [group.value, group.outcome, requests, charged])).toEqual([
      ['a', 'done', 1, 15n],
      ['a', 'reaped', 0, 0n],
      ['b', 'done', 1, 15n],
      ['b', 'reaped', 0, 0n],
    ])
  })

  test(`a day has sums of ${MOST_VALUES} values, and all that follow are one more; another account has its own`, async () => {
    const opened = use()
    const { storage, raw } = opened
    const [wallet, other, node] = [await newWallet(storage, 10_000n), await newWallet(storage), await newNode(storage)]
    const begun = (id: bigint, tag: string[], of = wallet) =>
      storage.ledger
        .apply(hold(id, of, node, attribution(tag, 'u_1')))
        .then(() => storage.ledger.apply(settle(id, node, 1n)))
    await begun(1n, ['first'])
    await storage.ledger.totals()
    await raw(`UPDATE daily_attribution_values SET known = ${MOST_VALUES - 1} WHERE dimension = 'tag'`)
    await begun(2n, ['last'])
    // What comes after them is no tag: one that is called so by its caller stays apart.
    await Promise.all([begun(3n, ['late', 'other']), begun(4n, ['first', 'latest']), begun(5n, ['other'], other)])
    const values = async (account: bigint) =>
      (await storage.attribution.sums('tag', ['value'], today(opened), { account }, 10)).rows.map(
        ({ group, charged }) => [group.value, charged],
      )
    expect(await values(wallet.account)).toEqual([
      ['', 3n],
      ['first', 2n],
      ['last', 1n],
    ])
    expect(await values(other.account)).toEqual([['other', 1n]])
    // It is told once, by whoever asks first.
    const reported = await storage.attribution.reportManyValues(opened.now(), 10)
    expect(reported).toEqual([{ account: wallet.account, dimension: 'tag', day: today(opened).from }])
    expect(await storage.attribution.reportManyValues(opened.now(), 10)).toEqual([])
    const { rows } = await storage.attribution.sums('end_user', ['value'], today(opened), wallet, 10)
    expect(rows).toMatchObject([{ group: { value: 'u_1' }, charged: 4n }])
    // The next day begins anew.
    await opened.elapse(DAY_MS)
    const again = await newNode(storage, 2)
    await storage.ledger.apply(hold(6n, wallet, again, attribution(['late'])))
    await storage.ledger.apply(settle(6n, again, 1n))
    expect(await values(wallet.account)).toEqual([['late', 1n]])
  })

  test('requests are found by tag, end user and session, of an account and of all', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await spend(wallet, node)
    const found: [object, bigint[]][] = [
      [{ tag: 'team=search' }, [2n, 1n]],
      [{ tag: 'TEAM=search' }, []],
      [{ tag: 'team' }, []],
      [{ endUser: 'u_2' }, [3n]],
      [{ session: 's_1' }, [3n, 1n]],
      [{ session: 's_1', tag: 'env=prod' }, [1n]],
      [{ session: 's' }, []],
    ]
    for (const [filter, ids] of found) {
      const own = await storage.spending.requests(wallet.account, filter, 10)
      expect(own.rows.map(({ request }) => request)).toEqual(ids)
      for (const of of [{}, { account: wallet.account }]) {
        const all = await storage.lists.requests({ ...of, ...filter }, {}, 10)
        expect(all.rows.map(({ row }) => row.request)).toEqual(ids)
      }
    }
    expect(await storage.ledger.findRequest(wallet.account, 1n)).toMatchObject({
      tags: ['env=prod', 'team=search'],
      endUser: 'u_1',
      session: 's_1',
      budgets: [],
    })
    expect(await storage.ledger.findRequest(wallet.account, 4n)).toMatchObject({ tags: [], endUser: '', session: '' })
  })
}
