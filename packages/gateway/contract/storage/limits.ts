import { expect, test } from 'bun:test'
import { DEAD_AFTER_MS, type Result } from '../../src/money/ledger.ts'
import { endOf, type Limits, NO_LIMITS, PERIODS } from '../../src/money/limits.ts'
import {
  extend,
  hold,
  type KeyFields,
  money,
  type Node,
  newHash,
  newKey,
  newNode,
  newWallet,
  type Opened,
  result,
  settle,
  type Use,
  voided,
} from './harness.ts'

const limits = (some: Partial<Limits>): Limits => ({ ...NO_LIMITS, ...some })
const verdicts = (results: readonly Result[]) => results.map(({ verdict }) => verdict)

/** Where a limit stands: at the key, or at its account and for all keys of it. */
const PLACES = ['key', 'account'] as const

async function limited({ storage }: Opened, place: (typeof PLACES)[number], some: Partial<Limits>) {
  const wallet = await newWallet(storage, 1_000_000n, place === 'key' ? { limits: limits(some) } : {})
  if (place === 'account') await storage.accounts.setTerms(wallet.account, limits(some))
  const node = await newNode(storage)
  const revision = place === 'key' ? 0 : 1
  const tryHold = (id: bigint, fields: Parameters<typeof hold>[3] = {}) =>
    storage.ledger.apply(hold(id, wallet, node, { revision, ...fields }))
  return { wallet, node, revision, tryHold }
}

/** Lets time pass with the node kept alive. */
async function pass({ storage, elapse }: Opened, node: Node, milliseconds: number): Promise<Node> {
  await elapse(milliseconds)
  if (milliseconds < DEAD_AFTER_MS) return node
  return {
    nodeId: node.nodeId,
    epoch: Number((await storage.ledger.apply({ verb: 'join', nodeId: node.nodeId, config: '' })).amount),
  }
}

