// Before the body of an upload is read: whether the caller could pay for anything that it may be for. An upload takes disk space and
// may last an hour, and one that cannot be paid for takes them from others.

import { keyAllowsModel } from '../access/authorize.ts'
import { contactText, paymentText } from '../access/contact.ts'
import { type Catalogue, type OfferOf, offersOfType } from '../catalogue/catalogue.ts'
import type { ModelType } from '../modalities/index.ts'
import type { Nanos } from '../money/amount.ts'
import { atLeastZero } from '../money/json.ts'
import { type LowFunds, lowFundsFailure } from '../overload/low-funds-cache.ts'
import { Failure } from '../request/failure.ts'
import { availableIn } from '../storage/accounts.ts'
import type { Caller, Keys } from '../storage/storage.ts'

/** Throws Failure if the funds do not cover the least that this offer can cost; without an offer, any model of the caller. */
export type CheckFunds<T extends ModelType> = (offer?: OfferOf<T>) => Promise<void>

/** What an upload is for. `does`: what its models do, in messages: `edits images`. */
export type UploadFor<T extends ModelType> = { type: T; does: string; cheapest(offer: OfferOf<T>): Nanos }

/** `mayReplay`: whether the request may be a repeated one, which costs nothing. */
export function fundsCheck<T extends ModelType>(
  { type, does, cheapest }: UploadFor<T>,
  caller: Caller,
  catalogue: Catalogue,
  mayReplay: () => Promise<boolean>,
  { store }: { store: { keys: Pick<Keys, 'findWithAccount'> } },
): CheckFunds<T> {
  const models = offersOfType(catalogue, caller.group, type)
  const allowed = models.filter(({ model }) => keyAllowsModel(caller, model.id))
  let isExempt = false
  return async (offer) => {
    if (isExempt) return
    if (allowed.length === 0) {
      const message = `Key ${caller.key} may use no model that ${does}. GET /v1/models lists the available models.`
      throw new Failure('model_not_allowed', message, { param: 'model' })
    }
    const minimum = lowest((offer ? [offer] : allowed).map(cheapest))
    if (minimum === 0n) return
    // If the store does not answer, the hold decides.
    const funds = fundsOf(await store.keys.findWithAccount(caller.key).catch(() => undefined), catalogue.config)
    if (!funds || funds.available >= minimum) return
    isExempt = await mayReplay()
    if (!isExempt) throw lowFundsFailure(funds, minimum)
  }
}

const lowest = (amounts: readonly Nanos[]): Nanos => amounts.reduce((one, other) => (one < other ? one : other))

/** The least of what balance and caps have left, and why. */
function fundsOf(
  standing: Awaited<ReturnType<Keys['findWithAccount']>>,
  config: Catalogue['config'],
): LowFunds | undefined {
  if (!standing) return undefined
  const { account, key } = standing
  const balance: LowFunds = {
    code: 'insufficient_balance',
    available: atLeastZero(availableIn(account)),
    before: 'Your credit balance is too low.',
    after: paymentText(config),
  }
  const caps = (['key', 'account'] as const).flatMap((whose): LowFunds[] => {
    const { cap, spentUnderCap, held } = whose === 'key' ? key : account
    const before = `This request would exceed the ${whose}'s spending cap.`
    const available = cap === undefined ? undefined : atLeastZero(cap - spentUnderCap - held)
    return available === undefined
      ? []
      : [{ code: `${whose}_quota_exceeded`, available, before, after: contactText(config) }]
  })
  return [balance, ...caps].reduce((least, funds) => (funds.available < least.available ? funds : least))
}
