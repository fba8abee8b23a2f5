// Contents in PostgreSQL: a table of their own, over connections that carry nothing else.
import type { Contents } from '../contents.ts'
import type { Media } from '../media.ts'
import type { Reasoning } from '../reasoning.ts'
import type { Responses } from '../responses.ts'
import type { SealedRows } from '../sealed-rows.ts'
import type { Shares } from '../shares.ts'
import { type Ask, contentsOver } from '../sql/contents.ts'
import { mediaOver } from '../sql/media.ts'
import { reasoningOver } from '../sql/reasoning.ts'
import { responsesOver } from '../sql/responses.ts'
import { sealedRowsOver } from '../sql/sealed-rows.ts'
import { sharesOver } from '../sql/shares/shares.ts'
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

const list = (parameter: string, type: 'bigint' | 'text' = 'text'): string =>
  `SELECT value::${type} FROM json_array_elements_text(${parameter}::text::json) AS value`
const skipLocked = 'FOR UPDATE SKIP LOCKED'

type ContentNouns = {
  contents: Contents
  media: Media
  responses: Responses
  reasoning: Reasoning
  shares: Shares
  sealedRows: SealedRows
}

export function postgresContents(connections: Connections): ContentNouns {
  const ask = askOver(connections)
  const lock = 'FOR NO KEY UPDATE'
  const listOf = (column: string): string => `json_agg(${column})::text`
  const listOfBytes = (parameter: string): string =>
    `SELECT decode(value, 'hex') FROM (${list(parameter)}) AS hexadecimal`
  const { shares, rooms } = sharesOver(ask, { list, listOfBytes })
  return {
    contents: contentsOver(ask, rooms.stored),
    media: mediaOver(ask, rooms.media),
    shares,
    sealedRows: sealedRowsOver(ask),
    responses: responsesOver(ask, { lock, skipLocked, list, listOf }, rooms.stored),
    reasoning: reasoningOver(ask, { skipLocked, listOfBytes }),
  }
}

/** Over other connections than the contents: polling a task must not wait for large rows. */
export const postgresTasks = (connections: Connections): Tasks => tasksOver(askOver(connections), { skipLocked, list })
