// The part of the ledger's Book about budgets: each is cached like an account, and written once for each flush.
import type { Database } from 'bun:sqlite'
import type { Book, SharedCharge } from '../../../money/ledger.ts'
import { type BudgetRow, COUNTED, toBudgetRow } from '../../sql/budgets/rows.ts'
import type { SqlRow } from './ledger-rows.ts'

type Written = Pick<BudgetRow, 'spent' | 'held'>
/** `written`: as for accounts. */
type KeptBudget = BudgetRow & { written: Written }

export type BudgetRows = Pick<Book, 'budget' | 'saveBudget' | 'addToShared'> & {
  readonly size: number
  write(): void
  /** What was saved is dropped. */
  clear(): void
  forget(): void
}

export function openBudgetRows(db: Database): BudgetRows {
  const select = db.prepare<SqlRow, [bigint]>(`SELECT ${COUNTED.join(', ')} FROM budget WHERE id = ?`)
  const update = db.prepare(
    'UPDATE budget SET spent = spent + ?, held = held + ?, window_start = ?, window_spent = ? WHERE id = ?',
  )
  const addTo = db.prepare(
    `INSERT INTO budget_sum (budget, node_id, window_start, window_spent, spent) VALUES (?1, ?2, ?3, ?4, ?4)
    ON CONFLICT DO UPDATE SET spent = spent + excluded.spent, window_start = max(window_start, excluded.window_start),
      window_spent = CASE WHEN window_start > excluded.window_start THEN window_spent
        WHEN window_start = excluded.window_start THEN window_spent + excluded.window_spent ELSE excluded.window_spent END`,
  )
  const rows = new Map<bigint, KeptBudget>()
  const saved = new Set<KeptBudget>()
  let shared: SharedCharge[] = []

  function clear(): void {
    saved.clear()
    shared = []
  }
  return {
    get size() {
      return rows.size
    },
    budget(id) {
      const known = rows.get(id)
      if (known) return known
      const found = select.get(id)
      if (!found) return undefined
      const read = toBudgetRow(found)
      const row = { ...read, written: { spent: read.spent, held: read.held } }
      rows.set(id, row)
      return row
    },
    saveBudget: (row) => void saved.add(row as KeptBudget),
    addToShared: (charge) => void shared.push(charge),
    write() {
      for (const row of saved) {
        const { id, spent, held, written, windowStart, windowSpent } = row
        update.run(spent - written.spent, held - written.held, windowStart, windowSpent, id)
        row.written = { spent, held }
      }
      for (const { budget, nodeId, windowStart, amount } of shared) addTo.run(budget, nodeId, windowStart, amount)
    },
    clear,
    forget() {
      rows.clear()
      clear()
    },
  }
}
