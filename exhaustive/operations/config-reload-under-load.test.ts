// The configuration changes ten times a second while requests run: prices, a group's multiplier, the names of upstreams,
// unused models. No request fails because of it, and each is charged the price that was in force when it started.
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSandboxServer } from '../../packages/sandbox/src/server.ts'
import { eventually } from '../../test/support/eventually.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES, type Engine, newHome } from '../../test/support/gateway/home.ts'
import { reply, respondWith, startUpstream } from '../../test/support/upstreams/raw-upstream.ts'

/** USD per million tokens; no two give the same cost for the same tokens. */
type Price = { input: number; output: number }
const PRICES: readonly [Price, ...Price[]] = [
  { input: 1, output: 4 },
  { input: 7, output: 3 },
  { input: 2, output: 40 },
  { input: 0.5, output: 11 },
]
const MULTIPLIERS: readonly [number, ...number[]] = [1, 1.5, 0.8]

const at = <T>(list: readonly [T, ...T[]], index: number): T => list[index % list.length] ?? list[0]

/** Two consecutive versions differ in everything that can change. */
function configuration(edit: number, address: string): string {
  const { input, output } = at(PRICES, edit)
  const [name, spare] = [`vendor-${edit % 2}`, `spare-${edit % 3}`]
  return `
upstreams:
  - { id: ${name}, dialect: chat, base_url: "${address}/v1", keys: [none], max_concurrency: ${100 + edit} }
  - { id: ${spare}, dialect: messages, base_url: "http://127.0.0.1:1", keys: [none] }
models:
  - { id: steady, routes: [{ upstream: ${name}, model: sandbox-text }], price: { input: ${input}, output: ${output} } }
  - { id: unused-${edit % 5}, routes: [{ upstream: ${spare} }], price: { input: 1, output: 1 } }
groups:
  - { id: default, models: ["*"] }
  - { id: team, models: [steady, "unused-${edit % 5}"], multiplier: ${at(MULTIPLIERS, edit)} }
  - { id: passing-${edit % 4}, models: ["*"] }
`
}

const upstream = startSandboxServer({ host: '127.0.0.1', port: 0, faults: false })
afterAll(() => upstream.stop())

type Receipt = {
  request_id: string
  outcome: string
  group: string
  cost_usd: string
  units: { input: number; output: number }
  price: { version: string; usd_per_million_tokens: { input: string; output: string }; multiplier: string }
}
type Asked = { id: string | null; status: number; complete: boolean }

async function one(url: string, secret: string, stream: boolean): Promise<Asked> {
  // Long enough for several edits.
  const content = stream ? 'say 40 words, pace 15 ms' : 'say 15 words'
  const answer = await chat(url, secret, { model: 'steady', stream, messages: [{ role: 'user', content }] })
  const text = await answer.text()
  const complete = stream ? text.endsWith('data: [DONE]\n\n') : text.includes('"finish_reason":"stop"')
  return { id: answer.headers.get('x-request-id'), status: answer.status, complete }
}

/** In nano-USD; the prices have at most one place after the point, the multipliers too. */
function costOf({ units, group }: Receipt, price: Price, multiplier: number): bigint {
  const tokens = BigInt(units.input) * BigInt(price.input * 10) + BigInt(units.output) * BigInt(price.output * 10)
  // USD per million tokens in tenths, to nano-USD per token: times 100. Tenths of a multiplier: rounded up once.
  const nanos = tokens * 100n * BigInt(group === 'team' ? multiplier * 10 : 10)
  return (nanos + 9n) / 10n
}

const nanosOf = (usd: string): bigint => {
  const [whole = '0', places = ''] = usd.split('.')
  return BigInt(whole) * 1_000_000_000n + BigInt(places.padEnd(9, '0'))
}

