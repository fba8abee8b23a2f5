// What operators do with accounts and codes, and what they are told: idempotent credits, imports, erasure, batches of codes, reports.
import { expect, test } from 'bun:test'
import { CREDIT } from '../../src/money/ledger.ts'
import { formatRequestId } from '../../src/money/request-ids.ts'
import type { Note, OpenedAccount, UsageDimension, UsageGroup } from '../../src/storage/storage.ts'
import { DAY_MS, HOUR_MS, START, spender } from './console/spender.ts'
import {
  hold,
  keyFields,
  newAccount,
  newHash,
  newHolder,
  newKey,
  newNode,
  newWallet,
  settle,
  type Use,
  voided,
} from './harness.ts'

export function operatorsContract(use: Use): void {
  test('the sizes of all tables are known, those of the contents, too', async () => {
    const { storage } = use()
    const { id: account } = await newAccount(storage, 0n)
    await storage.reasoning.put([{ account, key: new Uint8Array(32), value: new Uint8Array(1) }], 60_000)
    const sizes = await storage.sizes()
    const names = sizes.map(({ table }) => table)
    for (const table of ['account', 'request', 'transfer', 'idempotency', 'audit_log']) expect(names).toContain(table)
    expect(new Set(names).size).toBe(names.length)
    const bytes = sizes.map((each) => each.bytes)
    expect(bytes).toEqual(bytes.toSorted((one, other) => other - one))
    expect(bytes.every((each) => each > 0)).toBe(true)
  })

  test('a credit with an id is booked once, however often and at once it is repeated', async () => {
    const { storage } = use()
    const account = await newAccount(storage, 0n)
    const give = (amount: bigint, id: string) => storage.accounts.credit(account.id, amount, 'invoice', id)
    const done = await Promise.all(Array.from({ length: 10 }, () => give(7n, 'invoice-42')))
    expect(done.filter(Boolean)).toHaveLength(1)
    expect(await give(-3n, 'invoice-43')).toBe(true)
    expect(await give(-3n, 'invoice-43')).toBe(false)
    expect((await storage.accounts.find(account.id))?.balance).toBe(4n)
    expect(await storage.accounts.findCredit('invoice-42')).toEqual({
      account: account.id,
      amount: 7n,
      reason: 'invoice',
    })
    expect((await storage.accounts.findCredit('invoice-43'))?.amount).toBe(-3n)
    expect(await storage.accounts.findCredit('invoice-44')).toBeUndefined()
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, transfers: 2 })
  })

  test('notes of an account, newest first and no more than are allowed; its erasure removes them', async () => {
    const { storage } = use()
    const [account, other] = [await newAccount(storage, 0n), await newAccount(storage, 0n)]
    const add = (text: string, most = 3) =>
      storage.notes.add({ account: account.id, author: { type: 'person', id: '7' }, text }, most)
    const first = await add('pays late')
    const written = await Promise.all(['a', 'b', 'c', 'd'].map((text) => add(text)))
    expect(written.filter(Boolean)).toHaveLength(2)
    expect((await storage.notes.list(account.id)).at(-1)).toEqual(first as Note)
    expect(await storage.notes.delete(other.id, first?.id ?? 0n)).toBe(false)
    expect(await storage.notes.delete(account.id, first?.id ?? 0n)).toBe(true)
    expect(await storage.notes.delete(account.id, first?.id ?? 0n)).toBe(false)
    expect(await storage.notes.list(account.id)).toHaveLength(2)
    await storage.accounts.erase(account.id, { force: false })
    expect(await storage.notes.list(account.id)).toEqual([])
  })

  test('an account is imported with its terms and its key, or not at all', async () => {
    const { storage } = use()
    const key = { ...keyFields(0n), hash: newHash(), name: 'laptop' }
    const terms = { cap: 50n, capPeriod: 'month' as const, requestsPerMinute: 60, creditLine: 70n }
    const team = await newHolder(storage)
    const wanted: OpenedAccount = {
      owner: { email: 'ada@example.com' },
      credit: 9n,
      source: CREDIT,
      terms,
      key,
      member: { account: team.account, role: 'member', byOperator: true },
    }
    const created = await storage.accounts.open(wanted)
    expect(created).toMatchObject({ name: 'ada@example.com', balance: 9n, cap: 50n, capPeriod: 'month' })
    expect(created?.creditLine).toBe(70n)
    expect((await storage.members.list(team.account)).map(({ email, role }) => [email, role])).toContainEqual([
      'ada@example.com',
      'member',
    ])
    expect(created?.limits).toMatchObject({ requestsPerMinute: 60, tokensPerMinute: undefined })
    expect(await storage.keys.list(created?.id ?? 0n)).toMatchObject([{ name: 'laptop', account: created?.id }])
    expect(await storage.accounts.open({ ...wanted, key: { ...key, hash: newHash() } })).toBeUndefined()
    const named = await storage.accounts.open({
      ...wanted,
      owner: { name: 'nightly' },
      key: undefined,
      member: undefined,
    })
    expect(named).toMatchObject({ name: 'nightly', balance: 9n, cap: 50n })
    expect(await storage.accounts.list()).toHaveLength(4)
    expect((await storage.ledger.audit()).ok).toBe(true)
  })

  test('an erased account leaves its money and receipts, and nothing of its people', async () => {
    const { storage, raw, now } = use()
    const { account, person, email } = await newHolder(storage)
    const stays = await newHolder(storage)
    await storage.members.set(account, stays.person, 'member')
    const key = await newKey(storage, account, { name: 'of ada' })
    const session = { person, hash: newHash(), expiresAt: now() + DAY_MS, userAgent: '', address: '' }
    await storage.sessions.create(session)
    const node = await newNode(storage)
    await storage.ledger.apply(hold(1n, { account, key: key.id, email }, node))
    expect(await storage.accounts.erase(account, { force: false })).toBe(false)
    expect(await storage.accounts.erase(account, { force: true })).toBe(true)
    expect(await storage.accounts.erase(account, { force: true })).toBe(false)
    expect(await storage.accounts.find(account)).toMatchObject({
      name: `deleted account ${account}`,
      disabled: true,
      deletedAt: now(),
      balance: 1_000n,
    })
    // What was running is still charged.
    expect((await storage.ledger.apply(settle(1n, node, 60n))).verdict).toBe('done')
    expect((await storage.keys.list(account)).map((each) => [each.name, each.deleted])).toEqual([['deleted key', true]])
    expect(await storage.sessions.find(session.hash)).toBeUndefined()
    expect(await storage.members.list(account)).toEqual([])
    expect(await storage.people.find(email)).toBeUndefined()
    expect(await storage.people.find(stays.email)).toMatchObject({ disabled: false, isProved: true })
    for (const table of ['person', 'account', 'member', 'credential', 'taken_address', 'api_key'])
      expect(JSON.stringify(await raw(`SELECT * FROM ${table}`), (_, value) => String(value))).not.toContain(email)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, requests: 1 })
    // The address is free for an operator, and stays taken for sign-ups.
    const sought = { email, network: 'n', mostPerNetwork: 9, wideNetwork: 'w' }
    expect(await storage.accounts.signUpRejection(sought)).toBe('taken')
    expect(await storage.accounts.create(email, 0n, -2n)).toBeDefined()
  })

  test('an empty account needs no force', async () => {
    const { storage } = use()
    const account = await newAccount(storage, 0n)
    expect(await storage.accounts.erase(account.id, { force: false })).toBe(true)
  })

  test('codes are listed by batch in pages, and revoked unless they are redeemed', async () => {
    const { storage, elapse, now } = use()
    const account = await newAccount(storage, 0n)
    const batch = (label: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        hash: newHash(),
        amount: 5n,
        expiresAt: undefined,
        label,
        lastFour: `A00${index}`,
      }))
    const [spring, other] = [batch('spring', 5), batch('other', 1)]
    await storage.codes.create(spring)
    await elapse(1)
    await storage.codes.create(other)
    expect((await storage.codes.withLastFour('A000', 9)).map(({ label }) => label)).toEqual(['other', 'spring'])
    const [first, second] = spring.map(({ hash }) => hash)
    await storage.codes.redeem(account.id, first ?? newHash())
    expect(await storage.codes.revoke({ hash: second ?? newHash() })).toBe(1)
    expect(await storage.codes.revoke({ label: 'spring' })).toBe(3)
    expect(await storage.codes.revoke({ label: 'spring' })).toBe(0)
    expect(await storage.codes.redeem(account.id, second ?? newHash())).toBe('revoked')
    const page = await storage.codes.list({}, 4)
    const rest = await storage.codes.list({ before: page.at(-1) ?? { createdAt: 0, hash: newHash() } }, 4)
    expect([...page, ...rest].map(({ label }) => label)).toEqual(['other', ...Array(5).fill('spring')])
    expect(new Set([...page, ...rest].map(({ lastFour, label }) => label + lastFour)).size).toBe(6)
    const listed = await storage.codes.list({ label: 'spring' }, 9)
    expect(listed.filter(({ redeemed }) => redeemed?.by === account.id)).toHaveLength(1)
    expect(listed.filter(({ revokedAt }) => revokedAt === now())).toHaveLength(4)
  })

  test('spending of all accounts is summed by each dimension, of days and of hours, in pages', async () => {
    const { begin, request } = spender(use)
    const { storage, wallet, node } = await begin()
    const other = await newWallet(storage)
    await request(storage, wallet, node, 30n, 'a', 3)
    await request(storage, other, node, 0n, 'b', 2)
    await use().elapse(HOUR_MS)
    await request(storage, wallet, node, 12n, 'b', 1)
    await use().elapse(DAY_MS)
    await request(storage, other, node, 8n, 'b', 1)
    const day = START - (START % DAY_MS)
    const sums = async (by: UsageDimension, from: number, to: number, limit = 10, after?: UsageGroup) =>
      (await storage.reports.usage([by], { from, to }, {}, limit, after)).rows.map((row) => [
        String(row.group[by]),
        row.requests,
        row.tokens,
        row.charged,
      ])
    const [mine, theirs] = [String(wallet.account), String(other.account)]
    expect(await sums('account', day, day + DAY_MS)).toEqual([
      [mine, 2, 4, 42n],
      [theirs, 1, 2, 0n],
    ])
    expect(await sums('account', START, START + HOUR_MS)).toEqual([
      [mine, 1, 3, 30n],
      [theirs, 1, 2, 0n],
    ])
    expect(await sums('model', day, day + 2 * DAY_MS)).toEqual([
      ['a', 1, 3, 30n],
      ['b', 3, 4, 20n],
    ])
    expect(await sums('model', day, day + 2 * DAY_MS, 1, { model: 'a' })).toEqual([['b', 3, 4, 20n]])
    expect(await sums('key', day, day + 2 * DAY_MS, 1, { key: wallet.key })).toEqual([[String(other.key), 2, 3, 8n]])
    const days = [
      [String(day), 3, 6, 42n],
      [String(day + DAY_MS), 1, 1, 8n],
    ]
    expect(await sums('day', day, day + 2 * DAY_MS)).toEqual(days)
    expect(await sums('day', day + HOUR_MS, day + 2 * DAY_MS)).toEqual(days)
    expect(await sums('upstream', day + 2 * DAY_MS, day + 3 * DAY_MS)).toEqual([])
    const both = await storage.reports.usage(['account', 'key'], { from: day, to: day + DAY_MS }, {}, 1)
    const group = { key: wallet.key, account: wallet.account }
    expect(both).toMatchObject({ rows: [{ group, unknownCosts: 2 }], next: group })
  })

  test('failures are counted from receipts and rejections, with the last request', async () => {
    const { begin, newId, request, alive } = spender(use)
    const { storage, wallet, node } = await begin()
    const fail = async (model: string, outcome = 'failed', receipt = '') => {
      const id = newId()
      const living = await alive(storage, node)
      await storage.ledger.apply(hold(id, wallet, living, { model }))
      await storage.ledger.apply(voided(id, living, { outcome, receipt }))
      return formatRequestId(id)
    }
    await fail('a')
    await fail('a', 'failed', '{"error":')
    const last = await fail('a')
    const broken = (code: string) =>
      `{"group":"\\"error\\":{\\"code\\":\\"no\\"}","error":{"code":"${code}","status":500}}`
    await fail('a', 'failed', broken('upstream_error'))
    const second = await fail('a', 'failed', broken('upstream_error'))
    const other = await fail('a', 'failed', broken('upstream_auth_error'))
    const cut = await fail('b', 'cut')
    await fail('b', 'client_disconnected')
    await request(storage, wallet, node, 5n)
    const rejected = { account: wallet.account, key: wallet.key, code: 'no_balance', reason: '' }
    const bounds = { perKey: 10, perAccount: 10, inAll: 10 }
    for (const [minute, lastRequest] of [
      [START, 'req_0000000000000001'],
      [START + 60_000, 'req_0000000000000002'],
    ] as const)
      await storage.rejectedRequests.add([{ ...rejected, minute, count: 4, lastRequest }], bounds)
    const range = { from: START, to: START + HOUR_MS }
    const of = (code: string, count: number, lastRequest: string) => ({
      code,
      outcome: 'failed',
      model: 'a',
      upstream: 'main',
      count,
      lastRequest,
    })
    expect(await storage.reports.failures(range, 10)).toEqual([
      { ...of('no_balance', 8, 'req_0000000000000002'), outcome: undefined, model: undefined, upstream: undefined },
      of('failed', 3, last),
      of('upstream_error', 2, second),
      { ...of('cut', 1, cut), outcome: 'cut', model: 'b' },
      of('upstream_auth_error', 1, other),
    ])
    expect(await storage.reports.failures({ from: range.to, to: range.to + HOUR_MS }, 10)).toEqual([])
  })

  test('a request and a key are found without their account', async () => {
    const { begin, request } = spender(use)
    const { storage, wallet, node } = await begin()
    const id = await request(storage, wallet, node, 5n)
    expect(await storage.ledger.requestOfAny(id)).toMatchObject({
      account: wallet.account,
      row: { request: id, cost: 5n },
    })
    expect(await storage.ledger.requestOfAny(id + 1n)).toBeUndefined()
    const key = await newKey(storage, wallet.account, { lastFour: 'x-_9' })
    expect((await storage.keys.withLastFour('x-_9', 5)).map((each) => each.id)).toEqual([key.id])
  })

  test('encrypted values are listed in order, and replaced unless they have changed', async () => {
    const { storage } = use()
    const { sealedRows, responses, reasoning, contents, signIns } = storage
    const value = (byte: number) => new Uint8Array(40).fill(byte)
    const KEEP_MS = 1_000_000
    for (const [account, id] of [
      [8n, 'resp_b'],
      [7n, 'resp_c'],
      [7n, 'resp_a'],
    ] as const) {
      const parts = { turn: value(1), record: value(2), items: [], media: ['m'] }
      await responses.put({ account, id, key: 1n, parent: undefined, keepMs: KEEP_MS, ...parts })
    }
    const key = newHash()
    await reasoning.put([{ account: 7n, key, value: value(3) }], KEEP_MS)
    const claim = { id: 1n, nodeId: 0, epoch: 1, account: 7n, key: newHash(), fingerprint: newHash() }
    await contents.claim(claim)
    expect(await sealedRows.places('answer', undefined, 5)).toEqual([])
    await contents.keep(claim, { cost: 1n, keepMs: KEEP_MS, answer: { headers: 'sealed', body: value(4) } })
    const [first, second, ...rest] = await sealedRows.places('turn', undefined, 5)
    expect([first, second, ...rest].map((place) => place && [place.account, place.id])).toEqual([
      [7n, 'resp_a'],
      [7n, 'resp_c'],
      [8n, 'resp_b'],
    ])
    expect(await sealedRows.places('record', first, 1)).toEqual([second ?? { account: 0n, id: '' }])
    expect(await sealedRows.read('record', { account: 7n, id: 'resp_a' })).toMatchObject({
      sealed: value(2),
      media: ['m'],
    })
    for (const [kind, place, present] of [
      ['turn', { account: 7n, id: 'resp_a' }, 1],
      ['record', { account: 7n, id: 'resp_a' }, 2],
      ['reasoning', { account: 7n, id: key }, 3],
      ['answer', { account: 7n, id: claim.key }, 4],
    ] as const) {
      expect((await sealedRows.places(kind, undefined, 1)).map(({ account, id }) => [account, id])).toEqual([
        [7n, place.id],
      ])
      expect(await sealedRows.replace(kind, place, value(9), value(5))).toBe(false)
      expect(await sealedRows.replace(kind, place, value(present), value(5))).toBe(true)
      expect((await sealedRows.read(kind, place))?.sealed).toEqual(value(5))
    }
    expect((await sealedRows.read('answer', { account: 7n, id: claim.key }))?.fingerprint).toEqual(claim.fingerprint)
    expect(await sealedRows.read('turn', { account: 9n, id: 'resp_a' })).toBeUndefined()
    const { person } = await newHolder(storage)
    await signIns.setSecondFactor(person, { secret: value(6), recoveryCodes: [] })
    await signIns.resealSecondFactor(person, value(1), value(8))
    expect(await signIns.secondFactors(0n, 5)).toEqual([{ person, secret: value(6) }])
    await signIns.resealSecondFactor(person, value(6), value(8))
    expect(await signIns.secondFactors(person - 1n, 5)).toEqual([{ person, secret: value(8) }])
    expect(await signIns.secondFactors(person, 5)).toEqual([])
  })
}
