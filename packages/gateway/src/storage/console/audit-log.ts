// The audit log: one row for every change that an operation makes. Rows are only added, and removed once they are old.

/** Who made a change. `id`: of the person or the admin key, or the name of the job; empty for the command line. */
export type AuditActor = { type: 'person' | 'admin-key' | 'command-line' | 'job'; id: string }

export type AuditEntry = {
  /** `email`: the person whom the change itself creates. */
  actor: AuditActor | { email: string }
  /** The client's IP address; empty for the command line and jobs. */
  address: string
  /** The id of the HTTP request that asked for it. */
  requestId: bigint | undefined
  /** The name of the operation. */
  action: string
  /** What was changed, such as `key/7`. What the change itself creates is found by what is known of it: the key's hash, the account's email address or name. */
  object:
    | string
    | { key: Uint8Array }
    | { adminKey: Uint8Array }
    | { invitation: Uint8Array }
    | { account: string }
    | { accountName: string }
  /** The fields that changed, as JSON values. Secrets are fingerprints. undefined: there was nothing before, or is nothing now. */
  before: AuditFields | undefined
  after: AuditFields | undefined
  reason: string
}
export type AuditFields = Readonly<Record<string, unknown>>

export type AuditRow = Omit<AuditEntry, 'actor' | 'object'> & {
  id: bigint
  at: number
  actor: AuditActor
  object: string
}

/** `before`: only rows with a lower id; `after`: with a higher one, of which those nearest to it are read. */
export type AuditFilter = { before?: bigint; after?: bigint; object?: string; action?: string }
