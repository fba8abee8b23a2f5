// An upstream of text and images that follows a script, for the image tool of the responses protocol.
import { expect } from 'bun:test'
import { formatUsd } from '../../../packages/gateway/src/money/amount.ts'
import type { Row } from '../gateway/accounts.ts'
import { pngOf } from '../requests/images.ts'
import {
  type Behaviour,
  DONE,
  event,
  finish,
  reply,
  respondWith,
  role,
  startUpstream,
  stream,
  type Upstream,
  usage,
} from './raw-upstream.ts'

export type Scripted = {
  upstream: Upstream
  /** The image that is made, in base64. */
  png: string
  config: string
  /** The replies of the model in order; the last one again and again. */
  script: Behaviour[]
  drawing: Behaviour
  /** The model calls for one image, which is made. */
  reset(): void
}

const TEXT = 'price: { input: 1, output: 4, long_context: { above: 1000, input: 2 } }'
const IMAGE =
  'price: { per_image: 0.04, variants: { "64x64": 0.01 } }, limits: { sizes: ["64x64", "128x128"] }, capabilities: [images]'

export async function startScripted(): Promise<Scripted> {
  const png = Buffer.from(await pngOf(64, 64)).toString('base64')
  const upstream = await startUpstream((socket, request) => {
    const { script, drawing } = scripted
    const isImage = request.head.includes('/images/')
    const next = isImage ? drawing : script.length > 1 ? script.shift() : script[0]
    return next?.(socket, request)
  })
  const config = `
upstreams:
  - { id: own, dialect: chat, base_url: "${upstream.url}", keys: [k], breaker: false, timeouts: { total: 2s }, max_concurrency: 1 }
  - { id: other, dialect: chat, base_url: "${upstream.url}", keys: [k], breaker: false }
  - { id: pictures, dialect: images, base_url: "${upstream.url}", keys: [k], breaker: false }
  - { id: vendor, dialect: responses, base_url: "${upstream.url}", keys: [k], breaker: false }
models:
  - { id: talker, routes: [{ upstream: own, model: inner }], ${TEXT} }
  - { id: spare, routes: [{ upstream: own, model: inner }, { upstream: other, model: inner }], ${TEXT} }
  - { id: writer, routes: [{ upstream: vendor, model: inner }], ${TEXT} }
  - { id: native, routes: [{ upstream: vendor, model: inner }], price: { input: 1, output: 4, tools: { image_generation: 0.05 } } }
  - { id: img, type: image, routes: [{ upstream: pictures, model: painter }], ${IMAGE} }
groups:
  - { id: default, models: ["*"] }
  - { id: half, models: ["*"], multiplier: 0.5, prices: { img: { per_image: 0.03 } } }
  - { id: tokens, models: ["*"], prices: { img: { input: 5, image_input: 8, image_output: 32 } } }
  - { id: mute, models: [talker] }
`
  const scripted: Scripted = {
    upstream,
    png,
    config,
    script: [],
    drawing: respondWith(''),
    reset() {
      upstream.received.length = 0
      scripted.drawing = respondWith({ created: 1, data: [{ b64_json: png }] })
      scripted.script = [say(calling('a')), say(reply())]
    },
  }
  return scripted
}

/** The model calls for an image for each of these prompts. */
export function calling(...prompts: (string | object)[]) {
  const calls = prompts.map((prompt, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: {
      name: 'image_generation',
      arguments: JSON.stringify(typeof prompt === 'string' ? { prompt, size: '64x64' } : prompt),
    },
  }))
  const message = { role: 'assistant', content: null, tool_calls: calls }
  return reply({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
}

type Chat = { choices: { message: { content: string | null; tool_calls?: object[] }; finish_reason: string }[] }

/** This reply, streamed if the request wants that. */
export const say =
  (answer: Record<string, unknown>): Behaviour =>
  (socket, request) => {
    if (!JSON.parse(request.body.toString()).stream) return respondWith(answer)(socket, request)
    return stream(...eventsOf(answer), DONE)(socket, request)
  }

export function eventsOf(answer: Record<string, unknown>): string[] {
  const [choice] = (answer as Chat).choices
  const { content = null, tool_calls: calls = [] } = choice?.message ?? {}
  const pieces = [
    ...(content?.split(/(?<= )/).map((text) => ({ content: text })) ?? []),
    ...calls.map((call, index) => ({ tool_calls: [{ index, ...call }] })),
  ]
  const deltas = pieces.map((delta) => event({ choices: [{ index: 0, delta, finish_reason: null }] }))
  return [role(), ...deltas, finish(choice?.finish_reason), usage(answer.usage as Record<string, unknown>)]
}

/** They are not part of what is kept for a repeated request. */
export const withoutHeartbeats = (text: string) => text.replaceAll(': keep-alive\n\n', '')

export const CALL = 90_000n
export const PICTURE = 10_000_000n
export const usd = (calls: number, pictures: number) => formatUsd(BigInt(calls) * CALL + BigInt(pictures) * PICTURE)

export async function only(settled: () => Promise<Row[]>): Promise<Row> {
  const rows = await settled()
  expect(rows).toHaveLength(1)
  return rows[0] as Row
}
