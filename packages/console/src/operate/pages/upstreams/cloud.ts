// An upstream of a cloud: where it is, and what authorises its requests, as they are typed and as they are written. Pure.
import type { Row } from '../../api/routes.ts'

export type Kind = Row<'upstream-kinds'>
export type AuthType = Kind['auth'][number]['type']
type AuthField = Kind['auth'][number]['fields'][number]

/** By the names of fields of an upstream. */
export type Place = Readonly<Record<string, string>>
/** By the names of fields of `auth`. */
export type Auth = Readonly<Record<string, unknown>> & { type: AuthType }

export const BY_KEY: Auth = { type: 'key' }
export const API_VERSION = 'api_version'

/** What it is if nothing is written. */
export const firstType = ({ auth }: Pick<Kind, 'auth'>): AuthType =>
  (auth.find(({ type }) => type !== 'key') ?? auth[0])?.type ?? 'key'

/** Without it nothing follows from the others. */
export const requiredPlace = ({ place_fields: [first] }: Pick<Kind, 'place_fields'>): string | undefined => first

/** The fields of a type of authorisation. What says where the upstream is, is asked once; a base URL does not always say it. */
export const authFieldsOf = (
  { auth, place_fields: places }: Pick<Kind, 'auth' | 'place_fields'>,
  type: AuthType,
  hasBaseUrl: boolean,
): readonly AuthField[] =>
  auth.find((each) => each.type === type)?.fields.filter(({ name }) => hasBaseUrl || !places.includes(name)) ?? []

type Stored = { auth?: unknown; keys?: unknown }

/** What authorises the requests of a stored upstream. */
export function storedAuth({ auth, keys }: Stored, kind: Pick<Kind, 'auth'> | undefined): Auth {
  if (typeof auth === 'object' && auth !== null) return auth as Auth
  return keys || !kind ? BY_KEY : { type: firstType(kind) }
}

const trimmed = (value: unknown) => (typeof value === 'string' ? value.trim() : value)

/** Without what is empty. */
const entered = <T>(values: Readonly<Record<string, T>>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const kept = trimmed(value) as T
      return kept === '' || kept == null ? [] : [[name, kept] as const]
    }),
  )

/** A base URL stands in place of all but the version. */
export function writtenPlace(place: Place, baseUrl: string): Place {
  const written = entered(place)
  if (baseUrl.trim() === '') return written
  const version = written[API_VERSION]
  return version === undefined ? {} : { [API_VERSION]: version }
}

export const writtenAuth = (auth: Auth): Auth => ({ ...entered(auth), type: auth.type })
