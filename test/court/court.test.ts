// The court itself: it finds nothing wrong with this gateway, and each deliberate fault of a wrong one, with its request and
// response. The wrong gateways are this one behind a proxy that changes what it answers.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Peer, RunningPeer } from '../../bench/peers/peer.ts'
import { trivium } from '../../bench/peers/trivium.ts'
import type { Cell } from '../../court/cell.ts'
import { CELLS } from '../../court/cells/index.ts'
import { EVERYTHING, readClaims } from '../../court/claims.ts'
import { chargedBy, PRODUCTS } from '../../court/products.ts'
import { pageOf } from '../../court/report/page.ts'
import { findingsOf, rowsOf, tableOf } from '../../court/report/table.ts'
import { holdCourt, type Result } from '../../court/runner.ts'
import { startVendor, type Vendor } from '../../court/vendor/vendor.ts'

let vendor: Vendor
let gateway: RunningPeer
beforeAll(async () => {
  vendor = await startVendor()
  const upstream: Parameters<Peer['start']>[0] = { origin: vendor.origin, model: 'sandbox-text' }
  gateway = await trivium.start({ ...upstream, embeddingModel: 'sandbox-embedding', imageModel: 'sandbox-image' })
})
afterAll(async () => {
  await gateway.stop()
  vendor.stop()
})

/** Clients that `npm test` installs: frameworks are tried in the exhaustive tests. */
const OF_NPM_TEST = /^(openai|@anthropic|@google|HTTP)/
const installed = CELLS.filter(({ client }) => OF_NPM_TEST.test(client))
const named = (area: Cell['area'], part: string, dialect?: Cell['dialect']): Cell[] =>
  installed.filter(
    (cell) => cell.area === area && cell.name.includes(part) && (dialect === undefined || cell.dialect === dialect),
  )

const product = PRODUCTS.find((each) => each.product === 'trivium')

async function run(cells: readonly Cell[], url = gateway.url, models = gateway.models): Promise<Result[]> {
  const charging = chargedBy(product, { url: gateway.url, key: gateway.key })
  return await holdCourt(cells, { gateway: url, key: gateway.key, models, claims: EVERYTHING, vendor, charging })
}

const failed = (results: readonly Result[]) => results.filter(({ outcome }) => outcome === 'failed')
const wordsOf = (results: readonly Result[]) =>
  results.map(({ name, model, finding }) => `${name}, ${model}: ${finding}`)

describe('this gateway passes', () => {
  const quick = installed.filter(({ area }) => area !== 'faults' && area !== 'money' && area !== 'abort')

  test('all that official SDKs and plain HTTP see', async () => {
    // Two upstream protocols: the exhaustive tests have all of them.
    const models = { ...gateway.models, text: gateway.models.text.slice(0, 2) }
    const results = await run(quick, gateway.url, models)
    expect(wordsOf(failed(results))).toEqual([])
    expect(results.length).toBeGreaterThan(150)
  })

  test('samples of faults, money and disconnects', async () => {
    const faults = installed.filter(
      ({ area, name }, index) => area === 'faults' && !/timeout/.test(name) && index % 9 === 0,
    )
    const money = [...named('money', 'text, streamed', 'messages'), ...named('money', 'rejects', 'chat')]
    const one = { text: gateway.models.text.slice(0, 1) }
    const abort = named('abort', '', 'chat')
    const results = [...(await run(faults)), ...(await run([...money, ...abort], gateway.url, one))]
    expect(wordsOf(failed(results))).toEqual([])
    expect(new Set(results.map(({ area }) => area))).toEqual(new Set(['faults', 'money', 'abort']))
  })
})

type Change = (text: string, response: Response) => string | { status: number; text: string }

/** This gateway, whose responses are changed once they are complete. */
async function behind<T>(change: Change, use: (url: string) => Promise<T>): Promise<T> {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const body = request.method === 'GET' ? null : await request.text()
      const { method, headers } = request
      const response = await fetch(gateway.url + pathname + search, { method, headers, body })
      const changed = change(await response.text(), response)
      const { status, text } = typeof changed === 'string' ? { status: response.status, text: changed } : changed
      return new Response(text, { status, headers: { 'content-type': response.headers.get('content-type') ?? '' } })
    },
  })
  try {
    return await use(server.url.origin)
  } finally {
    await server.stop(true)
  }
}

const frames = (text: string): string[] => text.split(/(?<=\n\n)/)
const isStream = (response: Response) => response.headers.get('content-type')?.startsWith('text/event-stream') === true

type Wrong = { what: string; change: Change; cells(): Cell[]; finding: RegExp }

