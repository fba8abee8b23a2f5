// What the image tool costs, whatever goes wrong, over an upstream that follows a script.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Response as Answer } from 'openai/resources/responses/responses'
import { fewestTokensOfImage } from '../../packages/gateway/src/endpoints/images/modality/tokens.ts'
import { formatUsd } from '../../packages/gateway/src/money/amount.ts'
import { formulaOf, type PricedReceipt } from '../../packages/gateway/src/money/prices/receipt.ts'
import { eventually } from '../../test/support/eventually.ts'
import { audit, newKey, type Row } from '../../test/support/gateway/accounts.ts'
import { caughtUp } from '../../test/support/gateway/caught-up.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES } from '../../test/support/gateway/home.ts'
import { reply, respondWith, type Upstream } from '../../test/support/upstreams/raw-upstream.ts'
import {
  CALL,
  calling,
  only,
  PICTURE,
  type Scripted,
  say,
  startScripted,
  usd,
  withoutHeartbeats,
} from '../../test/support/upstreams/scripted-image-tool.ts'

let service: Scripted
let upstream: Upstream
let gateway: Gateway
let png: string
let config = ''

beforeAll(async () => {
  service = await startScripted()
  upstream = service.upstream
  png = service.png
  config = service.config
  const streamTiming = { commitAfterMs: 200, heartbeatMs: 100 }
  gateway = await startGateway({ config: `${config}tools: { image_generation: { model: img } }\n`, streamTiming })
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})
beforeEach(() => service.reset())
afterEach(async () => {
  await eventually(async () => (await audit(gateway)).open_holds === 0)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})

type Sent = { messages: { role: string; content: string }[]; tools?: { function: { name: string } }[] }
const sent = (): Sent[] => upstream.received.filter(isChat).map(({ body }) => JSON.parse(body.toString()))
const isChat = ({ head }: { head: string }) => head.includes('/chat/')
const drawn = () => upstream.received.filter((request) => !isChat(request)).length

const BODY = { model: 'talker', input: 'Draw.', tools: [{ type: 'image_generation' }] }
type Options = { at?: Gateway; headers?: Record<string, string>; signal?: AbortSignal }

