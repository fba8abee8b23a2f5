// Sums by tag and by end user as reports ask for them, what a session used, and how long all of it is kept.
import { expect, test } from 'bun:test'
import { endOf } from '../../../src/money/limits.ts'
import type { AttributedFilter } from '../../../src/storage/storage.ts'
import type { Opened, Use } from '../harness.ts'
import { hold, newNode, newWallet, settle, type Wallet } from '../harness.ts'

const DAY_MS = 86_400_000
const today = ({ now }: Opened) => ({ from: endOf('day', now()) - DAY_MS, to: endOf('day', now()) })
type Node = { nodeId: number; epoch: number }
type What = { tags?: string[]; endUser?: string; session?: string; model?: string }

export function attributedReportsContract(use: Use): void {
  async function charge(id: bigint, wallet: Wallet, node: Node, cost: bigint, { model, ...what }: What = {}) {
    const { ledger } = use().storage
    const { tags = [], endUser = '', session = '' } = what
    const isSaid = tags.length > 0 || endUser !== '' || session !== ''
    const said = isSaid ? { attribution: { tags: tags.toSorted(), endUser, session } } : {}
    await ledger.apply(hold(id, wallet, node, { ...said, ...(model === undefined ? {} : { model }) }))
    await ledger.apply(settle(id, node, cost))
  }

  test('tags of one name, people, weeks and months', async () => {
    const opened = use()
    const { storage, raw } = opened
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await charge(1n, wallet, node, 1n, { tags: ['team=search', 'env=prod'] })
    await charge(2n, wallet, node, 2n, { tags: ['team=mail'] })
    await charge(3n, wallet, node, 4n, { tags: ['team', 'teams=x'] })
    await storage.ledger.totals()
    // As after its 10,000 values.
    await raw(`UPDATE daily_attribution_spending SET value = '' WHERE value = 'env=prod'`)
    const { account } = wallet
    const found = async (by: Parameters<typeof storage.attribution.sums>[1], filter: AttributedFilter) =>
      (await storage.attribution.sums('tag', by, today(opened), { account, ...filter }, 10)).rows.map(
        ({ group, charged }) => [...Object.values(group), charged],
      )
    expect(await found(['value'], { tagName: 'team' })).toEqual([
      ['', 1n],
      ['team', 4n],
      ['team=mail', 2n],
      ['team=search', 1n],
    ])
    expect(await found(['person'], {})).toEqual([[0n, 12n]])
    expect(await found(['value'], { person: 0n, tagName: 'team' })).toHaveLength(4)
    expect(await found(['value'], { person: 7n })).toEqual([])
    const now = new Date(opened.now())
    const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
    const week = today(opened).from - ((now.getUTCDay() + 6) % 7) * DAY_MS
    expect(await found(['month'], { tagName: 'team' })).toEqual([[month, 8n]])
    expect(await found(['week', 'month'], { value: 'team=mail' })).toEqual([[week, month, 2n]])
    const all = async (by: 'week' | 'month') =>
      (await storage.reports.usage([by], today(opened), { account }, 10)).rows.map(({ group, charged }) => [
        group[by],
        charged,
      ])
    expect(await all('week')).toEqual([[week, 7n]])
    expect(await all('month')).toEqual([[month, 7n]])
    expect((await storage.reports.usage(['month'], today(opened), { person: 7n }, 10)).rows).toEqual([])
    expect((await storage.reports.usage(['month'], today(opened), { person: 0n }, 10)).rows).toHaveLength(1)
  })

  test('weeks begin on Mondays and months on their first, also those of long ago', async () => {
    const opened = use()
    const { storage, raw } = opened
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await charge(1n, wallet, node, 1n, { tags: ['a'] })
    await storage.ledger.totals()
    for (const [day, week, month] of [
      ['2024-02-29', '2024-02-26', '2024-02-01'],
      ['2024-03-01', '2024-02-26', '2024-03-01'],
      ['2026-11-01', '2026-10-26', '2026-11-01'],
      ['2026-11-02', '2026-11-02', '2026-11-01'],
    ] as const) {
      const at = Date.parse(day)
      await raw(`UPDATE daily_attribution_spending SET day = ${at}`)
      const { rows } = await storage.attribution.sums('tag', ['week', 'month'], { from: at, to: at + DAY_MS }, {}, 10)
      expect(rows.map(({ group }) => group)).toEqual([{ week: Date.parse(week), month: Date.parse(month) }])
    }
  })

  test('sums over time and totals of an account by tag and by end user', async () => {
    const opened = use()
    const { storage, raw } = opened
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await charge(1n, wallet, node, 1n, { tags: ['team=search', 'env=prod'], endUser: 'u_1', model: 'x' })
    await charge(2n, wallet, node, 2n, { tags: ['team=mail'], endUser: 'u_1', model: 'y' })
    await charge(3n, wallet, node, 4n)
    await storage.ledger.totals()
    const { account, key } = wallet
    const range = today(opened)
    const named = async (filter: object, by: 'tag' | 'end_user' | 'model' | 'key' | 'none') =>
      (await storage.spending.series(account, { ...range, ...filter }, 'day', by)).map(({ name, cost }) => [name, cost])
    expect(await named({}, 'tag')).toEqual([
      ['env=prod', 1n],
      ['team=mail', 2n],
      ['team=search', 1n],
    ])
    expect(await named({ tag: 'team=mail' }, 'none')).toEqual([['', 2n]])
    expect(await named({ tag: 'team=mail' }, 'model')).toEqual([['y', 2n]])
    expect(await named({ endUser: 'u_1' }, 'key')).toEqual([[String(key), 3n]])
    expect(await named({ endUser: 'u_1', model: 'x' }, 'end_user')).toEqual([['u_1', 1n]])
    expect(await named({ person: 7n }, 'tag')).toEqual([])
    const totals = async (filter: object, by: 'tag' | 'end_user' | 'key') => {
      const { rows, names, all } = await storage.spending.totals(account, { ...range, ...filter }, 'day', by, 2)
      return [rows.map(({ name, cost }) => [name, cost]), names, all.cost]
    }
    expect(await totals({}, 'tag')).toEqual([
      [
        ['team=mail', 2n],
        ['env=prod', 1n],
      ],
      3,
      4n,
    ])
    expect(await totals({}, 'end_user')).toEqual([[['u_1', 3n]], 1, 3n])
    expect(await totals({ tag: 'env=prod' }, 'key')).toEqual([[[String(key), 1n]], 1, 1n])
    // What is not told apart has no point of its own, but a row.
    await raw(`UPDATE daily_attribution_spending SET value = '' WHERE value = 'team=mail'`)
    expect(await named({}, 'tag')).toEqual([
      ['', 2n],
      ['env=prod', 1n],
      ['team=search', 1n],
    ])
    expect((await totals({}, 'tag'))[0]).toContainEqual(['', 2n])
  })

  test('a session is what its newest requests used', async () => {
    const opened = use()
    const { storage } = opened
    const [wallet, other, node] = [await newWallet(storage), await newWallet(storage), await newNode(storage)]
    await charge(1n, wallet, node, 1n, { session: 's' })
    await charge(2n, wallet, node, 2n, { session: 's' })
    await charge(3n, wallet, node, 4n, { session: 't' })
    await charge(4n, other, node, 8n, { session: 's' })
    await storage.ledger.apply(hold(5n, wallet, node, { attribution: { tags: [], endUser: '', session: 's' } }))
    const { account } = wallet
    const sums = { requests: 3, running: 1, charged: 3n, first: 1n, last: 5n, isAll: true }
    expect(await storage.attribution.session(account, 's')).toMatchObject(sums)
    expect(await storage.attribution.session(account, 's', 7n)).toMatchObject({ requests: 0, charged: 0n })
    const none = { requests: 0, running: 0, tokens: 0, charged: 0n, first: undefined, last: undefined, isAll: true }
    expect(await storage.attribution.session(account, 'u')).toEqual(none)
  })

  test('sums of old days are removed, and the audit knows', async () => {
    const opened = use()
    const { storage } = opened
    const [wallet, first] = [await newWallet(storage), await newNode(storage)]
    await charge(1n, wallet, first, 1n, { tags: ['a'], endUser: 'u_1' })
    await opened.elapse(DAY_MS)
    const node = await newNode(storage, 2)
    await charge(2n, wallet, node, 2n, { tags: ['b'] })
    const { from } = today(opened)
    let pages = 0
    while (await storage.attribution.sweep(from)) pages++
    expect(pages).toBe(2)
    const { rows } = await storage.attribution.sums('tag', ['value'], { from: 0, to: from + DAY_MS }, {}, 10)
    expect(rows.map(({ group }) => group.value)).toEqual(['b'])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, attributionMismatches: [] })
  })

  test('the audit compares the sums of each day with the charges of its requests', async () => {
    const opened = use()
    const { storage, raw } = opened
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await charge(1n, wallet, node, 5n, { tags: ['a', 'b', 'c'], endUser: 'u_1', session: 's' })
    await charge(2n, wallet, node, 7n, { tags: ['a'] })
    await charge(3n, wallet, node, 9n, { endUser: 'u_2' })
    await charge(4n, wallet, node, 11n)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, attributionMismatches: [] })
    const wrong = { ok: false, attributionMismatches: [wallet.account] }
    const sum = `daily_attribution_spending SET cost = cost`
    for (const value of ['c', 'u_2']) {
      await raw(`UPDATE ${sum} + 1 WHERE value = '${value}'`)
      expect(await storage.ledger.audit()).toMatchObject(wrong)
      await raw(`UPDATE ${sum} - 1 WHERE value = '${value}'`)
    }
    await raw(`UPDATE request SET tags = 'a,b' WHERE id = 1`)
    expect(await storage.ledger.audit()).toMatchObject(wrong)
    await raw(`UPDATE request SET tags = 'a,b,c' WHERE id = 1`)
    await raw(`UPDATE daily_attribution_spending SET day = day - ${DAY_MS} WHERE value = 'a'`)
    expect(await storage.ledger.audit()).toMatchObject(wrong)
    await raw(`DELETE FROM daily_attribution_spending`)
    expect(await storage.ledger.audit()).toMatchObject(wrong)
  })

  test('nothing of a deleted account says what it was for', async () => {
    const opened = use()
    const { storage } = opened
    const [wallet, other, node] = [await newWallet(storage), await newWallet(storage), await newNode(storage)]
    for (const [id, of] of [
      [1n, wallet],
      [2n, other],
      [3n, wallet],
    ] as const)
      await charge(id, of, node, 1n, { tags: ['a'], endUser: 'u_1', session: 's' })
    expect(await storage.accounts.erase(wallet.account, { force: true })).toBe(true)
    while ((await storage.attribution.forgetDeleted()) || (await storage.attribution.sweepDeleted()));
    const { rows } = await storage.lists.requests({}, {}, 10)
    expect(rows.map(({ row: { request, tags, endUser, session } }) => [request, tags, endUser, session])).toEqual([
      [3n, [], '', ''],
      [2n, ['a'], 'u_1', 's'],
      [1n, [], '', ''],
    ])
    const { rows: sums } = await storage.attribution.sums('tag', ['account'], today(opened), {}, 10)
    expect(sums.map(({ group }) => group.account)).toEqual([other.account])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
    expect(await storage.attribution.forgetDeleted()).toBe(false)
  })
}
