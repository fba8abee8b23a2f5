// A greedy account beside a polite one: each has its share of what is stored, and never keeps the other one from storing.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { DEFAULT_SHARE_LIMITS, type Removal, type ShareKind, type ShareLimits } from '../../src/storage/shares.ts'
import { newHash, thrownBy, type Use } from './harness.ts'

const KEEP_MS = 1_000_000
const [GREEDY, POLITE] = [7n, 8n]
const KB = 1_000

export function sharesContract(use: Use): void {
  let removals: Removal[]
  beforeEach(() => {
    removals = []
    use().storage.shares.onRemoval((removal) => removals.push(removal))
  })
  afterEach(() => use().storage.shares.setLimits(DEFAULT_SHARE_LIMITS))

  const limit = (kind: ShareKind, limits: ShareLimits) =>
    use().storage.shares.setLimits({ ...DEFAULT_SHARE_LIMITS, [kind]: limits })
  /** Stores responses of so many bytes, one after the other. */
  async function put(account: bigint, id: string, bytes: number, parent?: string, media: string[] = []) {
    await use().elapse(1)
    const [turn, record] = [new Uint8Array(bytes - KB), new Uint8Array(KB)]
    return use().storage.responses.put({
      id,
      account,
      key: 1n,
      parent,
      items: [],
      media,
      turn,
      record,
      keepMs: KEEP_MS,
    })
  }
  /** A repeated request gets its answer, or only the news that it has run. */
  async function keepAnswer(account: bigint, bytes: number) {
    await use().elapse(1)
    const { contents } = use().storage
    const claim = { id: 1n, nodeId: 0, epoch: 1, account, key: newHash(), fingerprint: newHash() }
    await contents.claim(claim)
    const answer = { headers: '{}', body: new Uint8Array(bytes) }
    expect(await contents.keep(claim, { cost: 1n, keepMs: KEEP_MS, answer })).toBe(true)
    return async () => {
      const found = await contents.find(claim)
      return found.outcome === 'finished' ? (found.answer?.body.length ?? 'no answer') : found.outcome
    }
  }
  const idsOf = async (account: bigint) =>
    (await use().rawContents(`SELECT id FROM response WHERE account = ${account} ORDER BY created_at`)).map(
      ({ id }) => id,
    )
  const expectExactSizes = async () => {
    expect(
      await use().rawContents(`SELECT account, bytes FROM stored_size AS known WHERE bytes <> (
        SELECT coalesce(sum(bytes), 0) FROM response WHERE response.account = known.account) + (
        SELECT coalesce(sum(bytes), 0) FROM idempotency WHERE idempotency.account = known.account)`),
    ).toEqual([])
    expect(
      await use().rawContents(`SELECT account, bytes FROM media_size AS known WHERE bytes <> (
        SELECT coalesce(sum(size), 0) FROM media WHERE account = known.account AND expires_at < 9007199254740991)`),
    ).toEqual([])
  }

  test("beyond its share an account's oldest responses and answers go, and nothing of another account", async () => {
    limit('stored', { accountBytes: 100 * KB, allBytes: 1_000 * KB })
    await put(POLITE, 'polite', 20 * KB)
    await put(GREEDY, 'a', 20 * KB)
    const answer = await keepAnswer(GREEDY, 20 * KB)
    for (const id of ['b', 'c']) await put(GREEDY, id, 20 * KB)
    expect([await idsOf(GREEDY), await answer(), removals]).toEqual([['a', 'b', 'c'], 20 * KB, []])
    await put(GREEDY, 'd', 20 * KB)
    expect([await idsOf(GREEDY), await answer()]).toEqual([['b', 'c', 'd'], 20 * KB])
    await put(GREEDY, 'e', 20 * KB)
    expect([await idsOf(GREEDY), await answer()]).toEqual([['b', 'c', 'd', 'e'], 'no answer'])
    const newer = await keepAnswer(GREEDY, 20 * KB)
    expect([await idsOf(GREEDY), await newer()]).toEqual([['c', 'd', 'e'], 20 * KB])
    expect(await idsOf(POLITE)).toEqual(['polite'])
    expect(removals).toHaveLength(3)
    expect(removals[0]).toMatchObject({ kind: 'stored', account: GREEDY, count: 1, limit: 'account' })
    expect(await use().storage.shares.bytesOf('stored', GREEDY)).toBeLessThanOrEqual(100 * KB)
    await expectExactSizes()
  })

  test("when all is full the largest account's oldest go, so others store as before", async () => {
    limit('stored', { accountBytes: 1_000 * KB, allBytes: 200 * KB })
    for (let index = 0; index < 30; index++) await put(GREEDY, `g${index}`, 20 * KB)
    expect((await idsOf(GREEDY)).length).toBe(9)
    for (const id of ['p1', 'p2', 'p3']) expect(await put(POLITE, id, 20 * KB)).toBe(true)
    const answer = await keepAnswer(POLITE, 20 * KB)
    expect([await idsOf(POLITE), await answer()]).toEqual([['p1', 'p2', 'p3'], 20 * KB])
    expect((await idsOf(GREEDY)).at(-1)).toBe('g29')
    expect(new Set(removals.map(({ account }) => account))).toEqual(new Set([GREEDY]))
    const { shares } = use().storage
    expect((await shares.bytesOf('stored', GREEDY)) + (await shares.bytesOf('stored', POLITE))).toBeLessThanOrEqual(
      200 * KB,
    )
    await expectExactSizes()
  })

  test('what is continued stays as long as what continues it; conversations go whole, the one that rested longest first', async () => {
    limit('stored', { accountBytes: 100 * KB, allBytes: 1_000 * KB })
    await put(GREEDY, 'one', 20 * KB)
    await put(GREEDY, 'other', 20 * KB)
    await put(GREEDY, 'other 2', 20 * KB, 'other')
    await put(GREEDY, 'one 2', 20 * KB, 'one')
    for (const id of ['one 3', 'one 4']) expect(await put(GREEDY, id, 18 * KB, 'one 2')).toBe(true)
    expect(await idsOf(GREEDY)).toEqual(['one', 'other', 'one 2', 'one 3', 'one 4'])
    const { responses } = use().storage
    expect((await responses.chain(GREEDY, 'one 4')).map(({ id }) => id)).toEqual(['one', 'one 2', 'one 4'])
    await put(GREEDY, 'one 5', 20 * KB, 'one 4')
    expect(await idsOf(GREEDY)).toEqual(['one', 'one 2', 'one 3', 'one 4', 'one 5'])
    // A conversation that needs more than the share is not stored any further, and can be continued as far as it is.
    expect(String(await thrownBy(put(GREEDY, 'one 6', 20 * KB, 'one 5')))).toContain('does not fit')
    expect(await idsOf(GREEDY)).toEqual(['one', 'one 2', 'one 4', 'one 5'])
    await expectExactSizes()
  })

  test('one response may have a quarter of the share; a larger answer is not kept, but its key is', async () => {
    limit('stored', { accountBytes: 100 * KB, allBytes: 1_000 * KB })
    await put(GREEDY, 'small', 20 * KB)
    expect(String(await thrownBy(put(GREEDY, 'large', 25 * KB)))).toContain('ShareExceeded')
    expect(await (await keepAnswer(GREEDY, 25 * KB))()).toBe('no answer')
    expect([await idsOf(GREEDY), removals]).toEqual([['small'], []])
  })

  test('many at once keep within the share', async () => {
    limit('stored', { accountBytes: 100 * KB, allBytes: 200 * KB })
    const puts = Array.from({ length: 40 }, (_, index) =>
      use().storage.responses.put({
        id: `r${index}`,
        account: index % 4 === 0 ? POLITE : GREEDY,
        parent: undefined,
        items: [],
        media: [],
        turn: new Uint8Array(10 * KB),
        record: new Uint8Array(KB),
        keepMs: KEEP_MS,
        key: 1n,
      }),
    )
    expect(await Promise.all(puts)).toEqual(Array(40).fill(true))
    const { shares } = use().storage
    for (const account of [GREEDY, POLITE]) {
      const bytes = await shares.bytesOf('stored', account)
      expect([bytes > 50 * KB, bytes <= 100 * KB]).toEqual([true, true])
    }
    await expectExactSizes()
  })

  async function putMedia(account: bigint, id: string, size: number) {
    const { media } = use().storage
    await use().elapse(1)
    await media.begin({ id, account, contentType: 'image/png' })
    await media.complete(id, size, KEEP_MS)
    return media.makeRoom({ id, account, size })
  }
  const mediaOf = async (ids: readonly string[]) => {
    const found = await Promise.all(ids.map((id) => use().storage.media.find(id)))
    return ids.filter((_, index) => found[index])
  }

  test("media: beyond its share an account's oldest expire, and when all is full the largest account's", async () => {
    limit('media', { accountBytes: 100, allBytes: 150 })
    const { media } = use().storage
    await putMedia(POLITE, 'p1', 30)
    for (const id of ['g1', 'g2', 'g3']) expect(await putMedia(GREEDY, id, 30)).toEqual([])
    expect(await putMedia(GREEDY, 'g4', 30)).toEqual(['g1'])
    // Expired ones do not count any more, also before their contents are deleted.
    expect(await putMedia(GREEDY, 'g5', 30)).toEqual(['g2'])
    for (const id of ['g1', 'g2']) await media.forget(id)
    expect(await putMedia(POLITE, 'p2', 40)).toEqual(['g3'])
    expect(await mediaOf(['p1', 'p2', 'g1', 'g2', 'g3', 'g4', 'g5'])).toEqual(['p1', 'p2', 'g4', 'g5'])
    // The newest stays, whatever its size is.
    expect((await putMedia(GREEDY, 'g6', 120)).toSorted()).toEqual(['g4', 'g5'])
    expect(await mediaOf(['g6'])).toEqual(['g6'])
    expect(removals.map(({ kind, count, limit }) => [kind, count, limit])).toContainEqual(['media', 1, 'all'])
    await expectExactSizes()
  })

  test('images of a stored response count with it, and expire with it', async () => {
    limit('stored', { accountBytes: 100 * KB, allBytes: 1_000 * KB })
    await putMedia(GREEDY, 'i1', 60 * KB)
    const { shares, media } = use().storage
    expect(await shares.bytesOf('media', GREEDY)).toBe(60 * KB)
    await put(GREEDY, 'a', 20 * KB, undefined, ['i1'])
    expect(await shares.bytesOf('media', GREEDY)).toBe(0)
    expect(await shares.bytesOf('stored', GREEDY)).toBeGreaterThan(80 * KB)
    await put(GREEDY, 'b', 20 * KB)
    expect([await idsOf(GREEDY), await media.find('i1'), await media.expired(10)]).toEqual([['b'], undefined, ['i1']])
    await expectExactSizes()
  })

  test('all that an account has stored is forgotten on request; keys stay claimed', async () => {
    const { shares, reasoning, responses } = use().storage
    await put(GREEDY, 'a', 2 * KB)
    await put(GREEDY, 'b', 2 * KB, 'a')
    await responses.hide(GREEDY, 'a')
    await put(POLITE, 'a', 2 * KB)
    const [answer, other] = [await keepAnswer(GREEDY, KB), await keepAnswer(POLITE, KB)]
    const entry = { key: newHash(), value: new Uint8Array(10) }
    await reasoning.put(
      [GREEDY, POLITE].map((account) => ({ account, ...entry })),
      KEEP_MS,
    )
    expect(await shares.forget(GREEDY)).toEqual({ responses: 2, idempotentResponses: 1, reasoning: 1 })
    expect(await shares.forget(GREEDY)).toEqual({ responses: 0, idempotentResponses: 0, reasoning: 0 })
    expect([await idsOf(GREEDY), await idsOf(POLITE)]).toEqual([[], ['a']])
    expect([await answer(), await other()]).toEqual(['no answer', KB])
    expect((await reasoning.find(POLITE, [entry.key])).size).toBe(1)
    expect(await shares.bytesOf('stored', GREEDY)).toBe(0)
    await expectExactSizes()
  })
}
