// One vendor account serves many callers. This policy isolates them: caches are separated by account, stored objects rejected, and
// end users replaced by a hash. Options without a price are removed or rejected.

import type { TextDialect } from '@trivium/protocol/dialects/index.ts'
import type { PassThroughEdits, PricedField } from '@trivium/protocol/dialects/pass-through.ts'
import { rejectObjects, removeUnpriced } from '../../access/tenant-policy.ts'
import { isPricedBeta } from '../../modalities/route-edits.ts'
import { isPriced, NO_OPTIONS, type PricedOptions, type TokenPrice } from '../../money/prices/token-price.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import type { PlannedAttempt } from '../request.ts'

export type TenantPolicy = {
  /** Instead of the caller's own, which could collide with another caller's. */
  cacheKey: string | undefined
  /** For requests that name no end user. */
  endUser: string
  /** Remove the fields without a price. */
  edits: readonly PassThroughEdits[]
  /** The removed fields. */
  unpriced: readonly string[]
  /** The options that have a price. */
  options: PricedOptions
}

const LONGEST_CACHE_KEY = 64
const TAG_IN_KEY = 12

/** `translated`: into another dialect. What of hosted tools can be translated, and is charged, the translation decides. */
export function tenantPolicy(
  { request: { parsed }, caller, candidate, offer }: PlannedAttempt,
  { seals }: Pick<TextCallDependencies, 'seals'>,
  translated = false,
): TenantPolicy {
  rejectObjects(parsed, candidate.upstream.sharedObjects)
  const tag = seals.tagOf(caller.account)
  const cacheKey = parsed.cacheKey === undefined ? undefined : accountKey(tag, parsed.cacheKey)
  // Most requests have no priced options.
  if (parsed.priced.length === 0) return { cacheKey, endUser: tag, edits: NONE, unpriced: NONE, options: NO_OPTIONS }
  return { cacheKey, endUser: tag, ...policyForPriced(parsed.priced, offer.rate.price, translated) }
}

const NONE: readonly never[] = []

function policyForPriced(
  fields: readonly PricedField[],
  price: TokenPrice,
  translated: boolean,
): Pick<TenantPolicy, 'edits' | 'unpriced' | 'options'> {
  const hasPrice = (each: PricedField) => isPriced(price, each)
  const { edits, unpriced } = removeUnpriced(fields, (each) => isAllowed(each, price, translated), hasPrice)
  return {
    edits,
    unpriced,
    options: translated ? NO_OPTIONS : optionsOf(fields, price),
  }
}

/** There are other tiers, such as speed; responses report the service tier. */
export const isServiceTier = ({ kind, field }: Pick<PricedField, 'kind' | 'field'>): boolean =>
  kind === 'tier' && /service_?tier$/i.test(field)

/** The translation handles hosted tools itself; what else it would drop silently is rejected, with or without a price. */
function isAllowed(each: PricedField, price: TokenPrice, translated: boolean): boolean {
  return isPriced(price, each) && (!translated || isServiceTier(each) || each.kind === 'tool')
}

/** Where the request does not limit the calls of a hosted tool: vendors stop a response after about so many. */
export const CALLS_EXPECTED = 8
export const MOST_CALLS = 100_000

/** `most`: the request's limit on calls of the tool. */
const callsOf = ({ most = CALLS_EXPECTED }: Pick<PricedField, 'most'>): number => Math.min(most, MOST_CALLS)

export function optionsOf(fields: readonly Omit<PricedField, 'remove'>[], price: TokenPrice): PricedOptions {
  const priced = fields.filter((each) => isPriced(price, each))
  if (priced.length === 0) return NO_OPTIONS
  const tools = priced.filter(({ kind }) => kind === 'tool')
  const also = priced.filter((each) => each.kind !== 'tool' && !isServiceTier(each))
  return {
    tier: priced.find(isServiceTier)?.word,
    also: [...new Set(also.map(({ word }) => word))],
    tools: new Map(tools.map((each) => [each.word, callsOf(each)])),
  }
}

function accountKey(tag: string, key: string): string {
  const prefix = `${tag.slice(0, TAG_IN_KEY)}-`
  if (prefix.length + key.length <= LONGEST_CACHE_KEY) return prefix + key
  return prefix + hashOf(key)
}

const hashOf = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('base64url')

/**
 * What a vendor sees of an end user: the same name gives different pseudonyms for two accounts, and different names of one
 * account give different pseudonyms. undefined: the name is sent as it is.
 */
export function pseudonymOf(
  { caller, candidate }: PlannedAttempt,
  endUser: string,
  { accountCipher }: Pick<TextCallDependencies, 'accountCipher'>,
): string | undefined {
  const { embedded, sharedObjects } = candidate.upstream
  if (sharedObjects || embedded) return undefined
  return accountCipher.pseudonym(caller.account, 'end users', endUser)
}

/** For an upstream of another dialect. Agents put whole descriptions of a session there, and vendors limit the length. */
export function shortEndUser(endUser: string, { longestEndUser = Number.POSITIVE_INFINITY }: TextDialect): string {
  return endUser.length > longestEndUser ? hashOf(endUser) : endUser
}

/** Beta features that change the price of tokens are not passed on. */
export function withoutPricedBetas(betas: string): { kept: string; removed: string[] } {
  const all = betas.split(',').map((beta) => beta.trim())
  const removed = all.filter(isPricedBeta)
  return { kept: all.filter((beta) => beta !== '' && !isPricedBeta(beta)).join(','), removed }
}
