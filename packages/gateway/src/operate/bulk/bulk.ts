// One act on many accounts or keys: each is changed by the operation that changes one, with its own row in the audit log. What is so
// already is left alone.
import { setImmediate as turn } from 'node:timers/promises'
import { parseUsd } from '../../money/amount.ts'
import { limitWork } from '../limit-work.ts'
import { type Effects, type Operation, type OperationContext, perform, preview, rehearse } from '../operation.ts'
import { OperationRejected, rejected } from '../rejections.ts'

export const MOST_AT_ONCE = 200
/** A caller waits for the answer: what is not begun by then is left for a repetition. */
const LONGEST_MS = 20_000
/** How many pages of a list are read for a filter that few rows match. */
const MOST_PAGES = 20

const limitBulk = limitWork(2, 'too_many_changes')

type Result = 'changed' | 'unchanged' | 'rejected' | 'skipped'
type Each = { id: string; result: Result; message: string | null; effects: Effects }

export type Bulk = {
  action: string
  /** What the audit log would call them all. */
  object: 'accounts' | 'keys'
  ids: readonly string[]
  operation: Operation
  /** For the dry run. */
  terms: object
  inputOf(id: string): object
  isAlready(id: string): Promise<boolean>
}

export const runBulk = (context: OperationContext, bulk: Bulk) => limitBulk(context.actor, () => runEach(context, bulk))

async function runEach(context: OperationContext, bulk: Bulk) {
  const until = performance.now() + LONGEST_MS
  const results: Each[] = []
  for (const id of new Set(bulk.ids)) {
    // A store in this process answers without a turn of the event loop: requests of callers would wait for all of them.
    await turn()
    results.push(
      performance.now() > until
        ? { id, result: 'skipped', message: 'There was no time for it. Repeat the call.', effects: {} }
        : await runOne(context, bulk, id),
    )
  }
  const count = (result: Result) => results.filter((each) => each.result === result).length
  const counts = {
    changed: count('changed'),
    unchanged: count('unchanged'),
    rejected: count('rejected'),
    skipped: count('skipped'),
  }
  const message = results.find(({ result }) => result === 'rejected')?.message
  const effects = { ...counts, ...sumsOf(results), ...(message ? { first_rejection: message } : {}) }
  preview(context, bulk.action, { object: bulk.object, after: bulk.terms as Record<string, unknown>, effects })
  return { ...counts, results: results.map(({ id, result, message }) => ({ id, result, message })) }
}

async function runOne(context: OperationContext, bulk: Bulk, id: string): Promise<Each> {
  try {
    if (await bulk.isAlready(id)) return { id, result: 'unchanged', message: null, effects: {} }
    const input = bulk.inputOf(id)
    if (context.dryRun) {
      const { effects } = await rehearse(bulk.operation, context, input)
      return { id, result: 'changed', message: null, effects }
    }
    await perform(bulk.operation, context, input)
    return { id, result: 'changed', message: null, effects: {} }
  } catch (error) {
    if (!(error instanceof OperationRejected)) throw error
    return { id, result: 'rejected', message: error.message, effects: {} }
  }
}

/** Counts of several accounts or keys can be added. */
function sumsOf(results: readonly Each[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { effects } of results)
    for (const [name, value] of Object.entries(effects))
      if (typeof value === 'number') sums[name] = (sums[name] ?? 0) + value
  return sums
}

type Page = { items: readonly { id: string }[]; next: string | null }

/** The ids themselves, or those of the rows that a filter matches. */
export async function idsOf(
  field: 'accounts' | 'keys',
  ids: readonly string[] | undefined,
  read: ((after: string | undefined) => Promise<Page>) | undefined,
): Promise<readonly string[]> {
  if ((ids === undefined) === (read === undefined)) throw rejected('email_or_name', { field, other: 'filter' })
  if (read === undefined) return ids ?? []
  const found: string[] = []
  let after: string | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { items, next } = await read(after)
    found.push(...items.map(({ id }) => id))
    if (found.length > MOST_AT_ONCE) break
    if (next === null) return found
    after = next
  }
  throw rejected('too_many_matches', { field: 'filter', most: MOST_AT_ONCE })
}

/** Whether a row has all these terms already, as an input writes them. */
export const hasTerms = (row: object, terms: object): boolean =>
  Object.entries(terms).every(([name, term]) => isSame(name, (row as Record<string, unknown>)[name], term))

function isSame(name: string, value: unknown, term: unknown): boolean {
  if (typeof value !== typeof term || value === null || term === null) return value === term
  if (typeof value === 'object' && !Array.isArray(value)) return hasTerms(value, term as object)
  if (name.endsWith('_usd')) return parseUsd(String(value)) === parseUsd(String(term))
  if (name.endsWith('_at')) return Date.parse(String(value)) === Date.parse(String(term))
  return JSON.stringify(value) === JSON.stringify(term)
}
