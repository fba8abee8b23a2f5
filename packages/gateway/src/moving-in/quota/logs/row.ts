// A row of `logs`.
import { integerOf, textOf } from '../../sources/fields.ts'
import type { SourceRow } from '../../sources/source-database.ts'
import { bigintOf } from '../exact.ts'

/** What the types of rows say. */
export const CONSUMED = 2
export const FAILED = 5
export const REFUNDED = 6

export const COLUMNS = [
  ...['id', 'user_id', 'created_at', 'type', 'content', 'token_name', 'model_name', 'quota', 'prompt_tokens'],
  ...['completion_tokens', 'token_id', 'group', 'other', 'system_prompt_reset'],
]

const count = (row: SourceRow, column: string): number => Math.max(0, integerOf(row[column]) ?? 0)

export const logRow = (row: SourceRow) => ({
  id: integerOf(row.id),
  user: integerOf(row.user_id),
  createdAt: count(row, 'created_at') * 1000,
  type: integerOf(row.type),
  tokenName: textOf(row.token_name) ?? '',
  token: integerOf(row.token_id),
  model: textOf(row.model_name) ?? '',
  units: bigintOf(row.quota) ?? 0n,
  prompt: count(row, 'prompt_tokens'),
  completion: count(row, 'completion_tokens'),
})
export type LogRow = ReturnType<typeof logRow>
