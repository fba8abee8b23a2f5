// A key whose terms are changed while it is in use.
import { expect, test } from 'bun:test'
import { NO_LIMITS } from '../../src/money/limits.ts'
import { type KeyChanges, NO_RESTRICTIONS } from '../../src/storage/storage.ts'
import {
  charged,
  extend,
  hold,
  newHash,
  newKey,
  newNode,
  newWallet,
  result,
  settle,
  thrownBy,
  type Use,
} from './harness.ts'

const UNKNOWN = 987_654_321n

export function termsContract(use: Use): void {
  test('what is named is changed or taken away, and the rest stays', async () => {
    const { storage } = use()
    const hash = newHash()
    const wallet = await newWallet(storage, 1_000n, { hash })
    const other = await newKey(storage, wallet.account)
    const terms = async () => {
      const key = (await storage.keys.findWithAccount(wallet.key))?.key
      const { revision } = (await storage.keys.findCaller(hash)) ?? {}
      return {
        cap: key?.cap,
        capPeriod: key?.capPeriod,
        expiresAt: key?.expiresAt,
        revision,
        ...key?.limits,
        ...key?.restrictions,
      }
    }
    const none = { cap: undefined, capPeriod: undefined, expiresAt: undefined, ...NO_LIMITS, ...NO_RESTRICTIONS }
    const all = {
      cap: 5n,
      capPeriod: 'week' as const,
      expiresAt: 4_102_444_800_000,
      requestsPerMinute: 60,
      tokensPerMinute: 9_000,
      concurrent: 4,
      models: ['gpt-x', 'größe "1"'],
      networks: ['10.0.0.0/8'],
    } satisfies KeyChanges
    const steps: { change: KeyChanges; becomes: object }[] = [
      { change: all, becomes: all },
      { change: { capPeriod: undefined }, becomes: { ...all, capPeriod: undefined } },
      {
        change: { concurrent: 2, models: undefined },
        becomes: { ...all, capPeriod: undefined, concurrent: 2, models: undefined },
      },
      { change: none, becomes: none },
    ]
    let revision = 0
    for (const { change, becomes } of steps) {
      const before = await storage.keys.changeCounter()
      expect(await storage.keys.setTerms(wallet.key, change)).toBe(true)
      revision += 1
      expect(await terms()).toEqual({ ...none, ...becomes, revision })
      expect(await storage.keys.changeCounter()).toBeGreaterThan(before)
    }
    expect((await storage.keys.findWithAccount(other.id))?.key).toEqual(other)
  })

  test('what the operator set is kept beside the terms, and a change with an older revision does nothing', async () => {
    const { storage } = use()
    const ceiling = { cap: 10n ** 18n - 1n, capPeriod: 'day' as const, concurrent: 3, models: ['m'], group: 'g' }
    const { account } = await newWallet(storage)
    const { id, revision, ...key } = await newKey(storage, account, { ceiling })
    expect(key.ceiling).toEqual(ceiling)
    expect((await newKey(storage, account)).ceiling).toEqual({})
    const found = async () => (await storage.keys.findWithAccount(id))?.key
    expect(await storage.keys.setTerms(id, { concurrent: 2, ceiling: { concurrent: 5 } }, revision)).toBe(true)
    expect(await found()).toMatchObject({
      limits: { concurrent: 2 },
      ceiling: { concurrent: 5 },
      revision: revision + 1,
    })
    expect(await storage.keys.setTerms(id, { concurrent: 9 }, revision)).toBe(false)
    expect(await storage.keys.setTerms(id, { ceiling: {} }, revision + 1)).toBe(true)
    expect(await found()).toMatchObject({ limits: { concurrent: 2 }, ceiling: {} })
  })

  test('a group belongs to whoever chose it last, and the operator sets it with a ceiling', async () => {
    const { storage } = use()
    const hash = newHash()
    const wallet = await newWallet(storage, 1_000n, { hash, madeBy: 'console' })
    const chooser = async () => {
      const { group, groupChosenBy } = (await storage.keys.findCaller(hash)) ?? {}
      return [group, groupChosenBy === undefined ? 'operator' : 'holder']
    }
    const [, first] = await chooser()
    expect(first).toBe('holder')
    await storage.keys.setTerms(wallet.key, { group: 'staff', ceiling: { group: 'staff' } })
    expect(await chooser()).toEqual(['staff', 'operator'])
    await storage.keys.setTerms(wallet.key, { concurrent: 2, ceiling: { group: 'staff', concurrent: 2 } })
    expect(await chooser()).toEqual(['staff', 'operator'])
    await storage.keys.setTerms(wallet.key, { group: 'default' })
    expect(await chooser()).toEqual(['default', 'holder'])
  })

  test('invalid values are rejected, and an unknown key changes nothing', async () => {
    const { storage } = use()
    const wallet = await newWallet(storage, 1_000n, { cap: 5n })
    const before = await storage.keys.changeCounter()
    const key = (await storage.keys.findWithAccount(wallet.key))?.key
    const invalid: KeyChanges[] = [
      { cap: -1n },
      { cap: 1n << 62n },
      { capPeriod: 'year' as 'day' },
      { expiresAt: Number.NaN },
      { expiresAt: 1.5 },
      ...[0, -1, 1.5, 2 ** 53].flatMap((value) => [
        { requestsPerMinute: value },
        { tokensPerMinute: value },
        { concurrent: value },
      ]),
      { models: [] },
      { networks: [] },
    ]
    for (const change of invalid)
      expect(await thrownBy(storage.keys.setTerms(wallet.key, change))).toBeInstanceOf(RangeError)
    expect(await thrownBy(storage.keys.setTerms(wallet.key, { models: ['a\0b'] }))).toBeInstanceOf(TypeError)
    expect(await storage.keys.setTerms(UNKNOWN, { cap: 1n })).toBe(false)
    expect((await storage.keys.findWithAccount(wallet.key))?.key).toEqual(key)
    expect(await storage.keys.changeCounter()).toBe(before)
  })

  test('the next hold has to know it, and is held to it', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 10_000n), await newNode(storage)]
    const next = (id: bigint, revision: number) => storage.ledger.apply(hold(id, wallet, node, { revision }))
    expect(await next(1n, 0)).toEqual(result('done', 100n))
    await storage.keys.setTerms(wallet.key, { concurrent: 1 })
    expect(await next(2n, 0)).toEqual(result('key_changed'))
    expect(await next(2n, 1)).toEqual(result('key_concurrent'))
    await storage.keys.setTerms(wallet.key, { concurrent: undefined, cap: 150n })
    expect(await next(2n, 2)).toEqual(result('key_cap_reached', 50n))
    await storage.keys.setTerms(wallet.key, { cap: 200n, capPeriod: 'day' })
    expect(await next(2n, 3)).toEqual(result('done', 100n))
    await storage.keys.setTerms(wallet.key, { cap: undefined, capPeriod: undefined, expiresAt: 1 })
    expect(await next(3n, 4)).toEqual(result('key_expired'))
    await storage.keys.setTerms(wallet.key, { expiresAt: undefined, requestsPerMinute: 1 })
    expect(await next(3n, 5)).toEqual(result('done', 100n))
    expect((await next(4n, 5)).verdict).toBe('key_requests')
    expect((await storage.ledger.audit()).ok).toBe(true)
  })

  test('a cap that is lowered under running requests: what they hold is paid, and no more', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 10_000n, { cap: 500n }), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    await storage.ledger.apply(hold(2n, wallet, node))
    await storage.keys.setTerms(wallet.key, { cap: 30n })
    expect(await storage.ledger.apply(extend(1n, node, { known: 100n }))).toEqual(result('key_cap_reached', 0n))
    expect(await storage.ledger.apply(settle(1n, node, 80n))).toEqual(charged(80n))
    expect(await storage.ledger.apply(settle(2n, node, 400n))).toEqual(charged(100n))
    expect(await storage.ledger.usage(wallet.account, 1)).toMatchObject([{ cost: 100n, shortfall: 300n }])
    expect((await storage.ledger.audit()).ok).toBe(true)
  })

  test('a limit of tokens that is set later begins with what is open, and is not lowered by it', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 1_000n), await newNode(storage)]
    const other = { ...wallet, key: (await newKey(storage, wallet.account)).id }
    await storage.ledger.apply(hold(1n, wallet, node, { tokens: 600 }))
    await storage.ledger.apply(hold(2n, other, node, { tokens: 100 }))
    await storage.keys.setTerms(wallet.key, { tokensPerMinute: 1_000 })
    const next = (id: bigint, tokens: number) => hold(id, wallet, node, { revision: 1, tokens, minimumTokens: tokens })
    expect((await storage.ledger.apply(next(3n, 401))).verdict).toBe('key_tokens')
    expect((await storage.ledger.apply(next(3n, 400))).verdict).toBe('done')
    await storage.ledger.apply(settle(1n, node, 1n, { tokens: 0 }))
    expect((await storage.ledger.apply(hold(4n, wallet, node, { revision: 1, tokens: 900 }))).tokens).toBe(600)
    // Changed, not set anew: what was counted stays counted.
    await storage.keys.setTerms(wallet.key, { tokensPerMinute: 1_100 })
    expect((await storage.ledger.apply(hold(5n, wallet, node, { revision: 2, tokens: 900 }))).tokens).toBe(100)
  })
}
