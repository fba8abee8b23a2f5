// The order in which a request is translated: read in the client's dialect, adapted by the host, written in the upstream's.

import { untranslatedFields } from '../canonical/encoding/untranslated-fields.ts'
import { asObject, type Json, unsupported } from '../canonical/reading.ts'
import type { CanonicalRequest } from '../canonical/request.ts'
import { addWarning, type Warn } from '../canonical/warning.ts'
import type { PathParameters } from '../dialects/dialect.ts'
import { TEXT_DIALECTS, type TextDialect, type TextDialectId } from '../dialects/index.ts'
import type { ReplyQuirks } from '../dialects/pass-through.ts'
import type { ReplyContext, Target } from '../dialects/text-dialect.ts'
import type { Codec } from '../framing/codec.ts'
import { webCodec } from '../framing/web-codec.ts'
import { checkSize, type SizeLimits } from './check-size.ts'
import { withMadeImages } from './made-images.ts'
import { ownSeal, ownUnseal } from './seal.ts'
import type { Translation } from './translation.ts'

export type RequestOptions = {
  /** The client's protocol, and the upstream's. */
  from: TextDialectId | TextDialect
  to: TextDialectId | TextDialect
  /** Unique to this request: the ids in the response are made of its letters and digits. */
  id: string
  /** Milliseconds since 1970. */
  now: number
  /** Where the path of the request says model and stream: needed from generate-content alone. */
  addressed?: PathParameters | undefined
  /** The client of a generate-content stream wants one JSON array. */
  asArray?: boolean
  limits?: SizeLimits
  /** What is known of the upstream and its model. `warn` is told of the same as `warningsOf`. */
  target?: Partial<Target>
  /** The upstream's model sees the last of the images that a hosted tool made earlier in the conversation. */
  takesImages?: boolean
  /** What the client reads in the response. */
  answer?: AnswerOptions
  quirks?: ReplyQuirks | undefined
  /** For a host that has something faster than TextDecoder and TextEncoder. */
  codec?: Codec
  /** The request, where the host has read it within its own limits. */
  decoded?: CanonicalRequest
  /** The host's own changes. */
  adapt?(request: CanonicalRequest, warn: Warn): CanonicalRequest
  /** The list to add warnings to. */
  warnings?: string[]
}

export type AnswerOptions = Partial<Pick<ReplyContext, 'model' | 'seal' | 'estimate' | 'echo'>> & {
  /** For errors. Absent: `id`. */
  requestId?: string
}

export type TranslatedRequest = {
  /** To be sent to the upstream as JSON. */
  body: Record<string, unknown>
  /** Where, below the root of an upstream that has the vendor's own paths: `/v1/messages`. */
  path: string
  stream: boolean
  /** What was written into the body. */
  canonical: CanonicalRequest
  /** For the response. */
  translation: Translation
}

/** `body`: as JSON.parse gives it. Throws RequestError for what is wrong, or would be answered wrongly by this upstream. */
export function translateRequest(body: unknown, options: RequestOptions): TranslatedRequest {
  const { addressed, target: known = {}, warnings = [], adapt } = options
  const [client, upstream] = [dialectOf(options.from), dialectOf(options.to)]
  const characters = options.decoded ? 0 : checkSize(body, options.limits)
  const json = asObject(body, 'The body')
  const decoded = options.decoded ?? decode(json, client, addressed)
  rejectEssential(decoded)
  const warn: Warn = (field, reason) => {
    addWarning(warnings, client.fieldNames[field] ?? field, reason)
    known.warn?.(field, reason)
  }
  const shown = withMadeImages(decoded, options.takesImages === true, () =>
    addWarning(warnings, 'input.result', 'dropped'),
  )
  for (const field of decoded.untranslated) addWarning(warnings, field, 'dropped')
  for (const field of untranslatedFields(json, client.translated)) addWarning(warnings, field, 'dropped')
  const canonical = adapt ? adapt(shown, warn) : shown
  const { model = canonical.model } = known
  const written = upstream.encodeRequest(canonical, targetOf(known, model, warn, upstream))
  const { basePath, path, fillPath } = upstream.endpoint
  return {
    body: written.body,
    path: basePath + (fillPath?.(path, model, canonical.stream) ?? path),
    stream: canonical.stream,
    canonical,
    translation: translationOf(client, upstream, canonical, written.tools, warnings, characters, options),
  }
}

