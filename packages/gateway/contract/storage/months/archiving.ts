// Rows of sealed months in files: every list and look-up finds what it found before, each row once.
import { expect, test } from 'bun:test'
import { eventually } from '../../../../../test/support/eventually.ts'
import { formatUsd, parseUsd } from '../../../src/money/amount.ts'
import { firstIdAt } from '../../../src/money/request-ids.ts'
import { statementOf } from '../../../src/operate/reports/statement.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { hold, newNode, newWallet, type Opened, settle, thrownBy, type Use } from '../harness.ts'
import { type MemoryBlobs, memoryBlobs } from './archive-store.ts'
import { DAY, HOUR, type Months, sealAll, threeMonths, toNextMonth } from './three-months.ts'

/** Three sealed months without texts of receipts, and a fourth; the next one that is due is the second. */
async function sealedMonths(opened: Opened): Promise<Months & { blobs: MemoryBlobs; began: number }> {
  const { storage } = opened
  const began = opened.now()
  // Its row stays between those that go: it costs more than its wallet has.
  const [poor, other] = [await newWallet(storage, 100n), await newNode(storage, 2)]
  await storage.ledger.apply(hold(firstIdAt(began) + 5n, poor, other))
  await storage.ledger.apply(settle(firstIdAt(began) + 5n, other, 170n))
  const months = await threeMonths(opened)
  await opened.elapse(DAY)
  for (const [at, wallet] of months.wallets.entries()) {
    const id = firstIdAt(opened.now()) + BigInt(at)
    await storage.ledger.apply(hold(id, wallet, months.node))
    await storage.ledger.apply(settle(id, months.node, 5n))
  }
  await storage.ledger.foldFreeRequests(firstIdAt(opened.now()), 100)
  await storage.ledger.clearReceipts(firstIdAt(opened.now()), 0n, 1_000)
  await sealAll(storage)
  const blobs = memoryBlobs()
  storage.archive.attach(async () => blobs)
  return { ...months, blobs, began }
}

/** The two months before the last sealed one are due. */
async function archiveAll(storage: Storage, steps = Number.POSITIVE_INFINITY): Promise<number> {
  let done = 0
  for await (const _ of storage.archive.archive(1, 0, 1)) if (++done >= steps) break
  return done
}

const dayOf = (time: number): number => time - (time % DAY)

type Pages<Item> = (after: bigint | undefined) => Promise<{ rows: Item[]; next: bigint | undefined }>

async function allOf<Item>(page: Pages<Item>): Promise<Item[]> {
  const all: Item[] = []
  for (let next: bigint | undefined, tries = 0; tries < 100; tries++) {
    const found = await page(next)
    all.push(...found.rows)
    if (found.next === undefined) return all
    next = found.next
  }
  throw new Error('the list has no end')
}

/** Everything that lists and look-ups say. */
async function everything(storage: Storage, { wallets, began }: Months & { began: number }) {
  const { lists, spending, ledger, books, reports } = storage
  const of = (place: bigint | undefined) => (place === undefined ? {} : { after: place })
  const before = (place: bigint | undefined) => (place === undefined ? {} : { before: place })
  const requests = await allOf((next) => lists.requests({}, of(next), 3))
  const [{ account, key }] = wallets
  const each = async <Found>(look: (request: bigint) => Promise<Found>): Promise<Found[]> => {
    const all: Found[] = []
    for (const { row } of requests) all.push(await look(row.request))
    return all
  }
  const month = { from: began, to: began + 20 * DAY }
  return {
    requests,
    totals: await ledger.totals(),
    balances: await books.balances(),
    shortfalls: await reports.usage(['day'], { from: dayOf(began), to: dayOf(began) + 100 * DAY }, {}, 50),
    backwards: (await allOf((next) => lists.requests({}, { before: next ?? 0n }, 4))).length,
    ofMonth: await allOf((next) => lists.requests(month, of(next), 50)),
    ofKey: await allOf((next) => lists.requests({ account, key, outcome: 'done' }, of(next), 2)),
    ofAccount: await allOf((next) => spending.requests(account, before(next), 2)),
    completed: await allOf((next) => spending.requests(account, { ...before(next), key, outcome: 'done' }, 2)),
    ofTag: await allOf((next) => spending.requests(account, { ...before(next), tag: 'team=search' }, 2)),
    ofSession: await allOf((next) => lists.requests({ account, session: 's_1', endUser: 'u_1' }, of(next), 2)),
    statements: await statementsOf(account, storage),
    usage: await ledger.usage(account, 0),
    transfers: await allOf((next) => lists.transfers({}, of(next), 3)),
    charges: await allOf((next) => lists.transfers({ kind: 'charge', account, ...month }, of(next), 3)),
    credits: await allOf((next) => lists.transfers({ kind: 'credit' }, of(next), 3)),
    ofRequest: await each((request) => allOf((next) => lists.transfers({ request }, of(next), 9))),
    shown: await each((request) => ledger.requestOfAny(request)),
    own: await each((request) => ledger.findRequest(account, request)),
    named: await each((request) => lists.requests({ request }, {}, 5)),
  }
}

