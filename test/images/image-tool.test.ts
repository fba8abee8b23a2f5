// The image tool of the responses protocol, run by the gateway for models whose upstreams do not have it: the official SDK as
// the client, the sandbox as the upstream in all four dialects.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { Response, ResponseInputItem, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { formulaOf, type PricedReceipt, recompute } from '../../packages/gateway/src/money/prices/receipt.ts'
import { startSandboxServer } from '../../packages/sandbox/src/server.ts'
import { eventually } from '../support/eventually.ts'
import { audit, newKey, type Row } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { configOfDialects } from '../support/upstreams/recorded-upstream.ts'

let sandbox: ReturnType<typeof startSandboxServer>
let gateway: Gateway
let without: Gateway

const IMAGE_MODEL = `
  - { id: img, type: image, routes: [{ upstream: images, model: sandbox-image }], price: { per_image: 0.04, variants: { "64x64": 0.01 } } }
`

beforeAll(async () => {
  sandbox = startSandboxServer({ host: '127.0.0.1', port: 0, faults: true, pace: 0 })
  const images = `  - { id: images, dialect: images, base_url: "${sandbox.url}/v1", keys: [k], breaker: false }`
  const config = configOfDialects(sandbox.url, 'sandbox-text').replace('upstreams:\n', `upstreams:\n${images}\n`)
  gateway = await startGateway({ config: `${config}${IMAGE_MODEL}tools: { image_generation: { model: img } }\n` })
  without = await startGateway({ config: config + IMAGE_MODEL })
})
afterAll(async () => {
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await Promise.all([gateway.stop(), without.stop()])
  await sandbox.stop()
})
afterEach(async () => {
  await eventually(async () => (await audit(gateway)).open_holds === 0)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})

const MODELS = ['over-chat', 'over-responses', 'over-messages', 'over-generate-content']
/** With the vendor's defaults, which some clients always send. */
const TOOL = {
  type: 'image_generation' as const,
  size: '64x64' as never,
  output_format: 'png' as const,
  output_compression: 100,
}
const TIDE = {
  type: 'function' as const,
  name: 'tide',
  strict: false,
  parameters: { type: 'object', properties: { port: { type: 'string' } } },
}
const DRAW = 'Draw a lighthouse at night.'

async function client(credit = '10', at = gateway) {
  const key = await newKey(at, credit)
  return { ...key, openai: new OpenAI({ apiKey: key.secret, baseURL: `${at.url}/v1`, maxRetries: 0 }) }
}

const imagesOf = ({ output }: Response) => output.filter((item) => item.type === 'image_generation_call')
const isPng = (base64: string | null | undefined) =>
  Buffer.from(base64 ?? '', 'base64')
    .subarray(1, 4)
    .toString() === 'PNG'

type Receipt = Row['receipt'] & PricedReceipt

/** The one row of the request, whose receipt gives its cost. */
async function rowOf(settled: () => Promise<Row[]>): Promise<Row & { receipt: Receipt }> {
  const rows = await settled()
  expect(rows).toHaveLength(1)
  const row = rows[0] as Row & { receipt: Receipt }
  const usd = formulaOf(row.receipt).split(' = ')[1]
  expect(usd).toBe(`${row.cost_usd} USD`)
  expect(recompute(row.receipt)).toBeGreaterThan(0n)
  return row
}

async function collect(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
  return events
}

