// Whom and what a request is for: from its headers, else from its body, else from its key. Nothing of it reaches a vendor by this.

import type { RequestHeaders } from '@trivium/http/request.ts'
import type { BodyAttribution } from '@trivium/protocol/canonical/request.ts'
import type { AttributionConfig } from '../../config/sections/requests/attribution.ts'
import { type Attribution, LONGEST_NAME } from '../../money/budgets/attribution.ts'
import { Failure } from '../../request/failure.ts'
import type { Caller } from '../../storage/storage.ts'
import type { AccountCipher } from '../secrets/account-cipher.ts'
import { TAGS_HEADER, tagsOf, type WrittenTags } from './tags.ts'

// The first that is there counts.
const TAGS = [TAGS_HEADER, 'x-litellm-tags']
const END_USER = ['x-trivium-user', 'x-litellm-customer-id', 'x-litellm-end-user-id']
const SESSION = ['x-trivium-session', 'x-litellm-session-id', 'x-session-id']

/** In a header; the bodies of the dialects have limits of their own. */
const LONGEST_WRITTEN = 256

export type Pseudonyms = { accountCipher: Pick<AccountCipher, 'pseudonym'> }

/** undefined: nobody has said anything. Throws Failure. */
export function attributionOf(
  headers: RequestHeaders,
  body: BodyAttribution | undefined,
  { account, tags: ofKey }: Pick<Caller, 'account' | 'tags'>,
  config: AttributionConfig,
  deps: Pseudonyms,
): Attribution | undefined {
  const tags = tagsOf(tagsIn(headers) ?? body?.tags, ofKey, config)
  const endUser = named(headers, END_USER) ?? body?.endUser ?? ''
  const session = named(headers, SESSION) ?? body?.session ?? ''
  if (tags.length === 0 && endUser === '' && session === '') return undefined
  const kept = {
    tags,
    endUser: keptEndUser(endUser, account, config, deps),
    session: keptSession(session, account, deps),
  }
  return tags.length === 0 && kept.endUser === '' && session === '' ? undefined : kept
}

function tagsIn(headers: RequestHeaders): WrittenTags | undefined {
  for (const at of TAGS) {
    const value = headers.get(at)
    if (value !== null && value.trim() !== '') return { at, values: value.split(',') }
  }
  return undefined
}

function named(headers: RequestHeaders, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers.get(name)?.trim()
    if (value === undefined || value === '') continue
    if (value.length <= LONGEST_WRITTEN && !/\p{Cc}/u.test(value)) return value
    const message = `The header ${name} takes at most ${LONGEST_WRITTEN} characters, and no control characters.`
    throw new Failure('bad_request', message, { param: name })
  }
  return undefined
}

/** As the ledger knows an end user. What is too long to be kept as it was given is hashed, too. */
export function keptEndUser(
  endUser: string,
  account: bigint,
  { endUsers }: Pick<AttributionConfig, 'endUsers'>,
  deps: Pseudonyms,
): string {
  if (endUser === '' || endUsers === 'off') return ''
  return endUsers === 'plain' && endUser.length <= LONGEST_NAME ? endUser : `u_${hashOf(endUser, account, deps)}`
}

const keptSession = (session: string, account: bigint, deps: Pseudonyms): string =>
  session.length <= LONGEST_NAME ? session : `s_${hashOf(session, account, deps)}`

const HASH_LENGTH = 22
/** Different for each account, and from what vendors see. */
const hashOf = (name: string, account: bigint, { accountCipher }: Pseudonyms): string =>
  accountCipher.pseudonym(account, 'attribution', name).slice(0, HASH_LENGTH)

const KEPT = /^u_[\w-]{22}$/
/** An end user as somebody looks for it: as it is kept, or as requests give it. */
export const soughtEndUser = (
  written: string,
  account: bigint,
  config: Pick<AttributionConfig, 'endUsers'>,
  deps: Pseudonyms,
): string => (KEPT.test(written) ? written : keptEndUser(written, account, config, deps) || written)
