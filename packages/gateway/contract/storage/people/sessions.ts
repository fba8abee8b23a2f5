import { expect, test } from 'bun:test'
import type { Account, NewSession, Person, Storage } from '../../../src/storage/storage.ts'
import { newHash, newHolder, thrownBy, type Use } from '../harness.ts'

const DAY_MS = 86_400_000

export function sessionsContract(use: Use): void {
  const fields = (person: bigint, more: Partial<NewSession> = {}): NewSession => ({
    person,
    hash: newHash(),
    expiresAt: use().now() + DAY_MS,
    userAgent: 'Browser/1',
    address: '192.0.2.1',
    ...more,
  })
  async function begin(storage: Storage, person: bigint, more: Partial<NewSession> = {}) {
    const session = fields(person, more)
    const created = await storage.sessions.create(session)
    if (!created) throw new Error('the session did not begin')
    return { ...created, hash: session.hash }
  }
  const idsOf = async (storage: Storage, person: bigint) => (await storage.sessions.list(person)).map(({ id }) => id)

  test('a session is found by its hash, with its person, account and role', async () => {
    const { storage, now } = use()
    const { person, account, email } = await newHolder(storage)
    const hash = newHash()
    const created = await storage.sessions.create(fields(person, { hash }))
    expect(created).toEqual({
      id: created?.id ?? 0n,
      person,
      account,
      createdAt: now(),
      seenAt: now() - (now() % 60_000),
      expiresAt: now() + DAY_MS,
      userAgent: 'Browser/1',
      address: '192.0.2.1',
      provedAt: undefined,
      endsAt: undefined,
    })
    const found = await storage.sessions.find(hash)
    expect(found).toEqual({
      session: created as NonNullable<typeof created>,
      person: (await storage.people.find(email)) as Person,
      account: (await storage.accounts.find(account)) as Account,
      role: 'owner',
      isByOperator: false,
    })
    expect(await storage.sessions.find(newHash())).toBeUndefined()
  })

  test('a person with a role and without an account gets an empty one by signing in, once', async () => {
    const { storage } = use()
    const { person, account, email } = await newHolder(storage)
    await storage.members.remove(account, person)
    expect(await storage.sessions.create(fields(person))).toBeUndefined()
    await storage.people.setRole(person, 'viewer')
    const session = await begin(storage, person)
    expect(await storage.accounts.find(session.account)).toMatchObject({ name: email, balance: 0n })
    expect(await storage.members.accountsOf(person)).toMatchObject([{ role: 'owner' }])
    expect((await begin(storage, person)).account).toBe(session.account)
    // It stays as long as the role.
    expect(await storage.accounts.erase(session.account, { force: true })).toBe(false)
    await storage.people.setRole(person, undefined)
    expect(await storage.accounts.erase(session.account, { force: true })).toBe(true)
  })

  test('a session ends with its time, unless it is touched before', async () => {
    const { storage, now, elapse } = use()
    const { person } = await newHolder(storage)
    const [used, idle] = [await begin(storage, person), await begin(storage, person)]
    await elapse(DAY_MS - 1)
    await storage.sessions.touch(used.id, now() + DAY_MS)
    await elapse(1)
    expect(await storage.sessions.find(idle.hash)).toBeUndefined()
    expect((await storage.sessions.find(used.hash))?.session.seenAt).toBeGreaterThan(used.seenAt)
    expect(await idsOf(storage, person)).toEqual([used.id])
    // What has ended stays so.
    await storage.sessions.touch(idle.id, now() + DAY_MS)
    expect(await storage.sessions.find(idle.hash)).toBeUndefined()
  })

  test('a session knows when a code of the second factor was last given in it', async () => {
    const { storage, now, elapse } = use()
    const { person } = await newHolder(storage)
    const [proved, other] = [await begin(storage, person, { withCode: true }), await begin(storage, person)]
    expect([proved.provedAt, other.provedAt]).toEqual([now(), undefined])
    await elapse(1_000)
    await storage.sessions.prove(other.id)
    const provedAt = async ({ hash }: { hash: Uint8Array }) => (await storage.sessions.find(hash))?.session.provedAt
    expect([await provedAt(proved), await provedAt(other)]).toEqual([now() - 1_000, now()])
  })

  test('a second factor ends all other sessions, and none begins that did not ask for it', async () => {
    const { storage } = use()
    const [{ person }, { person: other }] = [await newHolder(storage), await newHolder(storage)]
    await storage.signIns.setPassword(person, 'hash')
    const [own, foreign] = [await begin(storage, person), await begin(storage, other)]
    await begin(storage, person)
    const factor = { secret: Uint8Array.of(7), recoveryCodes: [newHash()] }
    const start = (withoutSecondFactor: boolean) =>
      storage.sessions.create(fields(person, { password: 'hash', withoutSecondFactor }))
    expect(await start(true)).toBeDefined()
    expect(await storage.signIns.setSecondFactor(person, factor, own.id)).toBe(true)
    expect([await idsOf(storage, person), await idsOf(storage, other)]).toEqual([[own.id], [foreign.id]])
    expect(await start(true)).toBeUndefined()
    const next = await start(false)
    // One that is not set ends nothing.
    expect(await storage.signIns.setSecondFactor(person, factor)).toBe(false)
    expect(await storage.signIns.setSecondFactor(person, undefined)).toBe(true)
    expect(await idsOf(storage, person)).toEqual([next?.id ?? 0n, own.id])
    expect(await start(true)).toBeDefined()
  })

  test('no session begins for an unknown or disabled person, or with a former password', async () => {
    const { storage } = use()
    const { person } = await newHolder(storage)
    await storage.signIns.setPassword(person, 'first')
    expect(await storage.sessions.create(fields(person, { password: 'first' }))).toBeDefined()
    await storage.signIns.setPassword(person, 'second')
    expect(await storage.sessions.create(fields(person, { password: 'first' }))).toBeUndefined()
    expect(await storage.sessions.create(fields(person + 1_000n))).toBeUndefined()
    await storage.people.setDisabled(person, true)
    expect(await storage.sessions.create(fields(person))).toBeUndefined()
  })

  test('a person who is disabled loses all sessions for good', async () => {
    const { storage } = use()
    const { person } = await newHolder(storage)
    const { person: other } = await newHolder(storage)
    const [ended, kept] = [await begin(storage, person), await begin(storage, other)]
    await storage.people.setDisabled(person, true)
    expect(await storage.sessions.find(ended.hash)).toBeUndefined()
    await storage.people.setDisabled(person, false)
    expect(await storage.sessions.find(ended.hash)).toBeUndefined()
    expect(await storage.sessions.find(kept.hash)).toBeDefined()
  })

  test('a row that another process disabled is not signed in either', async () => {
    const { storage, raw } = use()
    const { person } = await newHolder(storage)
    const { hash } = await begin(storage, person)
    await raw(`UPDATE person SET disabled = 1 WHERE id = ${person}`)
    expect(await storage.sessions.find(hash)).toBeUndefined()
  })

  test('sessions are listed newest first and ended one by one, all, or all but one', async () => {
    const { storage } = use()
    const { person } = await newHolder(storage)
    const { person: other } = await newHolder(storage)
    const foreign = await begin(storage, other)
    const [first, second, third] = [
      await begin(storage, person),
      await begin(storage, person),
      await begin(storage, person),
    ]
    expect(await idsOf(storage, person)).toEqual([third.id, second.id, first.id])
    expect(await storage.sessions.end(person, foreign.id)).toBe(false)
    expect(await storage.sessions.end(person, second.id)).toBe(true)
    expect(await storage.sessions.end(person, second.id)).toBe(false)
    expect(await storage.sessions.find(second.hash)).toBeUndefined()
    expect(await storage.sessions.endAll(person, third.id)).toBe(1)
    expect(await idsOf(storage, person)).toEqual([third.id])
    expect(await storage.sessions.endAll(person)).toBe(1)
    expect(await idsOf(storage, person)).toEqual([])
    expect(await storage.sessions.find(foreign.hash)).toBeDefined()
  })

  test('a new password ends all sessions but the kept one', async () => {
    const { storage } = use()
    const { person } = await newHolder(storage)
    const [kept, ended] = [await begin(storage, person), await begin(storage, person)]
    await storage.signIns.setPassword(person, 'hash', kept.id)
    expect([await storage.sessions.find(ended.hash), await idsOf(storage, person)]).toEqual([undefined, [kept.id]])
    await storage.signIns.setPassword(person, 'hash')
    expect(await idsOf(storage, person)).toEqual([])
  })

  test('a sign-in with the former password at the time of its change leaves no session', async () => {
    const { storage } = use()
    const { person } = await newHolder(storage)
    for (let round = 0; round < 20; round++) {
      await storage.signIns.setPassword(person, `before ${round}`)
      const password = `before ${round}`
      await Promise.all([
        ...[0, 1, 2].map(() => storage.sessions.create(fields(person, { password }))),
        storage.signIns.setPassword(person, 'changed'),
        ...[0, 1, 2].map(() => storage.sessions.create(fields(person, { password }))),
      ])
      expect(await idsOf(storage, person)).toEqual([])
    }
  })

  test('a sign-in at the time the person is disabled leaves no session', async () => {
    const { storage } = use()
    const { person } = await newHolder(storage)
    for (let round = 0; round < 20; round++) {
      await Promise.all([
        ...[0, 1, 2].map(() => storage.sessions.create(fields(person))),
        storage.people.setDisabled(person, true),
        ...[0, 1, 2].map(() => storage.sessions.create(fields(person))),
      ])
      await storage.people.setDisabled(person, false)
      expect(await idsOf(storage, person)).toEqual([])
    }
  })

  test('a person keeps the fifty newest sessions', async () => {
    const { storage } = use()
    const { person } = await newHolder(storage)
    const { person: other } = await newHolder(storage)
    const foreign = await begin(storage, other)
    const ids: bigint[] = []
    for (let count = 0; count < 53; count++) ids.push((await begin(storage, person)).id)
    expect(await idsOf(storage, person)).toEqual(ids.toReversed().slice(0, 50))
    expect(await idsOf(storage, other)).toEqual([foreign.id])
  })

  test('a sweep removes expired sessions, some at a time', async () => {
    const { storage, raw, elapse, now } = use()
    const { person } = await newHolder(storage)
    for (let count = 0; count < 3; count++) await begin(storage, person)
    const live = await begin(storage, person, { expiresAt: now() + 2 * DAY_MS })
    await elapse(DAY_MS)
    expect([await storage.sessions.sweep(2), await storage.sessions.sweep(2), await storage.sessions.sweep(2)]).toEqual(
      [2, 1, 0],
    )
    expect((await raw('SELECT id FROM session')).map(({ id }) => BigInt(id as bigint))).toEqual([live.id])
  })

  test('values that cannot be stored are rejected', async () => {
    const { storage } = use()
    const { person } = await newHolder(storage)
    for (const wrong of [{ hash: new Uint8Array(31) }, { userAgent: 'a\0b' }, { address: 'a\ud800' }])
      expect(await thrownBy(storage.sessions.create(fields(person, wrong)))).toBeInstanceOf(TypeError)
  })
}
