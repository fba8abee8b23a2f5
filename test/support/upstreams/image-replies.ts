// What upstreams of the images dialect send, for raw-upstream.ts; and a configuration over two of them.
import { pngOf } from '../requests/images.ts'
import { type Behaviour, chunk, head, LAST_CHUNK, respondWith, STREAM_HEAD, stream } from './raw-upstream.ts'

export const PNG_512 = Buffer.from(await pngOf(512, 512)).toString('base64')
export const DETAILS = { size: '512x512', quality: 'low', background: 'opaque', output_format: 'png' }
export const USAGE = {
  input_tokens: 100,
  output_tokens: 1_000,
  total_tokens: 1_100,
  input_tokens_details: { text_tokens: 100, image_tokens: 0 },
}

export const imagesReply = (count: number, more: object = DETAILS): object => ({
  created: 7,
  ...more,
  data: Array.from({ length: count }, () => ({ b64_json: PNG_512 })),
})

export const respondWithImages = (count: number, more: object = DETAILS): Behaviour =>
  respondWith(imagesReply(count, more))

const eventOf = (type: string, more: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: PNG_512, created_at: 7, ...more })}\n\n`

export const partial = (index = 0): string =>
  eventOf('image_generation.partial_image', { partial_image_index: index, ...DETAILS })
export const completed = (more: object = {}): string =>
  eventOf('image_generation.completed', { ...DETAILS, usage: USAGE, ...more })
export const errorEvent = (type = 'server_error'): string =>
  `event: error\ndata: ${JSON.stringify({ error: { message: 'no', type, code: null, param: null } })}\n\n`

/** These events, then the end of the connection without the end of the response. */
export const cutAfter = (...events: string[]): Behaviour => {
  return (socket) => void socket.end(Buffer.concat([Buffer.from(STREAM_HEAD), ...events.map(chunk)]))
}

/** Half of a reply. */
export const cutReply: Behaviour = (socket) => {
  const bytes = Buffer.from(JSON.stringify(imagesReply(1)))
  socket.end(Buffer.concat([Buffer.from(head(200, bytes.length)), bytes.subarray(0, bytes.length / 2)]))
}

/** Images, streamed if the request wants that: each after a partial image, if it wants those. */
export const respondAsRequested: Behaviour = (socket, request) => {
  const { stream: isStream, n = 1, partial_images = 0 } = JSON.parse(request.body.toString())
  const one = [...(partial_images > 0 ? [partial()] : []), completed()]
  const all = Array.from({ length: n }, () => one).flat()
  return (isStream ? stream(...all) : respondWithImages(n))(socket, request)
}

/** Sends the pieces one by one, each when `next` is called, and ends the response after the last. */
export function streamSteps(...pieces: string[]): { behaviour: Behaviour; next(): void } {
  const rest = [...pieces]
  let write: ((bytes: Buffer | string) => void) | undefined
  return {
    behaviour(socket) {
      write = (bytes) => void socket.write(bytes)
      write(STREAM_HEAD)
    },
    next() {
      const piece = rest.shift()
      if (piece !== undefined) write?.(chunk(piece))
      if (rest.length === 0) write?.(LAST_CHUNK)
    },
  }
}

const PER_IMAGE = 'price: { per_image: 0.04, variants: { "512x512": 0.02, "1024x1024/high": 0.17 } }'
const PER_TOKEN = 'price: { input: 5, image_input: 8, image_output: 32 }'
const TIMEOUTS = 'timeouts: { first_byte: 20s, idle: 20s, total: 60s }, breaker: false'

/**
 * `img` at the first upstream, `two` at both, `tok` priced by tokens, `hasty` with a first-byte timeout of a second,
 * `single` at most one at a time.
 */
export function configForImages(first: { url: string }, second: { url: string }, more = ''): string {
  const upstream = (id: string, { url }: { url: string }, settings: string) =>
    `  - { id: ${id}, dialect: images, base_url: "${url}", keys: [key], allow_private: true, ${settings} }`
  const model = (id: string, price: string, ...upstreams: string[]) => {
    const routes = upstreams.map((name, index) => `{ upstream: ${name}, model: inner, priority: ${index + 1} }`)
    return `  - { id: ${id}, type: image, routes: [${routes.join(', ')}], ${price} }`
  }
  return `${more}
sandbox: { faults: true }
upstreams:
${upstream('first', first, TIMEOUTS)}
${upstream('second', second, TIMEOUTS)}
${upstream('hasty', first, 'timeouts: { first_byte: 1s, idle: 1s, total: 60s }, breaker: false')}
${upstream('single', first, `${TIMEOUTS}, max_concurrency: 1`)}
${upstream('dead', { url: 'http://127.0.0.1:1/v1' }, TIMEOUTS)}
models:
${model('img', PER_IMAGE, 'first')}
${model('two', PER_IMAGE, 'first', 'second')}
${model('late', PER_IMAGE, 'dead', 'second')}
${model('tok', PER_TOKEN, 'first')}
${model('hasty', PER_IMAGE, 'hasty', 'second')}
${model('single', PER_IMAGE, 'single')}
`
}