const post = (secret: string, more: object = {}, { at = gateway, headers = {}, signal }: Options = {}) =>
  fetch(`${at.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...BODY, ...more }),
    ...(signal ? { signal } : {}),
  })

const answerOf = async (response: Response) => {
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}
const statuses = ({ output }: Answer) =>
  output.flatMap((item) => (item.type === 'image_generation_call' ? [item.status] : []))

describe('how many', () => {
  test('no more images than max_tool_calls: the model is told', async () => {
    const { secret, settled } = await newKey(gateway)
    service.script = [say(calling('a', 'b')), say(reply())]
    const response = await post(secret, { max_tool_calls: 1 })
    expect(response.headers.get('x-trivium-warnings')).toBe(null)
    expect(statuses(await answerOf(response))).toEqual(['completed'])
    const results = sent()[1]?.messages.filter(({ role }) => role === 'tool')
    expect(results?.map(({ content }) => content)).toEqual([
      'The image was made and is shown to the user. Its name is image_1.',
      expect.stringContaining('at most 1 images'),
    ])
    expect(await only(settled)).toMatchObject({ outcome: 'completed', cost_usd: usd(2, 1) })
  })

  test('four, however often the model calls for another', async () => {
    const { secret, settled } = await newKey(gateway)
    service.script = [say(calling('again'))]
    expect(statuses(await answerOf(await post(secret)))).toHaveLength(4)
    expect(drawn()).toBe(4)
    expect(await only(settled)).toMatchObject({ cost_usd: usd(6, 4), receipt: { units: { images: 4, input: 60 } } })
  })

  test('max_tool_calls must be a number', async () => {
    const { secret, rows } = await newKey(gateway)
    const response = await post(secret, { max_tool_calls: 'many' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param: 'max_tool_calls' } })
    expect(await rows()).toEqual([])
  })
})

describe('what goes wrong with an image is an item that failed', () => {
  const FAILED: [string, string, () => void, RegExp][] = [
    ['no funds for it', '0.0095', () => {}, /balance/],
    [
      'the upstream fails',
      '10',
      () => (service.drawing = respondWith({ error: { message: 'Out of paint.' } }, 500)),
      /upstream/,
    ],
    [
      'arguments that are wrong',
      '10',
      () => (service.script = [say(calling({ prompt: 'a', size: '32x32' })), say(reply())]),
      /64x64, 128x128/,
    ],
    ['no prompt', '10', () => (service.script = [say(calling({})), say(reply())]), /prompt/],
  ]
  test.each(FAILED)('%s', async (_, credit, fail, told) => {
    const { secret, settled } = await newKey(gateway, credit)
    fail()
    const answer = await answerOf(await post(secret, { max_output_tokens: 1000 }))
    expect(statuses(answer)).toEqual(['failed'])
    expect(answer).toMatchObject({ status: 'completed', output: [{ result: null }, { type: 'message' }] })
    expect(sent()[1]?.messages.at(-1)?.content).toMatch(told)
    expect(await only(settled)).toMatchObject({ outcome: 'completed', cost_usd: usd(2, 0) })
  })
})

describe('what goes wrong with the model', () => {
  test('at first: an error that costs nothing', async () => {
    const { secret, settled } = await newKey(gateway)
    service.script = [respondWith({ error: { message: 'Broken.' } }, 500)]
    for (const stream of [false, true]) expect((await post(secret, { stream })).status).toBe(502)
    expect((await settled()).map(({ cost_usd }) => cost_usd)).toEqual([usd(0, 0), usd(0, 0)])
  })

  test('at first, after the headers were sent: an error event', async () => {
    const { secret, settled } = await newKey(gateway)
    service.script = [
      async (socket, request) => {
        await Bun.sleep(1_200)
        await respondWith({ error: { message: 'Broken.' } }, 400)(socket, request)
      },
    ]
    const response = await post(secret, { stream: true })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('event: error')
    expect(await only(settled)).toMatchObject({ cost_usd: usd(0, 0) })
  })

  test.each([false, true])('after an image: it is delivered and charged; streamed: %p', async (stream) => {
    const { secret, settled } = await newKey(gateway)
    service.script = [say(calling('a')), respondWith({ error: { message: 'Broken.' } }, 500)]
    const response = await post(secret, { stream })
    const text = await response.text()
    expect(text).toContain('"status":"incomplete"')
    expect(text).toContain(png)
    expect(await only(settled)).toMatchObject({ outcome: 'incomplete', cost_usd: usd(1, 1) })
  })
})

describe('money', () => {
  test('calls at different prices are lines of one receipt', async () => {
    const { secret, settled } = await newKey(gateway)
    const long = { prompt_tokens: 2_000, completion_tokens: 20, total_tokens: 2_020 }
    service.script = [say(calling('a')), say(reply({ usage: long }))]
    const { usage } = await answerOf(await post(secret))
    expect(usage).toMatchObject({ input_tokens: 2_010, output_tokens: 40 })
    const { receipt, cost_usd } = await only(settled)
    expect(receipt?.units).toEqual({ input: 10, output: 20, input_2: 2_000, output_2: 20, images: 1 })
    expect(formulaOf(receipt as unknown as PricedReceipt)).toEndWith(`= ${cost_usd} USD`)
    expect(cost_usd).toBe(formatUsd(CALL + 2_000n * 2_000n + 20n * 4_000n + PICTURE))
    const shown = await fetch(`${gateway.url}/v1/usage`, { headers: { authorization: `Bearer ${secret}` } })
    expect(await shown.text()).toContain(`= ${cost_usd} USD`)
  })

  test("a group's own price of images, beside its multiplier for text", async () => {
    const { secret, settled } = await newKey(gateway, '10', { group: 'half' })
    await answerOf(await post(secret))
    const { receipt, cost_usd } = await only(settled)
    expect(cost_usd).toBe(formatUsd(CALL + 30_000_000n))
    expect(formulaOf(receipt as unknown as PricedReceipt)).toEndWith(`= ${cost_usd} USD`)
  })

  test('an edit: the tokens of the image that is sent, in one receipt with all others', async () => {
    const { secret, settled } = await newKey(gateway, '10', { group: 'tokens' })
    const usage = (text: number, image: number) => ({
      input_tokens: text + image,
      output_tokens: 100,
      input_tokens_details: { text_tokens: text, image_tokens: image },
    })
    const drawing = (...reports: object[]) => {
      const left = [...reports]
      service.drawing = (socket, request) =>
        respondWith({ created: 1, data: [{ b64_json: png }], usage: left.shift() })(socket, request)
    }
    drawing(usage(10, 0), usage(12, 300))
    // The third is made without a report: it costs the fewest tokens that such an image can take.
    service.script = [say(calling('a', { prompt: 'bluer', action: 'edit', size: '64x64' }, 'b')), say(reply())]
    const fewest = fewestTokensOfImage({ width: 64, height: 64 }, undefined)
    expect(statuses(await answerOf(await post(secret)))).toEqual(['completed', 'completed', 'completed'])
    const [, changed] = upstream.received.filter((request) => !isChat(request))
    expect(changed?.head).toMatch(/^POST \/v1\/images\/edits /)
    expect(changed?.body.includes(Buffer.from(png, 'base64'))).toBe(true)
    const { receipt, cost_usd } = await only(settled)
    expect(receipt?.units).toMatchObject({
      image_prompt_tokens: 22,
      image_input_tokens: 300,
      image_output_tokens: 200 + fewest,
    })
    const output = BigInt(200 + fewest) * 32_000n
    expect(cost_usd).toBe(formatUsd(2n * CALL + 22n * 5_000n + 300n * 8_000n + output))
    expect(formulaOf(receipt as unknown as PricedReceipt)).toEndWith(`= ${cost_usd} USD`)
  })

  test.each([
    false,
    true,
  ])('a repeated request is answered with the same, and charged once; streamed: %p', async (stream) => {
    const { secret, settled } = await newKey(gateway)
    const headers = { 'idempotency-key': `once-${stream}` }
    const first = await post(secret, { stream }, { headers })
    const text = withoutHeartbeats(await first.text())
    expect(text).toContain(png)
    const again = await post(secret, { stream }, { headers })
    expect(await again.text()).toBe(text)
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(await only(settled)).toMatchObject({ cost_usd: usd(2, 1) })
  })

  test('a limit on tokens per minute counts all calls of the model', async () => {
    const { secret, settled } = await newKey(gateway, '10', { tpm: '2000' })
    const answer = await answerOf(await post(secret))
    expect(answer).toMatchObject({ status: 'completed', usage: { total_tokens: 60 } })
    expect(await only(settled)).toMatchObject({ cost_usd: usd(2, 1) })
    const caps = sent().map((body) => body as never as { max_tokens?: number; max_completion_tokens?: number })
    expect(caps.map((each) => each.max_completion_tokens ?? each.max_tokens ?? 0).every((cap) => cap > 16)).toBe(true)
  })

  test('heartbeats while the image is made, longer than the model may take', async () => {
    const { secret, settled } = await newKey(gateway)
    const quick = service.drawing
    service.drawing = async (socket, request) => {
      await Bun.sleep(2_500)
      await quick(socket, request)
    }
    const text = await (await post(secret, { stream: true })).text()
    expect(text).toMatch(/call\.generating.*\n\n: keep-alive\n\n.*image_generation_call\.completed/s)
    expect(text).toContain('event: response.completed')
    expect(await only(settled)).toMatchObject({ outcome: 'completed', cost_usd: usd(2, 1) })
  })

  test.each([
    ['a key of its own completes and repeats it', { 'idempotency-key': 'gone' }, false, usd(2, 1)],
    ['a key of its own completes and repeats a stream', { 'idempotency-key': 'gone' }, true, usd(2, 1)],
    ['without one the model is not called again', {}, false, usd(1, 1)],
    ['without one a stream ends, too', {}, true, usd(1, 1)],
  ])('a disconnect while the image is made: %s', async (_, headers: Record<string, string>, stream, expected) => {
    const { secret, settled } = await newKey(gateway)
    const leaving = new AbortController()
    const [begun, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    service.drawing = async (socket, request) => {
      begun.resolve()
      await left.promise
      await respondWith({ created: 1, data: [{ b64_json: png }] })(socket, request)
    }
    const first = post(secret, { stream }, { headers, signal: leaving.signal })
    first.catch(() => {})
    await begun.promise
    if (stream) await first
    leaving.abort()
    await caughtUp(gateway)
    left.resolve()
    expect(await only(settled)).toMatchObject({ outcome: 'client_disconnected', cost_usd: expected })
    if (Object.keys(headers).length === 0) return
    const again = await post(secret, { stream }, { headers })
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining(`"result":"${png}"`)])
    expect(await only(settled)).toMatchObject({ cost_usd: expected })
  })

  test.each(ENGINES)('%s: after a crash, the images that were made are charged', async (engine) => {
    const crashing = await startGateway({ engine, config: `${config}tools: { image_generation: { model: img } }\n` })
    const { secret, email } = await newKey(crashing)
    const waiting = Promise.withResolvers<void>()
    service.script = [say(calling('a')), () => waiting.resolve()]
    post(secret, {}, { at: crashing }).catch(() => {})
    await waiting.promise
    await crashing.kill()
    const next = await startGateway({ home: crashing.home })
    const usage = () => next.command<Row[]>('usage', '--account', email)
    // On PostgreSQL only after the lease of the killed node has expired.
    await eventually(async () => (await usage())[0]?.outcome !== 'running')
    expect(await usage()).toMatchObject([{ cost_usd: usd(1, 1) }])
    expect(await audit(next)).toMatchObject({ ok: true, open_holds: 0 })
    await next.stop()
  })
})

describe('which requests', () => {
  test('an option that the image model does not have is 400, and nothing is held', async () => {
    const { secret, rows } = await newKey(gateway)
    const response = await post(secret, { tools: [{ type: 'image_generation', size: '1024x1024' }] })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param: 'size', message: expect.stringContaining('64x64') } })
    expect(await rows()).toEqual([])
  })

  test('options of the caller are not offered to the model; those of a vendor are dropped with a warning', async () => {
    const { secret } = await newKey(gateway)
    const tool = { type: 'image_generation', size: '64x64', quality: 'high', model: 'theirs' }
    const response = await post(secret, { tools: [tool] })
    expect(response.headers.get('x-trivium-warnings')).toBe('tools[0].model;dropped')
    await answerOf(response)
    const [offered] = sent()[0]?.tools ?? []
    expect(
      Object.keys(
        (offered as never as { function: { parameters: { properties: object } } }).function.parameters.properties,
      ),
    ).toEqual(['prompt', 'action', 'images', 'background'])
    const image = upstream.received.find((request) => !isChat(request))
    expect(JSON.parse(String(image?.body))).toMatchObject({ prompt: 'a', size: '64x64', quality: 'high' })
  })

  test("an upstream's own tool that has a price is passed on", async () => {
    const { secret } = await newKey(gateway)
    service.script = [respondWith({ id: 'r', object: 'response', status: 'completed', output: [] })]
    await post(secret, { model: 'native' })
    expect(JSON.parse(String(upstream.last().body)).tools).toEqual(BODY.tools)
  })

  test.each([
    ['the group does not have the image model', () => gateway, 'mute'],
    ['there is no configuration', () => startGateway({ config }), 'default'],
  ])('%s: dropped with a warning, or 400 if it is forced', async (_, start, group) => {
    const at = await start()
    const { secret, rows } = await newKey(at, '10', { group })
    service.script = [say(reply())]
    const dropped = await post(secret, {}, { at })
    expect([dropped.status, dropped.headers.get('x-trivium-warnings')]).toEqual([
      200,
      'tools[0];no-price, tools;dropped',
    ])
    const forced = await post(secret, { tool_choice: { type: 'image_generation' } }, { at })
    expect(forced.status).toBe(400)
    expect(await rows()).toHaveLength(1)
    if (at !== gateway) await at.stop()
  })
})
