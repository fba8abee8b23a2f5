// Section `sign_in`: providers that people of companies sign in at (OpenID Connect).
import { isIP } from 'node:net'
import { GATEWAY_ROLES, type GatewayRole } from '../../storage/people/people.ts'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { entriesOf, FILE_ONLY, fieldsOf, listOf, quoteSource, type Reader } from '../../yaml/fields.ts'
import { readBoolean, readId, readText, readUrl, readWord } from '../../yaml/scalars.ts'
import {
  boolean,
  duration,
  readRows,
  rulesOf,
  setting,
  type ValuesOf,
  written as writtenAs,
} from '../settings/setting.ts'
import {
  API_TOKENS_EXAMPLE,
  type ApiTokens,
  checkApiTokens,
  MOST_API_TOKENS,
  readApiTokens,
} from './sign-in/api-tokens.ts'

/** A provider of sign-ins (OpenID Connect). */
export type SignInProvider = {
  /** In the URL of its sign-in. */
  id: string
  /** On its button. */
  name: string
  issuer: string
  clientId: string
  clientSecret: string
  /** Whose addresses may sign in for the first time; none: only people who are known or invited. */
  domains: readonly string[]
  /** What is asked of the provider. */
  scopes: readonly string[]
  /** The claim that lists the groups of a person at the provider. */
  groupsClaim: string | undefined
  /** What these groups give: a role in the gateway, and groups of prices. */
  roles: ReadonlyMap<string, GatewayRole>
  priceGroups: ReadonlyMap<string, string>
  /** The provider may be at a private address. */
  allowPrivate: boolean
}

const DEFAULT_SCOPES = ['openid', 'email', 'profile']
/** As the longest session of a password. */
const LONGEST_SESSION_MS = 90 * 24 * 3_600_000

const PROVIDER_FIELDS = {
  id: true,
  name: true,
  issuer: true,
  client_id: true,
  client_secret: true,
  domains: true,
  scopes: true,
  groups_claim: true,
  roles: true,
  price_groups: true,
  allow_private: FILE_ONLY,
} as const
const ISSUER_EXAMPLE = 'https://id.example.com'
const EXAMPLE = `{ id: company, issuer: "${ISSUER_EXAMPLE}", client_id: trivium, client_secret: "\${CLIENT_SECRET}" }`
/** Each has a button on the page. */
const MOST_PROVIDERS = 16
const MOST_ENTRIES = 100

export const SIGN_IN = {
  password: setting('password', boolean, true, {
    en: 'People may sign in with a password. Owners always may.',
    zh: '允许使用密码登录。所有者始终可以。',
  }),
  sessionAgeMs: setting('session_age', duration({ min: 60_000, max: LONGEST_SESSION_MS }), 24 * 3_600_000, {
    en: 'After a sign-in at a provider, how long until the next one.',
    zh: '通过提供方登录后，多久需要重新登录。',
  }),
  providers: setting<readonly SignInProvider[]>(
    'providers',
    writtenAs('objects', few(listOf(readProvider, `[${EXAMPLE}]`), MOST_PROVIDERS)),
    [],
    {
      en: 'OpenID Connect providers that people sign in at.',
      zh: '用于登录的 OpenID Connect 提供方。',
    },
  ),
  apiTokens: setting<readonly ApiTokens[]>(
    'api_tokens',
    writtenAs('objects', few(listOf(readApiTokens, `[${API_TOKENS_EXAMPLE}]`), MOST_API_TOKENS)),
    [],
    {
      en: 'Tokens (JWT) of these providers that are accepted in place of API keys, and whom they are of.',
      zh: '可代替 API 密钥的提供方令牌（JWT），以及它们归属于谁。',
    },
  ),
}

export function readSignIn(value: YamlValue): ValuesOf<typeof SIGN_IN> | undefined {
  const fields = fieldsOf(value, rulesOf(SIGN_IN), `sign_in: { providers: [${EXAMPLE}] }`)
  if (!fields) return undefined
  const signIn = readRows(fields, SIGN_IN)
  const { providers, password } = signIn
  const [written, off] = [fields.get('providers'), fields.get('password')]
  if (written) rejectTwins(written, providers)
  const tokens = fields.get('api_tokens')
  if (tokens) checkApiTokens(tokens, signIn.apiTokens, providers)
  if (off && !written && !password) addMistake(off, 'false, but there are no providers to sign in at; add providers')
  return signIn
}

