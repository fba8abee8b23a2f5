// The rules of budgets, each broken in one place, as in ../broken.ts.
import type { BudgetRow } from '../../../packages/gateway/src/money/budgets/budget.ts'
import { apply, type Book, HELD, type Verb } from '../../../packages/gateway/src/money/ledger.ts'
import type { Rules } from '../rules.ts'

/** The real ledger, which sees budgets changed; what it saves of their meters is real. */
const seeing = (
  change: (row: BudgetRow, book: Book) => Partial<BudgetRow>,
  only: readonly Verb['verb'][],
): Partial<Rules> => ({
  apply(book, verb) {
    if (!only.includes(verb.verb)) return apply(book, verb)
    return apply(
      {
        ...book,
        budget(id) {
          const row = book.budget(id)
          return row && { ...row, ...change(row, book) }
        },
        saveBudget({ id, spent, held, windowStart, windowSpent }) {
          const row = book.budget(id)
          if (row) book.saveBudget(Object.assign(row, { spent, held, windowStart, windowSpent }))
        },
      },
      verb,
    )
  },
})

/** The budgets of a request, after the real ledger has taken a verb on it. */
const afterwards = (
  only: Verb['verb'],
  change: (row: BudgetRow, verb: Verb, cost: bigint) => void,
): Partial<Rules> => ({
  apply(book, verb) {
    const result = apply(book, verb)
    const request = 'id' in verb && verb.verb === only && result.verdict === 'done' ? book.request(verb.id) : undefined
    for (const id of request?.budgets ?? []) {
      const row = book.budget(id)
      if (row?.account === undefined) continue
      change(row, verb, result.change)
      book.saveBudget(row)
    }
    return result
  },
})

export const BROKEN_BUDGETS: Record<string, Partial<Rules>> = {
  'a hold ignores its budgets': seeing(() => ({ hard: false }), ['hold']),
  'an extension ignores its budgets': seeing(() => ({ hard: false }), ['extend']),
  'a settlement beyond its hold ignores its budgets': seeing(() => ({ hard: false }), ['settle']),
  'a soft budget limits': seeing(() => ({ hard: true }), ['hold', 'extend']),
  'a budget that was deleted limits': seeing(() => ({ deleted: false }), ['hold']),
  'a budget of the day is one for all time': seeing(
    (row) => (row.period === 'day' ? { windowStart: 0, period: undefined } : {}),
    ['hold', 'settle', 'extend', 'reap'],
  ),
  'a hold forgets the budgets of its request': {
    apply: (book, verb) => apply(book, verb.verb === 'hold' ? { ...verb, budgets: undefined } : verb),
  },
  'an extension is not held under budgets': afterwards('extend', (row) => {
    row.held -= 1n
  }),
  'a void leaves what was held under budgets': {
    apply(book, verb) {
      const request = verb.verb === 'void' ? book.request(verb.id) : undefined
      const held = request?.state === HELD ? request.held : 0n
      const result = apply(book, verb)
      for (const id of result.verdict === 'done' ? (request?.budgets ?? []) : []) {
        const row = book.budget(id)
        if (row?.account !== undefined) book.saveBudget(Object.assign(row, { held: row.held + held }))
      }
      return result
    },
  },
  'a charge is counted twice under budgets': afterwards('settle', (row, _verb, paid) => {
    row.spent += paid
  }),
  'what the reaper charges is not counted under budgets': {
    apply: (book, verb) =>
      verb.verb === 'reap' ? apply({ ...book, budget: () => undefined }, verb) : apply(book, verb),
  },
  'what is spent across accounts is not added up': {
    apply: (book, verb) => apply({ ...book, addToShared: () => {} }, verb),
  },
}
