// Cohere's own form of embeddings, POST /v1/embed and /v2/embed: an upstream of Cohere's gets the request as it is, and others get the
// texts in the form that most have.

import {
  isObject,
  type Json,
  parsedJson,
  readArray,
  readInteger,
  readName,
  readStrings,
  unsupported,
  withoutUndefined,
  wrong,
} from '../../../canonical/reading.ts'
import { readCount } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { EmbeddingForm, EmbeddingRequest, VectorEncoding } from '../../shared/embeddings/embedding.ts'
import { MOST_DIMENSIONS } from '../../shared/embeddings/embedding.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import { isGiven } from '../../shared/pass-through/priced-fields.ts'
import { readBody } from '../../shared/pass-through/request.ts'
import { ownFields } from '../../shared/pass-through/service-fields.ts'
import { decodeError } from '../error.ts'
import { unknownFields } from '../pass-through/vendor-fields.ts'

export type CohereVersion = '1' | '2'

/** Without a meaning anywhere else. */
const OWN = ['input_type', 'truncate', 'max_tokens', 'priority'] as const
const FIELDS = Object.fromEntries(
  ['model', 'texts', 'inputs', 'images', 'embedding_types', 'output_dimension', ...OWN].map((name) => [name, 1]),
)
const NAMES = knownNames(namesOf(FIELDS), {})
const ENCODINGS: readonly string[] = ['float', 'base64'] satisfies VectorEncoding[]

/** Throws RequestError. */
export function decodeCohereRequest(
  bytes: Uint8Array,
  codec: Codec,
  version: CohereVersion,
  maxValues?: number,
): EmbeddingRequest {
  const { body, scan } = readBody(bytes, codec, NAMES, maxValues)
  const model = readName(body, 'model')
  if (model === undefined || model === '') throw wrong('model', 'model is required')
  if (isGiven(body.images)) throw unsupported('images', 'Images cannot be embedded here. Send texts.')
  const inputs = readTexts(body)
  const types = readStrings(body, 'embedding_types') ?? []
  const [encoding = 'float'] = types
  if (types.length > 1 || !ENCODINGS.includes(encoding))
    throw unsupported('embedding_types', 'embedding_types must have one of float, base64 here.')
  const unknown = unknownFields(body, FIELDS)
  const forGateway = ownFields(unknown)
  const dimensions = readInteger(body, 'output_dimension', 1, MOST_DIMENSIONS)
  const others = Object.fromEntries(
    Object.entries(body).filter(([name]) => !Object.hasOwn(FIELDS, name) && !forGateway.includes(name)),
  )
  const own = OWN.filter((name) => isGiven(body[name]))
  const without = (fields: Json, names: readonly string[]): Json =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
  return {
    ...unknown,
    model,
    inputs,
    isSingle: false,
    encoding: encoding as VectorEncoding,
    ...withoutUndefined<Pick<EmbeddingRequest, 'dimensions'>>({ dimensions }),
    untranslated: [...own, ...Object.keys(others)],
    untranslatable: undefined,
    values: scan.values,
    passed({ model: theirs, lacks, names, remove }) {
      const fields = { dimensions, encoding_format: encoding }
      const kept = Object.entries(fields).flatMap(([name, value]) =>
        value === undefined || lacks.includes(name) ? [] : [[names[name] ?? name, value] as const],
      )
      const passed = { ...without(others, remove), model: theirs, input: inputs, ...Object.fromEntries(kept) }
      return [codec.encode(JSON.stringify(passed))]
    },
    form: {
      own,
      body: (theirs, remove) => [
        codec.encode(JSON.stringify({ ...without(body, [...remove, ...forGateway]), model: theirs })),
      ],
      decodeReply: (reply) => decodeReply(reply, encoding, codec),
      encodeReply: encoderFor(inputs, version === '2' || types.length > 0 ? encoding : undefined, version, codec),
    },
  }
}

function readTexts(body: Json): readonly string[] {
  const texts = readStrings(body, 'texts') ?? readArray(body, 'inputs')?.map(textIn)
  if (texts === undefined) throw wrong('texts', 'texts is required')
  if (texts.length === 0) throw wrong('texts', 'texts must not be empty')
  const empty = texts.indexOf('')
  if (empty !== -1) throw wrong(`texts[${empty}]`, `texts[${empty}] must not be empty`)
  return texts
}

/** One input of several parts, of which each must be text. */
function textIn(input: unknown, index: number): string {
  const parts = isObject(input) && Array.isArray(input.content) ? (input.content as readonly unknown[]) : []
  const texts = parts.map((part) => (isObject(part) && part.type === 'text' ? part.text : undefined))
  const at = `inputs[${index}].content`
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string'))
    throw unsupported(at, `${at} must be a list of texts: media cannot be embedded here.`)
  return texts.join('\n')
}

function decodeReply(bytes: Uint8Array, encoding: string, codec: Codec): ReturnType<EmbeddingForm['decodeReply']> {
  const body = parsedJson(codec.decode(bytes, 0, bytes.length))
  const { embeddings, meta } = isObject(body) ? body : { embeddings: undefined, meta: undefined }
  const list = isObject(embeddings) ? embeddings[encoding] : embeddings
  if (!Array.isArray(list)) return { ok: false, error: decodeError(200, body) }
  const billed = isObject(meta) && isObject(meta.billed_units) ? readCount(meta.billed_units.input_tokens) : undefined
  return {
    ok: true,
    vectors: list.map((vector) => codec.encode(JSON.stringify(vector))),
    model: undefined,
    tokens: typeof billed === 'number' ? billed : undefined,
  }
}

/** `type`: of vectors that stand under its name. */
const encoderFor =
  (
    texts: readonly string[],
    type: string | undefined,
    version: CohereVersion,
    codec: Codec,
  ): EmbeddingForm['encodeReply'] =>
  (vectors, { id, tokens }) => {
    const pieces = vectors.flatMap((vector, index) => (index === 0 ? [vector] : [codec.encode(','), vector]))
    const kind = type === undefined ? 'embeddings_floats' : 'embeddings_by_type'
    const [before, after] = type === undefined ? ['[', ']'] : [`{${JSON.stringify(type)}:[`, ']}']
    const meta = { api_version: { version }, billed_units: { input_tokens: tokens } }
    const rest = JSON.stringify({ texts, meta })
    return [
      codec.encode(`{"id":${JSON.stringify(id)},"response_type":"${kind}","embeddings":${before}`),
      ...pieces,
      codec.encode(`${after},${rest.slice(1)}`),
    ]
  }
