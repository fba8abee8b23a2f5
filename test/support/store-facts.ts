// What is in the store of a release (test/fixtures/stores), as its own program showed it.

type Key = { id: string; secret: string }

export type StoreFacts = {
  passphrase: string
  password: string
  email: string
  /** The id of the account of that person. */
  account: string
  member: string
  team: string
  /** The secret of the second factor, in base 32. */
  secondFactor: string
  recoveryCode: string
  keys: { plain: Key; limited: Key; removed: Key }
  codes: { redeemed: string; revoked: string; unused: string }
  /** A request that is repeated with its key, and what it was answered with. */
  idempotent: { body: object; headers: Record<string, string>; text: string }
  response: string
  /** The signed URL. */
  image: string
  video: string
  accounts: { id: string; name: string; balance_usd: string }[]
  keyRows: object[]
  receipts: object[]
  spending: object[]
  auditLog: object[]
  alerts: object[]
  rejected: object[]
  /** What stores have since 0.2.0. */
  since2?: {
    adminKey: string
    /** A key of an account that an operator disabled with a reason. */
    unpaid: string
    background: string
    entries: object[]
    revisions: object[]
  }
}
