// What the operator set on a key is a ceiling: the account holder can lower it, never raise or clear it. The terms of the key, which the
// hold checks, are the stricter of both. Keys without a ceiling are bounded by the cap and the limits of their account.
import { compileCidrs } from '@trivium/http/addresses/client-address.ts'
import { type Block, inBlock } from '@trivium/http/addresses/ip-address.ts'
import { formatUsd } from '../money/amount.ts'
import type { Ceiling, Key, KeyChanges } from '../storage/storage.ts'

/** Why an account holder may not make these changes. `field`: as the terms name it. */
export type AboveCeiling = { field: keyof Ceiling; message: string }

type Bounded = Pick<Key, 'cap' | 'capPeriod' | 'ceiling'>

/** undefined: the changes stay within what the operator set on the key. */
export function aboveCeiling(key: Bounded, changes: KeyChanges): AboveCeiling | undefined {
  const { ceiling } = key
  for (const field of Object.keys(ceiling) as (keyof Ceiling)[]) {
    const message = MESSAGES[field]?.(ceiling, { cap: key.cap, capPeriod: key.capPeriod, ...changes })
    if ((field in changes || (field === 'cap' && 'capPeriod' in changes)) && message !== undefined)
      return { field, message: `${message} The operator of this gateway has set it; it can be lowered, not raised.` }
  }
  return undefined
}

type Check = (ceiling: Ceiling, wanted: KeyChanges) => string | undefined

const most =
  (field: 'requestsPerMinute' | 'tokensPerMinute' | 'concurrent', what: string): Check =>
  (ceiling, wanted) => {
    const [bound, value] = [ceiling[field] ?? 0, wanted[field]]
    return value === undefined || value > bound ? `This key is limited to ${bound} ${what}.` : undefined
  }

const MESSAGES: Partial<Record<keyof Ceiling, Check>> = {
  requestsPerMinute: most('requestsPerMinute', 'requests per minute'),
  tokensPerMinute: most('tokensPerMinute', 'tokens per minute'),
  concurrent: most('concurrent', 'concurrent requests'),
  // Caps of different periods cannot be compared, so the period stays.
  cap: ({ cap = 0n, capPeriod }, wanted) =>
    wanted.cap === undefined || wanted.cap > cap || wanted.capPeriod !== capPeriod
      ? `This key has a cap of ${formatUsd(cap)} USD${capPeriod === undefined ? '' : ` per ${capPeriod}`}.`
      : undefined,
  expiresAt: ({ expiresAt = 0 }, wanted) =>
    wanted.expiresAt === undefined || wanted.expiresAt > expiresAt
      ? `This key expires at ${new Date(expiresAt).toISOString()}.`
      : undefined,
  models: ({ models = [] }, wanted) =>
    wanted.models?.every((model) => models.includes(model))
      ? undefined
      : `This key may use these models only: ${models.join(', ')}.`,
  networks: ({ networks = [] }, wanted) =>
    wanted.networks?.every((network) => isInside(network, networks))
      ? undefined
      : `This key may be used from these addresses only: ${networks.join(', ')}.`,
  group: ({ group = '' }, wanted) => (wanted.group === group ? undefined : `This key stays in the group '${group}'.`),
}

/** Whether all addresses of one network lie in one of the others. */
function isInside(network: string, others: readonly string[]): boolean {
  const [inner] = compileCidrs([network]).cidrs
  const contains = (outer: Block) =>
    inner !== undefined && inner.prefix >= outer.prefix && inBlock({ family: inner.family, value: inner.first }, outer)
  return compileCidrs(others).cidrs.some(contains)
}

/**
 * The operator's changes of a key: they become its ceiling. Where the account holder has chosen something stricter, that stays in
 * force; what the operator removes is no longer limited.
 */
export function operatorChanges(key: Key, changes: KeyChanges): KeyChanges {
  const { name: _, ceiling: __, tags: ___, areTagsLocked: ____, ...terms } = changes
  const ceiling: Ceiling = Object.fromEntries(
    Object.entries({ ...key.ceiling, ...terms }).filter(([, value]) => value !== undefined),
  )
  const held: KeyChanges = {
    ...key.limits,
    ...key.restrictions,
    cap: key.cap,
    capPeriod: key.capPeriod,
    expiresAt: key.expiresAt,
  }
  const kept = Object.keys(terms).filter((field) => {
    const [own, before] = [held[field as keyof Ceiling], key.ceiling[field as keyof Ceiling]]
    // Only what the account holder has chosen, and what stays within the new ceiling.
    const isOwn = own !== undefined && String(own) !== String(before)
    return (
      isOwn &&
      ceiling[field as keyof Ceiling] !== undefined &&
      aboveCeiling({ ...key, ceiling }, { [field]: own }) === undefined
    )
  })
  return { ...changes, ...Object.fromEntries(kept.map((field) => [field, held[field as keyof Ceiling]])), ceiling }
}
