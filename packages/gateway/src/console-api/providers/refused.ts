// Why a sign-in at a provider ended without a session. The page of the console has a sentence for each.

export const REFUSALS = [
  'unavailable',
  'expired',
  'cancelled',
  'unverified_address',
  'foreign_domain',
  'not_invited',
  'unproved_address',
  'taken_address',
  'disabled',
  'busy',
  'failed',
] as const
export type Refusal = (typeof REFUSALS)[number]

export class SignInRefused extends Error {
  override name = 'SignInRefused'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal)
    this.refusal = refusal
  }
}
