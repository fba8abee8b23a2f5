// Pages over all accounts: in both directions, with every filter; groups of usage, before and after days are added up.
import { expect, test } from 'bun:test'
import { CREDIT } from '../../../src/money/ledger.ts'
import { formatRequestId, timeOfId } from '../../../src/money/request-ids.ts'
import type { Page, Place, UsageDimension, UsageGroup } from '../../../src/storage/storage.ts'
import { hold, newAccount, newHash, newHolder, newKey, newNode, newWallet, type Use, voided } from '../harness.ts'
import { DAY_MS, HOUR_MS, START, spender } from './spender.ts'

type Read<Row> = (place: Place, limit: number) => Promise<Page<Row>>

/** All rows, read in pages of two from the first, and the same backwards from the last. */
export async function walk<Row>(read: Read<Row>, idOf: (row: Row) => bigint): Promise<bigint[]> {
  const ids: bigint[] = []
  for (let place: Place = {}; ; ) {
    const { rows, next } = await read(place, 2)
    ids.push(...rows.map(idOf))
    if (next === undefined) break
    place = { after: next }
  }
  const [last] = ids.slice(-1)
  const back: bigint[] = []
  for (let before = last; before !== undefined; ) {
    const { rows, next } = await read({ before }, 2)
    back.unshift(...rows.map(idOf))
    before = next
  }
  expect(back).toEqual(ids.slice(0, -1))
  return ids
}

