// The checks of what an upstream serves besides text and images. Another service is another entry of the table.

import { decodeRerankReply, type RerankReply } from '@trivium/protocol/dialects/chat/rerank/reply.ts'
import { encodeRerankRequest } from '@trivium/protocol/dialects/chat/rerank/request.ts'
import { codec } from '../../bytes/codec.ts'
import type { ServiceEndpoint } from '../../config/types.ts'
import { endpointOf, MODEL_TYPES, type ServiceId } from '../../endpoints/index.ts'
import { modalityOf } from '../../modalities/index.ts'
import { tone } from './tone.ts'

/** What is wrong with a reply; `absent`: it lacks something that not every model has. undefined: nothing. */
export type Problem = string | { absent: string } | undefined

type Units = Readonly<Record<string, number>>

export type ServiceCheck = {
  row: string
  /** JSON, or the fields of a form. */
  body(model: string, endpoint: ServiceEndpoint): Uint8Array | FormData
  /** What is counted without a report, by the names of receipts. */
  counted?: Units
  /** The most that a report can say. If that is input alone, its tokens are read. */
  most: Units
  /** `reply`: as JSON where it is some, else as text. */
  judge(reply: unknown, text: string): Problem
  /** Not every server or model has it: a rejection is no failure. */
  isOptional?: true
}

const json = (body: object): Uint8Array => codec.encode(JSON.stringify(body))

const TEXTS = ['A red ship on the sea.', 'How a circuit breaker works.']
const embed = (row: string, more: object, judge: (vectors: unknown[]) => Problem, isOptional?: true): ServiceCheck => ({
  row,
  body: (model, { names = {} }) => {
    const own = Object.entries(more).map(([name, value]) => [names[name] ?? name, value])
    return json({ model, input: TEXTS, ...Object.fromEntries(own) })
  },
  most: { input: 50 },
  judge: (reply) => {
    const vectors = listOf(reply, 'data').map((each) => Object(each).embedding)
    return vectors.length === TEXTS.length ? judge(vectors) : 'there is not one vector for each input'
  },
  ...(isOptional ? { isOptional } : {}),
})

const isVector = (value: unknown, length?: number): boolean =>
  Array.isArray(value) && value.length > 0 && value.length === (length ?? value.length) && value.every(Number.isFinite)

const speak = (format: string, mark: RegExp, isOptional?: true, more: object = {}): ServiceCheck => ({
  row: format,
  body: (model) => json({ model, input: 'Hello.', voice: 'alloy', response_format: format, ...more }),
  counted: { characters: 6 },
  most: { input: 50, audio_output: 500, audio_seconds: 10 },
  judge: (_, text) =>
    mark.test(text) ? undefined : `the response is not ${format}: ${JSON.stringify(text.slice(0, 40))}`,
  ...(isOptional ? { isOptional } : {}),
})

/** A stream of events: pieces, and one that ends it. Servers that do not know the field answer in one piece. */
const streams =
  (piece: string, end: string) =>
  (_: unknown, text: string): Problem => {
    if (!/^(?:event|data|:)/.test(text))
      return { absent: 'the response came in one piece, though a stream was asked for' }
    const lacking = [piece, end].find((type) => !text.includes(`"${type}"`))
    return lacking === undefined ? undefined : `the stream has no event ${lacking}`
  }

const transcribe = (
  row: string,
  format: string,
  judge: ServiceCheck['judge'],
  isOptional?: true,
  more: Readonly<Record<string, string>> = {},
): ServiceCheck => ({
  row,
  body(model) {
    const form = new FormData()
    form.append('model', model)
    form.append('response_format', format)
    for (const [name, value] of Object.entries(more)) form.append(name, value)
    form.append('file', new File([tone()], 'tone.wav', { type: 'audio/wav' }))
    return form
  },
  counted: { audio_seconds: 1 },
  most: { input: 200, audio_input: 200, output: 200 },
  judge,
  ...(isOptional ? { isOptional } : {}),
})
const rank = (row: string, judge: (reply: RerankReply) => Problem): ServiceCheck => ({
  row,
  body: (model, { shape = 'jina', lacks = [] }) =>
    encodeRerankRequest(RANKED, { model, shape, lacks, warn() {} }, codec),
  counted: { searches: 1, documents: TEXTS.length },
  most: { input: 100 },
  judge(_, text) {
    const reply = decodeRerankReply(codec.encode(text), TEXTS.length, codec)
    return reply && 'ranked' in reply ? judge(reply) : 'the response is no ranking of the documents'
  },
})

/** Most models are asked by chat, and some servers have no such path. */
const complete = (row: string, more: object): ServiceCheck => ({
  row,
  body: (model) => json({ model, prompt: '1 2 3', max_tokens: 16, ...more }),
  most: { input: 50, output: 50 },
  judge: (reply) => {
    const { text, message } = Object(listOf(reply, 'choices')[0])
    return typeof (text ?? Object(message).content) === 'string' ? undefined : 'the response has no text'
  },
  isOptional: true,
})

const hasText = (reply: unknown): Problem =>
  typeof Object(reply).text === 'string' ? undefined : 'the response has no text'

