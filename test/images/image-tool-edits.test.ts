// Images of a conversation that are changed: "make it blue" with the official SDK, the sandbox as the upstream of text and images.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses'
import { decodePng } from '../../packages/sandbox/src/images/png.ts'
import { startSandboxServer } from '../../packages/sandbox/src/server.ts'
import { eventually } from '../support/eventually.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { pngOf } from '../support/requests/images.ts'
import { configOfDialects } from '../support/upstreams/recorded-upstream.ts'

let sandbox: ReturnType<typeof startSandboxServer>
let gateway: Gateway
/** By the token, and with the image model behind another dialect, which takes no mask. */
let byToken: Gateway
let secretServer: ReturnType<typeof Bun.serve>
let reached = 0

beforeAll(async () => {
  secretServer = Bun.serve({
    port: 0,
    fetch() {
      reached++
      return new Response('inside')
    },
  })
  sandbox = startSandboxServer({ host: '127.0.0.1', port: 0, faults: true, pace: 0 })
  const image = (dialect: string, path: string, price: string) =>
    configOfDialects(sandbox.url, 'sandbox-text')
      .replaceAll('model: sandbox-text }], ', 'model: sandbox-text }], capabilities: [images, tools], ')
      .concat(
        '  - { id: blind, routes: [{ upstream: chat, model: sandbox-text }], price: { input: 0.001, output: 0.001 } }\n',
      )
      .replace('breaker: false', 'breaker: false, allow_private: true')
      .replace(
        'upstreams:\n',
        `upstreams:\n  - { id: images, dialect: ${dialect}, base_url: "${sandbox.url}${path}", keys: [k], breaker: false }\n`,
      )
      .concat(
        `  - { id: img, type: image, routes: [{ upstream: images, model: sandbox-image }], price: ${price}, capabilities: [images] }\n`,
      )
      .concat('tools: { image_generation: { model: img } }\n')
  const perImage = '{ per_image: 0.04, variants: { "64x64": 0.01 } }'
  const tokens = '{ input: 5, image_input: 1000000, image_output: 1 }'
  gateway = await startGateway({ config: image('images', '/v1', perImage) })
  byToken = await startGateway({
    config: `server: { limits: { body: 8MiB, memory: 8MiB } }\n${image('generate-content', '/v1beta', tokens)}`,
  })
})
afterAll(async () => {
  for (const each of [gateway, byToken]) expect(each.output().stderr).not.toMatch(/"level":"error"/)
  await Promise.all([gateway.stop(), byToken.stop(), secretServer.stop(true)])
  await sandbox.stop()
})
afterEach(async () => {
  for (const each of [gateway, byToken]) {
    await eventually(async () => (await audit(each)).open_holds === 0)
    expect(await audit(each)).toMatchObject({ ok: true, open_holds: 0 })
  }
})

type Tool = OpenAI.Responses.Tool.ImageGeneration
const TOOL: Tool = { type: 'image_generation', size: '64x64' as never }
const DRAW = 'Draw a lighthouse at night.'
const BLUE = 'Make it blue.'

async function client(at = gateway, credit = '10') {
  const key = await newKey(at, credit)
  return { ...key, openai: new OpenAI({ apiKey: key.secret, baseURL: `${at.url}/v1`, maxRetries: 0 }) }
}

type Item = OpenAI.Responses.ResponseOutputItem.ImageGenerationCall & { action?: string; revised_prompt?: string }
const imagesOf = ({ output }: Response): Item[] => output.filter((item) => item.type === 'image_generation_call')
const only = (response: Response): string => {
  const [image, ...others] = imagesOf(response)
  expect([image?.status, others]).toEqual(['completed', []])
  return image?.result ?? ''
}
const pixels = (base64: string) => decodePng(new Uint8Array(Buffer.from(base64, 'base64'))).pixels

