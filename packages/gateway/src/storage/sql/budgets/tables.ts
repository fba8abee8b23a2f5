// The tables of budgets, and of sums by what requests are for, written from the schema by npm run reference.
import type { Generated } from 'kysely'
import type { Integer } from '../months/tables.ts'

export type BudgetTables = {
  daily_attribution_spending: {
    account: Integer
    dimension: string
    day: Integer
    value: string
    key: Integer
    model: string
    upstream: string
    outcome: string
    requests: Integer
    tokens: Integer
    cost: Integer
    upstream_cost: Integer
    unknown_costs: Integer
    last_at: Integer
  }
  daily_attribution_values: {
    account: Integer
    dimension: string
    day: Integer
    known: Integer
    reported: Generated<Integer>
  }
  budget: {
    id: Generated<Integer>
    account: Integer | null
    kind: string
    key: Integer | null
    person: Integer | null
    model: string | null
    value: string | null
    amount: Integer
    highest_amount: Integer
    period: string | null
    every_hours: Integer | null
    starts_at: Integer | null
    hard: Integer
    alerts: Generated<string>
    text: Generated<string>
    set_by: string
    created_at: Integer
    deleted_at: Integer | null
    spent: Generated<Integer>
    held: Generated<Integer>
    window_start: Generated<Integer>
    window_spent: Generated<Integer>
  }
  budget_sum: { budget: Integer; node_id: Integer; window_start: Integer; window_spent: Integer; spent: Integer }
}
