// Reasoning state: found by its account alone until it expires, and bounded for each account.
import { expect, test } from 'bun:test'
import { newHash, thrownBy, type Use } from './harness.ts'

const KEEP_MS = 10_000
const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')
const bytes = (text: string) => new TextEncoder().encode(text)

export function reasoningContract(use: Use): void {
  const reasoning = () => use().storage.reasoning
  const put = (key: Uint8Array, value: Uint8Array, account = 7n) => reasoning().put([{ account, key, value }], KEEP_MS)
  const found = async (keys: readonly Uint8Array[], account = 7n) =>
    Object.fromEntries([...(await reasoning().find(account, keys))].map(([key, value]) => [key, value]))
  const expectExactSizes = async () =>
    expect(
      await use().rawContents(`SELECT account FROM reasoning_size AS known WHERE bytes <> (
        SELECT coalesce(sum(length(value)), 0) FROM reasoning WHERE reasoning.account = known.account)`),
    ).toEqual([])

  test('entries are found by their keys, also after a restart, until they expire, and not by another account', async () => {
    const { storage, elapse, reopen } = use()
    const [a, b, c] = [newHash(), newHash(), newHash()]
    expect(await found([a])).toEqual({})
    const all = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31) & 0xff)
    await storage.reasoning.put(
      [
        { account: 7n, key: a, value: all },
        { account: 7n, key: b, value: new Uint8Array() },
        { account: 8n, key: b, value: bytes('other') },
      ],
      KEEP_MS,
    )
    const next = (await reopen()).reasoning
    const mine = { [hex(a)]: all, [hex(b)]: new Uint8Array() }
    expect(Object.fromEntries(await next.find(7n, [a, b, c, a]))).toEqual(mine)
    expect(Object.fromEntries(await next.find(8n, [a, b, c]))).toEqual({ [hex(b)]: bytes('other') })
    expect([await next.find(9n, [a, b]), await next.find(7n, [])]).toEqual([new Map(), new Map()])
    // How long they are is known before they are read.
    expect([await next.findWithin(7n, [a, b, c], 99_999), await next.findWithin(7n, [a], 0)]).toEqual([
      100_000, 100_000,
    ])
    expect(await next.findWithin(7n, [a, b, c], 100_000)).toEqual(await next.find(7n, [a, b]))
    expect([await next.findWithin(9n, [a], 0), await next.findWithin(7n, [], 0)]).toEqual([new Map(), new Map()])
    await elapse(KEEP_MS - 1)
    expect(Object.fromEntries(await next.find(7n, [a, b]))).toEqual(mine)
    await elapse(1)
    expect(await next.find(7n, [a, b])).toEqual(new Map())
  })

  test('the newest value of a key wins, also within one call, and lasts from then on', async () => {
    const { elapse } = use()
    const key = newHash()
    await put(key, bytes('first'))
    await elapse(KEEP_MS - 1)
    await reasoning().put(
      [1, 2, 3].map((each) => ({ account: 7n, key, value: bytes(`value ${each}`) })),
      KEEP_MS,
    )
    await elapse(KEEP_MS - 1)
    expect(await found([key])).toEqual({ [hex(key)]: bytes('value 3') })
    await expectExactSizes()
  })

  test('more entries than a statement has are all stored; none is no mistake', async () => {
    await reasoning().put([], KEEP_MS)
    const keys = Array.from({ length: 230 }, () => newHash())
    await reasoning().put(
      keys.map((key) => ({ account: 7n, key, value: key })),
      KEEP_MS,
    )
    expect(await found(keys)).toEqual(Object.fromEntries(keys.map((key) => [hex(key), key])))
  })

  test('puts of the same keys at the same time, in any order, all succeed', async () => {
    const keys = Array.from({ length: 20 }, () => newHash())
    const entries = (value: string) => keys.map((key) => ({ account: 7n, key, value: bytes(value) }))
    await Promise.all(
      Array.from({ length: 10 }, (_, each) => {
        const list = entries('x'.repeat(each + 1))
        return reasoning().put(each % 2 === 0 ? list : list.reverse(), KEEP_MS)
      }),
    )
    expect(Object.keys(await found(keys))).toHaveLength(20)
    await expectExactSizes()
  })

  test('expired entries are removed, at most so many at once; others stay', async () => {
    const { elapse } = use()
    expect(await reasoning().sweep(10)).toBe(0)
    for (let each = 0; each < 5; each++) await put(newHash(), bytes('old'))
    await elapse(KEEP_MS)
    const key = newHash()
    await put(key, bytes('new'), 8n)
    expect([await reasoning().sweep(3), await reasoning().sweep(3), await reasoning().sweep(3)]).toEqual([3, 2, 0])
    expect(Object.keys(await found([key], 8n))).toEqual([hex(key)])
    await expectExactSizes()
    const sizes = await use().rawContents('SELECT account FROM reasoning_size')
    expect(sizes.map(({ account }) => Number(account))).toEqual([8])
  })

  test('the oldest entries of an account with too many bytes go first, and no more than needed', async () => {
    const { elapse } = use()
    const keys = Array.from({ length: 10 }, () => newHash())
    for (const key of keys) {
      await put(key, new Uint8Array(100))
      await elapse(1)
    }
    const other = newHash()
    await put(other, new Uint8Array(450), 8n)
    // The first was used again.
    await put(keys[0] as Uint8Array, new Uint8Array(100))
    const left = async () => {
      const map = await found(keys)
      return keys.flatMap((key, index) => (map[hex(key)] ? [index] : []))
    }
    expect([await reasoning().sweep(10, 1_000), await reasoning().sweep(2, 450)]).toEqual([0, 2])
    expect(await left()).toEqual([0, 3, 4, 5, 6, 7, 8, 9])
    expect([await reasoning().sweep(10, 450), await reasoning().sweep(10, 450)]).toEqual([4, 0])
    expect([await left(), Object.keys(await found([other], 8n))]).toEqual([[0, 7, 8, 9], [hex(other)]])
    // One after another, the largest first.
    expect([
      await reasoning().sweep(10, 399),
      await reasoning().sweep(10, 399),
      await reasoning().sweep(10, 399),
    ]).toEqual([1, 1, 0])
    // 300 are left in all: the account that has the most gives way.
    expect([await reasoning().sweep(10, 399, 300), await reasoning().sweep(10, 399, 250)]).toEqual([0, 1])
    expect(await left()).toEqual([0, 9])
    await expectExactSizes()
  })

  test('puts, replacements and sweeps at the same time leave exact sizes', async () => {
    const keys = Array.from({ length: 30 }, () => newHash())
    const work = Array.from({ length: 60 }, async (_, each) => {
      const entries = [0, 1, 2].map((offset) => ({
        account: BigInt(7 + (each % 2)),
        key: keys[(each * 7 + offset) % 30] as Uint8Array,
        value: new Uint8Array(each + 1),
      }))
      await reasoning().put(entries, each % 3 === 0 ? 0 : KEEP_MS)
      if (each % 5 === 0) await reasoning().sweep(7, 200)
    })
    await Promise.all(work)
    await expectExactSizes()
    while ((await reasoning().sweep(10, 0)) > 0);
    expect(await use().rawContents('SELECT account FROM reasoning_size WHERE bytes <> 0')).toEqual([])
  })

  test('a key that is not 32 bytes is rejected', async () => {
    await put(newHash(), bytes('x'))
    for (const length of [0, 31, 33]) {
      expect(await thrownBy(put(new Uint8Array(length), bytes('x')))).toBeInstanceOf(TypeError)
      expect(await thrownBy(reasoning().find(7n, [new Uint8Array(length)]))).toBeInstanceOf(TypeError)
    }
  })
}
