// The bodies of :embedContent and :batchEmbedContents.

import {
  asObject,
  below,
  type Json,
  readArray,
  readInteger,
  readObject,
  readString,
  unsupported,
  withoutUndefined,
  wrong,
} from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { type EmbeddingRequest, MOST_DIMENSIONS } from '../../shared/embeddings/embedding.ts'
import { bothSpellings, knownNames } from '../../shared/pass-through/known-names.ts'
import { ANSWERED_ELSEWHERE, effectsOf } from '../../shared/pass-through/priced-fields.ts'
import { readBody } from '../../shared/pass-through/request.ts'
import { serviceFields } from '../../shared/pass-through/service-fields.ts'
import { resourceName } from '../endpoint.ts'
import { REQUEST } from '../pass-through/fields.ts'
import { camel, camelName, listOf, withNumbers } from '../request/fields.ts'

/** `embedContentConfig` has the settings in newer versions. */
const SETTINGS = { taskType: 1, title: 1, outputDimensionality: 1 }
const FIELDS = { model: 1, content: 1, embedContentConfig: 1, ...SETTINGS }
/** These hold no parts; a part in any other field may name a file. */
const TEXTS = { model: 1, requests: 1, ...SETTINGS }
const own = bothSpellings(FIELDS)
const SINGLE = knownNames(own, {})
const BATCH = knownNames(bothSpellings({ requests: 1 }), { requests: { own } })

const EFFECTS = effectsOf({ ...REQUEST, ...ANSWERED_ELSEWHERE })

export type EmbedMethod = 'embedContent' | 'batchEmbedContents'

/** `model`: of the path. Throws RequestError. */
export function decodeEmbedContent(
  bytes: Uint8Array,
  codec: Codec,
  { model, method }: { model: string; method: EmbedMethod },
  maxValues?: number,
): EmbeddingRequest {
  const isSingle = method === 'embedContent'
  const { body, scan } = readBody(bytes, codec, isSingle ? SINGLE : BATCH, maxValues)
  const requests = isSingle ? [body] : (readArray(body, 'requests') ?? [])
  if (requests.length === 0) throw wrong('requests', 'requests must have at least one request')
  const read = requests.map((request, index) => readRequest(request, isSingle ? '' : `requests[${index}]`, model))
  const [first] = read
  const other = read.findIndex(({ dimensions }) => dimensions !== first?.dimensions)
  const at = `requests[${other}].outputDimensionality`
  const beside = [...(isSingle ? [] : [body]), ...requests].map((each) =>
    serviceFields(camel(asObject(each, '')), TEXTS, EFFECTS),
  )
  return {
    model,
    urls: beside.flatMap(({ urls }) => urls),
    unpriced: [...new Set(beside.flatMap(({ unpriced }) => unpriced))],
    inputs: read.map(({ text }) => text),
    isSingle,
    encoding: 'float',
    ...withoutUndefined<Pick<EmbeddingRequest, 'dimensions'>>({ dimensions: first?.dimensions }),
    untranslated: [...new Set(read.flatMap(({ untranslated }) => untranslated))],
    untranslatable:
      other < 0
        ? undefined
        : unsupported(at, `${at} must be that of the other requests for the upstream of this model`),
    values: scan.values,
    passed(edits) {
      const kept = (value: unknown): Json =>
        Object.fromEntries(
          Object.entries(asObject(value, '')).filter(([name]) => !edits.remove.includes(camelName(name))),
        )
      const renamed = (request: unknown) => ({ ...kept(request), model: resourceName(edits.model) })
      const changed = isSingle ? renamed(body) : { ...kept(body), requests: requests.map(renamed) }
      return [codec.encode(JSON.stringify(changed))]
    },
  }
}

type ReadRequest = { text: string; dimensions: number | undefined; untranslated: readonly string[] }

function readRequest(value: unknown, at: string, model: string): ReadRequest {
  const request = camel(asObject(value, at))
  const named = readString(request, 'model', at)
  if (named !== undefined && resourceName(named) !== resourceName(model))
    throw wrong(below(at, 'model'), `${below(at, 'model')} must be the model of the path, ${resourceName(model)}`)
  const config = camel(readObject(request, 'embedContentConfig', at) ?? {})
  const settings = withNumbers({ ...config, ...request }, ['outputDimensionality'])
  const { model: _model, content: _content, embedContentConfig: _config, ...others } = settings
  return {
    text: readText(request, at),
    dimensions: readInteger(settings, 'outputDimensionality', 1, MOST_DIMENSIONS, at),
    untranslated: Object.keys(others).filter((name) => name !== 'outputDimensionality' && others[name] !== null),
  }
}

function readText(request: Json, at: string): string {
  const path = below(at, 'content')
  const content = readObject(request, 'content', at)
  if (content === undefined) throw wrong(path, `${path} is required`)
  const texts = listOf(content.parts, `${path}.parts`).map((part, index) => {
    const place = `${path}.parts[${index}]`
    const text = readString(asObject(part, place), 'text', place)
    if (text === undefined) throw wrong(place, `${place} must be text: media cannot be embedded here`)
    return text
  })
  const text = texts.join('\n')
  if (text === '') throw wrong(`${path}.parts`, `${path}.parts must have text`)
  return text
}
