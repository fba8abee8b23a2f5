// Requests that cost their sender little and the gateway's main thread much, one of each kind.
import { gzipSync } from 'node:zlib'

export type GreedyRequest = {
  name: string
  path: string
  body: Uint8Array<ArrayBuffer>
  headers: Record<string, string>
}

const JSON_TYPE = { 'content-type': 'application/json' }
const MIB = 1024 ** 2
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

function json(name: string, path: string, value: unknown): GreedyRequest {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { name, path, body: gzipSync(text), headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } }
}

const items = (count: number) => times(count, () => ({ role: 'user', content: 'a' }))
/** As compressible as prose. */
const prose = (bytes: number): string =>
  times(Math.ceil(bytes / 8), (index) => `w${((index * 7919) % 9_999_991).toString(36).padStart(6, '0')} `)
    .join('')
    .slice(0, bytes)

function form(name: string, path: string, parts: number): GreedyRequest {
  const boundary = 'parts-of-a-form'
  const part = (index: number) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="field${index}"\r\n\r\n${'v'.repeat(400)}\r\n`
  const text = `${times(parts, part).join('')}--${boundary}--\r\n`
  return {
    name,
    path,
    body: new TextEncoder().encode(text),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}

/** `large`: of the size at which the largest requests are accepted. */
export function greedyRequests(isLarge: boolean): GreedyRequest[] {
  const size = (bytes: number): number => (isLarge ? bytes : Math.ceil(bytes / 40))
  const image = `data:image/png;base64,${Buffer.from(prose(size(1.35 * MIB))).toString('base64')}`
  const nested = '['.repeat(490) + ']'.repeat(490)
  return [
    json('token count of many items', '/v1/responses/input_tokens', {
      model: 'sandbox-text',
      input: items(size(80_000)),
    }),
    json('token count of a long text', '/v1/responses/input_tokens', {
      model: 'sandbox-text',
      input: prose(size(20 * MIB)),
    }),
    json('moderation', '/v1/moderations', {
      model: 'sandbox-moderation',
      input: times(isLarge ? 2_048 : 51, () => prose(10_000)),
    }),
    json('response to many items', '/v1/responses', {
      model: 'sandbox-text',
      store: false,
      max_output_tokens: 16,
      input: items(size(80_000)),
    }),
    json('rerank', '/v1/rerank', {
      model: 'sandbox-rerank',
      query: 'q',
      documents: times(isLarge ? 1_000 : 25, () => prose(24_000)),
      return_documents: true,
    }),
    json('text completion', '/v1/completions', {
      model: 'sandbox-text',
      max_tokens: 16,
      prompt: prose(size(20 * MIB)),
    }),
    json('images in data URLs', '/v1/chat/completions', {
      model: 'sandbox-text',
      max_tokens: 16,
      messages: [{ role: 'user', content: times(16, () => ({ type: 'image_url', image_url: { url: image } })) }],
    }),
    json('embeddings', '/v1/embeddings', {
      model: 'sandbox-embedding',
      encoding_format: 'base64',
      input: times(isLarge ? 2_048 : 128, () => prose(400)),
    }),
    json(
      'deep nesting',
      '/v1/chat/completions',
      `{"model":"sandbox-text","max_tokens":16,"messages":[{"role":"user","content":"hi"}],"metadata":{"deep":[${times(size(220), () => nested).join(',')}]}}`,
    ),
    form('form of many parts', '/v1/audio/transcriptions', isLarge ? 20_000 : 500),
  ]
}
