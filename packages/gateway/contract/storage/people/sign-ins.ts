import { describe, expect, test } from 'bun:test'
import { TRIAL } from '../../../src/money/ledger.ts'
import type { AttemptLimit, LinkPurpose, Storage } from '../../../src/storage/storage.ts'
import { newHash, newHolder, thrownBy, type Use } from '../harness.ts'

const HOUR_MS = 3_600_000
const times = <T>(count: number, act: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, act))
const sorted = <T>(values: T[]): string[] => values.map(String).sort()

export function signInsContract(use: Use): void {
  test('what a person signs in with, found by any spelling of the address', async () => {
    const { storage, now } = use()
    const { person, email } = await newHolder(storage)
    const nothing = {
      person,
      email,
      disabled: false,
      password: undefined,
      emailVerifiedAt: undefined,
      secondFactor: undefined,
    }
    expect(await storage.signIns.find(` ${email.toUpperCase()} `)).toEqual(nothing)
    expect(await storage.signIns.findByPerson(person)).toEqual(nothing)
    await storage.signIns.proveAddress(person, { verified: true, isHolder: false })
    await storage.signIns.setPassword(person, 'hash')
    await storage.signIns.setSecondFactor(person, {
      secret: Uint8Array.of(1, 2),
      recoveryCodes: [newHash(), newHash()],
    })
    await storage.people.setDisabled(person, true)
    expect(await storage.signIns.findByPerson(person)).toEqual({
      person,
      email,
      disabled: true,
      password: 'hash',
      emailVerifiedAt: now(),
      secondFactor: { secret: Uint8Array.of(1, 2), unusedRecoveryCodes: 2 },
    })
    await storage.signIns.setSecondFactor(person, undefined)
    expect(await storage.signIns.find(email)).toMatchObject({ password: 'hash', secondFactor: undefined })
    expect(await storage.signIns.find('nobody@example.com')).toBeUndefined()
    expect(await storage.signIns.findByPerson(person + 1_000n)).toBeUndefined()
  })

  test('a password of the registration is found', async () => {
    const { storage } = use()
    const person = {
      email: 'ada@example.com',
      password: 'hash',
      network: '192.0.2.1',
      wideNetwork: '192.0.2.0/24',
      mostPerNetwork: 3,
      wideTrials: 1,
      trialCredit: 0n,
      budget: 0n,
      source: TRIAL,
      onProof: false,
    }
    await storage.accounts.signUp(person)
    expect(await storage.signIns.find('ada@example.com')).toMatchObject({ password: 'hash' })
  })

  test('nothing is set for a person who does not exist', async () => {
    const { storage, raw } = use()
    expect(await thrownBy(storage.signIns.setPassword(1_000n, 'hash'))).toBeInstanceOf(Error)
    expect(await thrownBy(storage.signIns.proveAddress(1_000n, { verified: true, isHolder: true }))).toBeInstanceOf(
      Error,
    )
    expect(await thrownBy(storage.signIns.setSecondFactor(1_000n, undefined))).toBeInstanceOf(Error)
    expect(await raw('SELECT person FROM credential')).toEqual([])
  })

  describe('second factor', () => {
    async function withFactor(storage: Storage, recoveryCodes: Uint8Array[] = []) {
      const { person: id } = await newHolder(storage)
      await storage.signIns.setSecondFactor(id, { secret: Uint8Array.of(7), recoveryCodes })
      return id
    }

    test('a step of time is used once, and no earlier one after it', async () => {
      const { storage } = use()
      const person = await withFactor(storage)
      const uses: boolean[] = []
      for (const step of [100, 100, 99, 101]) uses.push(await storage.signIns.useStep(person, step))
      expect(uses).toEqual([true, false, false, true])
      expect(await storage.signIns.useStep(await withFactor(storage), 100)).toBe(true)
      await storage.signIns.setSecondFactor(person, undefined)
      expect(await storage.signIns.useStep(person, 102)).toBe(false)
    })

    test('of ten uses of one step at once, one succeeds', async () => {
      const { storage } = use()
      const person = await withFactor(storage)
      expect(sorted(await times(10, () => storage.signIns.useStep(person, 5)))).toEqual([
        ...Array(9).fill('false'),
        'true',
      ])
    })

    test('of ten uses of one recovery code at once, one succeeds', async () => {
      const { storage } = use()
      const [code, other] = [newHash(), newHash()]
      const person = await withFactor(storage, [code, other])
      const another = await withFactor(storage, [newHash()])
      expect(await storage.signIns.useRecoveryCode(another, code)).toBe(false)
      const uses = await times(10, () => storage.signIns.useRecoveryCode(person, code))
      expect(sorted(uses)).toEqual([...Array(9).fill('false'), 'true'])
      expect(await storage.signIns.findByPerson(person)).toMatchObject({ secondFactor: { unusedRecoveryCodes: 1 } })
    })

    test('it is removed together with the sessions of its person, and of no other', async () => {
      const { storage, now } = use()
      const code = newHash()
      const [person, other] = [await withFactor(storage, [code]), await withFactor(storage)]
      const begin = (id: bigint) =>
        storage.sessions.create({
          person: id,
          hash: newHash(),
          expiresAt: now() + HOUR_MS,
          userAgent: '',
          address: '192.0.2.1',
        })
      for (const id of [person, person, other]) await begin(id)
      expect(await storage.signIns.removeSecondFactor(person)).toBe(2)
      expect(await storage.signIns.findByPerson(person)).toMatchObject({ secondFactor: undefined })
      expect(await storage.signIns.useRecoveryCode(person, code)).toBe(false)
      await begin(person)
      // Nothing is left to remove, and the sessions stay.
      expect(await storage.signIns.removeSecondFactor(person)).toBeUndefined()
      expect(await storage.sessions.list(person)).toHaveLength(1)
      expect(await storage.sessions.list(other)).toHaveLength(1)
      expect(await storage.signIns.findByPerson(other)).toMatchObject({ secondFactor: { unusedRecoveryCodes: 0 } })
    })

    test('a new second factor does not replace the present one; after it, its recovery codes are useless', async () => {
      const { storage } = use()
      const [former, present] = [newHash(), newHash()]
      const person = await withFactor(storage, [former])
      const factor = { secret: Uint8Array.of(8), recoveryCodes: [present] }
      expect(await storage.signIns.setSecondFactor(person, factor)).toBe(false)
      expect(await storage.signIns.findByPerson(person)).toMatchObject({ secondFactor: { secret: Uint8Array.of(7) } })
      expect(await storage.signIns.setSecondFactor(person, undefined)).toBe(true)
      const both = await times(4, () => storage.signIns.setSecondFactor(person, factor))
      expect(sorted(both)).toEqual(['false', 'false', 'false', 'true'])
      expect(await storage.signIns.useRecoveryCode(person, former)).toBe(false)
      expect(await storage.signIns.useRecoveryCode(person, present)).toBe(true)
    })
  })

  describe('links', () => {
    async function newLink(storage: Storage, person: bigint, purpose: LinkPurpose, forMs = HOUR_MS) {
      const hash = newHash()
      await storage.signIns.createLink({ hash, purpose, person, expiresAt: use().now() + forMs })
      return hash
    }

    test.each([
      'verify',
      'reset',
      'setup',
    ] as const)('of ten uses of one %s link at once, one succeeds', async (purpose) => {
      const { storage } = use()
      const { person } = await newHolder(storage)
      const hash = await newLink(storage, person, purpose)
      expect(await storage.signIns.findLink(hash, purpose)).toBe(person)
      const uses = await times(10, () => storage.signIns.useLink(hash, purpose))
      expect(uses.filter((used) => used !== undefined)).toEqual([person])
      expect(await storage.signIns.findLink(hash, purpose)).toBeUndefined()
    })

    test('a link serves its purpose only', async () => {
      const { storage } = use()
      const { person } = await newHolder(storage)
      const hash = await newLink(storage, person, 'verify')
      expect(await storage.signIns.useLink(hash, 'reset')).toBeUndefined()
      expect(await storage.signIns.useLink(newHash(), 'verify')).toBeUndefined()
      expect(await storage.signIns.useLink(hash, 'verify')).toBe(person)
    })

    test('a link expires', async () => {
      const { storage, elapse } = use()
      const { person } = await newHolder(storage)
      const hash = await newLink(storage, person, 'reset')
      await elapse(HOUR_MS)
      expect(await storage.signIns.findLink(hash, 'reset')).toBeUndefined()
      expect(await storage.signIns.useLink(hash, 'reset')).toBeUndefined()
    })

    test('a new link replaces the former one of the same person and purpose, and no other', async () => {
      const { storage } = use()
      const { person } = await newHolder(storage)
      const { person: other } = await newHolder(storage)
      const former = await newLink(storage, person, 'reset')
      const [verify, foreign] = [await newLink(storage, person, 'verify'), await newLink(storage, other, 'reset')]
      const present = await newLink(storage, person, 'reset')
      expect(await storage.signIns.useLink(former, 'reset')).toBeUndefined()
      expect(await storage.signIns.useLink(present, 'reset')).toBe(person)
      expect(await storage.signIns.useLink(verify, 'verify')).toBe(person)
      expect(await storage.signIns.useLink(foreign, 'reset')).toBe(other)
    })

    test('a new password makes the links useless that could set another, and no others', async () => {
      const { storage } = use()
      const { person } = await newHolder(storage)
      const hashes = [await newLink(storage, person, 'reset'), await newLink(storage, person, 'setup')]
      const verify = await newLink(storage, person, 'verify')
      await storage.signIns.setPassword(person, 'hash')
      expect(await storage.signIns.findLink(hashes[0] ?? verify, 'reset')).toBeUndefined()
      expect(await storage.signIns.findLink(hashes[1] ?? verify, 'setup')).toBeUndefined()
      expect(await storage.signIns.findLink(verify, 'verify')).toBe(person)
    })

    test('a sweep removes expired links', async () => {
      const { storage, elapse, raw } = use()
      const { person } = await newHolder(storage)
      await newLink(storage, person, 'reset')
      await newLink(storage, person, 'verify', 2 * HOUR_MS)
      expect(await storage.signIns.sweep(10)).toBe(0)
      await elapse(HOUR_MS)
      expect(await storage.signIns.sweep(10)).toBe(1)
      expect(await raw('SELECT purpose FROM link')).toEqual([{ purpose: 'verify' }])
    })
  })

  describe('attempts', () => {
    const limit = (subject: string, most: number, windowMs = HOUR_MS): AttemptLimit => ({ subject, most, windowMs })
    const attempt = (...limits: AttemptLimit[]) => use().storage.signIns.countAttempt(limits)

    test('above the limit there is a wait, until the window ends', async () => {
      const { elapse } = use()
      const waits: (number | undefined)[] = []
      for (let count = 0; count < 4; count++) {
        waits.push(await attempt(limit('subject 1', 2)))
        await elapse(1_000)
      }
      expect(waits).toEqual([undefined, undefined, HOUR_MS - 2_000, HOUR_MS - 3_000])
      expect(await attempt(limit('subject 2', 2))).toBeUndefined()
      await elapse(HOUR_MS - 4_000)
      expect(await attempt(limit('subject 1', 2))).toBeUndefined()
    })

    test('of fifty at once, as many pass as the limit allows', async () => {
      const waits = await times(50, () => attempt(limit('subject 1', 5), limit('network 1', 100)))
      expect(waits.filter((wait) => wait === undefined)).toHaveLength(5)
      expect(waits.filter((wait) => wait !== undefined && wait > 0 && wait <= HOUR_MS)).toHaveLength(45)
    })

    test('of fifty at once with subjects in either order, none fails', async () => {
      const [one, other] = [limit('subject 1', 100), limit('network 1', 100)]
      let turn = 0
      expect(await times(50, () => attempt(...(turn++ % 2 ? [one, other] : [other, one])))).toEqual(
        Array(50).fill(undefined),
      )
    })

    test('attempts are read without counting one, until the window ends', async () => {
      const { storage, elapse } = use()
      const read = async () => Object.fromEntries(await storage.signIns.attempts(['subject 1', 'subject 2']))
      expect(await read()).toEqual({})
      for (let count = 0; count < 3; count++) await attempt(limit('subject 1', 5))
      await elapse(1_000)
      for (let count = 0; count < 2; count++)
        expect(await read()).toEqual({ 'subject 1': { count: 3, forgottenInMs: HOUR_MS - 1_000 } })
      expect((await storage.signIns.attempts([])).size).toBe(0)
      await elapse(HOUR_MS - 1_000)
      expect(await read()).toEqual({})
    })

    test('all subjects count; the longest wait is returned', async () => {
      const both = [limit('network', 2, 2 * HOUR_MS), limit('subject', 2)] as const
      expect([await attempt(...both), await attempt(...both)]).toEqual([undefined, undefined])
      expect(await attempt(...both)).toBe(2 * HOUR_MS)
      expect(await attempt(limit('subject', 2))).toBe(HOUR_MS)
    })

    test('what is rejected because of one subject does not count for the others', async () => {
      await attempt(limit('network', 1))
      for (let count = 0; count < 10; count++)
        expect(await attempt(limit('network', 1), limit('subject', 2))).toBe(HOUR_MS)
      expect(await attempt(limit('subject', 2))).toBeUndefined()
    })

    test('a success is forgotten with all attempts before it', async () => {
      const { storage } = use()
      for (const subject of ['subject', 'network']) await attempt(limit(subject, 1))
      await storage.signIns.forgetAttempts(['subject'])
      await storage.signIns.forgetAttempts([])
      expect(await attempt(limit('subject', 1))).toBeUndefined()
      expect(await attempt(limit('network', 1))).toBe(HOUR_MS)
    })

    test('a sweep removes attempts whose window has ended, some at a time', async () => {
      const { storage, elapse, raw } = use()
      for (const subject of ['a', 'b', 'c']) await attempt(limit(subject, 5))
      await attempt(limit('d', 5, 2 * HOUR_MS))
      await elapse(HOUR_MS)
      expect([await storage.signIns.sweep(2), await storage.signIns.sweep(2), await storage.signIns.sweep(2)]).toEqual([
        2, 1, 0,
      ])
      expect(await raw('SELECT subject FROM attempt')).toEqual([{ subject: 'd' }])
    })

    test('a sweep keeps at most as many subjects as it is told', async () => {
      const { storage, raw, now } = use()
      await raw(`INSERT INTO attempt (subject, attempts, expires_at)
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 103)
        SELECT 'subject ' || n, 1, ${now()} + n FROM numbers`)
      expect(await storage.signIns.sweep(1_000, 100)).toBe(3)
      const [row] = await raw('SELECT count(*) AS subjects, min(expires_at) AS first FROM attempt')
      expect([Number(row?.subjects), Number(row?.first)]).toEqual([100, now() + 4])
    })

    test('limits that make no sense are rejected', async () => {
      for (const wrong of [limit('a\0b', 1), limit('a', 0), limit('a', 1, 0.5)])
        expect(await thrownBy(attempt(wrong))).toBeInstanceOf(Error)
      expect(await attempt()).toBeUndefined()
    })
  })

  test('preferences are kept field by field', async () => {
    const { storage } = use()
    const { person } = await newHolder(storage)
    expect(await storage.people.preferences(person)).toEqual({
      lowBalance: undefined,
      language: undefined,
      notices: undefined,
    })
    await storage.people.setPreferences(person, { lowBalance: 5n })
    await storage.people.setPreferences(person, { language: 'zh' })
    await storage.people.setPreferences(person, {})
    await storage.people.setPreferences(person, { notices: ['key'] })
    expect(await storage.people.preferences(person)).toEqual({ lowBalance: 5n, language: 'zh', notices: ['key'] })
    await storage.people.setPreferences(person, { lowBalance: undefined, notices: [] })
    expect(await storage.people.preferences(person)).toEqual({ lowBalance: undefined, language: 'zh', notices: [] })
    await storage.people.setPreferences(person, { notices: undefined })
    expect(await storage.people.preferences(person)).toMatchObject({ language: 'zh', notices: undefined })
    expect(await thrownBy(storage.people.setPreferences(person, { lowBalance: -1n }))).toBeInstanceOf(RangeError)
    expect(await thrownBy(storage.people.setPreferences(person, { language: 'a\0' }))).toBeInstanceOf(TypeError)
  })
}