const WRONG: readonly Wrong[] = [
  {
    what: 'exchanges the first two events of a stream',
    change: (text, response) => {
      const [first = '', second = '', ...rest] = frames(text)
      return isStream(response) ? [second, first, ...rest].join('') : text
    },
    cells: () => [
      ...named('streaming', 'order of events: text', 'messages'),
      ...named('streaming', 'order of events: text', 'responses'),
    ],
    finding: /the first event is (content_block_start|response\.in_progress)/,
  },
  {
    what: 'holds streams back until they are complete',
    change: (text) => text,
    cells: () => named('streaming', 'as they come'),
    finding: /it was held back/,
  },
  {
    what: 'leaves out the usage',
    change: (text) => text.replaceAll(/"usage":\{[^{}]*(\{[^{}]*\}[^{}]*)*\}/g, '"usage":null'),
    cells: () => named('answers', 'text and usage', 'chat'),
    finding: /the usage is/,
  },
  {
    what: 'tells another usage than the vendor',
    change: (text) => text.replaceAll(/"(output_tokens|completion_tokens)":\s?\d+/g, '"$1":1'),
    cells: () => named('money', 'is told what the vendor counted: text, in one piece', 'chat'),
    finding: /told .*, counted/,
  },
  {
    what: 'answers errors with 200',
    change: (text, response) => ({ status: 200, text: response.ok ? text : '{}' }),
    cells: () => named('errors', 'a wrong key is the SDK', 'messages'),
    finding: /the SDK threw no error/,
  },
  {
    what: 'answers errors of all protocols in the form of one',
    change: (text, response) =>
      response.ok
        ? text
        : { status: response.status, text: '{"error":{"message":"No.","type":"x","param":null,"code":null}}' },
    cells: () => named('errors', 'an unknown model is an error in the form', 'generate-content'),
    finding: /no number error\.code/,
  },
  {
    what: 'completes streams that the vendor cut',
    change: (text, response) =>
      isStream(response)
        ? `${frames(text)
            .filter((frame) => !frame.includes('"error"'))
            .join('')}data: [DONE]\n\n`
        : text,
    cells: () => named('faults', 'reset-mid-event, streamed', 'chat'),
    finding: /a broken stream looks whole/,
  },
]

test.each(WRONG)('a gateway that $what fails, with request and response', async ({ change, cells, finding }) => {
  const chosen = cells()
  expect(chosen).not.toEqual([])
  const one = { text: gateway.models.text.slice(0, 1) }
  const results = await behind(change, (url) => run(chosen, url, one))
  expect(failed(results)).toHaveLength(chosen.length)
  for (const result of results) {
    expect(result.finding).toMatch(finding)
    const [exchange] = result.exchanges ?? []
    expect(exchange).toMatchObject({
      method: 'POST',
      status: expect.any(Number),
      requestBody: expect.stringMatching(/\{/),
    })
    expect(exchange?.body).not.toBe('')
    expect(JSON.stringify(result)).not.toContain(gateway.key)
  }
})

test('a gateway that does not answer fails its cells, and does not stop the court', async () => {
  const results = await run(named('answers', 'text and usage', 'chat'), 'http://127.0.0.1:1')
  expect(failed(results)).toHaveLength(results.length)
})

test('a cell that does not end is a finding', async () => {
  const [cell] = named('answers', 'text and usage', 'chat')
  const endless = { ...(cell as Cell), run: () => new Promise<void>(() => {}) }
  const options = { gateway: gateway.url, key: gateway.key, models: { text: ['m'] }, claims: EVERYTHING }
  const [result] = await holdCourt([endless], { ...options, cellTimeoutMs: 20 })
  expect(result).toMatchObject({ outcome: 'failed', finding: 'no end within 0.02 s' })
})

test('cells that a product does not claim count apart, in the table and in the page', async () => {
  const claims = readClaims('{"product":"toy","exceptions":[{"dialect":"messages","why":"not <served>"}]}')
  const cells = [...named('answers', 'text and usage', 'chat'), ...named('answers', 'text and usage', 'messages')]
  const options = { key: gateway.key, models: { text: ['court-no-such-model'] }, claims, vendor }
  const results = await holdCourt(cells, { gateway: gateway.url, ...options })
  expect(rowsOf(results)).toEqual([{ area: 'answers', passed: 0, failed: 3, unclaimedPassed: 0, unclaimed: 3 }])
  expect(tableOf(results)).toContain('0 of 3')
  expect(findingsOf(results).join()).not.toContain('messages')
  const page = pageOf(results, { product: 'toy', gateway: gateway.url, at: 'now', court: '1', vendor: true })
  expect(page).toContain('not &lt;served&gt;')
  expect(page).toContain('POST /v1/messages')
  expect(page).not.toContain(gateway.key)
})

test.each([
  ['[]', 'has the fields'],
  ['{"product":"x","exceptions":[{}]}', 'without "why"'],
])('claims that are wrong are refused: %s', (text, words) => {
  expect(() => readClaims(text)).toThrow(words)
})
