// The ledger's Book over prepared statements. `flush` writes each changed row once, however many verbs changed it. Rows are
// cached for later batches, since this connection is the only writer; if another process writes, `PRAGMA data_version` shows
// it, and the cache is cleared.
import type { Database } from 'bun:sqlite'
import { joinTags } from '../../../money/budgets/attribution.ts'
import { type Book, HELD, type LeaseRow, type NodeRow, type RequestRow, TASK_NODE } from '../../../money/ledger.ts'
import type { Limits } from '../../../money/limits.ts'
import { COUNTED_COLUMNS, joinIds } from '../../sql/budgets/rows.ts'
import { openBudgetRows } from './budget-rows.ts'
import { prepareInserts, type Values } from './insert-rows.ts'
import {
  type KeptAccount,
  type KeptKey,
  repetitionRows,
  type SqlRow,
  toAccountRow,
  toKeyRow,
  toLeaseRow,
  toNodeRow,
  toRequestRow,
} from './ledger-rows.ts'
import { openSpendingSums } from './spending-sums.ts'

export type BatchBook = Book & {
  /** Inside the transaction: from here on no other connection can write. */
  begin(): void
  /** The time of the verbs that follow. */
  setTime(now: number): void
  /** Writes all that was saved. */
  flush(): void
  /** Whether rows were written since `begin`. */
  readonly flushed: boolean
  /** Drops all that was read or saved: after a rollback, or a write past this book, it is outdated. */
  forget(): void
}

const LONGEST_PERIOD_MS = 32n * 86_400_000n

/** Rows of a kind that are cached. Beyond this all are dropped: reading a row again is cheap. */
const MOST_KEPT = 20_000

type Transfer = readonly [request: bigint | null, debit: bigint, credit: bigint, amount: bigint, at: bigint]

const INSERTED =
  'id, account, key, node_id, epoch, deadline, state, held, held_at, tokens, progress, cost, shortfall, model, upstream, upstream_cost, outcome, receipt'
const REQUEST = [INSERTED, ...COUNTED_COLUMNS].join(', ')
const METERED = `requests_per_minute, tokens_per_minute, concurrent, open_requests, spent_at, spent_day, week_before,
  month_before, requests_window, tokens_window`
const SPENT = 'open_requests = open_requests + ?, spent_at = ?, spent_day = ?, week_before = ?, month_before = ?'
const WINDOWS = 'requests_window = ?, tokens_window = ?'

/** Without `INDEXED BY` SQLite would read the whole table, since it has no statistics. */
export const ORPHANS = `SELECT ${REQUEST} FROM request INDEXED BY request_open WHERE state = 0 AND CASE node_id
    WHEN ${TASK_NODE} THEN deadline <= ?2
    ELSE NOT EXISTS (
      SELECT 1 FROM node WHERE node.node_id = request.node_id AND node.epoch = request.epoch AND node.renewed_at > ?1)
    END ORDER BY id LIMIT ?3`