/** The sandbox's edits change the lower third of a picture, and nothing else. */
function expectEdited(before: string, after: string): void {
  const [one, other] = [pixels(before), pixels(after)]
  const kept = Math.floor(one.length / 2)
  expect(Buffer.from(one.slice(0, kept).buffer).equals(Buffer.from(other.slice(0, kept).buffer))).toBe(true)
  expect(Buffer.from(one.buffer).equals(Buffer.from(other.buffer))).toBe(false)
}

const user = (...parts: object[]) => ({ role: 'user', content: parts }) as ResponseInputItem
const text = (said: string) => ({ type: 'input_text', text: said })
const picture = (base64: string) => ({
  type: 'input_image',
  image_url: `data:image/png;base64,${base64}`,
  detail: 'auto',
})

/** The ways in which a second request continues the first. */
const CONTINUED: [string, (first: Response) => Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming>][] = [
  ['previous_response_id', ({ id }) => ({ previous_response_id: id, input: BLUE })],
  ['items sent back', ({ output }) => ({ input: [...(output as ResponseInputItem[]), user(text(BLUE))] })],
  [
    'items named by their ids',
    (first) => {
      const { id } = imagesOf(first)[0] as Item
      return { input: [user(text(DRAW)), { type: 'image_generation_call', id } as never, user(text(BLUE))] }
    },
  ],
]

describe.each(['over-chat', 'over-responses', 'over-messages', 'over-generate-content'])('%s', (model) => {
  test.each(CONTINUED)('make it blue, over two turns: %s', async (_, continued) => {
    const { openai, settled } = await client()
    const first = await openai.responses.create({ model, input: DRAW, tools: [TOOL] })
    const body = { model, tools: [TOOL], ...continued(first) }
    const { data: second, response } = await openai.responses.create(body).withResponse()
    expect(response.headers.get('x-trivium-warnings')).toBeNull()
    expectEdited(only(first), only(second))
    expect(imagesOf(first)[0]).toMatchObject({ action: 'generate' })
    expect(imagesOf(second)[0]).toMatchObject({ action: 'edit', revised_prompt: BLUE, size: '64x64' })
    expect(second.output_text).toContain('Its name is image_2')
    const rows = await settled()
    expect(rows.map(({ receipt }) => receipt?.units)).toMatchObject([{ images: 1 }, { images: 1 }])
    // What was changed can be changed again.
    const third = await openai.responses.create({
      model,
      tools: [TOOL],
      input: 'Change it.',
      previous_response_id: second.id,
    })
    expectEdited(only(second), only(third))
    expect(await openai.responses.retrieve(second.id)).toMatchObject({
      output: [{ action: 'edit', result: only(second) }, {}],
    })
  })
})

test.each([
  ...['over-chat', 'over-responses', 'over-messages', 'over-generate-content'].map((id) => [id, true] as const),
  ['blind', false],
])('%s sees the image that was made: %p; otherwise a warning says so', async (model, isSeen) => {
  const { openai } = await client()
  const first = await openai.responses.create({ model, input: DRAW, tools: [TOOL] })
  const question = { model, tools: [TOOL], previous_response_id: first.id, input: 'What is in the picture?' }
  const { data: second, response } = await openai.responses.create(question).withResponse()
  expect(second.output_text.includes('attachments: image image/png')).toBe(isSeen)
  expect(response.headers.get('x-trivium-warnings')).toBe(isSeen ? null : 'input.result;dropped')
})

test.each([
  ['over-chat', null],
  ['over-messages', null],
  ['over-generate-content', null],
  ['over-responses', null],
  ['blind', 'input.result;dropped'],
])('without the tool %s sees the image that was made, or a warning says that it does not: %p', async (model, warning) => {
  const { openai } = await client()
  const first = await openai.responses.create({ model, input: DRAW, tools: [TOOL] })
  const question = { model, previous_response_id: first.id, input: 'What is in the picture?' }
  const { data: second, response } = await openai.responses.create(question).withResponse()
  // An upstream of the same dialect gets the item as it is.
  const isInput = model !== 'blind' && model !== 'over-responses'
  expect(second.output_text.includes('attachments: image image/png')).toBe(isInput)
  expect(response.headers.get('x-trivium-warnings')).toBe(warning)
})