describe.each(MODELS)('%s', (model) => {
  test('an image, and the answer of the model after it', async () => {
    const { openai, settled } = await client()
    const response = await openai.responses.create({ model, input: DRAW, tools: [TOOL] })
    expect(response).toMatchObject({ status: 'completed', model, tools: [{ type: 'image_generation' }] })
    expect(response.output.map(({ type }) => type)).toEqual(['image_generation_call', 'message'])
    const [image] = imagesOf(response)
    expect(image).toMatchObject({ status: 'completed', size: '64x64', revised_prompt: DRAW })
    expect(image?.id).toStartWith('ig_')
    expect(isPng(image?.result)).toBe(true)
    expect(response.output_text).toContain('The image was made')
    const { outcome, receipt, cost_usd } = await rowOf(settled)
    expect({ outcome, images: receipt.units.images }).toEqual({ outcome: 'completed', images: 1 })
    expect(Number(cost_usd)).toBeGreaterThan(0.01)
    // Both calls of the model.
    expect(response.usage?.input_tokens).toBe(receipt.units.input as number)
    expect(response.usage?.output_tokens).toBe(receipt.units.output as number)
  })

  test('streamed, with partial images', async () => {
    const { openai, settled } = await client()
    const stream = await openai.responses.create({
      model,
      input: DRAW,
      stream: true,
      tools: [{ ...TOOL, partial_images: 2 }],
    })
    const events = await collect(stream)
    const types = events.map(({ type }) => type)
    expect(types.slice(0, 9)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.image_generation_call.in_progress',
      'response.image_generation_call.generating',
      'response.image_generation_call.partial_image',
      'response.image_generation_call.partial_image',
      'response.image_generation_call.completed',
      'response.output_item.done',
    ])
    expect(types.at(-1)).toBe('response.completed')
    const partials = events.filter((event) => event.type === 'response.image_generation_call.partial_image')
    expect(partials.map(({ partial_image_index }) => partial_image_index)).toEqual([0, 1])
    expect(partials.every(({ partial_image_b64 }) => isPng(partial_image_b64))).toBe(true)
    const last = events.at(-1)
    const response = last?.type === 'response.completed' ? last.response : undefined
    expect(response?.output.map(({ type }) => type)).toEqual(['image_generation_call', 'message'])
    expect(isPng(response && imagesOf(response)[0]?.result)).toBe(true)
    const { receipt } = await rowOf(settled)
    expect(receipt.units).toMatchObject({ images: 1, output: response?.usage?.output_tokens })
  })

  test('text is streamed as it comes, before the image and after it', async () => {
    const { openai, settled } = await client()
    const asked = { model, input: 'Explain. Draw a lighthouse.', tools: [TOOL] }
    const events = await collect(await openai.responses.create({ ...asked, stream: true }))
    const types = events.map(({ type }) => type)
    const image = types.indexOf('response.image_generation_call.in_progress')
    const deltas = (of: string[]) => of.filter((type) => type === 'response.output_text.delta').length
    expect(deltas(types.slice(0, image))).toBeGreaterThan(2)
    expect(deltas(types.slice(image))).toBeGreaterThan(2)
    expect(types.filter((type) => type === 'response.created')).toHaveLength(1)
    const last = events.at(-1)
    const response = last?.type === 'response.completed' ? last.response : undefined
    expect(response?.output.map(({ type }) => type)).toEqual(['message', 'image_generation_call', 'message'])
    for (const [index, item] of (response?.output ?? []).entries()) {
      const done = events.filter((event) => event.type === 'response.output_item.done' && event.output_index === index)
      expect(done).toMatchObject([{ item: { id: item.id } }])
    }
    const text = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')
    const whole = await openai.responses.create(asked)
    expect(text).toBe(whole.output_text)
    expect(response?.usage).toEqual(whole.usage as never)
    const rows = await settled()
    expect(rows.map(({ outcome }) => outcome)).toEqual(['completed', 'completed'])
    expect(rows[0]?.cost_usd).toBe(rows[1]?.cost_usd as string)
  })

  test("streamed, a call of the caller's own tool comes before the image, and its result may be sent back", async () => {
    const { openai, settled } = await client()
    const input = 'Please call tide {"port":"Cork"} and image_generation {"prompt":"a lighthouse"}'
    const events = await collect(await openai.responses.create({ model, input, tools: [TOOL, TIDE], stream: true }))
    const called = events.flatMap((event) => (event.type === 'response.function_call_arguments.done' ? [event] : []))
    expect(called).toMatchObject([{ name: 'tide', arguments: '{"port":"Cork"}' }])
    const last = events.at(-1)
    const output = last?.type === 'response.completed' ? last.response.output : []
    const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
    expect(calls).toMatchObject([{ name: 'tide', arguments: '{"port":"Cork"}' }])
    expect(output.at(-1)?.type).toBe('image_generation_call')
    expect(await rowOf(settled)).toMatchObject({ outcome: 'completed' })
    const result = { type: 'function_call_output' as const, call_id: calls[0]?.call_id ?? '', output: 'high' }
    const sentBack = [{ role: 'user' as const, content: input }, ...output, result]
    const next = await openai.responses.create({ model, input: sentBack as never, tools: [TOOL, TIDE] })
    expect(next.output_text).toContain('high')
  })

  test('streamed reasoning goes back to the upstream that signed it', async () => {
    const { openai } = await client()
    const input = 'Think 5 words. Draw a lighthouse.'
    const asked = { model, input, tools: [TOOL], reasoning: { effort: 'low' as const, summary: 'auto' as const } }
    const events = await collect(await openai.responses.create({ ...asked, stream: true }))
    const types = events.map(({ type }) => type)
    const isThought = (type: string) => type === 'response.reasoning_summary_text.delta'
    expect(types.findIndex(isThought)).toBeGreaterThan(0)
    expect(types.findIndex(isThought)).toBeLessThan(types.indexOf('response.image_generation_call.in_progress'))
    const last = events.at(-1)
    const text = last?.type === 'response.completed' ? JSON.stringify(last.response.output) : ''
    if (model !== 'over-chat') expect(text).toMatch(/reasoning returned: [1-9]\d* signed, 0 unsigned/)
  })

  test("with a call of the caller's own tool, the caller continues", async () => {
    const { openai, settled } = await client()
    const input = 'Please call tide {"port":"Cork"} and image_generation {"prompt":"a lighthouse"}'
    const response = await openai.responses.create({ model, input, tools: [TOOL, TIDE] })
    const calls = response.output.filter(({ type }) => type === 'function_call')
    expect(calls).toMatchObject([{ name: 'tide' }])
    expect(response.output.at(-1)).toBe(calls[0] as never)
    expect(imagesOf(response)).toHaveLength(1)
    expect(await rowOf(settled)).toMatchObject({ outcome: 'completed' })
  })

  test('without a call of the tool, the answer is as without the tool', async () => {
    const { openai, settled } = await client()
    const response = await openai.responses.create({ model, input: 'Hello', tools: [TOOL] })
    expect(response.output.map(({ type }) => type)).toEqual(['message'])
    const { receipt } = await rowOf(settled)
    expect(receipt.units.images).toBeUndefined()
  })

  test('a forced image is made once', async () => {
    const { openai } = await client()
    const forced = { tools: [TOOL], tool_choice: { type: 'image_generation' as const } }
    const response = await openai.responses.create({ model, input: 'Hello', ...forced })
    expect(imagesOf(response)).toMatchObject([{ status: 'completed' }])
    expect(response.output_text).toContain('The image was made')
  })

  test('items of earlier responses may be sent back', async () => {
    const { openai } = await client()
    const first = await openai.responses.create({ model, input: DRAW, tools: [TOOL] })
    const input = [
      { role: 'user' as const, content: DRAW },
      ...(first.output as OpenAI.Responses.ResponseInputItem[]),
      { role: 'user' as const, content: 'Thank you.' },
    ]
    const { data, response } = await openai.responses.create({ model, input, tools: [TOOL] }).withResponse()
    expect(data.output.map(({ type }) => type)).toEqual(['message'])
    // The text model takes no images: it is told of the one that was made, and does not see it.
    expect(response.headers.get('x-trivium-warnings')).toBe('input.result;dropped')
  })

  test.each([
    ['without its bytes', {}],
    ['with null', { result: null }],
    ['as its SDK shows it', { result: null, status: 'completed' }],
  ])('an image of an earlier response may be named by its item, %s', async (_, how) => {
    const { openai } = await client()
    const first = await openai.responses.create({ model, input: DRAW, tools: [TOOL] })
    const [image] = imagesOf(first)
    const named = { type: 'image_generation_call', id: image?.id, ...how } as unknown as ResponseInputItem
    const input: ResponseInputItem[] = [{ role: 'user', content: DRAW }, named, { role: 'user', content: 'And now?' }]
    expect(await openai.responses.create({ model, input, tools: [TOOL] })).toMatchObject({ status: 'completed' })
    const other = (await client()).openai
    const rejected = { status: 400, param: 'input[1].id' }
    const failed = await other.responses.create({ model, input, tools: [TOOL] }).catch((error: unknown) => error)
    expect(failed).toMatchObject(rejected)
  })

  test('an image model that cannot edit makes another image, with a warning; a forced edit is rejected', async () => {
    const { openai, settled } = await client()
    const first = await openai.responses.create({ model, input: DRAW, tools: [TOOL] })
    const asked = { model, input: 'Make it blue.', previous_response_id: first.id }
    const { data, response } = await openai.responses.create({ ...asked, tools: [TOOL] }).withResponse()
    expect(response.headers.get('x-trivium-warnings')).toBe('input.result;dropped, tools[0].action;dropped')
    expect(imagesOf(data)).toMatchObject([{ status: 'completed', action: 'generate' }])
    const tools = [{ ...TOOL, action: 'edit' as const }]
    const failed = await openai.responses.create({ ...asked, tools }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ status: 400, param: 'tools[0].action' })
    expect(await settled()).toHaveLength(2)
  })

  test('reasoning goes back to the upstream that signed it', async () => {
    const { openai } = await client()
    const input = 'Think 5 words. Draw a lighthouse.'
    const asked = { model, input, tools: [TOOL], reasoning: { effort: 'low' as const, summary: 'auto' as const } }
    const response = await openai.responses.create(asked)
    const types = response.output.map(({ type }) => type).filter((type) => type !== 'reasoning')
    expect(types).toEqual(['image_generation_call', 'message'])
    expect(response.output[0]?.type).toBe('reasoning')
    // The sandbox says whether it knows the signatures of what is sent back.
    if (model !== 'over-chat') expect(response.output_text).toMatch(/reasoning returned: [1-9]\d* signed, 0 unsigned/)
  })

  test("the SDK's stream helper puts the same response together", async () => {
    const { openai } = await client()
    const response = await openai.responses.stream({ model, input: DRAW, tools: [TOOL] }).finalResponse()
    expect(response.output.map(({ type }) => type)).toEqual(['image_generation_call', 'message'])
    expect(isPng(imagesOf(response)[0]?.result)).toBe(true)
    expect(response.output_text).toContain('The image was made')
  })
})