export function listsContract(use: Use): void {
  test('accounts by state and by the beginning of a name or an address, oldest first', async () => {
    const { storage } = use()
    const accounts = []
    for (let index = 0; index < 5; index += 1) accounts.push(await newAccount(storage))
    const [first, second, third, fourth] = accounts.map(({ id }) => id)
    const named = await storage.accounts.createNamed('Nightly 100%', 0n, CREDIT)
    await storage.accounts.setDisabled(first ?? 0n, true)
    await storage.accounts.erase(second ?? 0n, { force: true })
    const list = (filter: Parameters<typeof storage.lists.accounts>[0]) =>
      walk(
        (place, limit) => storage.lists.accounts(filter, place, limit),
        ({ account }) => account.id,
      )
    const all = [...accounts.map(({ id }) => id), named.id]
    expect(await list({})).toEqual(all)
    expect(await list({ state: 'disabled' })).toEqual([first ?? 0n])
    expect(await list({ state: 'deleted' })).toEqual([second ?? 0n])
    expect(await list({ state: 'active' })).toEqual(all.slice(2))
    expect(await list({ name: 'Nightly 1' })).toEqual([named.id])
    expect(await list({ name: 'Nightly%' })).toEqual([])
    const address = accounts[2]?.name ?? ''
    expect(await list({ email: address.slice(0, -4).toUpperCase() })).toEqual([third ?? 0n])
    expect(await list({ search: 'LY 100%' })).toEqual([named.id])
    expect(await list({ search: 'ly_100' })).toEqual([])
    expect(await list({ search: address.slice(2).toUpperCase() })).toEqual([third ?? 0n])
    expect(await list({ search: String(fourth) })).toContain(fourth ?? 0n)
    const newest = (place: Place, limit: number) => storage.lists.accounts({ state: 'active' }, place, limit, 'newest')
    expect(await walk(newest, ({ account }) => account.id)).toEqual(all.slice(2).reverse())
    const { rows } = await storage.lists.accounts({}, { after: third ?? 0n }, 1)
    expect(rows).toMatchObject([{ account: { id: fourth }, members: [{ email: accounts[3]?.name, role: 'owner' }] }])
    expect(await storage.accounts.names([named.id, first ?? 0n])).toEqual(
      new Map([
        [named.id, 'Nightly 100%'],
        [first ?? 0n, accounts[0]?.name ?? ''],
      ]),
    )
  })

  test('keys of all accounts by account, state, group, name, last four characters and last use', async () => {
    const { begin, request } = spender(use)
    const { storage, wallet, node } = await begin()
    const other = await newWallet(storage, 1_000n, { name: 'ÉTÉ 1', group: 'staff', lastFour: 'ab-_' })
    const old = await newKey(storage, wallet.account, { name: 'été 2', expiresAt: START + 1 })
    const gone = await newKey(storage, other.account, { group: 'staff' })
    await storage.keys.delete(gone.id)
    await use().elapse(DAY_MS)
    await request(storage, wallet, node, 5n)
    const list = (filter: Parameters<typeof storage.lists.keys>[0]) =>
      walk(
        (place, limit) => storage.lists.keys(filter, place, limit),
        ({ id }) => id,
      )
    expect(await list({})).toEqual([gone.id, old.id, other.key, wallet.key])
    expect(await list({ account: wallet.account })).toEqual([old.id, wallet.key])
    expect(await list({ state: 'active' })).toEqual([other.key, wallet.key])
    expect(await list({ state: 'expired' })).toEqual([old.id])
    expect(await list({ state: 'deleted', group: 'staff' })).toEqual([gone.id])
    expect(await list({ name: 'été' })).toEqual([old.id, other.key])
    expect(await list({ lastFour: 'ab-_' })).toEqual([other.key])
    expect(await list({ unusedSince: START + HOUR_MS })).toEqual([gone.id, old.id, other.key])
    expect(await list({ unusedSince: START })).toEqual([])
    expect([...(await storage.spending.lastUsed(undefined, [wallet.key, old.id]))]).toEqual([
      [wallet.key, START + DAY_MS],
    ])
  })

  test('people by role, address and whether they are disabled, with their accounts and last sign-in', async () => {
    const { storage, now } = use()
    const [ada, bob, eve] = [await newHolder(storage), await newHolder(storage), await newHolder(storage)]
    await storage.people.setRole(ada.person, 'owner')
    await storage.people.setDisabled(eve.person, true)
    await storage.members.set(ada.account, bob.person, 'member')
    await storage.sessions.create({
      person: bob.person,
      hash: newHash(),
      expiresAt: now() + 1,
      userAgent: '',
      address: '',
    })
    const list = (filter: Parameters<typeof storage.lists.people>[0]) =>
      walk(
        (place, limit) => storage.lists.people(filter, place, limit),
        ({ person }) => person.id,
      )
    expect(await list({})).toEqual([ada.person, bob.person, eve.person])
    expect(await list({ role: 'owner' })).toEqual([ada.person])
    expect(await list({ role: 'any' })).toEqual([ada.person])
    expect(await list({ role: null, disabled: false })).toEqual([bob.person])
    expect(await list({ email: eve.email.slice(0, -3) })).toEqual([eve.person])
    await storage.signIns.setSecondFactor(bob.person, { secret: Uint8Array.of(7), recoveryCodes: [] })
    expect((await storage.lists.people({}, {}, 9)).rows.map(({ hasSecondFactor }) => hasSecondFactor)).toEqual([
      false,
      true,
      false,
    ])
    expect(await storage.people.names([ada.person, 999_999n])).toEqual(new Map([[ada.person, ada.email]]))
    const { rows } = await storage.lists.people({}, { after: ada.person }, 1)
    expect(rows).toMatchObject([
      {
        person: { signedInAt: now() },
        accounts: [
          { account: ada.account, name: ada.email, role: 'member' },
          { account: bob.account, name: bob.email, role: 'owner' },
        ],
      },
    ])
  })

  test('requests of all accounts by every filter, newest first', async () => {
    const { begin, request, newId, alive } = spender(use)
    const { storage, wallet, node } = await begin()
    const other = await newWallet(storage)
    const first = await request(storage, wallet, node, 5n, 'a')
    await use().elapse(HOUR_MS)
    const second = await request(storage, other, node, 6n, 'b')
    const failed = newId()
    const living = await alive(storage, node)
    await storage.ledger.apply(hold(failed, wallet, living, { model: 'b', upstream: 'spare' }))
    await storage.ledger.apply(voided(failed, living, { receipt: '{"error":{"code":"upstream_error"}}' }))
    const open = newId()
    await storage.ledger.apply(hold(open, wallet, living, { model: 'a' }))
    const list = async (filter: Parameters<typeof storage.lists.requests>[0]) =>
      (
        await walk(
          (place, limit) => storage.lists.requests(filter, place, limit),
          ({ row }) => row.request,
        )
      ).map(formatRequestId)
    const ids = (...of: bigint[]) => of.map(formatRequestId)
    expect(await list({})).toEqual(ids(open, failed, second, first))
    expect(await list({ account: wallet.account })).toEqual(ids(open, failed, first))
    expect(await list({ key: other.key })).toEqual(ids(second))
    expect(await list({ model: 'a' })).toEqual(ids(open, first))
    expect(await list({ upstream: 'spare' })).toEqual(ids(failed))
    expect(await list({ outcome: 'failed' })).toEqual(ids(failed))
    expect(await list({ outcome: 'failed', account: other.account })).toEqual([])
    expect(await list({ outcome: 'done' })).toEqual(ids(second, first))
    expect(await list({ outcome: 'running' })).toEqual(ids(open))
    expect(await list({ outcome: 'errors' })).toEqual(ids(failed))
    expect(await list({ outcome: 'errors', account: other.account })).toEqual([])
    expect(await list({ outcome: 'errors', account: wallet.account, model: 'b' })).toEqual(ids(failed))
    expect(await list({ request: second })).toEqual(ids(second))
    expect(await list({ request: second, model: 'a' })).toEqual([])
    expect(await list({ code: 'upstream_error' })).toEqual(ids(failed))
    expect(await list({ code: 'upstream-error' })).toEqual([])
    expect(await list({ to: timeOfId(second) })).toEqual(ids(first))
    expect(await list({ from: timeOfId(second), model: 'b' })).toEqual(ids(failed, second))
    const { rows } = await storage.lists.requests({}, { before: first }, 1)
    expect(rows).toMatchObject([{ account: other.account, row: { cost: 6n, model: 'b' }, upstreamCost: undefined }])
  })

  test('transfers by kind, account, reason and time, newest first', async () => {
    const { begin, request } = spender(use)
    const { storage, wallet, node } = await begin(100n)
    await storage.accounts.credit(wallet.account, 50n, 'invoice', 'id-1')
    await use().elapse(2 * DAY_MS)
    const charged = await request(storage, wallet, node, 5n)
    await use().elapse(2 * DAY_MS)
    await storage.accounts.credit(wallet.account, -7n, 'correction')
    const other = await newAccount(storage, 9n)
    const list = async (filter: Parameters<typeof storage.lists.transfers>[0]) => {
      await walk(
        (place, limit) => storage.lists.transfers(filter, place, limit),
        ({ id }) => id,
      )
      return (await storage.lists.transfers(filter, {}, 10)).rows.map(({ amount }) => amount)
    }
    expect(await list({})).toEqual([9n, 7n, 5n, 50n, 100n])
    expect(await list({ kind: 'credit' })).toEqual([9n, 50n, 100n])
    expect(await list({ kind: 'credit', account: wallet.account })).toEqual([50n, 100n])
    expect(await list({ kind: 'debit' })).toEqual([7n])
    expect(await list({ kind: 'charge' })).toEqual([5n])
    expect(await list({ kind: 'shortfall' })).toEqual([])
    expect(await list({ account: other.id })).toEqual([9n])
    expect(await list({ reason: 'invoice' })).toEqual([50n])
    expect(await list({ from: START + DAY_MS })).toEqual([9n, 7n, 5n])
    expect(await list({ from: START + DAY_MS, to: START + 3 * DAY_MS })).toEqual([5n])
    expect(await list({ to: START + DAY_MS, kind: 'credit' })).toEqual([50n, 100n])
    const { rows } = await storage.lists.transfers({ kind: 'charge' }, {}, 1)
    expect(rows).toMatchObject([{ request: charged, debit: wallet.account, at: START + 2 * DAY_MS }])
  })

  test('the audit log by actor, action, object and time', async () => {
    const { storage, elapse, now } = use()
    const entry = { address: '', requestId: undefined, before: undefined, after: undefined, reason: '' }
    const add = (type: 'person' | 'job', id: string, action: string, object: string) =>
      storage.auditLog.add({ ...entry, actor: { type, id }, action, object })
    await add('person', '7', 'key limit', 'key/1')
    await elapse(1_000)
    const later = now()
    await add('job', '7', 'key limit', 'key/2')
    await add('person', '7', 'key delete', 'key/1')
    const list = async (filter: Parameters<typeof storage.lists.auditLog>[0]) => {
      await walk(
        (place, limit) => storage.lists.auditLog(filter, place, limit),
        ({ id }) => id,
      )
      const { rows } = await storage.lists.auditLog(filter, {}, 10)
      return rows.map(({ action, object }) => `${action} ${object}`)
    }
    const [first, second, third] = ['key limit key/1', 'key limit key/2', 'key delete key/1'] as const
    expect(await list({})).toEqual([third, second, first])
    expect(await list({ actor: { type: 'person', id: '7' } })).toEqual([third, first])
    expect(await list({ action: 'key limit' })).toEqual([second, first])
    expect([await list({ action: 'key' }), await list({ action: 'key li' })]).toEqual([[third, second, first], []])
    expect(await list({ object: 'key/1' })).toEqual([third, first])
    expect(await list({ from: later })).toEqual([third, second])
    expect(await list({ to: later })).toEqual([first])
    expect(await list({ from: later + 1 })).toEqual([])
  })

  test('a filter that matches little looks at a bounded number of rows, and says where the list goes on', async () => {
    const { storage, raw } = use()
    const entry = { address: '', requestId: undefined, before: undefined, after: undefined, reason: '' }
    await storage.auditLog.add({ ...entry, actor: { type: 'job', id: 'x' }, action: 'sought', object: 'x' })
    await raw(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      INSERT INTO audit_log (at, actor_type, actor, address, action, object, reason)
      SELECT 1, 'job', '', '', 'other', 'x', '' FROM n`)
    const first = await storage.lists.auditLog({ action: 'sought' }, {}, 5)
    expect([first.rows.length, typeof first.next]).toEqual([0, 'bigint'])
    const second = await storage.lists.auditLog({ action: 'sought' }, { after: first.next ?? 0n }, 5)
    expect([second.rows.map(({ action }) => action), second.next]).toEqual([['sought'], undefined])
  })

  test('usage in groups of any dimensions is the same before and after its days are added up', async () => {
    const { begin, request } = spender(use)
    const { storage, wallet, node } = await begin()
    const other = await newWallet(storage)
    const second = await newKey(storage, wallet.account)
    for (let day = 0; day < 3; day += 1) {
      await request(storage, wallet, node, 30n, 'a', 3)
      await request(storage, { ...wallet, key: second.id }, node, 12n, 'b', 1)
      await request(storage, other, node, 0n, 'b', 2)
      await use().elapse(DAY_MS)
    }
    const day = START - (START % DAY_MS)
    const range = { from: day, to: day + 3 * DAY_MS }
    const sums = async (by: readonly UsageDimension[], filter = {}, limit = 2, within = range) => {
      const rows: unknown[] = []
      for (let after: UsageGroup | undefined; ; ) {
        const page = await storage.reports.usage(by, within, filter, limit, after)
        rows.push(...page.rows.map((row) => [...Object.values(row.group), row.requests, row.tokens, row.charged]))
        after = page.next
        if (after === undefined) return rows
      }
    }
    const wallets = [
      [wallet.account, 6, 12, 126n],
      [other.account, 3, 6, 0n],
    ]
    const models = [
      ['a', 3, 9, 90n],
      ['b', 6, 9, 36n],
    ]
    for (let round = 0; round < 2; round += 1) {
      expect(await sums([])).toEqual([[9, 18, 126n]])
      expect(await sums(['model'])).toEqual(models)
      expect(await sums(['outcome', 'model'])).toEqual([
        ['a', 'done', 3, 9, 90n],
        ['b', 'done', 3, 3, 36n],
        ['b', 'free', 3, 6, 0n],
      ])
      expect(await sums(['day'], { model: 'b' })).toEqual([0, 1, 2].map((at) => [day + at * DAY_MS, 2, 3, 12n]))
      expect(await sums(['upstream'], { outcome: 'free' })).toEqual([['main', 3, 6, 0n]])
      expect(await sums(['account'])).toEqual(wallets)
      expect(await sums(['account'], {}, 1)).toEqual(wallets)
      expect(await sums(['model', 'account'])).toEqual([
        [wallet.account, 'a', 3, 9, 90n],
        [wallet.account, 'b', 3, 3, 36n],
        [other.account, 'b', 3, 6, 0n],
      ])
      expect(await sums(['key', 'account'], { account: wallet.account })).toEqual([
        [wallet.key, wallet.account, 3, 9, 90n],
        [second.id, wallet.account, 3, 3, 36n],
      ])
      expect(await sums(['model'], { key: second.id })).toEqual([['b', 3, 3, 36n]])
      expect(await sums(['model'], { account: other.account })).toEqual([['b', 3, 6, 0n]])
      expect(await sums(['key', 'day'], { model: 'a' }, 2)).toEqual(
        [0, 1, 2].map((at) => [wallet.key, day + at * DAY_MS, 1, 3, 30n]),
      )
      // From the hour of the first requests, and until that of the last ones.
      const hours = { from: START, to: START + 2 * DAY_MS }
      const twoDays = [
        ['a', 2, 6, 60n],
        ['b', 4, 6, 24n],
      ]
      expect(await sums(['model'], {}, 2, hours)).toEqual(twoDays)
      expect(await sums(['key'], { account: wallet.account }, 1, hours)).toEqual([
        [wallet.key, 2, 6, 60n],
        [second.id, 2, 2, 24n],
      ])
      expect(await sums(['account'], {}, 2, { from: START, to: START + HOUR_MS })).toEqual([
        [wallet.account, 2, 4, 42n],
        [other.account, 1, 2, 0n],
      ])
      expect(await sums(['outcome', 'hour'], {}, 2, hours)).toEqual([
        ['done', START, 2, 4, 42n],
        ['done', START + DAY_MS, 2, 4, 42n],
        ['free', START, 1, 2, 0n],
        ['free', START + DAY_MS, 1, 2, 0n],
      ])
      if (round === 0) expect(await storage.reports.addUp()).toBe(3)
    }
    const added = await use().raw('SELECT sum(requests) AS requests FROM daily_total')
    expect(Number(added[0]?.requests)).toBe(9)
    // The last day once more: what came late is not lost, and nothing counts twice.
    await use().raw(`UPDATE daily_spending SET requests = requests + 1 WHERE model = 'a' AND day = ${day + 2 * DAY_MS}`)
    expect(await storage.reports.addUp()).toBe(1)
    expect(await sums(['model'])).toEqual([['a', 4, 9, 90n], models[1]])
  })

  test('nodes with what they tell of themselves, and the last runs of jobs', async () => {
    const { storage, now } = use()
    const node = await newNode(storage, 3)
    await newNode(storage, 4)
    const state = { version: '1.2.3', startedAt: 5, revision: 7, ready: false, faults: ['disk'] }
    await storage.nodes.report({ ...node, epoch: node.epoch - 1 }, state)
    expect((await storage.nodes.list()).map((each) => each.state)).toEqual([undefined, undefined])
    await storage.nodes.report(node, state)
    expect(await storage.nodes.list()).toEqual([
      { nodeId: 3, epoch: node.epoch, config: 'test', renewedAt: now(), state },
      { nodeId: 4, epoch: 1, config: 'test', renewedAt: now(), state: undefined },
    ])
    const run = { name: 'sweep', scope: 'cluster' as const, intervalMs: 60, durationMs: 2, nextAt: 90, beganAt: 10 }
    await storage.jobRuns.put(3, [{ ...run, error: 'no' }])
    await storage.jobRuns.put(4, [{ ...run, beganAt: 20, error: undefined, intervalMs: undefined }])
    await storage.jobRuns.put(3, [{ ...run, beganAt: 15, error: 'late' }])
    expect(await storage.jobRuns.list()).toEqual([
      { ...run, nodeId: 4, intervalMs: undefined, beganAt: 20, error: 'no', failedAt: 10, isFailing: false },
    ])
  })

  test('tasks of all accounts by account, state and model, newest first', async () => {
    const { storage } = use()
    const task = (id: bigint, account: bigint, state: 'queued' | 'running', model: string) =>
      storage.tasks.insert({
        id,
        account,
        key: 1n,
        type: 'video',
        model,
        serviceTier: undefined,
        state,
        status: state,
        upstream: 'films',
        upstreamKey: '',
        upstreamTask: undefined,
        data: '{}',
        deadlineInMs: 1_000,
        dueInMs: 1_000,
      })
    await task(1n, 7n, 'queued', 'a')
    await task(2n, 8n, 'running', 'a')
    await task(3n, 7n, 'running', 'b')
    const list = (filter: Parameters<typeof storage.tasks.page>[0]) =>
      walk(
        (place, limit) => storage.tasks.page(filter, place, limit),
        ({ id }) => id,
      )
    expect(await list({})).toEqual([3n, 2n, 1n])
    expect(await list({ account: 7n })).toEqual([3n, 1n])
    expect(await list({ state: 'running' })).toEqual([3n, 2n])
    expect(await list({ model: 'a', account: 8n })).toEqual([2n])
    expect(await list({ model: 'c' })).toEqual([])
  })
}