/** Embeddings in Cohere's own form, at a path of their own. */
export const EMBED_CHECK: ServiceCheck = {
  row: 'embed',
  body: (model) => json({ model, texts: TEXTS, input_type: 'search_document', embedding_types: ['float'] }),
  counted: { input: 20 },
  most: { input: 50 },
  judge: (reply) =>
    listOf(Object(reply).embeddings, 'float').length === TEXTS.length
      ? undefined
      : 'there is not one vector for each text',
}

const SERVICE_CHECKS: Readonly<Partial<Record<ServiceId, readonly ServiceCheck[]>>> = {
  embeddings: [
    embed('vectors', {}, ([one, other]) =>
      isVector(one) && isVector(other, (one as unknown[]).length) ? undefined : 'these are no vectors of equal length',
    ),
    embed(
      'base64',
      { encoding_format: 'base64' },
      ([one]) => (typeof one === 'string' ? undefined : { absent: 'vectors are numbers, though base64 was asked for' }),
      true,
    ),
    embed(
      'dimensions',
      { dimensions: 256 },
      ([one]) => (isVector(one, 256) ? undefined : { absent: 'vectors do not have the length that was asked for' }),
      true,
    ),
    {
      ...embed('usage', {}, () => undefined),
      judge(reply) {
        if (!tokensOf(reply)) return 'no tokens are reported'
        const { prompt_tokens, total_tokens } = Object(Object(reply).usage)
        const lacking = prompt_tokens === undefined ? 'prompt_tokens' : 'total_tokens'
        if (prompt_tokens !== undefined && total_tokens !== undefined) return undefined
        return { absent: `usage has no ${lacking}; the gateway adds it` }
      },
    },
  ],
  completions: [complete('text', {}), complete('suffix', { suffix: '4 5 6' })],
  rerank: [
    rank('ranking', (reply) =>
      reply.ranked.length === TEXTS.length ? undefined : 'the response is no ranking of the documents',
    ),
    rank('usage', ({ searches, tokens }) =>
      searches === undefined && tokens === undefined
        ? { absent: 'neither searches nor tokens are reported; the gateway counts them' }
        : undefined,
    ),
  ],
  moderations: [
    {
      row: 'moderation',
      body: (model) => json({ model, input: TEXTS[0] }),
      counted: { requests: 1 },
      most: { input: 50 },
      judge: (reply) =>
        typeof Object(listOf(reply, 'results')[0]).flagged === 'boolean' ? undefined : 'the response has no results',
    },
  ],
  // A response is read as UTF-8, in which the first byte of a bare frame of MP3 is not a character.
  speech: [
    speak('mp3', /^(?:ID3|\uFFFD)/),
    speak('wav', /^RIFF/, true),
    {
      ...speak('mp3', /^/, true, { stream_format: 'sse' }),
      row: 'stream',
      judge: streams('speech.audio.delta', 'speech.audio.done'),
    },
  ],
  transcriptions: [
    transcribe('json', 'json', hasText),
    transcribe(
      'verbose json',
      'verbose_json',
      (reply) =>
        Number.isFinite(Number(Object(reply).duration)) ? hasText(reply) : { absent: 'the response has no duration' },
      true,
    ),
    transcribe('stream', 'json', streams('transcript.text.delta', 'transcript.text.done'), true, { stream: 'true' }),
  ],
}

/** The checks of a service. One without checks of its own is sent its example, and must answer with the fields that it declares. */
export const checksOf = (id: ServiceId): readonly ServiceCheck[] => SERVICE_CHECKS[id] ?? declaredChecks(id)

function declaredChecks(id: ServiceId): readonly ServiceCheck[] {
  const type = MODEL_TYPES.find((each) => endpointOf(each).models && modalityOf(each).service === id)
  const route = type && Object.values(endpointOf(type).routes)[0]
  if (!route) return []
  const units = modalityOf(type).previewedUnits
  const fields = Object(route.responses?.[200]?.schema).required as readonly string[] | undefined
  const lacking = (reply: unknown) => fields?.find((name) => !Object.hasOwn(Object(reply), name))
  return [
    {
      row: id,
      body: (model) => json({ ...route.body?.example, model }),
      counted: Object.fromEntries(units.map((unit) => [unit, 1])),
      most: { input: 100 },
      judge: (reply) => (lacking(reply) === undefined ? undefined : `the response has no ${lacking(reply)}`),
    },
  ]
}

const RANKED = {
  model: '',
  query: 'What sails on the water?',
  documents: TEXTS,
  texts: TEXTS,
  topN: undefined,
  returnsDocuments: false,
  maxTokensPerDoc: undefined,
  others: {},
  unpriced: [],
}

const listOf = (value: unknown, name: string): unknown[] => {
  const list: unknown = Object(value)[name]
  return Array.isArray(list) ? list : []
}

/** undefined: none are reported. */
export function tokensOf(reply: unknown): number | undefined {
  const { total_tokens, prompt_tokens } = Object(Object(reply).usage) as Record<string, unknown>
  const tokens = total_tokens ?? prompt_tokens
  return typeof tokens === 'number' && tokens > 0 ? tokens : undefined
}
