// The one connection of a copy, whose only transaction lasts as long as the copy.
import type { SQL } from 'bun'
import { connect } from '../connections.ts'

/** Writing what was read, or reading what is written, may pause for long: a slow disk, a passphrase that is typed. */
const IDLE_MS = 600_000

export const openAlone = (url: string, name: string): SQL =>
  connect(url, { name, most: 1, lockTimeoutMs: 10_000, statementTimeoutMs: 0, idleInTransactionMs: IDLE_MS })
