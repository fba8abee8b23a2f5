// Field `auth` of an upstream: what authorises its requests in place of keys.
import { resolve } from 'node:path'
import { isMap } from 'yaml'
import { addMistake, type YamlValue } from '../../../yaml/document.ts'
import {
  FILE_ONLY,
  type FieldRules,
  type Fields,
  fieldsOf,
  quoteSource,
  type Reader,
  scalarText,
  writtenFields,
} from '../../../yaml/fields.ts'
import { readWord } from '../../../yaml/scalars.ts'
import { isCredentialJson, secretsOfAuth } from '../../secret-paths.ts'
import type { Upstream, UpstreamAuth } from '../../types.ts'
import type { UpstreamKind } from '../../upstream-kinds.ts'

export type AuthType = UpstreamAuth['type']

/** Who may store entries must not run programs, read files or assume roles: such fields are for the file alone. */
const FIELDS = {
  aws: {
    region: true,
    profile: FILE_ONLY,
    role_arn: FILE_ONLY,
    external_id: FILE_ONLY,
    access_key: true,
    secret_key: true,
    session_token: true,
  },
  google: { credentials: true, project: true, location: true },
  entra: { tenant: true, client_id: true, client_secret: true },
} as const satisfies Record<AuthType, FieldRules>

/** Fields that only a file can have, by their paths below an upstream. */
export const FILE_ONLY_AUTH: readonly string[] = Object.values(FIELDS).flatMap((fields) =>
  Object.entries(fields).flatMap(([name, rule]) => (rule === FILE_ONLY ? [name] : [])),
)

/** Those that stored entries can have, too. */
export const storedAuthFields = (type: AuthType): string[] =>
  Object.entries(FIELDS[type]).flatMap(([name, rule]) => (rule === FILE_ONLY ? [] : [name]))

export const AUTH_TYPES = Object.keys(FIELDS) as readonly AuthType[]
const EXAMPLE = 'auth: { type: aws, region: us-east-1 }'

type Kinds = ReadonlyMap<string, UpstreamKind>

/** undefined: keys authorise its requests, or there is a mistake. */
export function readAuth(fields: Fields, kind: UpstreamKind | undefined, kinds: Kinds): UpstreamAuth | undefined {
  const field = fields.get('auth')
  const usual = kind?.auth?.types.find((type) => type !== 'key')
  if (!field) return usual !== undefined && !fields.get('keys') ? { type: usual } : undefined
  const auth = readFields(field)
  if (!auth) return undefined
  if (fields.get('keys')) addMistake(field, 'keys already authorise its requests; write keys or auth, not both')
  const isKnown = fields.get('kind') === undefined || kind !== undefined
  if (isKnown && !kind?.auth?.types.includes(auth.type)) {
    const names = [...kinds.values()].flatMap((each) => (each.auth?.types.includes(auth.type) ? [each.kind] : []))
    const which = kind ? `the kind ${kind.kind}` : 'an upstream without kind'
    addMistake(field, `${which} does not take auth of type ${auth.type}; kinds that do: ${names.join(', ')}`)
  }
  return auth
}

/**
 * A stored upstream without secrets of its own is sent those of this machine: they must not go to a host of whoever stored it.
 */
export function rejectOtherHosts(fields: Fields, { auth, baseUrl }: Pick<Upstream, 'auth' | 'baseUrl'>): void {
  const { context } = fields.value
  if (!auth || baseUrl === '' || !context.isLiteral || secretsOfAuth(auth).length > 0 || HOSTS[auth.type].test(baseUrl))
    return
  const field = fields.get('base_url') ?? fields.value
  addMistake(
    field,
    `is not a host of the vendor, which alone may get credentials of this machine; give auth its own secrets, or write this upstream into the configuration file`,
  )
}

const HOSTS: Readonly<Record<AuthType, RegExp>> = {
  aws: /^https:\/\/bedrock[\w-]*\.[\w-]+\.(?:amazonaws\.com(?:\.cn)?|api\.aws)(?:\/|$)/,
  google: /^https:\/\/(?:[\w-]+-)?aiplatform\.(?:[\w-]+\.rep\.)?googleapis\.com(?:\/|$)/,
  entra: /^https:\/\/[\w-]+\.(?:openai|services\.ai|cognitiveservices)\.azure\.(?:com|us|cn)(?:\/|$)/,
}

function readFields(value: YamlValue): UpstreamAuth | undefined {
  const type = typeOf(value)
  const rules: FieldRules = type ? FIELDS[type] : { ...FIELDS.aws, ...FIELDS.google, ...FIELDS.entra }
  const fields = fieldsOf(value, { type: true, ...rules }, EXAMPLE)
  const read = fields?.required('type', readWord(AUTH_TYPES), `write one of ${AUTH_TYPES.join(', ')}`)
  return fields && read && READERS[read](fields)
}

/** As it is written, before it is checked: the other fields depend on it. */
function typeOf(value: YamlValue): AuthType | undefined {
  const map = value.context.resolve(value.node)
  const node = isMap(map) ? writtenFields(map, value).find(({ name }) => name === 'type')?.value : undefined
  const written = node && value.context.resolve(node)
  return AUTH_TYPES.find((type) => type === (written as { value?: unknown } | undefined)?.value)
}

