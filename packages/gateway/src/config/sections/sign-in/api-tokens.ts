// Setting `sign_in.api_tokens`: tokens of sign-in providers that are accepted in place of API keys, and whom they are of.

import { LONGEST_TAG, MOST_TAGS } from '../../../money/budgets/attribution.ts'
import { addMistake, type YamlValue } from '../../../yaml/document.ts'
import { entriesOf, fieldsOf, listOf, quoteSource, type Reader } from '../../../yaml/fields.ts'
import { readBoolean, readDuration, readId, readText } from '../../../yaml/scalars.ts'

/** The tokens of one provider, and of one or some of its audiences. */
export type ApiTokens = {
  /** Its id. */
  provider: string
  /** One of them must be in `aud`. */
  audiences: readonly string[]
  /** Who may have asked for the token (`azp`, `client_id`); none: any client. */
  clients: readonly string[]
  /** Names a person who has not signed in here yet. */
  emailClaim: string
  /** The provider vouches for these addresses, although its tokens do not say so. */
  trustsEmail: boolean
  /** By the values of a claim, else one for all; neither: the person's own. */
  account: string | undefined
  accountClaim: string | undefined
  accounts: ReadonlyMap<string, string>
  /** Likewise; neither: that of the key. */
  group: string | undefined
  groupClaim: string | undefined
  groups: ReadonlyMap<string, string>
  /** Claims by names of tags. */
  tags: ReadonlyMap<string, string>
  /** People who are not known here, or no members of the account, are entered. */
  creates: boolean
  /** Between the clocks of the provider and of this machine. */
  clockSkewMs: number
}

const FIELDS = {
  provider: true,
  audiences: true,
  clients: true,
  email_claim: true,
  trusts_email: true,
  account: true,
  account_claim: true,
  accounts: true,
  group: true,
  group_claim: true,
  groups: true,
  tags: true,
  creates: true,
  clock_skew: true,
} as const
export const API_TOKENS_EXAMPLE = '{ provider: company, audiences: ["https://gw.example.com"] }'
export const MOST_API_TOKENS = 16
const MOST_ENTRIES = 100
const LONGEST_NAME = 200
const DEFAULT_SKEW_MS = 60_000
const MOST_SKEW_MS = 300_000

export function readApiTokens(value: YamlValue): ApiTokens | undefined {
  const fields = fieldsOf(value, FIELDS, API_TOKENS_EXAMPLE)
  if (!fields) return undefined
  const provider = fields.required('provider', readId, 'the id of one of sign_in.providers')
  const audiences = fields.required('audiences', names('["https://gw.example.com"]'), 'what is in aud of the tokens')
  const written = fields.get('audiences')
  if (written && audiences?.length === 0) addMistake(written, 'must name at least one audience')
  const read = {
    clients: fields.optional('clients', names('[command-line]'), []),
    emailClaim: fields.optional('email_claim', readName, 'email'),
    trustsEmail: fields.optional('trusts_email', readBoolean, false),
    account: fields.optional<string | undefined>('account', readName, undefined),
    accountClaim: fields.optional<string | undefined>('account_claim', readName, undefined),
    accounts: fields.optional('accounts', mapOf(readName, '{ research: "12" }'), new Map()),
    group: fields.optional<string | undefined>('group', readId, undefined),
    groupClaim: fields.optional<string | undefined>('group_claim', readName, undefined),
    groups: fields.optional('groups', mapOf(readId, '{ research-staff: research }'), new Map()),
    tags: fields.optional('tags', readTags, new Map()),
    creates: fields.optional('creates', readBoolean, false),
    clockSkewMs: fields.optional('clock_skew', readDuration({ min: 0, max: MOST_SKEW_MS }), DEFAULT_SKEW_MS),
  }
  for (const [mapping, claim] of [
    ['accounts', 'account_claim'],
    ['groups', 'group_claim'],
  ] as const)
    if ((fields.get(mapping) === undefined) !== (fields.get(claim) === undefined))
      addMistake(fields.get(mapping) ?? fields.get(claim) ?? value, `${mapping} and ${claim} need each other`)
  if (provider === undefined || audiences === undefined) return undefined
  return { provider, audiences, ...read }
}

type Provider = { id: string; domains: readonly string[] }
export function checkApiTokens(value: YamlValue, all: readonly ApiTokens[], providers: readonly Provider[]): void {
  for (const [index, { provider, audiences, creates }] of all.entries()) {
    const found = providers.find(({ id }) => id === provider)
    const ids = providers.map(({ id }) => id).join(', ') || 'none'
    if (!found) addMistake(value, `there is no provider ${provider} (sign_in.providers: ${ids})`)
    else if (creates && found.domains.length === 0)
      addMistake(value, `creates needs domains of the provider ${provider}: anyone in the world may be known to it`)
    const twin = all.slice(0, index).find((one) => one.provider === provider && meet(one.audiences, audiences))
    if (twin) addMistake(value, `two entries have the provider ${provider} and one audience`)
  }
}

const meet = (some: readonly string[], others: readonly string[]): boolean => some.some((each) => others.includes(each))

function readName(value: YamlValue): string | undefined {
  const text = readText(value)
  if (text === undefined || (text.length <= LONGEST_NAME && !/\p{Cc}/u.test(text))) return text
  addMistake(value, `has more than ${LONGEST_NAME} characters, or control characters`)
  return undefined
}

const names =
  (example: string): Reader<string[]> =>
  (value) => {
    const list = listOf(readName, example)(value)
    if (list && list.length > MOST_ENTRIES)
      addMistake(value, `has ${list.length} entries; ${MOST_ENTRIES} are possible`)
    return list
  }

const mapOf =
  (read: Reader<string>, example: string, most = MOST_ENTRIES): Reader<ReadonlyMap<string, string>> =>
  (value) => {
    const entries = entriesOf(value, example)
    if (entries.length > most) addMistake(value, `has ${entries.length} entries; ${most} are possible`)
    return new Map(
      entries.flatMap(([name, each]): [string, string][] => {
        const mapped = read(each)
        return mapped === undefined ? [] : [[name, mapped]]
      }),
    )
  }

/** Half of the tags of a request: the others are its own. */
const MOST_CLAIMED = MOST_TAGS / 2

function readTags(value: YamlValue): ReadonlyMap<string, string> | undefined {
  const tags = mapOf(readName, '{ team: department }', MOST_CLAIMED)(value)
  for (const name of tags?.keys() ?? [])
    if (name.length > LONGEST_TAG / 2 || /[=,\s\p{C}]/u.test(name))
      addMistake(value, `${quoteSource(value)}: ${name} is no name of a tag; write one such as team`)
  return tags
}
