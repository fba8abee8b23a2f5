import { expect, test } from 'bun:test'
import type { Key, KeyFilter } from '../../../src/storage/storage.ts'
import {
  hold,
  keyFields,
  newAccount,
  newHash,
  newHolder,
  newKey,
  newNode,
  newWallet,
  thrownBy,
  type Use,
} from '../harness.ts'

const HOUR_MS = 3_600_000

export function consoleKeysContract(use: Use): void {
  test('pages of keys, newest first, by state, name and purpose', async () => {
    const { storage, now, elapse } = use()
    const { account, person } = await newHolder(storage)
    await newKey(storage, (await newAccount(storage)).id, { name: 'laptop' })
    const names = ['Laptop', 'ÉCOLE 100%', 'ci', 'old laptop', 'gone']
    const keys: Key[] = []
    for (const name of names)
      keys.push(
        await newKey(storage, account, { name, expiresAt: name.startsWith('old') ? now() + HOUR_MS : undefined }),
      )
    const fields = { name: 'playground', purpose: 'playground', person, lastFour: 'xY_9' } as const
    const builtIn = await newKey(storage, account, fields)
    await storage.keys.delete(keys[4]?.id ?? 0n)
    await elapse(HOUR_MS)
    const page = async (filter: KeyFilter, limit = 10) => {
      const { keys: found, total } = await storage.keys.page(account, filter, limit)
      return [found.map(({ name }) => name).join(', '), total]
    }
    expect(await page({})).toEqual(['playground, gone, old laptop, ci, ÉCOLE 100%, Laptop', 6])
    expect(await page({}, 2)).toEqual(['playground, gone', 6])
    expect(await page({ before: keys[3]?.id ?? 0n }, 2)).toEqual(['ci, ÉCOLE 100%', 6])
    expect(await page({ state: 'active' })).toEqual(['playground, ci, ÉCOLE 100%, Laptop', 4])
    expect(await page({ state: 'active', purpose: 'client' })).toEqual(['ci, ÉCOLE 100%, Laptop', 3])
    expect(await page({ state: 'expired' })).toEqual(['old laptop', 1])
    expect(await page({ state: 'deleted' })).toEqual(['gone', 1])
    expect(await page({ name: 'LAPTOP' })).toEqual(['old laptop, Laptop', 2])
    expect(await page({ name: 'laptop' }, 1)).toEqual(['old laptop', 2])
    expect(await page({ name: 'laptop', before: keys[3]?.id ?? 0n })).toEqual(['Laptop', 2])
    expect(await page({ name: 'laptop', state: 'active' })).toEqual(['Laptop', 1])
    expect(await page({ name: 'école' })).toEqual(['ÉCOLE 100%', 1])
    expect(await page({ name: '0%' })).toEqual(['ÉCOLE 100%', 1])
    expect(await page({ name: '_' })).toEqual(['', 0])
    expect(await page({ name: 'xY_9' })).toEqual(['playground', 1])
    expect(await page({ name: 'xy_9' })).toEqual(['', 0])
    expect(await storage.keys.names([builtIn.id, 999_999n])).toEqual(new Map([[builtIn.id, 'playground']]))
    expect((await storage.keys.names([])).size).toBe(0)
    expect(await thrownBy(page({}, 0))).toBeInstanceOf(RangeError)
  })

  test('of ten calls that create the built-in key at once, all get the same one', async () => {
    const { storage } = use()
    const { account, person } = await newHolder(storage)
    expect(await storage.keys.playground(account, person)).toBeUndefined()
    const fields = { hash: newHash(), person, purpose: 'playground', lastFour: 'abcd' } as const
    const entry = { actor: { type: 'job', id: '' }, address: '', action: 'key create', reason: '' } as const
    const nothing = { requestId: undefined, before: undefined, after: undefined }
    const { keys } = storage.audited({ ...entry, ...nothing, object: { key: fields.hash } })
    const made = await Promise.all(Array.from({ length: 10 }, () => keys.create(keyFields(account, fields))))
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(await storage.auditLog.page({}, 20)).toMatchObject([{ object: `key/${made[0]?.id}` }])
    expect(await storage.keys.playground(account, person)).toEqual(made[0])
    // Another person has another one in the same account.
    const { person: other } = await newHolder(storage)
    expect(await storage.keys.playground(account, other)).toBeUndefined()
    const another = await newKey(storage, account, { ...fields, hash: newHash(), person: other })
    expect(await storage.keys.playground(account, other)).toEqual(another)
    expect(made[0]).toMatchObject({ purpose: 'playground', lastFour: 'abcd', formerUntil: undefined })
    expect(await newKey(storage, account)).toMatchObject({ purpose: 'client', lastFour: '' })
  })

  test('company tokens count under one key of each member, which no membership but that of its person makes work', async () => {
    const { storage } = use()
    const { account } = await newHolder(storage)
    const { person } = await newHolder(storage)
    await storage.members.set(account, person, 'member')
    const fields = { hash: newHash(), person, purpose: 'token', madeBy: 'command-line' } as const
    const made = await Promise.all(Array.from({ length: 10 }, () => storage.keys.create(keyFields(account, fields))))
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(made[0]).toMatchObject({ purpose: 'token', lastFour: '' })
    const caller = () => storage.keys.findCaller(fields.hash)
    expect(await caller()).toMatchObject({ deleted: false, isRestricted: true, groupChosenBy: undefined })
    const of = async (purpose: 'token' | 'client' | 'playground') =>
      (await storage.keys.page(account, { purpose }, 9)).total
    expect([await of('token'), await of('client'), await of('playground')]).toEqual([1, 0, 0])
    // It takes none of the places that keys made by hand have.
    expect(await storage.keys.createWithin(keyFields(account, { hash: newHash() }), 1)).toBeDefined()
    expect(await storage.keys.createWithin(keyFields(account, { hash: newHash() }), 1)).toBeUndefined()
    const revision = (await caller())?.revision ?? 0
    await storage.members.remove(account, person)
    expect(await caller()).toMatchObject({ deleted: true, revision: revision + 1 })
    await storage.members.set(account, person, 'member')
    expect(await caller()).toMatchObject({ deleted: false, revision: revision + 1 })
    await storage.members.remove(account, person, { keepsKeys: true })
    expect(await caller()).toMatchObject({ deleted: true, revision: revision + 2 })
    await storage.members.set(account, person, 'owner')
    await storage.keys.delete(made[0]?.id ?? 0n)
    expect(await caller()).toMatchObject({ deleted: true })
  })

  test.each([
    ['sign-up', true],
    ['console', true],
    ['command-line', false],
    ['first-start', false],
  ] as const)('a key of %s remembers who made it, and whether the account holder chose its group: %p', async (madeBy, chose) => {
    const { storage } = use()
    const { account, email } = await newHolder(storage)
    const holder = { account, emails: [email], groups: [] }
    const hash = newHash()
    const key = await newKey(storage, account, { hash, madeBy })
    const groupChosenBy = async () => (await storage.keys.findCaller(hash))?.groupChosenBy
    expect([key.madeBy, await groupChosenBy()]).toEqual([madeBy, chose ? holder : undefined])
    await storage.keys.setTerms(key.id, { name: 'renamed' })
    expect(await groupChosenBy()).toEqual(chose ? holder : undefined)
    await storage.keys.setTerms(key.id, { group: 'other' })
    expect(await groupChosenBy()).toEqual(holder)
    expect((await storage.keys.list(account)).map((each) => each.madeBy)).toEqual([madeBy])
  })

  test('of many keys created at once, as many are made as the limit allows; deleted and expired ones do not count', async () => {
    const { storage, now, elapse } = use()
    const { id: account } = await newAccount(storage)
    await newKey(storage, account, { expiresAt: now() + HOUR_MS })
    const first = await newKey(storage, account)
    const create = () => storage.keys.createWithin(keyFields(account), 5)
    const made = await Promise.all(Array.from({ length: 12 }, create))
    const created = made.filter((key) => key !== undefined)
    expect(created.map(({ name, account: owner }) => [name, owner])).toEqual(Array(3).fill(['test', account]))
    expect((await storage.keys.page(account, {}, 20)).total).toBe(5)
    expect(await create()).toBeUndefined()
    await storage.keys.delete(first.id)
    expect(await create()).toMatchObject({ madeBy: 'command-line' })
    expect(await create()).toBeUndefined()
    await elapse(HOUR_MS)
    expect(await create()).toBeDefined()
    expect(await create()).toBeUndefined()
    expect(await storage.keys.createWithin(keyFields((await newAccount(storage)).id), 1)).toBeDefined()
  })

  test('after a rotation both secrets work, the former one for a while', async () => {
    const { storage, now, elapse } = use()
    const { id: account } = await newAccount(storage)
    const [former, present] = [newHash(), newHash()]
    const key = await newKey(storage, account, { hash: former })
    const counter = await storage.keys.changeCounter()
    const until = now() + HOUR_MS
    expect(await storage.keys.rotate(key.id, { hash: present, lastFour: 'wxyz', formerUntil: until })).toBe(true)
    expect(await storage.keys.changeCounter()).toBeGreaterThan(counter)
    const shown = async () => (await storage.keys.list(account))[0]
    expect(await shown()).toMatchObject({ lastFour: 'wxyz', formerUntil: until })
    expect(await storage.keys.findCaller(former)).toMatchObject({ key: key.id, expiresAt: until, revision: 1 })
    expect((await storage.keys.findCaller(present))?.expiresAt).toBeUndefined()
    for (const expiresAt of [until + 5, until - 5]) {
      await storage.keys.setTerms(key.id, { expiresAt })
      expect((await storage.keys.findCaller(former))?.expiresAt).toBe(Math.min(expiresAt, until))
      expect((await storage.keys.findCaller(present))?.expiresAt).toBe(expiresAt)
    }
    await elapse(HOUR_MS)
    expect(await shown()).toMatchObject({ formerUntil: undefined })
    // Without a grace the former secret is gone at once, and so is the one before it.
    const next = newHash()
    expect(await storage.keys.rotate(key.id, { hash: next, lastFour: '1234', formerUntil: undefined })).toBe(true)
    expect([await storage.keys.findCaller(former), await storage.keys.findCaller(present)]).toEqual([
      undefined,
      undefined,
    ])
    expect(await storage.keys.findCaller(next)).toMatchObject({ key: key.id })
  })

  test('a secret names one key only, and a deleted key is not rotated', async () => {
    const { storage, now } = use()
    const { id: account } = await newAccount(storage)
    const [first, second] = [newHash(), newHash()]
    const [one, other] = [
      await newKey(storage, account, { hash: first }),
      await newKey(storage, account, { hash: second }),
    ]
    const formerUntil = now() + HOUR_MS
    expect(await thrownBy(storage.keys.rotate(one.id, { hash: second, lastFour: '', formerUntil }))).toBeInstanceOf(
      Error,
    )
    expect(await storage.keys.rotate(one.id, { hash: newHash(), lastFour: '', formerUntil })).toBe(true)
    expect(await storage.keys.rotate(other.id, { hash: first, lastFour: '', formerUntil })).toBe(false)
    expect(await storage.keys.rotate(999_999n, { hash: newHash(), lastFour: '', formerUntil })).toBe(false)
    await storage.keys.delete(one.id)
    expect(await storage.keys.rotate(one.id, { hash: newHash(), lastFour: '', formerUntil })).toBe(false)
    expect(await storage.keys.findCaller(first)).toMatchObject({ key: one.id, deleted: true })
  })

  test('a request that knows the key from before its rotation or change is rejected', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await storage.keys.rotate(wallet.key, { hash: newHash(), lastFour: '', formerUntil: undefined })
    expect((await storage.ledger.apply(hold(1n, wallet, node))).verdict).toBe('key_changed')
    await storage.keys.setTerms(wallet.key, { name: 'renamed', group: 'other' })
    expect((await storage.keys.list(wallet.account))[0]).toMatchObject({ name: 'renamed', group: 'other' })
    expect((await storage.ledger.apply(hold(1n, wallet, node, { revision: 1 }))).verdict).toBe('key_changed')
    expect((await storage.ledger.apply(hold(1n, wallet, node, { revision: 2 }))).verdict).toBe('done')
    expect(await thrownBy(storage.keys.setTerms(wallet.key, { name: 'a\0' }))).toBeInstanceOf(TypeError)
  })
}
