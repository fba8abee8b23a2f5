// Whom a verified token is of, by the operator's mapping: what of its claims is kept while it is valid.

import type { ApiTokens } from '../../config/sections/sign-in/api-tokens.ts'
import type { SignInProvider } from '../../config/sections/sign-in.ts'
import { MOST_TAGS } from '../../money/budgets/attribution.ts'
import { Failure } from '../../request/failure.ts'
import { canonicalTags, tagError } from '../attribution/tags.ts'
import { isStrictAddress } from '../email-address.ts'
import { type Claims, type ReadToken, wrong } from './read-token.ts'

export type Bearer = {
  mapping: ApiTokens
  provider: SignInProvider
  sub: string
  /** Proved by the provider. undefined: the token does not say. */
  email: string | undefined
  /** Its id or name; undefined: the person's own. */
  account: string | undefined
  /** undefined: that of the key. */
  group: string | undefined
  tags: readonly string[]
}

/** Throws Failure. */
export function bearerOf({ claims, mapping, provider, sub }: ReadToken): Bearer {
  const { accountClaim, accounts, groupClaim, groups } = mapping
  const account = mapped(claims, accountClaim, accounts) ?? mapping.account
  if (account === undefined && accountClaim !== undefined)
    throw wrong(`The token is of no account of this gateway (claim ${accountClaim}). Ask the operator of this gateway.`)
  const group = mapped(claims, groupClaim, groups) ?? mapping.group
  return { mapping, provider, sub, email: addressIn(claims, mapping), account, group, tags: tagsIn(claims, mapping) }
}

/** Names may have dots in them, as URLs do; else they lead into objects, such as realm_access.roles. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.'))
    value = typeof value === 'object' && value !== null && Object.hasOwn(value, part) ? Object(value)[part] : undefined
  return value
}

/** The first of the mapping that the claim has: operators order it. */
function mapped(claims: Claims, name: string | undefined, mapping: ReadonlyMap<string, string>): string | undefined {
  if (name === undefined) return undefined
  const values = [claimAt(claims, name)].flat()
  for (const [value, to] of mapping) if (values.includes(value)) return to
  return undefined
}

function addressIn(claims: Claims, { emailClaim, trustsEmail }: ApiTokens): string | undefined {
  const email = claimAt(claims, emailClaim)
  // Some providers send text.
  if (typeof email !== 'string' || !(trustsEmail || String(claims.email_verified) === 'true')) return undefined
  const address = email.trim().toLowerCase()
  return isStrictAddress(address) ? address : undefined
}

function tagsIn(claims: Claims, { tags }: ApiTokens): readonly string[] {
  const found = [...tags].flatMap(([name, claim]) =>
    [claimAt(claims, claim)].flat().flatMap((value): string[] => {
      if (value === undefined || value === null || value === '') return []
      const tag = `${name}=${typeof value === 'object' ? '' : value}`
      const error = typeof value === 'object' ? 'It is no text.' : tagError(tag)
      if (error === undefined) return [tag]
      throw new Failure('bad_request', `The claim ${claim} of the token cannot be the tag ${name}. ${error}`)
    }),
  )
  const canonical = canonicalTags(found)
  if (canonical.length <= MOST_TAGS) return canonical
  throw new Failure('bad_request', `The claims of the token give ${canonical.length} tags; ${MOST_TAGS} are possible.`)
}
