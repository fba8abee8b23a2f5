// The one connection of a copy, whose only transaction lasts as long as the copy.
import type { SQL } from 'bun'
import { connect, setLocal } from '../connections/connections.ts'

/** Writing what was read, or reading what is written, may pause for long: a slow disk, a passphrase that is typed. */
const IDLE_MS = 600_000
const TIMEOUTS = setLocal({ lockTimeoutMs: 10_000, statementTimeoutMs: 0, idleInTransactionMs: IDLE_MS })

/** Nothing of it outlives a transaction, so that a pooler may be in between. */
export const openAlone = (url: string, name: string): SQL => connect(url, { name, prepare: false })

export const begin = (mode = ''): string => `BEGIN ${mode}; ${TIMEOUTS}`
