// Stored responses: a response that can be found can be continued with its whole history, whatever is hidden, expires or is swept.
import { expect, test } from 'bun:test'
import { LONGEST_CHAIN, type NewResponse, type StoredResponse } from '../../src/storage/responses.ts'
import { thrownBy, type Use } from './harness.ts'

const KEEP_MS = 10_000
const bytes = (text: string) => new TextEncoder().encode(text)
const newResponse = (id: string, parent?: string, fields: Partial<NewResponse> = {}): NewResponse => ({
  id,
  account: 7n,
  key: 1n,
  parent,
  items: [],
  media: [],
  keepMs: KEEP_MS,
  turn: bytes(`turn of ${id}`),
  record: bytes(`record of ${id}`),
  ...fields,
})
const stored = ({ items, media, keepMs, key, ...fields }: NewResponse, createdAt: number): StoredResponse => ({
  ...fields,
  createdAt,
})

export function responsesContract(use: Use): void {
  const responses = () => use().storage.responses
  const put = (id: string, parent?: string, fields?: Partial<NewResponse>) =>
    responses().put(newResponse(id, parent, fields))
  const chainOf = async (id: string, account = 7n) => (await responses().chain(account, id)).map((each) => each.id)
  const itemsOf = async (items: readonly string[], account = 7n) =>
    Object.fromEntries([...(await responses().withItems(account, items))].map(([item, { id }]) => [item, id]))
  const rowsLeft = async () => (await use().rawContents('SELECT id FROM response ORDER BY id')).map(({ id }) => id)
  /** How many rows continue each: what the sweep relies on. */
  const expectExactCounts = async () =>
    expect(
      await use().rawContents(`SELECT id, continued FROM response AS one WHERE continued <> (
        SELECT count(*) FROM response AS other WHERE other.account = one.account AND other.parent = one.id)`),
    ).toEqual([])
  /** One after another: each continues the one before. */
  async function putChain(length: number, fields?: Partial<NewResponse>): Promise<string[]> {
    const ids = Array.from({ length }, (_, index) => `r${String(index).padStart(5, '0')}`)
    for (const [index, id] of ids.entries()) expect(await put(id, ids[index - 1], fields)).toBe(true)
    return ids
  }

  test('a response is found as it was put, also after a restart, until it expires', async () => {
    const { storage, now, elapse, reopen } = use()
    expect(await storage.responses.find(7n, 'a')).toBeUndefined()
    const allBytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) & 0xff)
    const first = newResponse('a', undefined, { turn: allBytes, record: new Uint8Array(), account: (1n << 63n) - 1n })
    const second = newResponse('Ä🎬', 'a', { account: first.account })
    const createdAt = now()
    expect(await storage.responses.put(first)).toBe(true)
    expect(await storage.responses.put(second)).toBe(true)
    const next = (await reopen()).responses
    expect(await next.find(first.account, 'a')).toEqual(stored(first, createdAt))
    const whole = [stored(first, createdAt), stored(second, createdAt)]
    const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)
    const several = await next.several(first.account, ['Ä🎬', 'a', 'none'])
    expect(several.toSorted(byId)).toEqual(whole.toSorted(byId))
    const lengths = whole.map(({ id, turn, record }) => ({ id, turn: turn.length, record: record.length }))
    expect(await next.chainLengths(first.account, 'Ä🎬')).toEqual(lengths)
    expect(await next.length(first.account, 'a')).toEqual(lengths[0])
    const { id, account, record, turn } = stored(second, createdAt)
    expect(await next.record(account, id)).toEqual({ id, account, record })
    expect(await next.turn(account, id)).toEqual({ id, turn })
    expect([await next.length(7n, id), await next.record(7n, id), await next.turn(7n, id)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect([await next.chainLengths(7n, id), await next.several(7n, [id])]).toEqual([[], []])
    expect(await next.chain(first.account, 'Ä🎬')).toEqual(whole.map(({ id, turn }) => ({ id, turn })))
    await elapse(KEEP_MS - 1)
    expect(await next.find(first.account, 'a')).toEqual(stored(first, createdAt))
    await elapse(1)
    expect(await next.find(first.account, 'a')).toBeUndefined()
    expect([await next.length(first.account, 'a'), await next.record(first.account, 'a')]).toEqual([
      undefined,
      undefined,
    ])
    expect(await next.chainLengths(first.account, 'a')).toEqual([])
  })

  test('each fork sees the history of its parent, and nothing of other forks', async () => {
    await put('a')
    await put('b', 'a')
    for (const fork of ['c1', 'c2', 'c3']) await put(fork, 'b')
    await put('d', 'c2')
    expect(await Promise.all(['a', 'b', 'c1', 'c3', 'd'].map((id) => chainOf(id)))).toEqual([
      ['a'],
      ['a', 'b'],
      ['a', 'b', 'c1'],
      ['a', 'b', 'c3'],
      ['a', 'b', 'c2', 'd'],
    ])
    await expectExactCounts()
  })

  test('another account finds, continues and hides nothing, and may use the same ids', async () => {
    await put('a', undefined, { items: ['i'] })
    await put('b', 'a')
    expect([await responses().find(8n, 'a'), await chainOf('b', 8n), await itemsOf(['i'], 8n)]).toEqual([
      undefined,
      [],
      {},
    ])
    expect([await responses().hide(8n, 'a'), await put('c', 'a', { account: 8n })]).toEqual([false, false])
    expect(await put('a', undefined, { account: 8n, record: bytes('other'), items: ['i'] })).toBe(true)
    expect(await put('b', 'a', { account: 8n })).toBe(true)
    expect((await responses().find(7n, 'a'))?.record).toEqual(bytes('record of a'))
    await responses().hide(8n, 'a')
    expect([await chainOf('b', 8n), await chainOf('b'), await itemsOf(['i'])]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      { i: 'a' },
    ])
    await expectExactCounts()
  })

  test('a repeated put changes nothing, also when its copies run at once or the parent has expired', async () => {
    const { elapse } = use()
    await put('a')
    const again = () => put('b', 'a', { items: ['i', 'j', 'i'] })
    expect(await Promise.all(Array.from({ length: 10 }, again))).toEqual(Array(10).fill(true))
    expect(await put('b', 'a', { record: bytes('other') })).toBe(true)
    expect((await responses().find(7n, 'b'))?.record).toEqual(bytes('record of b'))
    await expectExactCounts()
    await responses().hide(7n, 'b')
    await elapse(KEEP_MS)
    expect([await again(), await responses().find(7n, 'b')]).toEqual([true, undefined])
    expect(await responses().sweep(10)).toBe(2)
    expect(await use().rawContents('SELECT * FROM response_item')).toEqual([])
  })

  test('without its parent a response is not stored', async () => {
    expect([await put('b', 'a', { items: ['i'] }), await put('c', 'c')]).toEqual([false, false])
    await put('a')
    await responses().hide(7n, 'a')
    // Still there: the request began before.
    expect(await put('b', 'a')).toBe(true)
    await responses().hide(7n, 'b')
    expect(await responses().sweep(10)).toBe(2)
    expect([await put('b', 'a', { items: ['i'] }), await itemsOf(['i']), await rowsLeft()]).toEqual([false, {}, []])
  })

  test('which of many are stored, each in its account, without those that are hidden or have expired', async () => {
    const { storage, elapse } = use()
    const most = (1n << 63n) - 1n
    await put('a#events-0', undefined, { keepMs: 10 * KEEP_MS })
    await put('a#events-1', undefined, { keepMs: 10 * KEEP_MS })
    await put('a', undefined, { account: most, keepMs: 10 * KEEP_MS })
    await put('b', undefined, { keepMs: 10 * KEEP_MS })
    await put('brief')
    await storage.responses.hide(7n, 'b')
    await elapse(KEEP_MS)
    const wanted = ['a#events-0', 'a#events-1', 'a#events-2', 'b', 'brief', 'none', ''].map((id) => ({
      account: 7n,
      id,
    }))
    const found = await storage.responses.stored([
      ...wanted,
      { account: most, id: 'a' },
      { account: 8n, id: 'a#events-0' },
    ])
    expect([...found].sort()).toEqual(['a', 'a#events-0', 'a#events-1'])
    expect(await storage.responses.stored([])).toEqual(new Set())
  })

  test('a hidden response is not found, and its descendants still have its items', async () => {
    const [first, second, third] = await putChain(3)
    expect(await responses().hide(7n, second as string)).toBe(true)
    expect(await responses().hide(7n, second as string)).toBe(false)
    expect(await responses().hide(7n, 'unknown')).toBe(false)
    expect([await responses().find(7n, second as string), await chainOf(second as string)]).toEqual([undefined, []])
    expect([await chainOf(third as string), await chainOf(first as string)]).toEqual([
      [first, second, third] as string[],
      [first] as string[],
    ])
    expect([await responses().sweep(10), await rowsLeft()]).toEqual([0, [first, second, third]])
    // The first is alive: it stays, and only what continued it goes.
    await responses().hide(7n, third as string)
    expect([await responses().sweep(10), await chainOf(first as string)]).toEqual([2, [first] as string[]])
  })

  test('an expired ancestor belongs to the history of what has not expired', async () => {
    const { elapse } = use()
    await put('a', undefined, { items: ['i'] })
    await elapse(KEEP_MS - 1)
    await put('b', 'a')
    await elapse(1)
    expect([await responses().sweep(10), await chainOf('b'), await chainOf('a'), await itemsOf(['i'])]).toEqual([
      0,
      ['a', 'b'],
      [],
      {},
    ])
    await elapse(KEEP_MS)
    expect([await responses().sweep(10), await rowsLeft()]).toEqual([2, []])
  })

  test('a dead chain is removed from its end, page by page; living ones stay', async () => {
    const { elapse } = use()
    await putChain(25)
    await elapse(KEEP_MS)
    await put('x')
    await put('y', 'x')
    expect(await responses().sweep(10)).toBe(10)
    expect((await rowsLeft()).slice(-3)).toEqual(['r00014', 'x', 'y'])
    await expectExactCounts()
    expect([await responses().sweep(10), await responses().sweep(10), await responses().sweep(10)]).toEqual([10, 5, 0])
    expect([await responses().sweep(0), await chainOf('y')]).toEqual([0, ['x', 'y']])
  })

  test('what forks share is removed with the last of them', async () => {
    for (const [id, parent] of [['a'], ['b', 'a'], ['c1', 'b'], ['c2', 'b'], ['d', 'c1']] as const)
      await put(id, parent)
    for (const id of ['a', 'b', 'c1', 'd']) await responses().hide(7n, id)
    expect([await responses().sweep(10), await chainOf('c2')]).toEqual([2, ['a', 'b', 'c2']])
    await responses().hide(7n, 'c2')
    expect([await responses().sweep(10), await rowsLeft()]).toEqual([3, []])
  })

  test('of a put and a sweep at the same time, a response has its parent or is not stored', async () => {
    for (let round = 0; round < 30; round++) {
      const [parent, other] = [`p${round}`, `q${round}`]
      for (const id of [parent, other]) await put(id)
      for (const id of [parent, other]) await responses().hide(7n, id)
      const work = [
        ...['c', 'd'].map((each) => put(`${each}${round}`, parent)),
        responses().sweep(10),
        ...['e', 'f'].map((each) => put(`${each}${round}`, other)),
        responses().sweep(10),
      ]
      const results = await Promise.all(work)
      const kept = ['c', 'd', 'e', 'f'].filter((_, index) => results[[0, 1, 3, 4][index] as number])
      for (const each of kept)
        expect(await chainOf(`${each}${round}`)).toEqual(['cd'.includes(each) ? parent : other, `${each}${round}`])
      const children = (await rowsLeft()).filter((id) => /^[cdef]/.test(String(id)) && String(id).endsWith(`${round}`))
      expect(children.filter((id) => String(id).slice(1) === String(round))).toEqual(
        kept.map((each) => `${each}${round}`),
      )
    }
    await expectExactCounts()
  })

  test('many puts, hides and sweeps at the same time leave exact counts, and every chain whole', async () => {
    const { elapse } = use()
    await put('r0')
    let serial = 0
    const one = async (client: number) => {
      let parent: string | undefined = 'r0'
      for (let turn = 0; turn < 8; turn++) {
        const id: string = `r${++serial}`
        if (!(await put(id, parent))) return
        if ((client + turn) % 3 === 0) await responses().hide(7n, parent as string)
        if ((client + turn) % 4 === 0) await responses().sweep(3)
        expect((await chainOf(id)).slice(-2)).toEqual([parent as string, id])
        if ((client * turn) % 3 !== 1) parent = id
      }
    }
    await Promise.all(Array.from({ length: 12 }, (_, client) => one(client)))
    await expectExactCounts()
    await elapse(KEEP_MS)
    const all = (await rowsLeft()).length
    let removed = 0
    for (let last = 1; last > 0; removed += last) last = await responses().sweep(20)
    expect([removed, await rowsLeft()]).toEqual([all, []])
  })

  test('items are found by their ids in the newest response that has them', async () => {
    const { elapse } = use()
    await put('a', undefined, { items: ['i1', 'i2', 'shared'] })
    await elapse(1)
    await put('b', 'a', { items: ['i3', 'shared'] })
    await elapse(1)
    await put('c', undefined, { items: ['i1', 'Ä🎬"'] })
    expect(await itemsOf(['i1', 'i2', 'i3', 'shared', 'Ä🎬"', 'none', 'i1', '\0', 'x'.repeat(9_000)])).toEqual({
      i1: 'c',
      i2: 'a',
      i3: 'b',
      shared: 'b',
      'Ä🎬"': 'c',
    })
    const { id, account, record } = (await responses().find(7n, 'a')) as StoredResponse
    expect((await responses().withItems(7n, ['i2'])).get('i2')).toEqual({ id, account, record })
    // Each response is read once.
    const lengthOf = (...items: string[]) => responses().bytesWithItems(7n, items)
    expect([await lengthOf('i2'), await lengthOf('none'), await responses().bytesWithItems(8n, ['i2'])]).toEqual([
      record.length,
      0,
      0,
    ])
    expect(await lengthOf('i1', 'i2', 'i3', 'shared', 'i2', 'x')).toBe(3 * record.length)
    expect([await itemsOf([]), await itemsOf(['none'])]).toEqual([{}, {}])
    // A hidden one gives way to the newest of the others.
    await responses().hide(7n, 'b')
    await responses().hide(7n, 'c')
    expect(await itemsOf(['i1', 'i3', 'shared'])).toEqual({ i1: 'a', shared: 'a' })
    await responses().sweep(10)
    await elapse(KEEP_MS)
    expect(await itemsOf(['i1', 'i2', 'shared'])).toEqual({})
    await responses().sweep(10)
    expect(await use().rawContents('SELECT * FROM response_item')).toEqual([])
  })

  test('media of a response are kept as long as the row, also of one that is expired or hidden but continued', async () => {
    const { storage, elapse } = use()
    const { media } = storage
    const stay = async (id: string) => {
      await media.begin({ id, account: 7n, contentType: 'image/png' })
      await media.complete(id, 1, 1_000)
    }
    for (const id of ['m1', 'm2', 'm3', 'other']) await stay(id)
    await put('a', undefined, { media: ['m1', 'm2'] })
    await put('b', 'a', { media: ['m3'] })
    // A repeated put changes nothing, and a rejected one keeps nothing.
    await put('b', 'a', { media: ['other'] })
    expect(await put('c', 'none', { media: ['other'] })).toBe(false)
    const found = () => Promise.all(['m1', 'm2', 'm3', 'other'].map(async (id) => (await media.find(id))?.id))
    await elapse(1_000)
    expect([await found(), await media.expired(10)]).toEqual([['m1', 'm2', 'm3', undefined], ['other']])
    await responses().hide(7n, 'a')
    await responses().sweep(10)
    expect(await found()).toEqual(['m1', 'm2', 'm3', undefined])
    await elapse(KEEP_MS)
    expect(await responses().sweep(1)).toBe(1)
    expect([await found(), await media.expired(10)]).toEqual([
      ['m1', 'm2', undefined, undefined],
      ['m3', 'other'],
    ])
    expect([await responses().sweep(10), (await media.expired(10)).sort()]).toEqual([1, ['m1', 'm2', 'm3', 'other']])
  })

  test('a chain of the greatest length is read whole, a longer one not at all', async () => {
    const { rawContents, now } = use()
    // Behind the engine's back: putting them one by one would take long.
    await put('r1')
    await rawContents(`INSERT INTO response (account, key, id, parent, created_at, expires_at, items, media, record, turn)
      WITH RECURSIVE turn (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM turn WHERE n <= ${LONGEST_CHAIN})
      SELECT account, key, 'r' || n, 'r' || (n - 1), ${now()}, ${now() + KEEP_MS}, items, media, record, turn
      FROM turn, response WHERE id = 'r1'`)
    // As PostgreSQL does in time: a plan for the few responses that there were before reads all of them for each turn.
    await rawContents('ANALYZE response')
    const longest = await chainOf(`r${LONGEST_CHAIN}`)
    expect([longest.length, longest[0], longest.at(-1)]).toEqual([LONGEST_CHAIN, 'r1', `r${LONGEST_CHAIN}`])
    expect(await chainOf(`r${LONGEST_CHAIN + 1}`)).toEqual([])
  })

  test('what no store can keep is rejected before it is sent, and never found', async () => {
    for (const [wrong, kind] of [
      [{ id: '\0' }, TypeError],
      [{ id: '\ud800' }, TypeError],
      [{ parent: '\0' }, TypeError],
      [{ items: ['\udc00'] }, TypeError],
      [{ id: 'x'.repeat(513) }, RangeError],
      [{ items: ['x'.repeat(513)] }, RangeError],
    ] as const)
      expect(await thrownBy(put('a', undefined, wrong))).toBeInstanceOf(kind)
    expect(await put('ä'.repeat(512), undefined, { items: ['🎬'.repeat(256)] })).toBe(true)
    for (const id of ['\0', '\ud800', 'x'.repeat(1_000_000)])
      expect([await responses().find(7n, id), await chainOf(id), await responses().hide(7n, id)]).toEqual([
        undefined,
        [],
        false,
      ])
  })
}