test.each(ENGINES)('no request fails, and each is charged the price that was in force: %s', async (engine: Engine) => {
  const home = await newHome(engine)
  // In its own folder: in a folder with a database, changes are polled less often.
  const folder = join(home.dataDir, 'configuration')
  const file = join(folder, 'trivium.yaml')
  mkdirSync(folder)
  writeFileSync(file, configuration(0, upstream.url))
  const gateway: Gateway = await startGateway({ home: { ...home, configFile: file } })
  const callers = await Promise.all([newKey(gateway, '100'), newKey(gateway, '100', { group: 'team' })])

  let going = true
  const asked: Asked[] = []
  const failures: string[] = []
  const clients = callers.flatMap(({ secret }) =>
    [true, true, false].map(async (stream) => {
      while (going) {
        await one(gateway.url, secret, stream).then(
          (answer) => asked.push(answer),
          (error) => failures.push(String(error)),
        )
      }
    }),
  )
  const EDITS = 40
  for (let edit = 1; edit <= EDITS; edit += 1) {
    writeFileSync(`${file}.new`, configuration(edit, upstream.url))
    renameSync(`${file}.new`, file)
    gateway.signal('SIGHUP')
    // A client whose request has ended begins the next one at once.
    const before = asked.length
    await eventually(() => asked.length + failures.length > before)
  }
  going = false
  await Promise.all(clients)

  expect(failures).toEqual([])
  expect(asked.filter(({ status, complete }) => status !== 200 || !complete)).toEqual([])
  expect(gateway.output().stderr).not.toContain('not reloaded')
  expect(gateway.output().stderr.split('"configuration reloaded"').length - 1).toBeGreaterThan(EDITS / 2)

  const receipts = (
    await Promise.all(
      callers.map(({ email }) => gateway.command<Receipt[]>('usage', '--account', email, '--limit', '0')),
    )
  ).flat()
  expect(receipts.map(({ request_id }) => request_id).sort()).toEqual(asked.map(({ id }) => id ?? '').sort())
  const versions = new Map<string, number>()
  for (const receipt of receipts) {
    const { version, usd_per_million_tokens: figures, multiplier } = receipt.price
    const index = PRICES.findIndex(
      ({ input, output }) => input === Number(figures.input) && output === Number(figures.output),
    )
    // A version has one price forever.
    expect(versions.get(version) ?? index).toBe(index)
    versions.set(version, index)
    const price = PRICES[index]
    if (!price) throw new Error(`no version has the price ${JSON.stringify(figures)}`)
    expect([1, ...MULTIPLIERS]).toContain(Number(multiplier))
    expect({ outcome: receipt.outcome, cost: nanosOf(receipt.cost_usd) }).toEqual({
      outcome: 'completed',
      cost: costOf(receipt, price, Number(multiplier)),
    })
  }
  // Every price was in force at some time, and some request started under it.
  expect(new Set(versions.values()).size).toBe(PRICES.length)
  expect(versions.size).toBe(PRICES.length)
  expect(await gateway.command('audit')).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
})

test('requests after a raised limit do not queue behind requests that know only the former limit', async () => {
  const narrow = await startUpstream()
  const capped = (calls: number) => `
upstreams:
  - { id: narrow, dialect: chat, base_url: "${narrow.url}", keys: [none], max_concurrency: ${calls} }
models:
  - { id: steady, routes: [{ upstream: narrow }], price: { input: 1, output: 4 } }
`
  const gateway = await startGateway({ config: capped(1) })
  const { secret, settled } = await newKey(gateway)
  const ask = () => chat(gateway.url, secret, { model: 'steady', messages: [{ role: 'user', content: 'x' }] })
  const gate = Promise.withResolvers<void>()
  narrow.behave((socket, request) => gate.promise.then(() => respondWith(reply())(socket, request)))
  const stuck = ask()
  await eventually(() => narrow.received.length === 1)
  narrow.behave(respondWith(reply()))
  writeFileSync(gateway.home.configFile, capped(50))
  // Queued, and still queued when the change is in force.
  const before = Array.from({ length: 5 }, ask)
  await Bun.sleep(50)
  gateway.signal('SIGHUP')
  await eventually(() => gateway.output().stderr.includes('"configuration reloaded"'))
  const after = await Promise.all(Array.from({ length: 20 }, ask))
  expect(after.map(({ status }) => status)).toEqual(Array(20).fill(200))
  gate.resolve()
  await Promise.all([stuck, ...before])
  await settled()
  expect(await gateway.command('audit')).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  narrow.stop()
})
