// What the main thread and the writer thread say to each other, strictly in turns.
import type { Verb } from '../../money/ledger.ts'
import type { Statement } from '../sql/queries.ts'
import type { Row } from '../sql/rows.ts'
import type { Answer, Failure } from './transactions.ts'

export type ToWriter =
  | { type: 'open'; file: string; busyTimeoutMs: number; now: number }
  | { type: 'verbs'; now: number; verbs: readonly Verb[] }
  | { type: 'write'; statements: readonly Statement[] }
  | { type: 'close' }

export type FromWriter =
  | { type: 'opened' | 'closed' }
  | { type: 'verbs'; answers: Answer[] }
  | { type: 'write'; answer: Row[][] | undefined | Failure }
  | ({ type: 'failed' } & Failure)
