// Which budgets a request counts against, by what it is: however many others there are, that costs a look into a few maps. Pure.
import type { Attribution } from '../../money/budgets/attribution.ts'
import { MOST_BUDGETS } from '../../money/budgets/budget.ts'
import type { Budget, BudgetKind } from '../../storage/storage.ts'

/** What a request is, as budgets tell requests apart. */
export type Counted = {
  key: bigint
  person: bigint | undefined
  group: string
  model: string
  attribution: Attribution | undefined
}

type Kinds = Partial<Record<BudgetKind, Map<string, Budget[]>>>

/** Budgets in force: those of an account, or those across accounts. */
export class BudgetIndex {
  readonly size: number
  readonly #kinds: Kinds = {}

  constructor(budgets: readonly Budget[]) {
    this.size = budgets.length
    for (const budget of budgets) {
      this.#kinds[budget.kind] ??= new Map()
      const ofKind = this.#kinds[budget.kind]
      const name = nameOf(budget)
      const ofName = ofKind?.get(name)
      if (ofName) ofName.push(budget)
      else ofKind?.set(name, [budget])
    }
  }

  /** Adds those that apply to `found`. */
  find({ key, person, group, model, attribution }: Counted, found: Budget[]): void {
    if (this.size === 0) return
    const kinds = this.#kinds
    const add = (kind: BudgetKind, name: string): void => {
      const some = kinds[kind]?.get(name)
      if (some) found.push(...some)
    }
    add('all', '')
    add('account', '')
    if (kinds.group) add('group', group)
    if (kinds.member && person !== undefined) add('member', String(person))
    if (kinds.key) add('key', String(key))
    if (kinds.key_model) add('key_model', `${key} ${model}`)
    if (attribution === undefined) return
    if (kinds.tag) for (const tag of attribution.tags) add('tag', tag)
    if (kinds.end_user && attribution.endUser !== '') add('end_user', attribution.endUser)
  }
}

function nameOf({ kind, key, person, model, value }: Budget): string {
  if (kind === 'member') return String(person)
  if (kind === 'key') return String(key)
  return kind === 'key_model' ? `${key} ${model}` : (value ?? '')
}

/** undefined: none applies. Of more than MOST_BUDGETS, the first in order. */
export function applyingTo(counted: Counted, indexes: readonly BudgetIndex[]): readonly Budget[] | undefined {
  const found: Budget[] = []
  for (const index of indexes) index.find(counted, found)
  if (found.length === 0) return undefined
  return found.length > MOST_BUDGETS ? found.sort(inOrder).slice(0, MOST_BUDGETS) : found
}

/**
 * What limits before what only counts, and the operator's before what an account holder set, who could otherwise crowd them out by small
 * ones. Then the tightest.
 */
function inOrder(one: Budget, other: Budget): number {
  if (one.hard !== other.hard) return one.hard ? -1 : 1
  if (one.setBy !== other.setBy) return one.setBy === 'operator' ? -1 : 1
  if (one.amount !== other.amount) return one.amount < other.amount ? -1 : 1
  return one.id < other.id ? -1 : 1
}
