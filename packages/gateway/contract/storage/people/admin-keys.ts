// Admin keys: found by their hash with the person who made them, listed in both directions, and never more than allowed.
import { expect, test } from 'bun:test'
import type { NewAdminKey } from '../../../src/storage/storage.ts'
import { newHash, newHolder, type Use } from '../harness.ts'

const wanted = (more: Partial<NewAdminKey> = {}): NewAdminKey => ({
  name: 'billing',
  hash: newHash(),
  lastFour: 'abcd',
  role: 'finance',
  permissions: undefined,
  madeBy: undefined,
  madeByKey: undefined,
  expiresAt: undefined,
  networks: undefined,
  ...more,
})

export function adminKeysContract(use: Use): void {
  test('a key is found by its hash, with its maker as the person is now, and deleted once', async () => {
    const { storage, now } = use()
    const { person } = await newHolder(storage)
    const key = wanted({ madeBy: person, expiresAt: now() + 5, networks: ['192.0.2.0/24'] })
    const { hash, ...rest } = key
    const made = await storage.adminKeys.create(key, 10)
    const expected = { ...rest, id: made?.id ?? 0n, createdAt: now(), lastUsedAt: undefined, deletedAt: undefined }
    expect(made).toEqual(expected)
    await storage.people.setRole(person, 'admin')
    await storage.adminKeys.touch(expected.id)
    const found = await storage.adminKeys.find({ hash })
    expect(found?.key).toEqual({ ...expected, lastUsedAt: now() })
    expect(found?.maker).toMatchObject({ id: person, role: 'admin', disabled: false })
    expect(await storage.adminKeys.find({ hash: newHash() })).toBeUndefined()
    const counted = () => storage.adminKeys.countMadeBy(person)
    expect(await counted()).toEqual(new Map([['finance', 1]]))
    const [once, twice] = [await storage.adminKeys.delete(expected.id), await storage.adminKeys.delete(expected.id)]
    expect([once, twice]).toEqual([true, false])
    expect((await storage.adminKeys.find({ id: expected.id }))?.key.deletedAt).toBe(now())
    expect(await storage.adminKeys.list({}, 10)).toEqual([])
    // The audit log names it still.
    expect([await counted(), await storage.adminKeys.names([expected.id, 999_999n])]).toEqual([
      new Map(),
      new Map([[expected.id, 'billing']]),
    ])
  })

  test('a sign-in link ends with the key that made it, or with the one that made that key', async () => {
    const { storage, now } = use()
    const { signIns, adminKeys } = storage
    const [leaked, other] = [await adminKeys.create(wanted(), 10), await adminKeys.create(wanted(), 10)]
    const child = await adminKeys.create(wanted({ madeByKey: leaked?.id }), 10)
    const link = async (madeByKey: bigint | undefined, holder?: { person: bigint }, forMs = 1_000) => {
      const { person } = holder ?? (await newHolder(storage))
      const hash = newHash()
      const made = await signIns.createLink({ hash, purpose: 'setup', person, expiresAt: now() + forMs, madeByKey })
      return { made, find: () => signIns.findLink(hash, 'setup'), person }
    }
    const holder = await newHolder(storage)
    const ended = [await link(leaked?.id), await link(child?.id, holder)]
    await link(leaked?.id, undefined, 0)
    const kept = [await link(other?.id), await link(undefined), await link(child?.id)]
    // Who makes the next link decides about it.
    const again = kept.pop()
    if (again) kept.push(await link(undefined, again))
    const { links } = await adminKeys.madeByKey(leaked?.id ?? 0n)
    expect([links.count, links.emails]).toEqual([2, links.emails.toSorted()])
    expect(links.emails).toContain(holder.email)
    expect(links.emails).toHaveLength(2)
    await adminKeys.delete(leaked?.id ?? 0n)
    for (const { find } of ended) expect(await find()).toBeUndefined()
    for (const { find, person } of kept) expect(await find()).toBe(person)
    expect((await adminKeys.madeByKey(leaked?.id ?? 0n)).links).toEqual({ count: 0, emails: [] })
    const late = await link(child?.id)
    expect([late.made, await late.find()]).toEqual([false, undefined])
  })

  test('of keys that are created at once, no more exist than allowed; the list is read in both directions', async () => {
    const { storage } = use()
    const made = await Promise.all(Array.from({ length: 8 }, () => storage.adminKeys.create(wanted(), 5)))
    expect(made.filter((each) => each !== undefined)).toHaveLength(5)
    const ids = async (filter: { before?: bigint; after?: bigint }, limit = 2) =>
      (await storage.adminKeys.list(filter, limit)).map(({ id }) => id)
    const all = await ids({}, 10)
    expect(all).toEqual(all.toSorted((one, other) => Number(other - one)))
    expect(await ids({ before: all[1] ?? 0n })).toEqual(all.slice(2, 4))
    expect(await ids({ after: all[3] ?? 0n })).toEqual(all.slice(1, 3))
  })
}
