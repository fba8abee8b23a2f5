// The rows of the audit log about what protects a person's sign-in: changed in the console by the person, or by who has a link.
import type { AuditEntry } from '../../storage/storage.ts'
import type { Call } from '../call.ts'

type Caller = Pick<Call, 'origin' | 'incoming'>
type Change = Partial<Pick<AuditEntry, 'object' | 'before' | 'after' | 'reason'>>

/** About the person, unless the change names another object. */
export const personEntry = (
  { origin, incoming }: Caller,
  person: bigint,
  action: string,
  { object = `person/${person}`, before, after, reason = '' }: Change = {},
): AuditEntry => ({
  actor: { type: 'person', id: String(person) },
  address: origin.address,
  requestId: incoming.id,
  action,
  object,
  before,
  after,
  reason,
})
