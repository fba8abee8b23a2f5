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