export function limitsContract(use: Use): void {
  for (const place of PLACES) {
    test(`requests per minute of the ${place}: rejected with the time to wait, and admitted after it`, async () => {
      const opened = use()
      // To the beginning of a second, from which waiting is counted.
      await opened.elapse(1_000 - (opened.now() % 1_000))
      const { tryHold, node, wallet, revision } = await limited(opened, place, { requestsPerMinute: 2 })
      expect((await tryHold(1n)).verdict).toBe('done')
      await opened.elapse(4_000)
      expect((await tryHold(2n)).verdict).toBe('done')
      // The first request leaves the window when its whole second is over.
      expect(await tryHold(3n)).toEqual(result(`${place}_requests`, 57_000n))
      const later = await pass(opened, node, 56_999)
      const again = (id: bigint) => opened.storage.ledger.apply(hold(id, wallet, later, { revision }))
      expect(await again(3n)).toEqual(result(`${place}_requests`, 1n))
      await opened.elapse(1)
      expect((await again(3n)).verdict).toBe('done')
      expect(await again(4n)).toEqual(result(`${place}_requests`, 4_000n))
    })

    test(`concurrent requests of the ${place}: every outcome frees a slot`, async () => {
      const opened = use()
      const { tryHold, node, wallet, revision } = await limited(opened, place, { concurrent: 2 })
      await tryHold(1n)
      await tryHold(2n)
      expect(await tryHold(3n)).toEqual(result(`${place}_concurrent`))
      await opened.storage.ledger.apply(settle(1n, node, 5n))
      expect((await tryHold(4n)).verdict).toBe('done')
      await opened.storage.ledger.apply(voided(2n, node))
      expect((await tryHold(5n)).verdict).toBe('done')
      expect(await tryHold(6n)).toEqual(result(`${place}_concurrent`))
      await opened.storage.ledger.apply({ verb: 'leave', ...node })
      expect(await opened.storage.ledger.apply({ verb: 'reap', limit: 10 })).toEqual(result('done', 2n))
      const { storage } = opened
      const next = await newNode(storage)
      expect(await storage.ledger.apply(hold(7n, wallet, next, { revision }))).toMatchObject({ verdict: 'done' })
      // The owner of a reaped request comes back: it is not open a second time, nor closed a second time.
      await storage.ledger.apply(settle(4n, node, 5n))
      expect((await storage.ledger.audit()).ok).toBe(true)
    })

    test(`tokens per minute of the ${place}: reserved, granted in part, and released when not used`, async () => {
      const opened = use()
      const { storage } = opened
      await opened.elapse(1_000 - (opened.now() % 1_000))
      const { tryHold, node, wallet } = await limited(opened, place, { tokensPerMinute: 1_000 })
      expect(await tryHold(1n, { tokens: 700, minimumTokens: 100 })).toEqual(result('done', 100n, 700))
      expect(await tryHold(2n, { tokens: 700, minimumTokens: 100 })).toEqual(result('done', 100n, 300))
      expect(await tryHold(2n, { tokens: 700, minimumTokens: 100 })).toEqual(result('repeated', 100n, 300))
      expect(await tryHold(3n, { tokens: 700, minimumTokens: 1 })).toEqual(result(`${place}_tokens`, 61_000n))
      await storage.ledger.apply(settle(1n, node, 5n, { tokens: 450 }))
      expect(await tryHold(3n, { tokens: 100, minimumTokens: 251 })).toMatchObject({ verdict: `${place}_tokens` })
      expect(await tryHold(3n, { tokens: 250, minimumTokens: 250 })).toEqual(result('done', 100n, 250))
      await storage.ledger.apply(voided(3n, node))
      // More than was reserved counts from when it is known.
      await storage.ledger.apply(settle(2n, node, 5n, { tokens: 500 }))
      expect(await tryHold(4n, { tokens: 50, minimumTokens: 50 })).toEqual(result('done', 100n, 50))
      expect(await tryHold(5n, { tokens: 1, minimumTokens: 1 })).toMatchObject({ verdict: `${place}_tokens` })
      expect(await storage.ledger.usage(wallet.account, 0)).toMatchObject([
        { tokens: 50 },
        { tokens: 0 },
        { tokens: 500 },
        { tokens: 450 },
      ])
    })

    test(`an extension goes as far as the tokens of the ${place} go, and its money with them`, async () => {
      const opened = use()
      const { storage } = opened
      const { tryHold, node, wallet } = await limited(opened, place, { tokensPerMinute: 1_000 })
      await tryHold(1n, { tokens: 800, minimumTokens: 1 })
      const more = (known: bigint, fields: object) =>
        storage.ledger.apply(extend(1n, node, { known, amount: 400n, minimum: 1n, tokens: 400, ...fields }))
      expect(await more(100n, {})).toEqual(result('done', 200n, 200))
      expect(await more(300n, { progress: 90n })).toMatchObject({ verdict: `${place}_tokens` })
      expect(await more(300n, { minimum: 0n, progress: 95n })).toEqual(result('done', 0n, 0))
      expect(await money(storage, wallet)).toMatchObject({ held: 300n })
      await storage.ledger.apply({ verb: 'leave', ...node })
      await storage.ledger.apply({ verb: 'reap', limit: 1 })
      expect(await storage.ledger.usage(wallet.account, 1)).toMatchObject([{ cost: 95n, tokens: 1_000 }])
    })

    const races: { name: string; some: Partial<Limits>; served: number }[] = [
      { name: 'requests per minute', some: { requestsPerMinute: 10 }, served: 10 },
      { name: 'concurrent requests', some: { concurrent: 10 }, served: 10 },
      { name: 'tokens per minute', some: { tokensPerMinute: 1_000 }, served: 10 },
    ]
    for (const { name, some, served } of races)
      test(`200 at once for ${name} of the ${place}: exactly as many as the limit allows`, async () => {
        const { tryHold } = await limited(use(), place, some)
        const ids = Array.from({ length: 200 }, (_, index) => BigInt(index + 1))
        const results = await Promise.all(ids.map((id) => tryHold(id, { tokens: 100, minimumTokens: 100 })))
        expect(verdicts(results).filter((verdict) => verdict === 'done')).toHaveLength(served)
      })
  }

  test('the limits of an account are for all its keys together', async () => {
    const { storage } = use()
    const wallet = await newWallet(storage, 1_000n)
    const other = { ...wallet, key: (await newKey(storage, wallet.account)).id }
    const node = await newNode(storage)
    await storage.accounts.setTerms(wallet.account, limits({ concurrent: 1 }))
    const verbs = [hold(1n, wallet, node, { revision: 1 }), hold(2n, other, node, { revision: 1 })]
    expect(verdicts(await Promise.all(verbs.map((verb) => storage.ledger.apply(verb))))).toEqual([
      'done',
      'account_concurrent',
    ])
  })

  test('a limit of tokens that is set later begins with what is open, and is not lowered by it', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 1_000n), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node, { tokens: 600 }))
    await storage.ledger.apply(hold(2n, wallet, node, { tokens: 100 }))
    await storage.ledger.apply(settle(2n, node, 1n, { tokens: 100 }))
    await storage.accounts.setTerms(wallet.account, limits({ tokensPerMinute: 1_000 }))
    const next = (id: bigint, tokens: number) => hold(id, wallet, node, { revision: 1, tokens, minimumTokens: tokens })
    expect((await storage.ledger.apply(next(3n, 401))).verdict).toBe('account_tokens')
    expect((await storage.ledger.apply(next(3n, 400))).verdict).toBe('done')
    await storage.ledger.apply(settle(1n, node, 1n, { tokens: 0 }))
    expect((await storage.ledger.apply(hold(4n, wallet, node, { revision: 1, tokens: 900 }))).tokens).toBe(600)
    // Changed, not set anew: what was counted stays counted.
    await storage.accounts.setTerms(wallet.account, limits({ tokensPerMinute: 1_100 }))
    expect((await storage.ledger.apply(hold(5n, wallet, node, { revision: 2, tokens: 900 }))).tokens).toBe(100)
  })

  test('a limit of tokens that is set after a request was reaped is not lowered by its late settlement', async () => {
    const { storage, elapse } = use()
    const [wallet, node] = [await newWallet(storage, 1_000n), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node, { tokens: 600 }))
    await elapse(DEAD_AFTER_MS)
    await storage.ledger.apply({ verb: 'reap', limit: 1 })
    await storage.accounts.setTerms(wallet.account, limits({ tokensPerMinute: 1_000 }))
    const next = (id: bigint) =>
      hold(id, wallet, { nodeId: 1, epoch: 2 }, { revision: 1, tokens: 900, minimumTokens: 1 })
    await newNode(storage)
    expect((await storage.ledger.apply(next(2n))).tokens).toBe(900)
    await storage.ledger.apply(settle(1n, node, 1n, { tokens: 0 }))
    expect((await storage.ledger.apply(next(3n))).tokens).toBe(100)
  })

  test('a hold with an outdated revision of its key is rejected, and one with the current revision is not', async () => {
    const { storage } = use()
    const hash = newHash()
    const [wallet, node] = [await newWallet(storage, 1_000n, { hash }), await newNode(storage)]
    const other = await newWallet(storage, 1_000n)
    await storage.ledger.apply(hold(1n, wallet, node))
    await storage.accounts.setTerms(wallet.account, limits({ concurrent: 5 }))
    expect(await storage.ledger.apply(hold(2n, wallet, node))).toEqual(result('key_changed'))
    expect(await storage.ledger.apply(hold(3n, other, node))).toEqual(result('done', 100n))
    const { revision = 0, accountLimits } = (await storage.keys.findCaller(hash)) ?? {}
    expect(accountLimits).toEqual(limits({ concurrent: 5 }))
    expect(await storage.ledger.apply(hold(2n, wallet, node, { revision }))).toEqual(result('done', 100n))
    // The revision of a running request is not checked again.
    expect((await storage.ledger.apply(extend(1n, node))).verdict).toBe('done')
    expect((await storage.ledger.apply(settle(1n, node, 5n))).verdict).toBe('done')
  })

  for (const period of PERIODS)
    test(`a cap by the ${period} is renewed when the ${period} ends, by UTC`, async () => {
      const opened = use()
      const { storage } = opened
      const cap: KeyFields = { cap: 300n, capPeriod: period }
      let node = await newNode(storage)
      const wallet = await newWallet(storage, 10_000n, cap)
      const key = async () => (await storage.keys.list(wallet.account))[0]
      node = await pass(opened, node, endOf(period, opened.now()) - opened.now())
      await storage.ledger.apply(hold(1n, wallet, node))
      await storage.ledger.apply(settle(1n, node, 250n))
      expect(await storage.ledger.apply(hold(2n, wallet, node))).toEqual(result('key_cap_reached', 50n))
      expect(await key()).toMatchObject({ spent: 250n, spentUnderCap: 250n, capPeriod: period })
      await storage.ledger.apply(hold(3n, wallet, node, { amount: 50n, minimum: 50n }))
      // To the last moment of it.
      node = await pass(opened, node, endOf(period, opened.now()) - opened.now() - 1)
      expect(await storage.ledger.apply(hold(4n, wallet, node))).toEqual(result('key_cap_reached', 0n))
      await opened.elapse(1)
      expect(await key()).toMatchObject({ spent: 250n, spentUnderCap: 0n, spentToday: 0n })
      // What is held over the end counts in the new one, in which it will be charged.
      expect(await storage.ledger.apply(hold(5n, wallet, node, { amount: 300n, minimum: 251n }))).toEqual(
        result('key_cap_reached', 250n),
      )
      expect(await storage.ledger.apply(hold(5n, wallet, node, { amount: 250n, minimum: 250n }))).toEqual(
        result('done', 250n),
      )
      await storage.ledger.apply(settle(5n, node, 200n))
      expect(await key()).toMatchObject({ spent: 450n, spentUnderCap: 200n, spentToday: 200n })
    })

  test('today and this month are counted for keys and accounts without any limit', async () => {
    const opened = use()
    const { storage } = opened
    let node = await newNode(storage)
    const wallet = await newWallet(storage, 10_000n)
    const other = { ...wallet, key: (await newKey(storage, wallet.account)).id }
    // A day ends, the month does not.
    node = await pass(opened, node, Date.UTC(2040, 0, 20, 12) - opened.now())
    await storage.ledger.apply(hold(1n, wallet, node))
    await storage.ledger.apply(settle(1n, node, 70n))
    node = await pass(opened, node, endOf('day', opened.now()) - opened.now())
    await storage.ledger.apply(hold(2n, other, node))
    await storage.ledger.apply(settle(2n, node, 30n))
    expect(await storage.keys.findWithAccount(wallet.key)).toMatchObject({
      account: { spentToday: 30n, spentThisMonth: 100n },
      key: { spentToday: 0n, spentThisMonth: 70n },
    })
    expect(await storage.accounts.find(wallet.account)).toMatchObject({ spentToday: 30n, spentThisMonth: 100n })
  })

  test('a stream takes a sixteenth of what is there, or what it needs at least: twelve at once all begin', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 16_000n), await newNode(storage)]
    const stream = { amount: 12_000n, minimum: 500n, extensible: true }
    expect(await storage.ledger.apply(hold(1n, wallet, node, stream))).toEqual(result('done', 1_000n))
    for (let id = 2n; id <= 12n; id++)
      expect((await storage.ledger.apply(hold(id, wallet, node, stream))).verdict).toBe('done')
    const { held = 0n } = await money(storage, wallet)
    expect(await storage.ledger.apply(extend(1n, node, { known: 1_000n, amount: 12_000n, minimum: 1n }))).toEqual(
      result('done', (16_000n - held) / 16n),
    )
    expect(await storage.ledger.apply(hold(13n, wallet, node, { amount: 12_000n, minimum: 500n }))).toMatchObject({
      verdict: 'done',
      amount: 16_000n - held - (16_000n - held) / 16n,
    })
  })
}