export function openBook(db: Database): BatchBook {
  const selectAccount = db.prepare<SqlRow, [bigint]>(
    `SELECT id, balance, credit_line, cap, cap_period, spent, held, disabled, ${METERED} FROM account WHERE id = ?`,
  )
  const selectKey = db.prepare<SqlRow, [bigint]>(
    `SELECT id, api_key.account, api_key.person, deleted, revision, expires_at, api_key.cap, api_key.cap_period, spent, held,
      member.cap AS member_cap, member.cap_period AS member_cap_period, ${METERED}
    FROM api_key LEFT JOIN member ON member.account = api_key.account AND member.person = api_key.person WHERE id = ?`,
  )
  const selectKeysOfMember = db.prepare<SqlRow, [bigint, bigint, bigint]>(
    `SELECT id FROM api_key WHERE account = ?1 AND person = ?2 AND (deleted = 0 OR held <> 0 OR spent_at > ?3)`,
  )
  const selectRequest = db.prepare<SqlRow, [bigint]>(`SELECT ${REQUEST} FROM request WHERE id = ?`)
  const selectNode = db.prepare<SqlRow, [number]>(
    'SELECT node_id, epoch, renewed_at, renewals, config FROM node WHERE node_id = ?',
  )
  const selectLease = db.prepare<SqlRow, [string]>('SELECT name, epoch, holder, expires_at FROM lease WHERE name = ?')
  const selectOrphans = db.prepare<SqlRow, [bigint, bigint, number]>(ORPHANS)
  const updateAccount = db.prepare(
    `UPDATE account SET balance = balance + ?, spent = spent + ?, held = held + ?, ${SPENT} WHERE id = ?`,
  )
  const updateKey = db.prepare(`UPDATE api_key SET spent = spent + ?, held = held + ?, ${SPENT} WHERE id = ?`)
  // Separate, because most have no limit that needs them.
  const updateAccountWindows = db.prepare(`UPDATE account SET ${WINDOWS} WHERE id = ?`)
  const updateKeyWindows = db.prepare(`UPDATE api_key SET ${WINDOWS} WHERE id = ?`)
  // Apart, because most requests have nothing in the other columns.
  const insertRequests = prepareInserts(db, 'request', INSERTED.split(', '), addRequest)
  const insertCounted = prepareInserts(db, 'request', REQUEST.split(', '), addCounted)
  const updateRequest = db.prepare(
    `UPDATE request SET state = ?, held = ?, tokens = ?, progress = ?, cost = ?, shortfall = ?, upstream = ?,
    upstream_cost = ?, outcome = ?, receipt = ? WHERE id = ?`,
  )
  const updateOwner = db.prepare('UPDATE request SET node_id = ?, epoch = ?, deadline = ? WHERE id = ?')
  const insertTransfers = prepareInserts<Transfer>(
    db,
    'transfer',
    ['request', 'debit', 'credit', 'amount', 'at'],
    (row, values) => values.push(...row),
  )
  const sums = openSpendingSums(db)
  const budgets = openBudgetRows(db)
  const saveNode = db.prepare(
    `INSERT INTO node (node_id, epoch, renewed_at, renewals, config, budgets_epoch) VALUES (?1, ?2, ?3, ?4, ?5, ?2)
    ON CONFLICT (node_id) DO UPDATE SET epoch = excluded.epoch, renewed_at = excluded.renewed_at,
      renewals = excluded.renewals, config = excluded.config, budgets_epoch = excluded.budgets_epoch`,
  )
  const saveLease = db.prepare('INSERT OR REPLACE INTO lease (name, epoch, holder, expires_at) VALUES (?, ?, ?, ?)')

  const selectVersion = db.prepare<SqlRow, []>('PRAGMA data_version')
  const selectHighest = db.prepare<SqlRow, []>('SELECT max(id) AS id FROM request')

  const accounts = new Map<bigint, KeptAccount>()
  const keys = new Map<bigint, KeptKey>()
  /** The keys of members with a cap, by account and person. */
  const memberKeys = new Map<string, Set<KeptKey>>()
  /** Open ones: an ended request is rarely read again. */
  const requests = new Map<bigint, RequestRow>()
  const nodes = new Map<number, NodeRow>()
  const leases = new Map<string, LeaseRow>()
  const savedAccounts = new Set<KeptAccount>()
  const savedKeys = new Set<KeptKey>()
  const newRequests = new Set<RequestRow>()
  const newCounted = new Set<RequestRow>()
  const savedRequests = new Set<RequestRow>()
  const movedRequests = new Set<RequestRow>()
  const savedNodes = new Set<NodeRow>()
  const savedLeases = new Set<LeaseRow>()
  const allSaved: readonly Set<unknown>[] = [
    ...[newRequests, newCounted, savedRequests, movedRequests],
    ...[savedAccounts, savedKeys, savedNodes, savedLeases],
  ]
  let transfers: Transfer[] = []
  let flushed = false
  let now = 0
  let at = 0n
  let version: unknown
  /** The highest id. Ids grow with time, so a request with a higher one is new and need not be looked up. */
  let highest: bigint | undefined

  function cached<Id, T>(rows: Map<Id, T>, id: Id, read: (id: Id) => T | undefined): T | undefined {
    const known = rows.get(id)
    if (known) return known
    const row = read(id)
    if (row) rows.set(id, row)
    return row
  }
  const readAccount = (id: bigint) => optional(selectAccount.get(id), toAccountRow)
  const readKey = (id: bigint) => optional(selectKey.get(id), toKeyRow)
  const readRequest = (id: bigint) => optional(selectRequest.get(id), toRequestRow)
  const readLease = (name: string) => optional(selectLease.get(name), toLeaseRow)
  const readNode = (nodeId: number) => optional(selectNode.get(nodeId), toNodeRow)

  function writeRequest(row: RequestRow): void {
    if (newRequests.has(row) || newCounted.has(row)) return
    const { state, held, tokens, progress, cost, shortfall, upstream, upstreamCost, outcome, receipt, id } = row
    const known = upstreamCost ?? null
    updateRequest.run(state, held, tokens, progress, cost, shortfall, upstream, known, outcome, receipt, id)
  }
  function writeAccount(row: KeptAccount): void {
    const { id, balance, spent, held, written, limits, meter } = row
    const { open, spentAt, spentDay, weekBefore, monthBefore, requests, tokens } = meter
    updateAccount.run(
      ...[balance - written.balance, spent - written.spent, held - written.held, open - written.open],
      ...[spentAt, spentDay, weekBefore, monthBefore, id],
    )
    if (hasWindows(limits)) updateAccountWindows.run(requests.join(), tokens.join(), id)
    row.written = { balance, spent, held, open }
  }
  function writeKey(row: KeptKey): void {
    const { id, spent, held, written, limits, meter } = row
    const { open, spentAt, spentDay, weekBefore, monthBefore, requests, tokens } = meter
    updateKey.run(
      ...[spent - written.spent, held - written.held, open - written.open],
      ...[spentAt, spentDay, weekBefore, monthBefore, id],
    )
    if (hasWindows(limits)) updateKeyWindows.run(requests.join(), tokens.join(), id)
    row.written = { spent, held, open }
  }
  function flush(): void {
    flushed ||= allSaved.some(({ size }) => size > 0)
    insertRequests(newRequests)
    insertCounted(newCounted)
    for (const row of savedRequests) writeRequest(row)
    for (const { id, nodeId, epoch, deadline } of movedRequests) updateOwner.run(nodeId, epoch, deadline ?? null, id)
    for (const { id, state } of savedRequests) if (state !== HELD) requests.delete(id)
    insertTransfers(transfers)
    sums.write()
    budgets.write()
    for (const row of savedAccounts) writeAccount(row)
    for (const row of savedKeys) writeKey(row)
    for (const { nodeId, epoch, renewedAt, renewals, config } of savedNodes)
      saveNode.run(nodeId, epoch, BigInt(renewedAt), renewals, config)
    // The latest state of a lease is the last one saved.
    for (const { name, epoch, holder, expiresAt } of savedLeases) saveLease.run(name, epoch, holder, BigInt(expiresAt))
    forgetSaved()
  }
  function forgetSaved(): void {
    for (const saved of allSaved) saved.clear()
    transfers = []
    sums.clear()
    budgets.clear()
  }
  function forget(): void {
    for (const rows of [accounts, keys, memberKeys, requests, nodes, leases]) rows.clear()
    budgets.forget()
    forgetSaved()
    highest = undefined
  }

  /** Rows must be written before they are selected. Deleted keys that a cap no longer counts are left out. */
  function readKeysOfMember(account: bigint, person: bigint): Set<KeptKey> {
    flush()
    const found = selectKeysOfMember.all(account, person, at - LONGEST_PERIOD_MS)
    return new Set(found.flatMap(({ id }) => cached(keys, id as bigint, readKey) ?? []))
  }

  return {
    get now() {
      return now
    },
    begin() {
      const current = selectVersion.get()?.data_version
      const tooMany = [accounts, keys, requests, leases, budgets].some(({ size }) => size > MOST_KEPT)
      flushed = false
      if (current !== version || tooMany) {
        flush()
        forget()
      }
      version = current
      highest ??= (selectHighest.get()?.id ?? 0n) as bigint
    },
    setTime(time) {
      now = time
      at = BigInt(time)
    },
    flush,
    get flushed() {
      return flushed
    },
    forget,
    account: (id) => cached(accounts, id, readAccount),
    key: (id) => cached(keys, id, readKey),
    memberCap(key) {
      const { memberCap, account, person } = key as KeptKey
      if (memberCap === undefined || person === undefined) return undefined
      const own = cached(memberKeys, `${account}/${person}`, () => readKeysOfMember(account, person)) ?? new Set()
      // One that was deleted long ago may be charged for a request that was reaped.
      return { cap: memberCap.cap, capPeriod: memberCap.capPeriod, keys: own.add(key as KeptKey) }
    },
    request: (id) => (highest !== undefined && id > highest ? undefined : cached(requests, id, readRequest)),
    node: (nodeId) => cached(nodes, nodeId, readNode),
    lease: (name) => cached(leases, name, readLease),
    orphans(deadBefore, limit) {
      // The query reads the tables, so the changes of this batch must be written. Cached rows stay the live ones.
      flush()
      return selectOrphans.all(BigInt(deadBefore), at, limit).map((row) => {
        const found = toRequestRow(row)
        return cached(requests, found.id, () => found) ?? found
      })
    },
    // All rows that can be saved were given out by this book.
    ...repetitionRows(db, (isWritten) => {
      flush()
      flushed ||= isWritten === true
    }),
    budget: budgets.budget,
    saveBudget: budgets.saveBudget,
    addToShared: budgets.addToShared,
    saveAccount: (row) => void savedAccounts.add(row as KeptAccount),
    saveKey: (row) => void savedKeys.add(row as KeptKey),
    insertRequest(row) {
      requests.set(row.id, row)
      if (row.budgets.length === 0 && row.attribution === undefined) newRequests.add(row)
      else newCounted.add(row)
      if (highest === undefined || row.id > highest) highest = row.id
    },
    saveRequest: (row) => void savedRequests.add(row),
    saveOwner: (row) => void movedRequests.add(row),
    saveNode(row) {
      nodes.set(row.nodeId, row)
      savedNodes.add(row)
    },
    saveLease(row) {
      leases.set(row.name, row)
      savedLeases.add(row)
    },
    addSpending: (sum) => sums.add(sum, now),
    transfer: (request, debit, credit, amount) => void transfers.push([request ?? null, debit, credit, amount, at]),
  }
}

function addRequest(row: RequestRow, values: Values): void {
  const { id, account, key, nodeId, epoch, deadline, state, held, heldAt, tokens, progress, cost, shortfall } = row
  const { model, upstream, upstreamCost, outcome, receipt } = row
  // Without a spread, which would allocate a list per request.
  // biome-ignore format: as the columns above
  values.push(
    id, account, key, nodeId, epoch, deadline ?? null, state, held, heldAt, tokens, progress, cost, shortfall,
    model, upstream, upstreamCost ?? null, outcome, receipt,
  )
}

function addCounted(row: RequestRow, values: Values): void {
  addRequest(row, values)
  const { tags = [], endUser = '', session = '' } = row.attribution ?? {}
  values.push(joinIds(row.budgets), joinTags(tags), endUser, session)
}

const optional = <T>(row: SqlRow | null, read: (row: SqlRow) => T): T | undefined => (row ? read(row) : undefined)

const hasWindows = ({ requestsPerMinute, tokensPerMinute }: Limits): boolean =>
  requestsPerMinute !== undefined || tokensPerMinute !== undefined
