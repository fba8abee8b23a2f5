// The body of POST /v1/embeddings.

import {
  isObject,
  type Json,
  type RequestError,
  readInteger,
  readName,
  readWord,
  unsupported,
  withoutUndefined,
  wrong,
} from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editFields, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, type JsonScan } from '../../../framing/json/json-scan.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import type { Pieces } from '../../../framing/splice.ts'
import {
  type EmbeddingEdits,
  type EmbeddingInput,
  type EmbeddingRequest,
  MOST_DIMENSIONS,
} from '../../shared/embeddings/embedding.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import { isGiven } from '../../shared/pass-through/priced-fields.ts'
import { readBody } from '../../shared/pass-through/request.ts'
import { ownFields } from '../../shared/pass-through/service-fields.ts'
import { unknownFields } from '../pass-through/vendor-fields.ts'

const FIELDS = { model: 1, input: 1, dimensions: 1, encoding_format: 1, user: 1 }
const NAMES = knownNames(namesOf(FIELDS), {})
const ENCODINGS = ['float', 'base64'] as const

const MOST_TOKEN = 2 ** 31 - 1

/** Throws RequestError. */
export function decodeEmbeddingRequest(bytes: Uint8Array, codec: Codec, maxValues?: number): EmbeddingRequest {
  const { body, scan } = readBody(bytes, codec, NAMES, maxValues)
  const model = readName(body, 'model')
  if (model === undefined || model === '') throw wrong('model', 'model is required')
  if (isGiven(body.messages)) throw wrong('messages', 'messages is not a field of this endpoint. Use input')
  // What is read as text here would be fetched there.
  if (isGiven(body.modality) && body.modality !== 'text')
    throw unsupported('modality', 'modality must be text: media cannot be embedded here.')
  const inputs = readInputs(body)
  const unknown = unknownFields(body, FIELDS)
  const own = ownFields(unknown)
  return {
    ...unknown,
    model,
    inputs,
    isSingle: false,
    encoding: readWord(body, 'encoding_format', ENCODINGS) ?? 'float',
    ...withoutUndefined<Pick<EmbeddingRequest, 'dimensions' | 'user'>>({
      dimensions: readInteger(body, 'dimensions', 1, MOST_DIMENSIONS),
      user: readName(body, 'user', '', 512),
    }),
    untranslated: Object.keys(body).filter(
      (name) => body[name] !== null && !own.includes(name) && (name === 'user' || !Object.hasOwn(FIELDS, name)),
    ),
    untranslatable: tokensError(inputs),
    values: scan.values,
    passed(edits) {
      const texts = hasObjects(body) ? inputs : undefined
      return edited(bytes, scan, { ...edits, remove: [...edits.remove, ...own], named: model, texts }, codec)
    },
  }
}

function readInputs({ input }: Json): readonly EmbeddingInput[] {
  if (input === undefined || input === null) throw wrong('input', 'input is required')
  if (typeof input === 'string') return [text(input, 'input')]
  if (isObject(input)) return [text(input, 'input')]
  if (!Array.isArray(input)) throw wrong('input', `input must be ${KINDS}`)
  if (input.length === 0) throw wrong('input', 'input must not be empty')
  if (typeof input[0] === 'number') return [tokens(input, 'input')]
  const isTokens = Array.isArray(input[0])
  return input.map((item, index) => (isTokens ? tokens(item, `input[${index}]`) : text(item, `input[${index}]`)))
}

const KINDS = 'a string, an array of strings, an array of token ids or an array of such arrays'

/** Only some services take objects, and strings mean the same to them: all get strings. */
const hasObjects = ({ input }: Json): boolean => isObject(input) || (Array.isArray(input) && input.some(isObject))

function text(given: unknown, at: string): string {
  const value = isObject(given) ? textIn(given, at) : given
  if (typeof value !== 'string') throw mixed(at)
  if (value === '') throw wrong(at, `${at} must not be empty`)
  return value
}

/** An input that could be a medium as well: `{ "text": "..." }`. */
function textIn(input: Json, at: string): unknown {
  const other = Object.keys(input).find((name) => name !== 'text' && isGiven(input[name]))
  if (other !== undefined) throw wrong(at, `${at} must be a string or have text only: media cannot be embedded here`)
  return input.text
}

const mixed = (at: string): RequestError => wrong(at, `${at} is not like the others: input must be ${KINDS}`)

function tokens(list: unknown, at: string): readonly number[] {
  if (!Array.isArray(list)) throw mixed(at)
  if (list.length === 0) throw wrong(at, `${at} must not be empty`)
  const other = list.findIndex((id) => !Number.isInteger(id) || Number(id) < 0 || Number(id) > MOST_TOKEN)
  if (other >= 0) throw wrong(at, `${at} must have token ids only, which are whole numbers`)
  return list as readonly number[]
}

/** Which text a token stands for is known only to the model that it was made for. */
const tokensError = (inputs: readonly EmbeddingInput[]): RequestError | undefined =>
  typeof inputs[0] === 'string'
    ? undefined
    : unsupported('input', 'input has token ids, and the upstream of this model takes text. Send strings.')

/** `named`: the model, by the caller. `texts`: the inputs, if they were written otherwise. */
type Edits = EmbeddingEdits & { named: string; texts: readonly EmbeddingInput[] | undefined }

/** Every byte that need not change stays. */
function edited(bytes: Uint8Array, scan: JsonScan, edits: Edits, codec: Codec): Pieces {
  const { model, named, texts, user, lacks, names, remove } = edits
  const isThere = (name: string): boolean => fieldNamed(scan.fields, name) !== undefined
  const renamed = Object.keys(names).filter(isThere)
  const fields: FieldEdits = { set: [], remove: [...lacks.filter(isThere), ...renamed, ...remove] }
  for (const name of renamed) {
    const { start, end } = fieldNamed(scan.fields, name) ?? { start: 0, end: 0 }
    const theirs = names[name] ?? name
    // What the caller wrote in the upstream's own words counts.
    if (!isThere(theirs)) setField(fields, theirs, bytes.subarray(start, end))
  }
  if (texts !== undefined) setField(fields, 'input', JSON.stringify(texts))
  if (model !== named) setField(fields, 'model', jsonText(model))
  if (user !== undefined && !lacks.includes('user')) setField(fields, 'user', jsonText(user))
  return editFields(bytes, scan, fields, codec)
}