function readProvider(value: YamlValue): SignInProvider | undefined {
  const fields = fieldsOf(value, PROVIDER_FIELDS, EXAMPLE)
  if (!fields) return undefined
  const id = fields.required('id', readId)
  const issuer = fields.required('issuer', readIssuer, `such as ${ISSUER_EXAMPLE}`)
  const clientId = fields.required('client_id', readText)
  const clientSecret = fields.required('client_secret', readText)
  const groupsClaim = fields.optional<string | undefined>('groups_claim', readText, undefined)
  const readRoles = mapOf(readWord(GATEWAY_ROLES), '{ trivium-admins: admin }')
  const provider = {
    name: fields.optional('name', readText, id ?? ''),
    domains: fields.optional('domains', few(listOf(readDomain, '[example.com]'), MOST_ENTRIES), []),
    scopes: fields.optional('scopes', few(listOf(readScope, '[openid, email, groups]'), MOST_ENTRIES), DEFAULT_SCOPES),
    groupsClaim,
    roles: fields.optional('roles', readRoles, new Map()),
    priceGroups: fields.optional('price_groups', mapOf(readId, '{ trivium-staff: staff }'), new Map()),
    allowPrivate: fields.optional('allow_private', readBoolean, false),
  }
  const scopes = fields.get('scopes')
  if (scopes && !provider.scopes.includes('openid'))
    addMistake(scopes, 'must have openid, without which nobody is named')
  for (const name of ['roles', 'price_groups']) {
    const mapping = fields.get(name)
    if (mapping && groupsClaim === undefined) addMistake(mapping, 'needs groups_claim, the claim that lists the groups')
  }
  if (id === undefined || issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined
  const { href, isLoopback } = issuer
  return { ...provider, id, issuer: href, clientId, clientSecret, allowPrivate: provider.allowPrivate || isLoopback }
}

/** As the provider writes it: it is compared. A provider on this machine is for tests, and for files alone. */
function readIssuer(value: YamlValue): { href: string; isLoopback: boolean } | undefined {
  const url = readUrl(value, { credentials: false, example: ISSUER_EXAMPLE })
  if (!url) return undefined
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isLoopback = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
  const text = readText(value) ?? ''
  if (url.protocol === 'https:' && !isLoopback) return { href: text, isLoopback }
  if (isLoopback && !value.context.isLiteral) return { href: text, isLoopback }
  addMistake(value, `must be an https:// URL, such as ${ISSUER_EXAMPLE}; a provider on this machine only in the file`)
  return undefined
}

function readScope(value: YamlValue): string | undefined {
  const text = readText(value)
  if (text === undefined || /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(text)) return text
  addMistake(value, `${quoteSource(value)} is not a scope; write one such as groups`)
  return undefined
}

function readDomain(value: YamlValue): string | undefined {
  const text = readText(value)?.toLowerCase()
  if (text === undefined || /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]{2,}$/.test(text)) return text
  addMistake(value, `${quoteSource(value)} is not a domain; write one such as example.com`)
  return undefined
}

/** By the names of the provider's groups. */
const mapOf =
  <T>(read: Reader<T>, example: string): Reader<ReadonlyMap<string, T>> =>
  (value) => {
    const entries = entriesOf(value, example)
    if (entries.length > MOST_ENTRIES) addMistake(value, `has ${entries.length} entries; ${MOST_ENTRIES} are possible`)
    return new Map(
      entries.flatMap(([name, each]): [string, T][] => {
        const mapped = read(each)
        return mapped === undefined ? [] : [[name, mapped]]
      }),
    )
  }

function few<T>(read: Reader<T[]>, most: number): Reader<T[]> {
  return (value) => {
    const list = read(value)
    if (list && list.length > most) addMistake(value, `has ${list.length} entries; ${most} are possible`)
    return list
  }
}

/** Identities are kept by issuer: two providers with one would share them. */
function rejectTwins(value: YamlValue, providers: readonly SignInProvider[]): void {
  for (const field of ['id', 'issuer'] as const) {
    const twin = providers.find((one, index) => providers.findIndex((other) => other[field] === one[field]) < index)
    if (twin) addMistake(value, `two providers have the ${field} ${twin[field]}`)
  }
}
