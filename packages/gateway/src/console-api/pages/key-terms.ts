// Reads what an account holder wants of a key. Nothing is written before all of it is checked.

import { networkErrors } from '../../access/origin.ts'
import type { Group } from '../../config/types.ts'
import { type Nanos, parseUsd } from '../../money/amount.ts'
import { PERIODS, type Period } from '../../money/limits.ts'
import { parseIsoTime } from '../../request/iso-time.ts'
import type { KeyChanges } from '../../storage/storage.ts'
import { badRequest } from '../rejection.ts'
import type { Limits, NewKey } from '../routes/keys.ts'

const LONGEST_NAME = 100
const MOST_ENTRIES = 100
const MOST = 1_000_000_000

/** What the terms depend on. `cap`: the present one. `modelsOf`: the ids that a group offers. */
export type TermsContext = {
  now: number
  cap: Nanos | undefined
  group: Group
  modelsOf(group: string): readonly string[]
}

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u
/** Control characters, and those that change the direction of text or have no width: lists of keys must show what is there. */
const MISLEADING = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2060-\u2069\ufeff]/u

const LIMITS = { rpm: 'requestsPerMinute', tpm: 'tokensPerMinute', concurrent: 'concurrent' } as const

/** Only the fields that are present; null removes. */
export function readTerms(body: Partial<NewKey>, context: TermsContext): KeyChanges {
  const terms: KeyChanges = {}
  if (body.name !== undefined) terms.name = readName(body.name)
  if (body.cap_usd !== undefined) terms.cap = readCap(body.cap_usd)
  const cap = 'cap' in terms ? terms.cap : context.cap
  if ('cap' in terms && cap === undefined) terms.capPeriod = undefined
  if (body.cap_period !== undefined) terms.capPeriod = readPeriod(body.cap_period, cap)
  if (body.expires_at !== undefined) terms.expiresAt = readExpiry(body.expires_at, context.now)
  if (body.models !== undefined) terms.models = readModels(body.models, context)
  if (body.networks !== undefined) terms.networks = readNetworks(body.networks)
  return { ...terms, ...readLimits(body.limits ?? {}) }
}

export function readName(name: string): string {
  const text = name.trim()
  if (text.length > LONGEST_NAME || !VISIBLE.test(text) || MISLEADING.test(text))
    throw badRequest('name', `name must have 1 to ${LONGEST_NAME} characters, all of them visible.`)
  return text
}

function readCap(written: string | null): Nanos | undefined {
  if (written === null) return undefined
  const cap = parseUsd(written)
  if (cap === undefined || cap <= 0n)
    throw badRequest('cap_usd', 'cap_usd must be an amount above zero, such as 12.50.')
  return cap
}

function readPeriod(written: string | null, cap: Nanos | undefined): Period | undefined {
  if (written === null) return undefined
  const period = PERIODS.find((each) => each === written)
  if (!period) throw badRequest('cap_period', `cap_period must be one of ${PERIODS.join(', ')}, or null.`)
  if (cap === undefined) throw badRequest('cap_period', 'cap_period needs a cap_usd.')
  return period
}

function readExpiry(written: string | null, now: number): number | undefined {
  if (written === null) return undefined
  const time = written.includes('T') ? parseIsoTime(written) : undefined
  if (time === undefined) throw badRequest('expires_at', 'expires_at must be a time such as 2027-01-31T12:00:00Z.')
  if (time <= now) throw badRequest('expires_at', 'expires_at must be in the future.')
  return time
}

function readModels(
  written: readonly string[] | null,
  { group, modelsOf }: TermsContext,
): readonly string[] | undefined {
  const models = readList('models', written)
  const offered = modelsOf(group.id)
  const unknown = models?.filter((id) => !offered.includes(id)) ?? []
  if (unknown.length > 0)
    throw badRequest('models', `The group '${group.id}' does not offer these models: ${unknown.join(', ')}.`)
  return models
}

function readNetworks(written: readonly string[] | null): readonly string[] | undefined {
  const networks = readList('networks', written)
  const mistakes = networkErrors(networks ?? [])
  if (mistakes.length > 0) throw badRequest('networks', `networks: ${mistakes.join('; ')}`)
  return networks
}

function readList(name: string, written: readonly string[] | null): readonly string[] | undefined {
  if (written === null) return undefined
  const entries = [...new Set(written.map((entry) => entry.trim()).filter((entry) => entry !== ''))]
  // To allow nothing is never intended, and to allow everything might not be.
  if (entries.length === 0) throw badRequest(name, `${name} needs an entry. Send null to remove the restriction.`)
  if (entries.length > MOST_ENTRIES) throw badRequest(name, `${name} can have ${MOST_ENTRIES} entries at most.`)
  return entries
}

function readLimits(written: Partial<Limits>): KeyChanges {
  const limits: KeyChanges = {}
  for (const name of ['rpm', 'tpm', 'concurrent'] as const) {
    const limit = written[name]
    if (limit === undefined) continue
    if (limit !== null && !(Number.isSafeInteger(limit) && limit >= 1 && limit <= MOST))
      throw badRequest(`limits.${name}`, `limits.${name} must be a whole number from 1 to ${MOST}, or null.`)
    limits[LIMITS[name]] = limit ?? undefined
  }
  return limits
}
