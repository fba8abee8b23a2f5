// What proves who a visitor of the console is: password, second factor, links sent by email.

/** Everything that signing in needs of a person, found by the address. */
export type SignIn = {
  person: bigint
  email: string
  disabled: boolean
  /** The hash; undefined: the person has no password yet. */
  password: string | undefined
  emailVerifiedAt: number | undefined
  secondFactor: SecondFactor | undefined
}

/** `secret` is encrypted. `unusedRecoveryCodes` is a number: the codes themselves are only ever compared. */
export type SecondFactor = { secret: Uint8Array; unusedRecoveryCodes: number }

/** `setup`: a link from the operator's terminal, at the first start or for a person who is locked out. */
export type LinkPurpose = 'verify' | 'reset' | 'setup'

/** `madeByKey`: the admin key that makes it, with which it ends. */
export type NewLink = {
  hash: Uint8Array
  purpose: LinkPurpose
  person: bigint
  expiresAt: number
  madeByKey?: bigint | undefined
}

/** Attempts of a subject (a person, a network) within a window of time, on all nodes. */
export type AttemptLimit = { subject: string; most: number; windowMs: number }

/** `forgottenInMs`: until the end of the window. */
export type Attempts = { count: number; forgottenInMs: number }

export interface SignIns {
  find(email: string): Promise<SignIn | undefined>
  findByPerson(person: bigint): Promise<SignIn | undefined>
  /** Also ends all sessions of the person but `keep`, and makes the links useless that could set another password. */
  setPassword(person: bigint, hash: string, keep?: bigint): Promise<void>
  /**
   * A link proved the address. `verified`: it was sent there by email. Where this is the first proof and the browser that opened the
   * link is not signed in as the person (`isHolder`), another person may have signed up with the address: their sessions, second factor
   * and keys end. Keys that the operator made stay. Resolves with true if anything could end.
   */
  proveAddress(person: bigint, proof: { verified: boolean; isHolder: boolean }): Promise<boolean>
  /** The encrypted secrets of people with a higher id, in order. */
  secondFactors(after: bigint, limit: number): Promise<{ person: bigint; secret: Uint8Array }[]>
  /** The same secret, encrypted anew; nothing happens if it is not `before` any more. */
  resealSecondFactor(person: bigint, before: Uint8Array, after: Uint8Array): Promise<void>
  /**
   * `recoveryCodes`: SHA-256 of each. Also ends all sessions of the person but `keep`: they began without the second factor. undefined
   * removes the second factor and ends no session. false: there is one, which must be removed first.
   */
  setSecondFactor(
    person: bigint,
    factor: { secret: Uint8Array; recoveryCodes: readonly Uint8Array[] } | undefined,
    keep?: bigint,
  ): Promise<boolean>
  /** On behalf of the operator. Also ends all sessions; resolves with their number. undefined: there was no second factor. */
  removeSecondFactor(person: bigint): Promise<number | undefined>
  /** false: this step of time, or a later one, was used before. A one-time password works once. */
  useStep(person: bigint, step: number): Promise<boolean>
  /** false: no such code, or it was used before. */
  useRecoveryCode(person: bigint, hash: Uint8Array): Promise<boolean>

  /**
   * A link that works once. Earlier links of the person for the same purpose stop working. false: the admin key that makes it was deleted
   * meanwhile.
   */
  createLink(link: NewLink): Promise<boolean>
  /** The person whose link it is; it does not work a second time. undefined: unknown, used or expired. */
  useLink(hash: Uint8Array, purpose: LinkPurpose): Promise<bigint | undefined>
  /** The same without using it up. */
  findLink(hash: Uint8Array, purpose: LinkPurpose): Promise<bigint | undefined>

  /** The attempts of subjects that have any, without counting one. */
  attempts(subjects: readonly string[]): Promise<ReadonlyMap<string, Attempts>>
  /** Counts one attempt for every subject. Resolves with the milliseconds to wait if any is above its limit, else undefined. */
  countAttempt(limits: readonly AttemptLimit[]): Promise<number | undefined>
  /** After a success. */
  forgetAttempts(subjects: readonly string[]): Promise<void>
  /** Removes links and attempts that no longer matter, and the oldest attempts of more than `mostSubjects`. */
  sweep(limit: number, mostSubjects?: number): Promise<number>
}