const READERS: Readonly<Record<AuthType, (fields: Fields) => UpstreamAuth>> = {
  aws(fields) {
    const [accessKey, secretKey] = [secret(fields, 'access_key'), secret(fields, 'secret_key')]
    const sessionToken = secret(fields, 'session_token')
    const [roleArn, externalId] = [text(fields, 'role_arn', ROLE), text(fields, 'external_id', EXTERNAL_ID)]
    const has = (name: string) => fields.get(name) !== undefined
    if (has('access_key') !== has('secret_key') || (has('session_token') && !has('secret_key')))
      addMistake(fields.value, 'access_key and secret_key go together, and session_token with them')
    if (has('profile') && has('access_key'))
      addMistake(fields.value, 'profile and access_key both say which keys are used; remove one of the two')
    if (has('external_id') && !has('role_arn'))
      addMistake(fields.value, 'external_id is sent when a role is assumed; write role_arn, too')
    const [region, profile] = [text(fields, 'region', NAME), text(fields, 'profile', PROFILE)]
    return defined({ type: 'aws', region, profile, roleArn, externalId, accessKey, secretKey, sessionToken })
  },
  google: (fields) =>
    defined({
      type: 'google',
      credentials: fields.optional<string | undefined>('credentials', readCredentials, undefined),
      project: text(fields, 'project', PROJECT),
      location: text(fields, 'location', NAME),
    }),
  entra: (fields) =>
    defined({
      type: 'entra',
      tenant: text(fields, 'tenant', ID),
      clientId: text(fields, 'client_id', ID),
      clientSecret: secret(fields, 'client_secret'),
    }),
}

/** Without fields that are not written. */
const defined = (auth: { [Name in string]: string | undefined } & { type: AuthType }): UpstreamAuth =>
  Object.fromEntries(Object.entries(auth).filter(([, value]) => value !== undefined)) as UpstreamAuth

type Form = { pattern: RegExp; example: string }
/** Some become a part of a URL. */
const NAME: Form = { pattern: /^[a-z0-9-]{1,60}$/, example: 'us-east-1' }
const PROJECT: Form = { pattern: /^[a-z0-9][a-z0-9.:-]{1,99}$/, example: 'my-project-123' }
const ID: Form = { pattern: /^[\w.-]{1,100}$/, example: '00000000-0000-0000-0000-000000000000' }
const ROLE: Form = {
  pattern: /^arn:[\w-]+:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/,
  example: 'arn:aws:iam::123456789012:role/trivium',
}
const EXTERNAL_ID: Form = { pattern: /^[\w+=,.@:/-]{2,1224}$/, example: 'my-company-1' }
const PROFILE: Form = { pattern: /^[^\p{Cc}[\]]{1,200}$/u, example: 'bedrock' }
const SECRET = /^[\x21-\x7e]{1,16384}$/

const text = (fields: Fields, name: string, { pattern, example }: Form): string | undefined => {
  const read: Reader<string> = (value) => {
    const written = scalarText(value, 'text')
    if (written === undefined || pattern.test(written)) return written
    addMistake(value, `${quoteSource(value)} is not possible here; write one such as ${example}`)
    return undefined
  }
  return fields.optional<string | undefined>(name, read, undefined)
}

/** Messages never repeat it. */
const secret = (fields: Fields, name: string): string | undefined => {
  const read: Reader<string> = (value) => {
    const written = scalarText(value, 'text')
    if (written === undefined || SECRET.test(written)) return written
    addMistake(
      value,
      written === '' ? 'is empty' : 'contains spaces, line breaks or other characters that are not possible',
    )
    return undefined
  }
  return fields.optional<string | undefined>(name, read, undefined)
}

/** What those who may store entries can give: a key of their own. The others name programs, files or hosts. */
const STORED_TYPES: readonly unknown[] = ['service_account', 'authorized_user']
const STORED_HOSTS: Readonly<Record<string, readonly unknown[]>> = {
  token_uri: [undefined, 'https://oauth2.googleapis.com/token', 'https://accounts.google.com/o/oauth2/token'],
  universe_domain: [undefined, 'googleapis.com'],
}

function readCredentials(value: YamlValue): string | undefined {
  const written = scalarText(value, 'the path of a file, or its JSON')
  if (written === undefined) return undefined
  const { isLiteral, folder } = value.context
  if (!isCredentialJson(written)) {
    if (written === '') addMistake(value, 'is empty; write the path of a file, or its JSON')
    else if (isLiteral) addMistake(value, 'must be JSON: paths of files can only be set in the configuration file')
    return resolve(folder, written)
  }
  const json = objectIn(written)
  if (json?.type === undefined) addMistake(value, 'is not the JSON of a Google credential: it has no type')
  else if (isLiteral && !STORED_TYPES.includes(json.type))
    addMistake(value, `must be of type ${STORED_TYPES.join(' or ')}; others can only be set in the configuration file`)
  else if (isLiteral)
    for (const [name, known] of Object.entries(STORED_HOSTS))
      if (!known.includes(json[name]))
        addMistake(value, `has another ${name} than that of Google; this is possible in the configuration file alone`)
  return written
}

function objectIn(written: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(written)
  } catch {
    return undefined
  }
}
