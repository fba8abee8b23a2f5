// The simulated store: committed rows, and transactions over them that can be rolled back as a crash does.
import {
  type Book,
  CREDIT,
  HELD,
  type LeaseRow,
  type NodeRow,
  type RequestRow,
  type Result,
  SETTLED,
  taskLease,
  type Verb,
} from '../../packages/gateway/src/money/ledger.ts'
import type { Meter } from '../../packages/gateway/src/money/limits.ts'
import { checkAllBooks } from './budgets.ts'
import { emptyRows, type MemoryRows, memoryBook } from './memory-book.ts'
import { checkChange, checkLease, checkNode, type Model, must } from './model.ts'
import type { Rules } from './rules.ts'
import { checkCharge, checkGrant, noteUsage } from './usage.ts'

export type SimulatedStore = {
  rows: MemoryRows
  up: boolean
  downUntil: number
  /** All verbs in one commit; `crash` at the last moment undoes them all: undefined. */
  transact(verbs: Verb[], now: number, crash: boolean): Result[] | undefined
  /** Removes the expired leases of old tasks, as far as the rules allow. */
  removeLeases(now: number): void
  /** An admin's own transaction. */
  change(edit: (rows: MemoryRows) => void): void
}

/** Longer than any freeze and any message after it. */
export const OLD_TASK_MS = 45_000

type Kind = 'accounts' | 'keys' | 'budgets' | 'requests' | 'nodes' | 'leases'
type Id = bigint | number | string
type Row = { id: bigint } | { nodeId: number } | { name: string }
/** The rows that a transaction touched, as they were before; undefined: did not exist. */
type Touched = { kind: Kind; id: Id; before: Row | undefined; saved: boolean }

export function createStore(rules: Rules, model: Model): SimulatedStore {
  const rows = emptyRows()

  function transact(verbs: Verb[], now: number, crash: boolean): Result[] | undefined {
    const undo: Touched[][] = []
    const transfers = rows.transfers.length
    const shared = new Map(rows.shared)
    const { settlements, progress, effective, leases, happened } = model.committed
    const committed = crash && {
      settlements: new Map(settlements),
      progress: new Map(progress),
      effective: new Set(effective),
      leases: new Map(leases),
      happened,
    }
    const results = verbs.map((verb) => {
      const touched: Touched[] = []
      undo.push(touched)
      return applyWatched(verb, now, touched)
    })
    if (!committed) return results
    for (const { kind, id, before } of undo.reverse().flatMap((touched) => touched.reverse())) restore(kind, id, before)
    rows.transfers.length = transfers
    rows.shared = shared
    model.committed = committed
    checkAllBooks(rows, model)
    return undefined
  }

  function restore(kind: Kind, id: Id, before: Row | undefined): void {
    const table = rows[kind] as Map<Id, Row>
    if (before) table.set(id, before)
    else table.delete(id)
  }

  function applyWatched(verb: Verb, now: number, touched: Touched[]): Result {
    const transfers = rows.transfers.length
    const result = rules.apply(watch(memoryBook(rows, now), touched), verb)
    const changed = touched.filter(({ kind, id, before }) => !sameRow(before, currentRow(kind, id)))
    for (const { kind, id, saved } of changed)
      must(saved, 'a changed row is saved', () => `${kind} ${id}, ${verb.verb}`)
    recordProgress(verb)
    for (const { kind, id, before } of changed) checkRow(kind, id, before, verb, now)
    if (result.verdict === 'done' && 'id' in verb) {
      must(!model.committed.effective.has(verb), 'a verb takes effect once', () => `${verb.verb} ${verb.id}`)
      model.committed.effective.add(verb)
    }
    if (result.verdict !== 'done') {
      // A rejected or repeated extension may have recorded its progress, and nothing else.
      const still = changed.length === 0 || (verb.verb === 'extend' && changed.every(({ kind }) => kind === 'requests'))
      must(still && rows.transfers.length === transfers, 'rejected or repeated: nothing changes', () => verb.verb)
    }
    checkGrant(verb, result, rows, model, now)
    if (changed.some(({ kind }) => kind !== 'nodes' && kind !== 'leases')) checkAllBooks(rows, model)
    return result
  }

  function recordProgress(verb: Verb): void {
    if (verb.verb !== 'extend') return
    const request = rows.requests.get(verb.id)
    const open = request?.state === HELD && request.nodeId === verb.nodeId && request.epoch === verb.epoch
    const { progress } = model.committed
    if (open && verb.progress > (progress.get(verb.id) ?? 0n)) progress.set(verb.id, verb.progress)
  }

  function checkRow(kind: Kind, id: Id, before: Row | undefined, verb: Verb, now: number): void {
    if (kind === 'nodes') {
      const after = rows.nodes.get(Number(id))
      if (after) checkNode(before as NodeRow | undefined, after, verb, now)
    }
    if (kind === 'leases') {
      const after = rows.leases.get(String(id))
      if (after) checkLease(before as LeaseRow | undefined, after, verb, now, model)
    }
    const after = kind === 'requests' ? rows.requests.get(id as bigint) : undefined
    if (!after) return
    const old = before as RequestRow | undefined
    checkChange(old, after, { verb, rows, now, model })
    noteUsage(model, verb, old, after, now)
    if (old) checkCharge(rows, model, old, after, now)
    const { settlements } = model.committed
    if (after.state === SETTLED && old?.state !== SETTLED)
      settlements.set(after.id, (settlements.get(after.id) ?? 0) + 1)
  }

  const currentRow = (kind: Kind, id: Id): Row | undefined => (rows[kind] as Map<Id, Row>).get(id)

  return {
    rows,
    up: true,
    downUntil: 0,
    transact,
    removeLeases(now) {
      for (const { id, createdAt } of model.tasks.values()) {
        const [name, request] = [taskLease(id), rows.requests.get(id)]
        if (createdAt > now - OLD_TASK_MS) continue
        if ((rows.leases.get(name)?.expiresAt ?? now) > now || !rules.removesLease(request)) continue
        rows.leases.delete(name)
        // While there is a hold no epoch may come twice, removed or not.
        if (request?.state !== HELD) model.committed.leases.delete(name)
      }
    },
    change(edit) {
      edit(rows)
      checkAllBooks(rows, model)
    },
  }
}

