// Which product wrote a database, and in which version: by its tables and columns, and what it says of itself.
import type { Product } from '../installation.ts'
import { textOf } from './fields.ts'
import { type SourceDatabase, SourceError } from './source-database.ts'

/** `version`: '' if the database does not tell. */
export type Detected = { product: Product; version: string }

export async function detectProduct(source: SourceDatabase): Promise<Detected> {
  const has = (table: string, ...columns: string[]) => {
    const present = source.tables.get(table)
    return present !== undefined && columns.every((column) => present.has(column))
  }
  if (has('LiteLLM_VerificationToken', 'token', 'spend') && has('LiteLLM_UserTable', 'user_id'))
    return { product: 'litellm', version: await last(source, '_prisma_migrations', 'migration_name', ['id']) }
  if (has('users', 'quota') && has('tokens', 'key') && has('channels', 'type') && has('options', 'value')) {
    if (has('tokens', 'model_limits') || has('setups'))
      return { product: 'new-api', version: await last(source, 'setups', 'version', ['id']) }
    if (has('tokens', 'subnet', 'models')) return { product: 'one-api', version: '' }
  }
  throw new SourceError(
    'The source is not a database of LiteLLM, new-api or one-api: neither LiteLLM_VerificationToken and LiteLLM_UserTable are there, nor users, tokens, channels and options with the columns of one of the others.',
  )
}

/** The greatest, since migrations are named by their time. */
async function last(source: SourceDatabase, table: string, column: string, order: string[]): Promise<string> {
  let greatest = ''
  for await (const row of source.rows(table, order, [column])) {
    const text = textOf(row[column]) ?? ''
    if (text > greatest) greatest = text
  }
  return greatest
}
