// Contents in PostgreSQL: a table of their own, over connections that carry nothing else.
import type { Contents } from '../contents.ts'
import type { Media } from '../media.ts'
import { type Ask, contentsOver } from '../sql/contents.ts'
import { mediaOver } from '../sql/media.ts'
import { tasksOver } from '../sql/tasks.ts'
import type { Tasks } from '../tasks.ts'
import type { Connections } from './connections.ts'
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

export function postgresContents(connections: Connections): { contents: Contents; media: Media } {
  const ask = askOver(connections)
  return { contents: contentsOver(ask), media: mediaOver(ask) }
}

/** Over other connections than the contents: polling a task must not wait for large rows. */
export const postgresTasks = (connections: Connections): Tasks =>
  tasksOver(askOver(connections), {
    skipLocked: 'FOR UPDATE SKIP LOCKED',
    list: (parameter, type) => `SELECT value::${type} FROM json_array_elements_text(${parameter}::text::json) AS value`,
  })
