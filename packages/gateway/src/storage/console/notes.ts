// What operators note of accounts, for each other. Account holders never see it.
import type { AuditActor } from './audit-log.ts'

export type Note = { id: bigint; account: bigint; at: number; author: AuditActor; text: string }

export interface Notes {
  /** Newest first. */
  list(account: bigint): Promise<Note[]>
  /** undefined: the account has `most` already. */
  add(note: Pick<Note, 'account' | 'author' | 'text'>, most: number): Promise<Note | undefined>
  /** false: the account has no such note. */
  delete(account: bigint, note: bigint): Promise<boolean>
}
