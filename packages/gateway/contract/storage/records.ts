import { expect, test } from 'bun:test'
import { MAX_AMOUNT } from '../../src/money/amount.ts'
import { CREDIT, TRIAL } from '../../src/money/ledger.ts'
import { NO_LIMITS } from '../../src/money/limits.ts'
import { type Account, type Key, NO_RESTRICTIONS } from '../../src/storage/storage.ts'
import { type KeyFields, newAccount, newHash, newKey, newWallet, thrownBy, type Use } from './harness.ts'

const UNKNOWN = 987_654_321n

export function recordsContract(use: Use): void {
  test('an account begins with its credit, booked from the given source', async () => {
    const { storage, raw } = use()
    const before = Date.now() - 3_600_000
    const account = await storage.accounts.create('ada@example.com', 10n, TRIAL)
    expect(account).toMatchObject({ name: 'ada@example.com', balance: 10n, held: 0n, disabled: false })
    expect(account?.createdAt).toBeGreaterThan(before)
    expect(await storage.accounts.find(account?.id ?? 0n)).toEqual(account)
    const transfers = await raw('SELECT debit, credit, amount FROM transfer')
    expect(transfers.map((row) => [Number(row.debit), BigInt(row.credit as bigint), Number(row.amount)])).toEqual([
      [Number(TRIAL), account?.id as bigint, 10],
    ])
  })

  test('an account without credit has no transfer', async () => {
    const { storage, raw } = use()
    await storage.accounts.create('ada@example.com', 0n, TRIAL)
    expect(await raw('SELECT id FROM transfer')).toEqual([])
  })

  test('the hash of a password is kept beside its person, and no other person has one', async () => {
    const { storage, raw } = use()
    await storage.accounts.create('without@example.com', 5n, TRIAL)
    await storage.accounts.create('ada@example.com', 5n, TRIAL, '$argon2id$v=19$salt$hash')
    const person = await storage.people.find('ada@example.com')
    const taken = await storage.accounts.create('ada@example.com', 5n, TRIAL, '$argon2id$v=19$other')
    expect(taken).toBeUndefined()
    const rows = await raw('SELECT person, password FROM credential')
    expect(rows.map((row) => [BigInt(row.person as bigint), row.password])).toEqual([
      [person?.id as bigint, '$argon2id$v=19$salt$hash'],
    ])
  })

  for (const same of ['ADA@example.com', '  ada@Example.COM\n', 'ada@example.com'])
    test(`${JSON.stringify(same)} is the address ada@example.com`, async () => {
      const { storage } = use()
      const first = await storage.accounts.create('ada@example.com', 5n, TRIAL)
      expect(await storage.accounts.create(same, 5n, TRIAL)).toBeUndefined()
      expect(await storage.people.find(same)).toMatchObject({ email: 'ada@example.com' })
      expect(await storage.accounts.list()).toMatchObject([{ id: first?.id }])
      expect((await storage.ledger.audit()).transfers).toBe(1)
    })

  test('composed and decomposed letters are one address', async () => {
    const { storage } = use()
    await storage.accounts.create('zo\u00eb@example.com', 0n, TRIAL)
    expect(await storage.accounts.create('zoe\u0308@example.com', 0n, TRIAL)).toBeUndefined()
    expect(await storage.people.find('ZOE\u0308@example.com')).toMatchObject({ email: 'zo\u00eb@example.com' })
  })

  test('of many accounts created with one address at once, one gets it', async () => {
    const { storage } = use()
    const all = await Promise.all(Array.from({ length: 20 }, () => storage.accounts.create('a@b.c', 7n, TRIAL)))
    expect(all.filter((account) => account !== undefined)).toHaveLength(1)
    expect(await storage.accounts.findNamed('a@b.c')).toMatchObject([{ balance: 7n }])
  })

  test('nothing is found under an unknown id, name or address', async () => {
    const { accounts, people } = use().storage
    expect(await accounts.find(UNKNOWN)).toBeUndefined()
    expect(await accounts.findNamed('unknown')).toEqual([])
    expect(await people.find('unknown@example.com')).toBeUndefined()
  })

  test('accounts are listed in the order in which they were created', async () => {
    const { storage } = use()
    expect(await storage.accounts.list()).toEqual([])
    const created = [await newAccount(storage, 3n), await newAccount(storage, 0n), await newAccount(storage, 1n)]
    await storage.accounts.setDisabled(created[1]?.id as bigint, true)
    const listed = await storage.accounts.list()
    expect(listed.map(({ name, balance, disabled }) => [name, balance, disabled])).toEqual(
      created.map(({ name }, index) => [name, [3n, 0n, 1n][index] as bigint, index === 1]),
    )
    expect(listed[0]).toEqual((await storage.accounts.find(created[0]?.id ?? 0n)) as Account)
  })

  test('groups are counted by their keys that work', async () => {
    const { storage } = use()
    expect([...(await storage.keys.countByGroup())]).toEqual([])
    const { id } = await newAccount(storage)
    for (const group of ['staff', 'default', 'staff', 'gone']) await newKey(storage, id, { group })
    const deleted = await newKey(storage, id, { group: 'gone' })
    await storage.keys.delete(deleted.id)
    await newKey(storage, id, { group: 'past', expiresAt: 1 })
    expect([...(await storage.keys.countByGroup())]).toEqual([
      ['default', 1],
      ['gone', 1],
      ['staff', 2],
    ])
  })

  test('credit adds, takes back down to nothing, and not below', async () => {
    const { storage } = use()
    const { id } = await newAccount(storage, 100n)
    expect(await storage.accounts.credit(id, 50n, 'a gift')).toBe(true)
    expect(await storage.accounts.credit(id, -151n, 'too much')).toBe(false)
    expect((await storage.accounts.find(id))?.balance).toBe(150n)
    expect(await storage.accounts.credit(id, -150n, 'all of it')).toBe(true)
    expect((await storage.accounts.find(id))?.balance).toBe(0n)
    expect(await storage.accounts.credit(UNKNOWN, 1n, 'to an unknown account')).toBe(false)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, transfers: 3 })
  })

  test('credit keeps its reason', async () => {
    const { storage, raw } = use()
    const { id } = await newAccount(storage, 0n)
    await storage.accounts.credit(id, 3n, 'invoice 42')
    expect(await raw('SELECT reason FROM transfer')).toEqual([{ reason: 'invoice 42' }])
  })

  test('amounts that no column can hold are rejected', async () => {
    const { storage } = use()
    const { id } = await newAccount(storage)
    const huge = 1n << 62n
    for (const amount of [0n, huge, -huge])
      expect(await thrownBy(storage.accounts.credit(id, amount, 'x'))).toBeInstanceOf(RangeError)
    for (const credit of [-1n, huge])
      expect(await thrownBy(storage.accounts.create('x@y.z', credit, CREDIT))).toBeInstanceOf(RangeError)
    expect((await storage.ledger.audit()).ok).toBe(true)
  })

  test('a wallet does not grow beyond what adds up in 64 bits', async () => {
    const { storage } = use()
    const { id } = await newAccount(storage, MAX_AMOUNT)
    const granted: boolean[] = []
    for (let index = 0; index < 10; index++)
      granted.push(await storage.accounts.credit(id, MAX_AMOUNT, 'a billion more'))
    expect(granted).toEqual([...Array(3).fill(true), ...Array(7).fill(false)])
    expect((await storage.ledger.audit()).ok).toBe(true)
  })

  test('a key is found by its hash, with what authentication needs', async () => {
    const { storage } = use()
    const { id: account } = await newAccount(storage)
    const hash = newHash()
    const key = await newKey(storage, account, { hash, name: 'laptop', group: 'staff', expiresAt: 4_102_444_800_000 })
    expect(key).toMatchObject({ account, name: 'laptop', group: 'staff', deleted: false, spent: 0n, held: 0n })
    expect(key).toMatchObject({ expiresAt: 4_102_444_800_000, cap: undefined })
    expect(await storage.keys.findCaller(hash)).toEqual({
      key: key.id,
      account,
      group: 'staff',
      deleted: false,
      groupChosenBy: undefined,
      isRestricted: false,
      ownSince: undefined,
      expiresAt: 4_102_444_800_000,
      accountDisabled: false,
      makerDisabled: false,
      disabledReason: '',
      revision: 0,
      restrictions: NO_RESTRICTIONS,
      limits: NO_LIMITS,
      accountLimits: NO_LIMITS,
    })
    expect(await storage.keys.findCaller(newHash())).toBeUndefined()
  })

  test('a key keeps its limits, its period and what it may be used for', async () => {
    const { storage } = use()
    const { id: account } = await newAccount(storage)
    const hash = newHash()
    const limits = { requestsPerMinute: 60, tokensPerMinute: 1_000_000_000, concurrent: 4 }
    const restrictions = { models: ['gpt-x', 'größe "1"'], networks: ['10.0.0.0/8', '2001:db8::/32'] }
    const key = await newKey(storage, account, { hash, cap: 5n, capPeriod: 'week', limits, restrictions })
    expect(key).toMatchObject({ cap: 5n, capPeriod: 'week', limits, restrictions })
    expect(key).toMatchObject({ spentUnderCap: 0n, spentToday: 0n, spentThisMonth: 0n })
    expect(await storage.keys.list(account)).toEqual([key])
    const accountLimits = { ...NO_LIMITS, requestsPerMinute: 7 }
    await storage.accounts.setTerms(account, accountLimits)
    expect(await storage.keys.findCaller(hash)).toMatchObject({ limits, restrictions, accountLimits, revision: 1 })
    expect((await storage.keys.findWithAccount(key.id))?.account).toMatchObject({ id: account, limits: accountLimits })
    await storage.accounts.setTerms(account, NO_LIMITS)
    expect(await storage.keys.findCaller(hash)).toMatchObject({ accountLimits: NO_LIMITS, revision: 2 })
  })

  test('the standing of a key is what its owner and its list say', async () => {
    const { storage } = use()
    const wallet = await newWallet(storage, 700n, { cap: 9n })
    await newKey(storage, wallet.account)
    expect(await storage.keys.findWithAccount(wallet.key)).toEqual({
      account: (await storage.accounts.find(wallet.account)) as Account,
      key: (await storage.keys.list(wallet.account))[0] as Key,
    })
    expect(await storage.keys.findWithAccount(UNKNOWN)).toBeUndefined()
  })

  test('invalid limits are rejected, and nothing of them is stored', async () => {
    const { storage } = use()
    const { id } = await newAccount(storage)
    const before = await storage.keys.changeCounter()
    const invalid = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]
    for (const value of invalid)
      for (const field of ['requestsPerMinute', 'tokensPerMinute', 'concurrent']) {
        const limits = { ...NO_LIMITS, [field]: value }
        expect(await thrownBy(storage.accounts.setTerms(id, limits))).toBeInstanceOf(RangeError)
        expect(await thrownBy(newKey(storage, id, { limits }))).toBeInstanceOf(RangeError)
      }
    const bad: KeyFields[] = [
      { capPeriod: 'day' },
      { cap: 5n, capPeriod: 'year' as 'day' },
      { restrictions: { models: [], networks: undefined } },
      { restrictions: { models: undefined, networks: [] } },
    ]
    for (const fields of bad) expect(await thrownBy(newKey(storage, id, fields))).toBeInstanceOf(RangeError)
    expect(await storage.keys.list(id)).toEqual([])
    expect((await storage.accounts.find(id))?.limits).toEqual(NO_LIMITS)
    await storage.accounts.setTerms(UNKNOWN, NO_LIMITS)
    expect(await storage.keys.changeCounter()).toBe(before)
  })

  test('keys are listed in the order of their creation, each account its own', async () => {
    const { storage } = use()
    const one = await newAccount(storage)
    const other = await newAccount(storage)
    const keys = [await newKey(storage, one.id, { cap: 5n }), await newKey(storage, one.id)]
    await newKey(storage, other.id)
    expect(await storage.keys.list(one.id)).toEqual(keys)
    expect(await storage.keys.list(UNKNOWN)).toEqual([])
  })

  test('a key needs an account and a hash of its own', async () => {
    const { storage } = use()
    const { id } = await newAccount(storage)
    const hash = newHash()
    const { id: first } = await newKey(storage, id, { hash })
    expect(String(await thrownBy(newKey(storage, UNKNOWN)))).toContain('does not exist')
    expect(await thrownBy(newKey(storage, id, { hash }))).toBeInstanceOf(Error)
    expect(await thrownBy(newKey(storage, id, { hash: new Uint8Array(16) }))).toBeInstanceOf(TypeError)
    expect((await storage.keys.findCaller(hash))?.key).toBe(first)
  })

  test('deleting and disabling show at once', async () => {
    const { storage } = use()
    const hash = newHash()
    const wallet = await newWallet(storage, 0n, { hash })
    await storage.accounts.setDisabled(wallet.account, true, 'invoice 7 is open')
    expect(await storage.keys.findCaller(hash)).toMatchObject({
      deleted: false,
      accountDisabled: true,
      disabledReason: 'invoice 7 is open',
    })
    await storage.accounts.setDisabled(wallet.account, false)
    expect(await storage.keys.delete(wallet.key)).toBe(true)
    expect(await storage.keys.delete(wallet.key)).toBe(true)
    expect(await storage.keys.delete(UNKNOWN)).toBe(false)
    expect(await storage.keys.findCaller(hash)).toMatchObject({
      deleted: true,
      accountDisabled: false,
      disabledReason: '',
    })
    expect((await storage.keys.list(wallet.account))[0]?.deleted).toBe(true)
  })

  test('the change counter grows with each change that a cached caller must notice', async () => {
    const { storage } = use()
    const wallet = await newWallet(storage)
    const changes: (() => Promise<unknown>)[] = [
      () => newKey(storage, wallet.account),
      () => storage.keys.delete(wallet.key),
      () => storage.accounts.setDisabled(wallet.account, true),
      () => storage.accounts.setDisabled(wallet.account, false),
      () => storage.accounts.setTerms(wallet.account, { ...NO_LIMITS, concurrent: 3 }),
      () => storage.accounts.setTerms(wallet.account, NO_LIMITS),
    ]
    for (const change of changes) {
      const before = await storage.keys.changeCounter()
      await change()
      expect(await storage.keys.changeCounter()).toBeGreaterThan(before)
    }
    const settled = await storage.keys.changeCounter()
    await storage.accounts.credit(wallet.account, 5n, 'no change of state')
    await storage.keys.delete(UNKNOWN)
    expect(await storage.keys.changeCounter()).toBe(settled)
  })

  test('meta keeps the first of concurrent and later values', async () => {
    const { storage, reopen } = use()
    expect(await storage.meta.get('secret')).toBeUndefined()
    const values = await Promise.all(['a', 'b', 'c'].map((value) => storage.meta.setOnce('secret', value)))
    expect(new Set(values).size).toBe(1)
    expect(await storage.meta.setOnce('secret', 'd')).toBe(values[0] as string)
    expect(await (await reopen()).meta.get('secret')).toBe(values[0] as string)
  })

  for (const { what, bad } of [
    { what: 'NUL', bad: 'a\0b' },
    { what: 'half a surrogate pair', bad: 'a\ud800b' },
  ])
    test(`${what} is rejected in every text`, async () => {
      const { storage } = use()
      const { id } = await newAccount(storage)
      const calls = [
        () => storage.accounts.create(`${bad}@example.com`, 0n, TRIAL),
        () => storage.accounts.createNamed(bad, 0n, TRIAL),
        () => storage.accounts.findNamed(bad),
        () => storage.accounts.rename(id, bad),
        () => storage.people.find(bad),
        () => storage.accounts.credit(id, 1n, bad),
        () => newKey(storage, id, { name: bad }),
        () => newKey(storage, id, { group: bad }),
        () => newKey(storage, id, { restrictions: { models: ['x', bad], networks: undefined } }),
        () => newKey(storage, id, { restrictions: { models: undefined, networks: [bad] } }),
        () => storage.meta.setOnce(bad, 'x'),
        () => storage.meta.setOnce('x', bad),
        () => storage.meta.get(bad),
        () => storage.ledger.apply({ verb: 'join', nodeId: 9, config: bad }),
      ]
      for (const call of calls) expect(await thrownBy(call())).toBeInstanceOf(TypeError)
      expect(await storage.keys.list(id)).toEqual([])
    })

  test('any other text comes back as it was', async () => {
    const { storage } = use()
    const name = `quote ' " \\ % \u{1f600} \u0001 \u202e \ufffe \r\n \u0130`
    const { id } = await newAccount(storage)
    await newKey(storage, id, { name })
    expect((await storage.keys.list(id))[0]?.name).toBe(name)
  })
}
