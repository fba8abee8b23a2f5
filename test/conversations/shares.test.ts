// A greedy account beside a polite one, on both engines: what one stores never keeps the other one from storing.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type OpenAI from 'openai'
import { eventually } from '../support/eventually.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES, runCommand } from '../support/gateway/home.ts'
import { openaiAt, respondTo } from '../support/sdk/chained.ts'

const CONFIG = `
server: { limits: { stored_per_account: 100KiB, stored: 150KiB, media_per_account: 60KiB, media: 100KiB } }
upstreams: [{ id: sandbox, kind: sandbox }]
models:
  - { id: text, routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 0, output: 0 } }
  - { id: image, type: image, routes: [{ upstream: sandbox, model: sandbox-image }], price: { per_image: 0 } }
`
const failing = (promise: PromiseLike<unknown>): Promise<unknown> => Promise.resolve(promise).catch((error) => error)

describe.each(ENGINES.map((engine) => [engine] as const))('on %s', (engine) => {
  let gateway: Gateway
  let greedy: { client: OpenAI; email: string; secret: string }
  let polite: { client: OpenAI; email: string; secret: string }
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: CONFIG })
    const person = async () => {
      const { email, secret } = await newKey(gateway, '10')
      return { client: openaiAt(gateway.url, secret), email, secret }
    }
    ;[greedy, polite] = [await person(), await person()]
  })
  afterAll(async () => {
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
    await gateway.stop()
  })

  const say = (client: OpenAI, kilobytes: number, previous?: string) =>
    respondTo(client, false, {
      model: 'text',
      input: `${'word '.repeat(200 * kilobytes)} Say 2 words.`,
      ...(previous ? { previous_response_id: previous } : {}),
    })
  const isThere = async (client: OpenAI, id: string) =>
    !((await failing(client.responses.retrieve(id))) instanceof Error)

  test("a greedy account loses its own oldest responses; another one's stay, and are continued and repeated", async () => {
    const headers = { 'idempotency-key': `polite-${engine}` }
    const body = { model: 'text', input: 'Say 3 words.' }
    const repeated = await polite.client.responses.create(body, { headers })
    const first = await say(polite.client, 10)
    const stored: string[] = []
    for (let count = 0; count < 12; count++) stored.push((await say(greedy.client, 18)).id)
    const left = await Promise.all(stored.map((id) => isThere(greedy.client, id)))
    expect(left).toEqual([...Array(7).fill(false), ...Array(5).fill(true)])
    const second = await say(polite.client, 10, first.id)
    expect(second).toMatchObject({ store: true, previous_response_id: first.id })
    expect((await polite.client.responses.create(body, { headers })).id).toBe(repeated.id)
    // The total is reached: the greedy account gives way.
    const third = await say(polite.client, 20, second.id)
    const fourth = await say(polite.client, 20, third.id)
    expect(fourth.store).toBe(true)
    for (const { id } of [first, second, third, fourth]) expect(await isThere(polite.client, id)).toBe(true)
    expect(await isThere(greedy.client, stored.at(-1) ?? '')).toBe(true)
    expect(await isThere(greedy.client, stored.at(-5) ?? '')).toBe(false)
    const logged = gateway
      .output()
      .stderr.split('\n')
      .filter((line) => line.includes('stored responses removed'))
    expect(logged[0]).toContain('"setting":"server.limits.stored_per_account"')
  })

  test('a response of more than a quarter of the share is charged, delivered and not stored', async () => {
    const large = await say(polite.client, 30)
    expect([large.status, large.store]).toEqual(['completed', false])
    expect(await isThere(polite.client, large.id)).toBe(false)
    await eventually(() => gateway.output().stderr.includes('response not stored'))
  })

  test('forget-responses removes what an account has stored, and nothing of another one', async () => {
    const { id } = await say(polite.client, 1)
    const args = ['account', 'forget-responses', '--account', greedy.email]
    const { code, stdout } = await runCommand(gateway.home, [...args, '--json'])
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { account: greedy.email, responses: expect.any(Number), idempotent_responses: 0, reasoning: 0 },
    ])
    expect(JSON.parse(stdout).responses).toBeGreaterThan(0)
    expect((await runCommand(gateway.home, args)).stdout).toMatch(/^responses: 0$/m)
    expect(await isThere(polite.client, id)).toBe(true)
  })

  test("media: the oldest of an account's images are deleted beyond its share, and another one's stay", async () => {
    const files = () => readdirSync(join(gateway.home.dataDir, 'media'), { recursive: true, withFileTypes: true })
    const draw = async ({ client }: { client: OpenAI }) => {
      const { data } = await client.images.generate({ model: 'image', prompt: 'A lighthouse', response_format: 'url' })
      return data?.[0]?.url ?? ''
    }
    const own = await draw(polite)
    const size = (await (await fetch(own)).bytes()).length
    const urls: string[] = []
    for (let count = 0; count < 2 + Math.ceil((60 * 1024) / size); count++) urls.push(await draw(greedy))
    const statuses = await Promise.all([own, ...urls].map(async (url) => (await fetch(url)).status))
    expect(statuses.slice(0, 2)).toEqual([200, 404])
    expect(statuses.at(-1)).toBe(200)
    expect(files().filter((entry) => entry.isFile()).length).toBe(statuses.filter((status) => status === 200).length)
    expect(gateway.output().stderr).toContain('stored media removed')
  })
})
