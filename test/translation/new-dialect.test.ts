// A gateway with one more text dialect: a copy of the sources, with the toy dialect's folder, its line in the list of
// dialects, and its route. Nothing else is edited, so everything else must work from the dialect's description.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { audit, cost, newKey } from '../support/gateway/accounts.ts'
import { copySources } from '../support/gateway/copy-sources.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'

const ROOT = join(import.meta.dir, '../..')
const PROTOCOL = 'packages/protocol/src'
/** File, the text before the new line, the new line. */
const LINES = [
  [
    `${PROTOCOL}/dialects/index.ts`,
    "import { chat } from './chat/index.ts'\n",
    "import { toy } from './toy/index.ts'\n",
  ],
  [`${PROTOCOL}/dialects/index.ts`, 'const TEXT = { chat,', ' toy,'],
  [`${PROTOCOL}/routes.ts`, 'export const ROUTES = {\n', "  toy: { ...TEXT, path: '/stage/play', dialect: 'toy' },\n"],
  [
    'packages/gateway/src/endpoints/text/handlers.ts',
    'export const handlers = {\n',
    '  toy: text({ dialect: TEXT_DIALECTS.toy }),\n',
  ],
] as const

function copyWithToy(): string {
  const copy = copySources()
  const source = readFileSync(join(ROOT, 'packages/protocol/fixtures/toy/index.ts'), 'utf8')
  mkdirSync(join(copy, PROTOCOL, 'dialects/toy'))
  writeFileSync(join(copy, PROTOCOL, 'dialects/toy/index.ts'), source.replaceAll("'../../src/", "'../../"))
  for (const [file, before, line] of LINES) {
    const text = readFileSync(join(copy, file), 'utf8')
    expect(text.split(before)).toHaveLength(2)
    writeFileSync(join(copy, file), text.replace(before, before + line))
  }
  return copy
}

const SAID = { said: 'The rest is silence.', curtain: 'end', heard: 7, spoken: 5 }
const EVENTS = [{ word: 'The rest ' }, { word: 'is silence.' }, { curtain: 'end', heard: 7, spoken: 5 }]
const events = (list: object[]) => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

let copy: string
let gateway: Gateway
let key: Awaited<ReturnType<typeof newKey>>
const received: { path: string; body: { live?: boolean } }[] = []
const theatre = Bun.serve({
  port: 0,
  async fetch(request) {
    const body = (await request.json()) as { live?: boolean }
    received.push({ path: new URL(request.url).pathname, body })
    if (!body.live) return Response.json(SAID)
    return new Response(events(EVENTS), { headers: { 'content-type': 'text/event-stream' } })
  },
})

beforeAll(async () => {
  copy = copyWithToy()
  const price = 'price: { input: 1, output: 4 }'
  gateway = await startGateway({
    main: join(copy, 'packages/gateway/src/main.ts'),
    config: `sandbox: true
upstreams:
  - { id: box, kind: sandbox, dialect: chat }
  - { id: theatre, dialect: toy, base_url: "${theatre.url.origin}/stage", keys: [k] }
models:
  - { id: echo, routes: [{ upstream: box, model: sandbox-text }], ${price} }
  - { id: hamlet, routes: [{ upstream: theatre, model: ham }], ${price} }
`,
  })
  key = await newKey(gateway)
})
afterAll(async () => {
  await gateway?.stop()
  await theatre.stop(true)
  rmSync(copy, { recursive: true, force: true })
})

function post(path: string, body: object, secret = key.secret): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  return fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}
const play = (body: object, secret?: string) => post('/stage/play', body, secret)
const LINES_SAID = [{ who: 'user', says: 'To be?' }]

test('a client of the new dialect gets a response from an upstream of another dialect, and is charged', async () => {
  const response = await play({ model: 'echo', lines: LINES_SAID })
  const body = (await response.json()) as { said: string; curtain: string; heard: number; spoken: number }
  expect([response.status, body.curtain]).toEqual([200, 'end'])
  expect(body.said).toContain('To be?')
  const [row] = await key.settled()
  expect(row).toMatchObject({ model: 'echo', outcome: 'completed', cost_usd: cost(body.heard, body.spoken) })
})

test('and a streamed response', async () => {
  const response = await play({ model: 'echo', live: true, lines: LINES_SAID })
  const frames = (await response.text()).trim().split('\n\n')
  const words = frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as { word?: string; curtain?: string })
  expect(words.map(({ word = '' }) => word).join('')).toContain('To be?')
  expect(words.at(-1)?.curtain).toBe('end')
})

test.each([
  false,
  true,
])('an upstream of the new dialect serves clients of other dialects, streamed: %p', async (stream) => {
  const messages = [{ role: 'user', content: 'To be?' }]
  const response = await post('/v1/chat/completions', { model: 'hamlet', messages, stream })
  expect(response.status).toBe(200)
  expect(await response.text()).toContain(stream ? 'is silence.' : SAID.said)
  expect(received.at(-1)).toEqual({
    path: '/stage/play',
    body: { model: 'ham', live: stream, lines: LINES_SAID } as never,
  })
})

test.each([
  false,
  true,
])('between client and upstream of the new dialect the bytes pass through, streamed: %p', async (live) => {
  const response = await play({ model: 'hamlet', live, prompter: 'yes', lines: LINES_SAID })
  expect(await response.text()).toBe(live ? events(EVENTS) : JSON.stringify(SAID))
  const body = { model: 'ham', live, prompter: 'yes', lines: LINES_SAID }
  expect(received.at(-1)).toEqual({ path: '/stage/play', body })
})

test.each([
  [401, 'a wrong key', () => play({ model: 'echo', lines: LINES_SAID }, 'sk-wrong')],
  [404, 'an unknown model', () => play({ model: 'macbeth', lines: LINES_SAID })],
  [400, 'a missing model', () => play({ lines: LINES_SAID })],
  [404, 'an unknown path below the prefix', () => post('/stage/exit', {})],
] as const)('%i for %s is an error in the new dialect', async (status, _, call) => {
  const response = await call()
  expect([response.status, await response.json()]).toEqual([status, { boo: expect.any(String) }] as never)
})

test('every request has one entry in the ledger', async () => {
  const rows = await key.settled()
  expect(rows.map(({ outcome }) => outcome)).toEqual(Array(rows.length).fill('completed'))
  expect(rows).toHaveLength(6)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})
