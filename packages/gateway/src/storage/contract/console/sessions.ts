import { expect, test } from 'bun:test'
import type { NewSession, Storage } from '../../storage.ts'
import { newAccount, newHash, thrownBy, type Use } from '../harness.ts'

const DAY_MS = 86_400_000

export function sessionsContract(use: Use): void {
  const fields = (account: bigint, more: Partial<NewSession> = {}): NewSession => ({
    account,
    hash: newHash(),
    expiresAt: use().now() + DAY_MS,
    userAgent: 'Browser/1',
    address: '192.0.2.1',
    ...more,
  })
  async function begin(storage: Storage, account: bigint, more: Partial<NewSession> = {}) {
    const session = fields(account, more)
    const created = await storage.sessions.create(session)
    if (!created) throw new Error('the session did not begin')
    return { ...created, hash: session.hash }
  }
  const idsOf = async (storage: Storage, account: bigint) => (await storage.sessions.list(account)).map(({ id }) => id)

  test('a session is found by its hash, with its account', async () => {
    const { storage, now } = use()
    const account = await newAccount(storage)
    const hash = newHash()
    const created = await storage.sessions.create(fields(account.id, { hash }))
    expect(created).toEqual({
      id: created?.id ?? 0n,
      account: account.id,
      createdAt: now(),
      seenAt: now() - (now() % 60_000),
      expiresAt: now() + DAY_MS,
      userAgent: 'Browser/1',
      address: '192.0.2.1',
    })
    const found = await storage.sessions.find(hash)
    expect(found).toEqual({ session: created as NonNullable<typeof created>, account })
    expect(await storage.sessions.find(newHash())).toBeUndefined()
  })

  test('a session ends with its time, unless it is touched before', async () => {
    const { storage, now, elapse } = use()
    const { id: account } = await newAccount(storage)
    const [used, idle] = [await begin(storage, account), await begin(storage, account)]
    await elapse(DAY_MS - 1)
    await storage.sessions.touch(used.id, now() + DAY_MS)
    await elapse(1)
    expect(await storage.sessions.find(idle.hash)).toBeUndefined()
    expect((await storage.sessions.find(used.hash))?.session.seenAt).toBeGreaterThan(used.seenAt)
    expect(await idsOf(storage, account)).toEqual([used.id])
    // What has ended stays so.
    await storage.sessions.touch(idle.id, now() + DAY_MS)
    expect(await storage.sessions.find(idle.hash)).toBeUndefined()
  })

  test('a second factor ends all other sessions, and none begins that did not ask for it', async () => {
    const { storage } = use()
    const [{ id: account }, { id: other }] = [await newAccount(storage), await newAccount(storage)]
    await storage.signIns.setPassword(account, 'hash')
    const [own, foreign] = [await begin(storage, account), await begin(storage, other)]
    await begin(storage, account)
    const factor = { secret: Uint8Array.of(7), recoveryCodes: [newHash()] }
    const start = (withoutSecondFactor: boolean) =>
      storage.sessions.create(fields(account, { password: 'hash', withoutSecondFactor }))
    expect(await start(true)).toBeDefined()
    expect(await storage.signIns.setSecondFactor(account, factor, own.id)).toBe(true)
    expect([await idsOf(storage, account), await idsOf(storage, other)]).toEqual([[own.id], [foreign.id]])
    expect(await start(true)).toBeUndefined()
    const next = await start(false)
    // One that is not set ends nothing.
    expect(await storage.signIns.setSecondFactor(account, factor)).toBe(false)
    expect(await storage.signIns.setSecondFactor(account, undefined)).toBe(true)
    expect(await idsOf(storage, account)).toEqual([next?.id ?? 0n, own.id])
    expect(await start(true)).toBeDefined()
  })

  test('no session begins for an unknown or disabled account, or with a former password', async () => {
    const { storage } = use()
    const { id: account } = await newAccount(storage)
    await storage.signIns.setPassword(account, 'first')
    expect(await storage.sessions.create(fields(account, { password: 'first' }))).toBeDefined()
    await storage.signIns.setPassword(account, 'second')
    expect(await storage.sessions.create(fields(account, { password: 'first' }))).toBeUndefined()
    expect(await storage.sessions.create(fields(account + 1_000n))).toBeUndefined()
    await storage.accounts.setDisabled(account, true)
    expect(await storage.sessions.create(fields(account))).toBeUndefined()
  })

  test('an account that is disabled loses its sessions for good', async () => {
    const { storage } = use()
    const { id: account } = await newAccount(storage)
    const { id: other } = await newAccount(storage)
    const [ended, kept] = [await begin(storage, account), await begin(storage, other)]
    await storage.accounts.setDisabled(account, true)
    expect(await storage.sessions.find(ended.hash)).toBeUndefined()
    await storage.accounts.setDisabled(account, false)
    expect(await storage.sessions.find(ended.hash)).toBeUndefined()
    expect(await storage.sessions.find(kept.hash)).toBeDefined()
  })

  test('a row that another process disabled is not signed in either', async () => {
    const { storage, raw } = use()
    const { id: account } = await newAccount(storage)
    const { hash } = await begin(storage, account)
    await raw(`UPDATE account SET disabled = 1 WHERE id = ${account}`)
    expect(await storage.sessions.find(hash)).toBeUndefined()
  })

  test('sessions are listed newest first and ended one by one, all, or all but one', async () => {
    const { storage } = use()
    const { id: account } = await newAccount(storage)
    const { id: other } = await newAccount(storage)
    const foreign = await begin(storage, other)
    const [first, second, third] = [
      await begin(storage, account),
      await begin(storage, account),
      await begin(storage, account),
    ]
    expect(await idsOf(storage, account)).toEqual([third.id, second.id, first.id])
    expect(await storage.sessions.end(account, foreign.id)).toBe(false)
    expect(await storage.sessions.end(account, second.id)).toBe(true)
    expect(await storage.sessions.end(account, second.id)).toBe(false)
    expect(await storage.sessions.find(second.hash)).toBeUndefined()
    expect(await storage.sessions.endAll(account, third.id)).toBe(1)
    expect(await idsOf(storage, account)).toEqual([third.id])
    expect(await storage.sessions.endAll(account)).toBe(1)
    expect(await idsOf(storage, account)).toEqual([])
    expect(await storage.sessions.find(foreign.hash)).toBeDefined()
  })

  test('a new password ends all sessions but the kept one', async () => {
    const { storage } = use()
    const { id: account } = await newAccount(storage)
    const [kept, ended] = [await begin(storage, account), await begin(storage, account)]
    await storage.signIns.setPassword(account, 'hash', kept.id)
    expect([await storage.sessions.find(ended.hash), await idsOf(storage, account)]).toEqual([undefined, [kept.id]])
    await storage.signIns.setPassword(account, 'hash')
    expect(await idsOf(storage, account)).toEqual([])
  })

  test('a sign-in with the former password at the time of its change leaves no session', async () => {
    const { storage } = use()
    const { id: account } = await newAccount(storage)
    for (let round = 0; round < 20; round++) {
      await storage.signIns.setPassword(account, `before ${round}`)
      const password = `before ${round}`
      await Promise.all([
        ...[0, 1, 2].map(() => storage.sessions.create(fields(account, { password }))),
        storage.signIns.setPassword(account, 'changed'),
        ...[0, 1, 2].map(() => storage.sessions.create(fields(account, { password }))),
      ])
      expect(await idsOf(storage, account)).toEqual([])
    }
  })

  test('a sign-in at the time the account is disabled leaves no session', async () => {
    const { storage } = use()
    const { id: account } = await newAccount(storage)
    for (let round = 0; round < 20; round++) {
      await Promise.all([
        ...[0, 1, 2].map(() => storage.sessions.create(fields(account))),
        storage.accounts.setDisabled(account, true),
        ...[0, 1, 2].map(() => storage.sessions.create(fields(account))),
      ])
      await storage.accounts.setDisabled(account, false)
      expect(await idsOf(storage, account)).toEqual([])
    }
  })

  test('an account keeps its fifty newest sessions', async () => {
    const { storage } = use()
    const { id: account } = await newAccount(storage)
    const { id: other } = await newAccount(storage)
    const foreign = await begin(storage, other)
    const ids: bigint[] = []
    for (let count = 0; count < 53; count++) ids.push((await begin(storage, account)).id)
    expect(await idsOf(storage, account)).toEqual(ids.toReversed().slice(0, 50))
    expect(await idsOf(storage, other)).toEqual([foreign.id])
  })

  test('a sweep removes expired sessions, some at a time', async () => {
    const { storage, raw, elapse, now } = use()
    const { id: account } = await newAccount(storage)
    for (let count = 0; count < 3; count++) await begin(storage, account)
    const live = await begin(storage, account, { expiresAt: now() + 2 * DAY_MS })
    await elapse(DAY_MS)
    expect([await storage.sessions.sweep(2), await storage.sessions.sweep(2), await storage.sessions.sweep(2)]).toEqual(
      [2, 1, 0],
    )
    expect((await raw('SELECT id FROM session')).map(({ id }) => BigInt(id as bigint))).toEqual([live.id])
  })

  test('values that cannot be stored are rejected', async () => {
    const { storage } = use()
    const { id: account } = await newAccount(storage)
    for (const wrong of [{ hash: new Uint8Array(31) }, { userAgent: 'a\0b' }, { address: 'a\ud800' }])
      expect(await thrownBy(storage.sessions.create(fields(account, wrong)))).toBeInstanceOf(TypeError)
  })
}
