// Contents in PostgreSQL: tables of their own, and rows that may be large.
import type { Ask, ContentDialect } from '../sql/contents.ts'
import { contentNounsOver } from '../sql/nouns.ts'
import { tasksOver } from '../sql/tasks.ts'
import type { Connections } from './connections/connections.ts'
import { retryOrDown } from './faults.ts'

/**
 * The server's clock: those of nodes differ, and how old a claim is decides whether it may be taken over. Without SELECT it would be
 * computed again for each row, and no index could be searched by it.
 */
const NOW = '(SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)'

const askOver =
  (connections: Connections): Ask =>
  (sql, parameters) =>
    retryOrDown(() => connections.query(sql.replaceAll('NOW', NOW), parameters))

const list = (parameter: string, type: 'bigint' | 'text' = 'text'): string =>
  `SELECT value::${type} FROM json_array_elements_text(${parameter}::text::json) AS value`

const DIALECT: ContentDialect = {
  lock: 'FOR NO KEY UPDATE',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  list,
  listOfBytes: (parameter) => `SELECT decode(value, 'hex') FROM (${list(parameter)}) AS hexadecimal`,
  listOf: (column) => `json_agg(${column})::text`,
}

export const postgresContents = (connections: Connections) => contentNounsOver(askOver(connections), DIALECT)

/** Not among the contents: polling a task must not wait for large rows. */
export const postgresTasks = (connections: Connections) => tasksOver(askOver(connections), DIALECT)