const model = 'over-chat'

test('streamed, with partial images', async () => {
  const { openai, settled } = await client()
  const first = await openai.responses.create({ model, input: DRAW, tools: [TOOL] })
  const partials: string[] = []
  const stream = openai.responses.stream({
    model,
    input: BLUE,
    previous_response_id: first.id,
    tools: [{ ...TOOL, partial_images: 2 }],
  })
  stream.on(
    'response.image_generation_call.partial_image',
    ({ partial_image_b64 }) => void partials.push(partial_image_b64),
  )
  const second = await stream.finalResponse()
  expect(partials.map((each) => pixels(each).length)).toEqual([64 * 64, 64 * 64])
  expectEdited(only(first), only(second as Response))
  expect((await settled()).map(({ outcome }) => outcome)).toEqual(['completed', 'completed'])
})

test('images of messages, which the model chooses by their names', async () => {
  const { openai } = await client()
  const [one, other] = [await pngOf(64, 64), await pngOf(128, 64)].map((bytes) => Buffer.from(bytes).toString('base64'))
  const chosen = { prompt: 'Bluer', action: 'edit', images: ['image_1'] }
  const ask = (said: string) => [user(text(said), picture(one as string), picture(other as string))]
  const tools: Tool[] = [{ type: 'image_generation' }]
  const input = ask(`Please call image_generation ${JSON.stringify(chosen)}`)
  expectEdited(one as string, only(await openai.responses.create({ model, tools, input })))
  const forced: Tool[] = [{ type: 'image_generation', action: 'edit' }]
  const tool_choice = { type: 'image_generation' } as const
  const both = await openai.responses.create({ model, tools: forced, tool_choice, input: ask('Make them blue.') })
  expect(imagesOf(both)).toMatchObject([{ action: 'edit', size: '64x64' }])
})

test('two images in one response, the second a change of the first', async () => {
  const { openai, settled } = await client()
  const calls = ['generate', 'edit'].map(
    (action) => `image_generation ${JSON.stringify({ prompt: `a hat, ${action}`, action })}`,
  )
  const response = await openai.responses.create({ model, tools: [TOOL], input: `Please call ${calls.join(' and ')}` })
  const [one, other] = imagesOf(response)
  expectEdited(one?.result ?? '', other?.result ?? '')
  expect((await settled())[0]?.receipt?.units).toMatchObject({ images: 2 })
})

test('a mask says what may change', async () => {
  const { openai } = await client()
  const first = await openai.responses.create({ model, input: DRAW, tools: [TOOL] })
  // All of it is opaque, so nothing changes.
  const opaque = only(first)
  const input_image_mask = { image_url: `data:image/png;base64,${opaque}` }
  const tools: Tool[] = [{ ...TOOL, input_image_mask, input_fidelity: 'high' }]
  const second = await openai.responses.create({ model, input: BLUE, previous_response_id: first.id, tools })
  expect(Buffer.from(pixels(only(second)).buffer).equals(Buffer.from(pixels(opaque).buffer))).toBe(true)
})

test('a function of the same name keeps its name', async () => {
  const { openai } = await client()
  const own = { type: 'function' as const, name: 'image_generation', strict: false, parameters: { type: 'object' } }
  const input = 'Please call gateway_image_generation {"prompt":"a hat"}'
  expect(imagesOf(await openai.responses.create({ model, input, tools: [TOOL, own] }))).toHaveLength(1)
})

