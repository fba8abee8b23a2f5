// What a body says of the end user, the session and the tags of its request. Fields of the dialects stay as they are; those that are
// the gateway's own are named, since no vendor gets them.

import { isObject, type Json, parsedJson, readName, wrong } from '../../../canonical/reading.ts'
import type { BodyAttribution } from '../../../canonical/request.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { JsonField } from '../../../framing/json/json-scan.ts'

/** For the gateway alone: vendors get no session. */
const SESSION = 'session_id'
const FIELDS = ['user', 'safety_identifier', 'metadata', SESSION] as const
type Field = (typeof FIELDS)[number]
const NO_FIELDS: readonly string[] = []
const OWN_FIELDS: readonly string[] = [SESSION]
const NOTHING: Json = {}

/** undefined: nothing of the kind, as in most bodies. Throws RequestError. */
export function attributionIn(
  bytes: Uint8Array,
  fields: readonly JsonField[],
  codec: Codec,
): BodyAttribution | undefined {
  let found: { -readonly [Name in Field]?: unknown } | undefined
  for (const { name, kind, start, end } of fields) {
    if (!isField(name) || (kind === 'null' && name !== SESSION)) continue
    found ??= {}
    found[name] = parsedJson(codec.decode(bytes, start, end))
  }
  return found && attributionOf(found)
}

const isField = (name: string): name is Field =>
  name === 'user' || name === 'safety_identifier' || name === 'metadata' || name === SESSION

/** The same of fields that have been parsed, such as those of a form. Throws RequestError. */
export function attributionOf(values: { readonly [Name in Field]?: unknown }): BodyAttribution | undefined {
  const { user, safety_identifier, metadata } = values
  const inside = isObject(metadata) ? metadata : NOTHING
  const named = [safety_identifier, user, inside.user_id].find(isName)
  const agent = named === undefined ? undefined : agentIn(named)
  const endUser = agent ? agent.endUser : named
  const session = readName(values, SESSION) || sessionIn(inside) || agent?.session
  const tags = tagsIn(inside)
  const own = values.session_id === undefined ? NO_FIELDS : OWN_FIELDS
  if (endUser === undefined && !session && tags === undefined && own.length === 0) return undefined
  return { own, ...(endUser ? { endUser } : {}), ...(session ? { session } : {}), ...(tags ? { tags } : {}) }
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Metadata is the caller's: a session that is no short text is none of ours. */
function sessionIn({ session_id }: Json): string | undefined {
  return isName(session_id) && session_id.length <= LONGEST_SESSION ? session_id : undefined
}

const LONGEST_SESSION = 256

/** Commas separate tags, since a vendor's metadata has texts only. */
function tagsIn({ tags }: Json): BodyAttribution['tags'] {
  if (tags === undefined || tags === null) return undefined
  const at = 'metadata.tags'
  if (typeof tags === 'string') return { at, values: tags.split(',') }
  if (Array.isArray(tags) && tags.every((tag): tag is string => typeof tag === 'string')) return { at, values: tags }
  throw wrong(at, `${at} must be an array of strings, or a string with commas between the tags`)
}

/** Coding agents describe a whole session there: each would be another end user. */
function agentIn(name: string): { endUser: string | undefined; session: string | undefined } | undefined {
  const plain = /^(user_[^_]*(?:_account_[^_]*)?)_session_([\w-]+)$/.exec(name)
  if (plain) return { endUser: plain[1], session: plain[2] }
  const said = name.startsWith('{') ? parsedJson(name) : undefined
  if (!isObject(said) || !isName(said.session_id)) return undefined
  return { endUser: [said.account_uuid, said.device_id].find(isName), session: sessionIn(said) }
}
