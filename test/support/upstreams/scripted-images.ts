// A gateway over image upstreams of every dialect, whose one server answers as a test says.
import { afterAll, beforeAll, beforeEach, expect } from 'bun:test'
import type { Server } from 'bun'
import { audit } from '../gateway/accounts.ts'
import { type Gateway, startGateway } from '../gateway/gateway.ts'
import { pngOf } from '../requests/images.ts'

export type Seen = { path: string; contentType: string; body: string }

/** For all tests of a file. */
export type ScriptedImages = {
  gateway: Gateway
  upstream: Server<undefined>
  /** What came to the upstream since the test began. */
  seen: Seen[]
  /** By the number of the call, from 1. */
  answer: (call: number) => object | Response
  /** 1024 x 1024 pixels. */
  png: Uint8Array<ArrayBuffer>
  base64: string
  /** The JSON body of a call, from 0. */
  sent(call?: number): Record<string, unknown>
}

/** A byte now and then, forever. */
const trickle = () =>
  new ReadableStream({
    async pull(controller) {
      controller.enqueue(new Uint8Array(1))
      await Bun.sleep(100)
    },
  })

export function useScriptedImages(): ScriptedImages {
  const scripted = {
    seen: [] as Seen[],
    answer: () => ({}),
    sent: (call = 0) => JSON.parse(scripted.seen[call]?.body ?? '{}'),
  } as unknown as ScriptedImages
  beforeAll(() => start(scripted))
  beforeEach(() => {
    scripted.seen = []
  })
  afterAll(async () => {
    const { gateway, upstream } = scripted
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
    expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
    await gateway.stop()
    await upstream.stop(true)
  })
  return scripted
}

async function start(scripted: ScriptedImages): Promise<void> {
  scripted.png = await pngOf(1024, 1024)
  scripted.base64 = Buffer.from(scripted.png).toString('base64')
  scripted.upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/image.png') return new Response(scripted.png)
      if (pathname === '/redirect') return Response.redirect('http://127.0.0.1:1/')
      if (pathname === '/trickle.png') return new Response(trickle())
      const contentType = request.headers.get('content-type') ?? ''
      scripted.seen.push({ path: pathname, contentType, body: await request.text() })
      const given = scripted.answer(scripted.seen.length)
      return given instanceof Response ? given : Response.json(given)
    },
  })
  const hosts = { 'example.com': ['93.184.216.34'] }
  scripted.gateway = await startGateway({ config: configFor(scripted.upstream.url.origin), hosts })
}

function configFor(at: string): string {
  const keys = 'keys: [upstream-key-123], breaker: false'
  const tokens = 'price: { input: 5, image_input: 8, image_output: 30, output: 10 }'
  return `upstreams:
  - { id: gemini, dialect: generate-content, base_url: "${at}/v1beta", ${keys} }
  - { id: responses, dialect: responses, base_url: "${at}/v1", ${keys} }
  - { id: images, dialect: images, base_url: "${at}/v1", ${keys} }
  - { id: ark, kind: ark, base_url: "${at}/api/v3", ${keys} }
  - { id: short, dialect: images, base_url: "${at}/v1", ${keys}, timeouts: { total: 2s } }
models:
  - { id: nano, type: image, ${tokens}, routes: [{ upstream: gemini, model: nano-1 }] }
  - { id: flat, type: image, price: { per_image: 0.04 }, routes: [{ upstream: gemini, model: nano-1 }] }
  - id: mixed
    type: image
    price: { per_image: 0.04 }
    routes: [{ upstream: gemini, model: nano-1 }, { upstream: images, model: dall-e, priority: 2 }]
  - { id: tool, type: image, ${tokens}, routes: [{ upstream: responses, model: gpt-1 }] }
  - { id: linked, type: image, price: { per_image: 0.04 }, routes: [{ upstream: images, model: dall-e }] }
  - { id: seed, type: image, price: { per_image: 0.04 }, routes: [{ upstream: ark, model: seedream-4 }] }
  - id: sized
    type: image
    price: { per_image: 0.03, variants: { 2K: 0.04, 4K: 0.08, "3072x3072": 0.05 } }
    limits: { n: 4, sizes: [1K, 2k, 4K, adaptive, 4096x4096, 3072x3072, 2848x1600] }
    routes: [{ upstream: ark, model: seedream-4 }]
  - { id: late, type: image, price: { per_image: 0.04 }, routes: [{ upstream: short, model: dall-e }] }
`
}

const inline = (data: string, usageMetadata: object) => ({
  candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] }, finishReason: 'STOP' }],
  usageMetadata,
})

/** The reply of a generate-content upstream. */
export const generated = ({ base64 }: ScriptedImages) =>
  inline(base64, {
    promptTokenCount: 10,
    candidatesTokenCount: 1_290,
    totalTokenCount: 1_300,
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
  })

/** The response of a responses upstream. */
export const called = ({ base64 }: ScriptedImages) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-1',
  output: [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: base64, size: '1024x1024' }],
  usage: { input_tokens: 20, output_tokens: 100, total_tokens: 120 },
})

/** The response of an upstream of kind ark. */
export const arkImages = ({ base64 }: ScriptedImages, count: number) => ({
  model: 'seedream-4',
  created: 1,
  data: Array(count).fill({ b64_json: base64, size: '1024x1024' }),
  usage: { generated_images: count, output_tokens: 4_096 * count, total_tokens: 4_096 * count },
})

export type Reply = { data: { b64_json?: string; url?: string }[]; usage?: object; error?: { code: string } }
export const replyOf = async (response: Response) => (await response.json()) as Reply
