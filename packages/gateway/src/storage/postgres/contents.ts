// Contents in PostgreSQL: a table of their own, over connections that carry nothing else.
import type { Contents } from '../contents.ts'
import type { Media } from '../media.ts'
import { type Ask, contentsOver } from '../sql/contents.ts'
import { mediaOver } from '../sql/media.ts'
import type { Connections } from './connections.ts'
import { retryOrDown } from './faults.ts'

/** The server's clock: those of nodes differ, and how old a claim is decides whether it may be taken over. */
const NOW = '(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)'

export function postgresContents(connections: Connections): { contents: Contents; media: Media } {
  const ask: Ask = (sql, parameters) => retryOrDown(() => connections.query(sql.replaceAll('NOW', NOW), parameters))
  return { contents: contentsOver(ask), media: mediaOver(ask) }
}