/** A Book that remembers each row as it was when it was first looked at. */
function watch(book: Book, touched: Touched[]): Book {
  function remember<Found extends Row>(kind: Kind, id: Id, row: Found | undefined): Found | undefined {
    if (!touched.some((one) => one.kind === kind && one.id === id))
      touched.push({ kind, id, before: row && copyOf(row), saved: false })
    return row
  }
  function save(kind: Kind, id: Id): void {
    const one = touched.find((candidate) => candidate.kind === kind && candidate.id === id)
    if (one) one.saved = true
  }
  return {
    now: book.now,
    account: (id) => remember('accounts', id, book.account(id)),
    key: (id) => remember('keys', id, book.key(id)),
    memberCap: (key) => book.memberCap(key),
    request: (id) => remember('requests', id, book.request(id)),
    node: (nodeId) => remember('nodes', nodeId, book.node(nodeId)),
    lease: (name) => remember('leases', name, book.lease(name)),
    orphans(deadBefore, limit) {
      const found = book.orphans(deadBefore, limit)
      for (const row of found) remember('requests', row.id, row)
      return found
    },
    repetition: book.repetition,
    repetitionsOf: book.repetitionsOf,
    repeatedAndSettled: book.repeatedAndSettled,
    addRepetition: book.addRepetition,
    removeRepetitionsOf: book.removeRepetitionsOf,
    removeRepetitionsBefore: book.removeRepetitionsBefore,
    saveAccount(row) {
      save('accounts', row.id)
      book.saveAccount(row)
    },
    saveKey(row) {
      save('keys', row.id)
      book.saveKey(row)
    },
    saveRequest(row) {
      save('requests', row.id)
      book.saveRequest(row)
    },
    saveOwner(row) {
      save('requests', row.id)
      book.saveOwner(row)
    },
    insertRequest(row) {
      remember('requests', row.id, book.request(row.id))
      save('requests', row.id)
      book.insertRequest(row)
    },
    saveNode(row) {
      remember('nodes', row.nodeId, book.node(row.nodeId))
      save('nodes', row.nodeId)
      book.saveNode(row)
    },
    saveLease(row) {
      remember('leases', row.name, book.lease(row.name))
      save('leases', row.name)
      book.saveLease(row)
    },
    // No check of the simulation reads the sums.
    addSpending: () => {},
    budget: (id) => remember('budgets', id, book.budget(id)),
    saveBudget(row) {
      save('budgets', row.id)
      book.saveBudget(row)
    },
    addToShared: book.addToShared,
    transfer: book.transfer,
  }
}

/** Meters are changed in place; the windows in them are not. */
const copyOf = <Found extends Row>(row: Found): Found =>
  'meter' in row ? { ...row, meter: { ...(row.meter as Meter) } } : { ...row }

function sameRow(before: Row | undefined, after: Row | undefined): boolean {
  if (!before || !after) return before === after
  return Object.entries(before).every(([field, value]) => {
    const now: unknown = after[field as keyof Row]
    return field === 'meter' ? sameMeter(value, now as Meter) : now === value
  })
}

const sameMeter = (before: Meter, after: Meter): boolean =>
  Object.entries(before).every(([field, value]) => after[field as keyof Meter] === value)

/** Credit as an admin gives or takes it; taking stops at what is free. */
export function creditAccount(rows: MemoryRows, id: bigint, amount: bigint): void {
  const account = rows.accounts.get(id)
  if (!account || amount === 0n || account.balance + account.creditLine - account.held + amount < 0n) return
  account.balance += amount
  const [debit, credit, moved] = amount > 0n ? [CREDIT, id, amount] : [id, CREDIT, -amount]
  rows.transfers.push({ request: undefined, debit, credit, amount: moved })
}