test.each<[string, Gateway | undefined, Tool, string]>([
  ['an edit of nothing', undefined, { ...TOOL, action: 'edit' }, 'tools[0].action'],
  [
    'a mask that is no image',
    undefined,
    { ...TOOL, input_image_mask: { image_url: 'data:image/png;base64,AAAA' } },
    'tools[0].input_image_mask.image_url',
  ],
])('%s is rejected, and nothing is charged', async (_, at, tool, param) => {
  const { openai, rows } = await client(at)
  const failed = await openai.responses.create({ model, input: BLUE, tools: [tool] }).catch((error: unknown) => error)
  expect(failed).toMatchObject({ param })
  expect(await rows()).toEqual([])
})

describe('by the token', () => {
  const history = async () => user(text(BLUE), picture(Buffer.from(await pngOf(64, 64)).toString('base64')))

  test('an image to edit is held before it is sent: without the funds for it, it is not', async () => {
    const { openai, settled } = await client(byToken)
    const create = (input: ResponseInputItem[]) =>
      openai.responses.create({ model, tools: [{ ...TOOL, quality: 'low' }], input, max_output_tokens: 100 })
    expect(imagesOf(await create([await history()]))).toMatchObject([{ status: 'failed' }])
    const { data, response } = await create([user(text(DRAW))]).withResponse()
    only(data)
    // What the upstream of the image model does not have.
    expect(response.headers.get('x-trivium-warnings')).toBe('tools[0].quality;dropped, tools[0].size;changed')
    const rows = await settled()
    expect(rows.map(({ receipt }) => Object.keys(receipt?.units ?? {}).includes('image_output_tokens'))).toEqual([
      true,
      false,
    ])
  })

  test('a mask that no upstream of the model takes is rejected', async () => {
    const { openai, rows } = await client(byToken)
    const input_image_mask = {
      image_url: `data:image/png;base64,${Buffer.from(await pngOf(64, 64)).toString('base64')}`,
    }
    const asked = { model, tools: [{ ...TOOL, input_image_mask }], input: [await history()] }
    const failed = await openai.responses.create(asked).catch((error: unknown) => error)
    expect(failed).toMatchObject({ status: 400, param: 'tools[0].input_image_mask' })
    expect(await rows()).toEqual([])
  })
})

describe('a greedy tenant', () => {
  test('gets no image from inside the network', async () => {
    const { openai } = await client()
    const linked = { type: 'input_image', image_url: `${secretServer.url.origin}/a.png`, detail: 'auto' }
    const response = await openai.responses.create({ model, tools: [TOOL], input: [user(text(BLUE), linked)] })
    expect(imagesOf(response)).toMatchObject([{ status: 'failed' }])
    expect(response.output_text).toContain('must be an http or https URL of a public host')
    expect(reached).toBe(0)
  })

  test('has the images of its conversation weighed, too: too many are rejected before anything is sent', async () => {
    const { secret, rows } = await client(byToken)
    const picture = Buffer.concat([await pngOf(64, 64), Buffer.alloc(4 * 1024 * 1024)]).toString('base64')
    const made = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: picture }
    const response = await fetch(`${byToken.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, tools: [TOOL], input: [made, user(text(BLUE))], store: false }),
    })
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    await eventually(async () => (await rows()).every(({ cost_usd }) => Number(cost_usd) === 0))
  })

  test('uses at most 16 images at once; others are served meanwhile', async () => {
    const [greedy, polite] = [await client(), await client()]
    const base64 = Buffer.from(await pngOf(64, 64)).toString('base64')
    const input = [user(text(BLUE), ...Array.from({ length: 17 }, () => picture(base64)))]
    const [failed, made] = await Promise.all([
      greedy.openai.responses.create({ model, tools: [TOOL], input }),
      polite.openai.responses.create({ model, tools: [TOOL], input: [user(text(BLUE), picture(base64))] }),
    ])
    expect(imagesOf(failed)).toMatchObject([{ status: 'failed' }])
    expect(failed.output_text).toContain('At most 16 images')
    only(made)
  })
})