const dialectOf = (given: TextDialectId | TextDialect): TextDialect =>
  typeof given === 'string' ? TEXT_DIALECTS[given] : given

function decode(body: Json, client: TextDialect, addressed: PathParameters | undefined): CanonicalRequest {
  client.rejectStored?.(body)
  return client.decodeRequest(body, addressed)
}

/** What the answer would be wrong without, and only the client's dialect can express. */
function rejectEssential({ turns, essential = [] }: CanonicalRequest): void {
  const part = turns.flatMap(({ parts }) => parts).find((each) => each.type === 'foreign' && each.isEssential)
  const field = part?.type === 'foreign' ? part.at : essential[0]
  if (field === undefined) return
  const what = part?.type === 'foreign' ? `${field} (${part.what})` : field
  throw unsupported(
    field,
    `The upstream of this model cannot take ${what}, and the answer would be another one without it.`,
  )
}

function targetOf(known: Partial<Target>, model: string, warn: Warn, { id }: TextDialect): Target {
  return {
    maxOutput: undefined,
    searches: true,
    unseal: (signature) => ownUnseal(signature, id, warn),
    fetched(url) {
      throw unsupported(undefined, `The upstream takes no URLs, so the content of ${url} has to be sent inline.`)
    },
    ...known,
    model,
    warn,
  }
}

function translationOf(
  client: TextDialect,
  upstream: TextDialect,
  canonical: CanonicalRequest,
  tools: Translation['tools'],
  warnings: string[],
  characters: number,
  options: RequestOptions,
): Translation {
  const { id, answer, asArray = false, quirks, codec = webCodec } = options
  const hidesSearches = canonical.hostedTools.every(({ search }) => search === undefined)
  return {
    client,
    upstream,
    codec,
    tools: { ...tools, customs: customsOf(canonical), hidesSearches },
    warnings,
    asArray,
    requestId: answer?.requestId ?? id,
    answering: answeringOf(options, canonical, upstream, Math.ceil(characters * TOKENS_PER_CHARACTER)),
    quirks,
  }
}

const TOKENS_PER_CHARACTER = 0.25

function answeringOf(
  { id, now, answer: { model, echo, seal, estimate } = {} }: RequestOptions,
  canonical: CanonicalRequest,
  upstream: TextDialect,
  input: number,
): ReplyContext {
  const { reasoning } = canonical
  return {
    id: id.replace(/[^A-Za-z0-9]/g, ''),
    created: Math.floor(now / 1_000),
    model: model ?? canonical.model,
    showUsage: canonical.showUsage,
    hideReasoning: reasoning.show === 'none',
    sealReasoning: reasoning.wantsEncrypted === true,
    namespaces: namespacesOf(canonical),
    echo: echo ? { ...canonical.echo, ...echo } : (canonical.echo ?? NO_ECHO),
    seal: seal ?? ownSeal(upstream.id),
    estimate: estimate ?? ((outputBytes) => ({ input, output: Math.ceil(outputBytes * TOKENS_PER_CHARACTER) })),
  }
}

const NO_NAMES: ReadonlySet<string> = new Set()
const NO_NAMESPACES: ReplyContext['namespaces'] = new Map()
const NO_ECHO: ReplyContext['echo'] = {}

function customsOf({ tools }: CanonicalRequest): ReadonlySet<string> {
  if (tools.length === 0) return NO_NAMES
  const names = tools.flatMap(({ name, custom }) => (custom === undefined ? [] : [name]))
  return names.length === 0 ? NO_NAMES : new Set(names)
}

function namespacesOf({ tools }: CanonicalRequest): ReplyContext['namespaces'] {
  if (tools.length === 0) return NO_NAMESPACES
  const named = tools.flatMap(({ name, namespace }) => (namespace ? [[name, namespace] as const] : []))
  return named.length === 0 ? NO_NAMESPACES : new Map(named)
}
