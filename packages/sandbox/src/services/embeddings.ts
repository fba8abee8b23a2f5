// The embedded model for vectors: each word is a direction, so that the cosine of two texts follows the words that they share.
import { json, jsonText } from '../delivery/json.ts'
import { nextTurn } from '../delivery/next-turn.ts'
import { tokensOfBytes, utf8Bytes } from '../model/tokens.ts'
import { badRequest } from '../request/errors.ts'
import { isObject, type Json } from '../request/fields.ts'
import { parseBody } from '../request/json-body.ts'
import { checkModel } from './check-model.ts'
import { wordsIn } from './words.ts'

export const SANDBOX_EMBEDDING = 'sandbox-embedding'
const DIMENSIONS = 256
const MOST_DIMENSIONS = 1_536
const MOST_INPUTS = 2_048

/** Token ids are words, too. */
const wordsOf = (input: string | readonly number[]): readonly string[] =>
  typeof input === 'string' ? [...wordsIn(input)] : input.map(String)

const tokensOf = (input: string | readonly number[]): number =>
  typeof input === 'string' ? tokensOfBytes(utf8Bytes(input)) : input.length

/** FNV-1a, mixed until every bit depends on every character. */
function hashOf(word: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Places of a word: two words that are not the same share hardly any. */
const PLACES = 8

/** The vector has length 1, rounded as floats of 32 bits are. A text without words has a direction of its own. */
export function vectorOf(input: string | readonly number[], dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  const words = wordsOf(input)
  for (const word of words.length > 0 ? words : ['']) {
    for (let place = 0; place < PLACES; place++) {
      const hash = hashOf(word, place)
      const at = hash % dimensions
      vector[at] = (vector[at] ?? 0) + (hash >>> 31 === 0 ? 1 : -1)
    }
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1
  return vector.map((value) => value / length)
}

/** The shortest decimals that are the same float of 32 bits are not needed: nobody compares more than seven. */
const numbersOf = (vector: Float32Array): number[] => Array.from(vector, (value) => Math.round(value * 1e7) / 1e7)

export async function answerEmbeddings(request: Request): Promise<Response> {
  const body = parseBody(await request.bytes())
  const { model, input, encoding_format: encoding = 'float' } = body
  checkModel(model, SANDBOX_EMBEDDING)
  const inputs = inputsOf(input)
  const dimensions = dimensionsOf(body, 'dimensions')
  if (encoding !== 'float' && encoding !== 'base64')
    throw badRequest("Invalid value for 'encoding_format': expected one of float, base64.", 'encoding_format')
  const data = await eachInTurn(inputs, (each, index) => {
    const vector = vectorOf(each, dimensions)
    const embedding = encoding === 'float' ? numbersOf(vector) : Buffer.from(vector.buffer).toString('base64')
    return JSON.stringify({ object: 'embedding', index, embedding })
  })
  const tokens = inputs.reduce((sum, each) => sum + tokensOf(each), 0)
  const usage = JSON.stringify({ prompt_tokens: tokens, total_tokens: tokens })
  return jsonText(`{"object":"list","data":[${data.join()}],"model":${JSON.stringify(model)},"usage":${usage}}`)
}

/** Cohere's form: vectors under the name of their type. */
export async function answerEmbed(request: Request): Promise<Response> {
  const body = parseBody(await request.bytes())
  const { model, texts, embedding_types: types } = body
  checkModel(model, SANDBOX_EMBEDDING)
  if (!Array.isArray(texts)) throw badRequest('texts is required', 'texts')
  const inputs = inputsOf(texts) as readonly string[]
  const dimensions = dimensionsOf(body, 'output_dimension')
  const float = inputs.map((text) => numbersOf(vectorOf(text, dimensions)))
  const inByType = new URL(request.url).pathname.startsWith('/v2') || Array.isArray(types)
  const input_tokens = inputs.reduce((sum, text) => sum + tokensOf(text), 0)
  return json({
    id: 'embed-sandbox',
    embeddings: inByType ? { float } : float,
    texts,
    meta: { billed_units: { input_tokens } },
  })
}

/** Vectors that are made before others are served. */
const AT_ONCE = 16

/** Thousands of long vectors take long to make. */
async function eachInTurn<T>(inputs: readonly T[], make: (input: T, index: number) => string): Promise<string[]> {
  const made: string[] = []
  for (const [index, input] of inputs.entries()) {
    made.push(make(input, index))
    if (index % AT_ONCE === AT_ONCE - 1) await nextTurn()
  }
  return made
}

const checkPath = ({ pathname }: URL): void => checkModel(/([^/]+):[^:]*$/.exec(pathname)?.[1], SANDBOX_EMBEDDING)

function inputsOf(input: unknown): readonly (string | readonly number[])[] {
  const list = Array.isArray(input) && typeof input[0] !== 'number' ? input : [input]
  if (list.length === 0 || list.length > MOST_INPUTS)
    throw badRequest(`Invalid value for 'input': expected 1 to ${MOST_INPUTS} inputs.`, 'input')
  const isTokens = (each: unknown) => Array.isArray(each) && each.length > 0 && each.every(Number.isInteger)
  if (!list.every((each) => (typeof each === 'string' && each !== '') || isTokens(each)))
    throw badRequest("Invalid value for 'input': expected a string, an array of strings or token arrays.", 'input')
  return list
}

function dimensionsOf(from: Json, name: string): number {
  const value = from[name] ?? DIMENSIONS
  if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > MOST_DIMENSIONS)
    throw badRequest(`Invalid value for '${name}': expected an integer from 1 to ${MOST_DIMENSIONS}.`, name)
  return Number(value)
}

export async function answerEmbedContent(request: Request, url: URL): Promise<Response> {
  checkPath(url)
  const { values, tokens } = embedded(parseBody(await request.bytes()))
  return json({ embedding: { values }, usageMetadata: { promptTokenCount: tokens } })
}

export async function answerBatch(request: Request, url: URL): Promise<Response> {
  checkPath(url)
  const { requests } = parseBody(await request.bytes())
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > MOST_INPUTS || !requests.every(isObject))
    throw badRequest(`* BatchEmbedContentsRequest.requests: expected 1 to ${MOST_INPUTS} requests`, 'requests')
  let promptTokenCount = 0
  const all = await eachInTurn(requests, (request) => {
    const { values, tokens } = embedded(request)
    promptTokenCount += tokens
    return JSON.stringify({ values })
  })
  return jsonText(`{"embeddings":[${all.join()}],"usageMetadata":${JSON.stringify({ promptTokenCount })}}`)
}

function embedded(request: Json): { values: number[]; tokens: number } {
  const { content } = request
  const parts = isObject(content) && Array.isArray(content.parts) ? content.parts.filter(isObject) : []
  const text = parts.map((part) => (typeof part.text === 'string' ? part.text : '')).join('\n')
  if (text === '') throw badRequest('* EmbedContentRequest.content: contents is not specified', 'content')
  return { values: numbersOf(vectorOf(text, dimensionsOf(request, 'outputDimensionality'))), tokens: tokensOf(text) }
}
