// Credentials of Google Cloud as they are written: in the configuration, or in a file that it or the environment names.
import { SourceFailed } from '../../credential.ts'
import { type JsonObject, objectIn } from '../answer.ts'

export type GoogleCredentials = {
  type: string
  /** For errors. */
  what: string
  /** In a file: it may name hosts and files of its own. */
  isFile: boolean
  object: JsonObject
}

/** What may stand in the configuration itself, and in stored entries. */
const INLINE_TYPES: readonly string[] = ['service_account', 'authorized_user']
const FILE_TYPES: readonly string[] = [...INLINE_TYPES, 'external_account', 'impersonated_service_account']
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  service_account: ['client_email', 'private_key'],
  authorized_user: ['client_id', 'client_secret', 'refresh_token'],
  external_account: ['audience', 'subject_token_type'],
}

/** Whether `credentials` of an upstream is the JSON itself, not the path of a file. */
export const isInline = (credentials: string): boolean => credentials.trimStart().startsWith('{')

/** Throws SourceFailed, whose message has no secret: a mistake in the configuration, too. */
export function readGoogleCredentials(text: string, what: string, isFile: boolean): GoogleCredentials {
  const object = objectIn(text)
  if (object === undefined) throw new SourceFailed(`${what}: not a JSON object`)
  const type = FILE_TYPES.find((each) => each === object.type)
  if (type === undefined || !(isFile || INLINE_TYPES.includes(type)))
    throw new SourceFailed(
      `${what}: the type must be ${INLINE_TYPES.join(' or ')}${type === undefined ? '' : '; for others, name the file in place of its content'}`,
    )
  const missing = NEEDED[type]?.find((name) => typeof object[name] !== 'string')
  if (missing !== undefined) throw new SourceFailed(`${what}: ${missing} is missing`)
  const credentials = { type, what, isFile, object }
  googleUrl(credentials, 'token_uri', TOKEN_URL)
  return credentials
}

export const CLOUD_SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const TOKEN_URL = 'https://oauth2.googleapis.com/token'

/** A URL of the credentials: at Google, and for those in a file also at a place of the operator's. */
export function googleUrl({ what, isFile, object }: GoogleCredentials, name: string, fallback: string): string {
  const url = object[name] ?? fallback
  if (typeof url === 'string' && URL.canParse(url)) {
    const { protocol, hostname, port } = new URL(url)
    if (
      protocol === 'https:' &&
      port === '' &&
      /^([a-z0-9-]+\.)*(googleapis\.com|accounts\.google\.com)$/.test(hostname)
    )
      return url
    if (isFile) return url
  }
  throw new SourceFailed(`${what}: ${name} must be an https URL of googleapis.com`)
}

export const tokenUrl = (credentials: GoogleCredentials): string => googleUrl(credentials, 'token_uri', TOKEN_URL)