const nanosOf = (usd: string): bigint => {
  const nanos = parseUsd(usd)
  if (nanos === undefined) throw new Error(`${usd} is no amount`)
  return nanos
}

/** Those of all months; the parts of each add up, and each month ends as the next one begins: the last one with the balance. */
async function statementsOf(account: bigint, storage: Storage) {
  const months = (await storage.spending.months(account)).map(({ at }) => new Date(at).toISOString().slice(0, 7))
  const statements = []
  for (const month of months) statements.push(await statementOf({ id: account, name: '' }, month, storage))
  for (const { models, keys, members, days, charged_usd } of statements)
    for (const part of [models, keys, members, days])
      expect(part.reduce((sum, row) => sum + nanosOf(row.charged_usd), 0n)).toBe(nanosOf(charged_usd))
  const { balance = 0n } = (await storage.accounts.find(account)) ?? {}
  // Newest first.
  const ends = statements.map(({ closing_balance_usd }) => closing_balance_usd)
  const begins = statements.map(({ opening_balance_usd }) => opening_balance_usd)
  expect(ends).toEqual([formatUsd(balance), ...begins.slice(0, -1)])
  expect(statements.length).toBeGreaterThan(2)
  return statements
}

export function archivingContract(use: Use): void {
  const count = async (table: string) => Number((await use().raw(`SELECT count(*) AS rows FROM ${table}`))[0]?.rows)

  test('rows leave their tables, and every list and look-up finds the same as before', async () => {
    const opened = use()
    const { storage } = opened
    const months = await sealedMonths(opened)
    const before = await everything(storage, months)
    const rows = [await count('request'), await count('transfer')]
    expect(before.requests.length).toBe(rows[0] ?? 0)
    expect([before.ofTag.length, before.ofSession.length]).toEqual([3, 3])
    const audit = await storage.ledger.audit()
    await archiveAll(storage)
    expect(await storage.archive.state()).toMatchObject({ files: 4 })
    expect(await count('request')).toBeLessThan((rows[0] ?? 0) - 8)
    expect(await count('transfer')).toBe((rows[1] ?? 0) - 9)
    expect(await everything(storage, months)).toEqual(before)
    expect(await storage.ledger.audit()).toEqual(audit)
    expect(await storage.ledger.audit({ deep: true })).toEqual({ ...audit, isDeep: true })
    const reopened = await opened.reopen()
    reopened.archive.attach(async () => months.blobs)
    expect(await everything(reopened, months)).toEqual(before)
  })

  test('what requests of a deleted account were for is in no list, also of archived months', async () => {
    const opened = use()
    const { storage } = opened
    const months = await sealedMonths(opened)
    const { account } = months.wallets[0]
    const attributed = async () =>
      (await everything(storage, months)).requests.filter(
        ({ account: of, row: { tags, endUser, session } }) =>
          of === account && (tags.length > 0 || endUser !== '' || session !== ''),
      ).length
    await archiveAll(storage)
    expect(await attributed()).toBe(3)
    expect(await storage.accounts.erase(account, { force: true })).toBe(true)
    while (await storage.attribution.forgetDeleted());
    expect(await attributed()).toBe(0)
    const { ofTag, ofSession } = await everything(storage, months)
    expect([ofTag, ofSession]).toEqual([[], []])
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true })
  })

  test('at every step the lists say the same, and all audits are clean', async () => {
    const opened = use()
    const { storage } = opened
    const months = await sealedMonths(opened)
    const before = await everything(storage, months)
    for (let steps = 1; (await archiveAll(storage, steps)) === steps; steps += 2) {
      expect(await everything(storage, months)).toEqual(before)
      expect(await storage.ledger.audit()).toMatchObject({ ok: true })
      expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true })
    }
    // What attempts left unfinished is gone.
    expect(months.blobs.files.size).toBe(4)
    expect(await everything(storage, months)).toEqual(before)
  })

  test('months are archived after those before them, and go on with the next month', async () => {
    const opened = use()
    const { storage } = opened
    const months = await sealedMonths(opened)
    expect(await archiveAll(storage)).toBeGreaterThan(0)
    const { rows } = await storage.archive.state()
    await toNextMonth(opened, 2 * DAY)
    await storage.ledger.clearReceipts(firstIdAt(opened.now()), 0n, 1_000)
    await sealAll(storage)
    const before = await everything(storage, months)
    await archiveAll(storage)
    expect((await storage.archive.state()).rows).toBeGreaterThan(rows)
    expect(await everything(storage, months)).toEqual(before)
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true })
  })

  test('nothing is archived whose receipts have text, or may still have it', async () => {
    const opened = use()
    const { storage } = opened
    const began = opened.now()
    await threeMonths(opened)
    await opened.elapse(DAY)
    await sealAll(storage)
    storage.archive.attach(async () => memoryBlobs())
    await archiveAll(storage)
    expect((await storage.archive.state()).files).toBe(0)
    await storage.ledger.clearReceipts(firstIdAt(opened.now()), 0n, 1_000)
    for await (const _ of storage.archive.archive(1, opened.now() - began));
    expect((await storage.archive.state()).files).toBe(0)
  })

  test('a request in a file is refunded up to its cost', async () => {
    const opened = use()
    const { storage } = opened
    const { wallets } = await sealedMonths(opened)
    await archiveAll(storage)
    const [{ account }] = wallets
    const { request } = (await storage.ledger.usage(account, 0)).findLast(({ cost }) => cost === 60n) ?? { request: 0n }
    const refund = { request, account, reason: 'sorry', reference: undefined }
    const book = (amount: bigint) => storage.refunds.book({ ...refund, amount })
    expect([await book(61n), await book(40n), await book(21n), await book(20n), await book(1n)]).toEqual([
      false,
      true,
      false,
      true,
      false,
    ])
    expect(await storage.refunds.book({ ...refund, account: account + 1n, amount: 1n })).toBe(false)
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true })
  })

  test('a file that was changed or is missing is named by a deep audit, and is no silence elsewhere', async () => {
    const opened = use()
    const { storage } = opened
    const months = await sealedMonths(opened)
    const { wallets, blobs, names } = months
    await archiveAll(storage)
    const [name = '', bytes = new Uint8Array()] = [...blobs.files][0] ?? []
    const changed = Uint8Array.from(bytes)
    changed[changed.length - 6] = (changed[changed.length - 6] ?? 0) ^ 1
    blobs.files.set(name, changed)
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: false, archiveMismatches: [name] })
    blobs.files.delete(name)
    const report = await storage.ledger.audit({ deep: true })
    expect(report).toMatchObject({ ok: false, archiveMismatches: [name], sealMismatches: names.slice(0, 1) })
    expect(String(await thrownBy(storage.ledger.usage(wallets[0].account, 0)))).toContain(name)
  })

  test('an account whose months are in files is erased: the files have nothing of it, and stay proved', async () => {
    const opened = use()
    const { storage } = opened
    const { wallets, blobs } = await sealedMonths(opened)
    await archiveAll(storage)
    const [{ account, email }] = wallets
    const found = await storage.ledger.usage(account, 0)
    const audit = await storage.ledger.audit()
    expect(await storage.accounts.erase(account, { force: true })).toBe(true)
    for (const bytes of blobs.files.values()) {
      const text = Buffer.from(await Bun.zstdDecompress(Uint8Array.from(bytes))).toString()
      expect(text).toContain(`,${account},`)
      for (const secret of [email, '@', '"units"', '"ids"']) expect(text).not.toContain(secret)
    }
    expect((await storage.ledger.usage(account, 0)).map(({ request }) => request)).toEqual(
      found.map(({ request }) => request),
    )
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true, lastSeal: audit.lastSeal })
  })

  test('transfers leave their table for a file only', async () => {
    const opened = use()
    const { storage, raw } = opened
    const { wallets } = await sealedMonths(opened)
    await archiveAll(storage)
    const left = await count('transfer')
    expect(String(await thrownBy(raw('DELETE FROM transfer WHERE request IS NOT NULL')))).toContain('append-only')
    expect(String(await thrownBy(raw('DELETE FROM transfer WHERE request IS NULL')))).toContain('append-only')
    expect(String(await thrownBy(raw('UPDATE transfer SET amount = 1')))).toContain('append-only')
    expect([await count('transfer'), wallets.length]).toEqual([left, 2])
  })

  test('programs that know of no archive are refused from the first file on', async () => {
    const opened = use()
    const { storage, raw } = opened
    await sealedMonths(opened)
    const oldest = async () =>
      Number((await raw('SELECT max(oldest_program) AS oldest FROM schema_version'))[0]?.oldest)
    await raw('UPDATE schema_version SET oldest_program = 1')
    expect(await oldest()).toBe(1)
    await archiveAll(storage)
    expect(await oldest()).toBe(4)
  })

  test('who reads much of the archive waits for itself, not others', async () => {
    const opened = use()
    const { storage } = opened
    const { wallets, blobs } = await sealedMonths(opened)
    await archiveAll(storage)
    const [greedy, polite] = wallets
    const read = blobs.read.bind(blobs)
    const held: (() => void)[] = []
    let isHeld = true
    blobs.read = async function* (name, start, end) {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve))
      yield* read(name, start, end)
    }
    const old = { to: opened.now() - 62 * DAY - HOUR }
    let rejected = 0
    const many = Array.from({ length: 10 }, () =>
      storage.spending.requests(greedy.account, old, 50).catch((error) => {
        rejected += 1
        return String(error)
      }),
    )
    // One reads, three wait.
    await eventually(() => rejected === 6 && held.length === 1)
    isHeld = false
    const { rows } = await storage.spending.requests(polite.account, old, 50)
    expect(rows.length).toBeGreaterThan(0)
    for (const go of held) go()
    const found = (await Promise.all(many)).flatMap((page) => (typeof page === 'string' ? [] : page.rows.length))
    expect(found).toEqual(Array(4).fill(rows.length))
  })
}
