// Web searches: whether the target is asked for one, and what of the caller's options it cannot take.

import { isObject, type Json, readString, readStrings } from '../reading.ts'
import type { CanonicalRequest, SearchOptions, ToolChoice } from '../request.ts'
import type { Warn } from '../warning.ts'

/** By this name a choice of tools means a search, whichever version of it. */
export const isSearchName = (name: string): boolean => /^web_search(?:_|$)/.test(name)

/**
 * The search that the target is asked for. Undefined: there is none, or the caller does not allow it, or there is no price for
 * it. Of several searches in one request the first counts.
 */
export function askedSearch(
  { hostedTools, toolChoice }: CanonicalRequest,
  { searches = false }: { searches?: boolean },
): SearchOptions | undefined {
  if (!searches || toolChoice?.mode === 'none') return undefined
  if (toolChoice?.mode === 'allowed' && !toolChoice.search) return undefined
  return hostedTools.find(({ search }) => search !== undefined)?.search
}

/** The search has to be made: it is chosen, or it is all that is offered where something must be called. */
export function isSearchDemanded(choice: ToolChoice | undefined): boolean {
  if (choice?.mode === 'hosted') return isSearchName(choice.name)
  if (choice?.mode === 'allowed') return choice.required && choice.names.length === 0
  return choice?.mode === 'required'
}

const FIELDS = {
  contextSize: 'searchContextSize',
  location: 'searchLocation',
  allowedDomains: 'searchAllowedDomains',
  blockedDomains: 'searchBlockedDomains',
  maxUses: 'searchMaxUses',
} as const

/** Names the options that the target has no field for. */
export function warnOfSearchOptions(search: SearchOptions, taken: readonly (keyof SearchOptions)[], warn: Warn): void {
  for (const option of Object.keys(FIELDS) as (keyof typeof FIELDS)[])
    if (search[option] !== undefined && !taken.includes(option)) warn(FIELDS[option], 'dropped')
}

const SIZES = ['low', 'medium', 'high'] as const

/** A size that the gateway does not know is left to the vendor. */
export function readContextSize(from: Json, at: string): SearchOptions['contextSize'] {
  const size = readString(from, 'search_context_size', at)
  return SIZES.find((known) => known === size)
}

/** City, region, country and timezone, which are spelled alike wherever a dialect has them. */
export function readLocation(value: unknown, at: string): SearchOptions['location'] {
  if (!isObject(value)) return undefined
  const location: NonNullable<SearchOptions['location']> = {}
  for (const name of ['city', 'region', 'country', 'timezone'] as const) {
    const text = readString(value, name, at)
    if (text !== undefined && text !== '') location[name] = text
  }
  return Object.keys(location).length === 0 ? undefined : location
}

/** Undefined where there are none: an empty list excludes nothing. */
export function readDomains(from: Json, name: string, at: string): readonly string[] | undefined {
  const domains = readStrings(from, name, at)
  return domains?.length === 0 ? undefined : domains
}

/** The most searches for one answer. What is no such number is left to the vendor to judge, who alone knows its limits. */
export const readMaxUses = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
