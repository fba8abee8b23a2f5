// What video tasks cost, on both engines: held is the most that a request can mean, charged is what was made, at the price of the
// submit and never above the hold; everything that is not a video is free.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { eventually } from '../../test/support/eventually.ts'
import { audit, newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES } from '../../test/support/gateway/home.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { QUICK } from '../../test/support/gateway/video-gateway.ts'
import { errorOf, videoBody, videoClient } from '../../test/support/requests/videos.ts'
import {
  doubledSubmits,
  type ScriptedVideo,
  type State,
  startScriptedVideo,
} from '../../test/support/upstreams/scripted-video.ts'
import { CASES } from './money-cases.ts'

const LIMITS = 'limits: { seconds: [4, 12], default_seconds: 5, resolutions: [720p, 1080p], default_resolution: 720p }'
const PER_SECOND = 'price: { per_second: 0.05, variants: { "1080p": 0.12 } }'

const configFor = (baseUrl: string, perSecond = PER_SECOND): string => `
upstreams:
  - { id: films, dialect: video-tasks, base_url: "${baseUrl}", keys: [key], breaker: false, allow_private: true, timeouts: { first_byte: 1s, idle: 1s } }
  - { id: brief, dialect: video-tasks, base_url: "${baseUrl}", keys: [key], breaker: false, allow_private: true, timeouts: { total: 1s } }
models:
  - { id: sec, type: video, routes: [{ upstream: films, model: inner }], ${perSecond}, ${LIMITS} }
  - { id: open, type: video, routes: [{ upstream: films, model: inner }], ${PER_SECOND}, limits: { seconds: [4, 12], resolutions: [720p, 1080p] } }
  - { id: any, type: video, routes: [{ upstream: films, model: inner }], ${PER_SECOND}, limits: { seconds: [4, 12] } }
  - { id: piece, type: video, routes: [{ upstream: films, model: inner }], price: { per_video: 0.3, variants: { "1080p": 0.5 } }, ${LIMITS} }
  - { id: tok, type: video, routes: [{ upstream: films, model: inner }], price: { per_million_tokens: 5, variants: { "1080p": 7 } }, ${LIMITS} }
  - { id: brief, type: video, routes: [{ upstream: brief, model: inner }], ${PER_SECOND}, ${LIMITS} }
groups:
  - { id: default, models: ["*"] }
  - { id: staff, models: ["*"], multiplier: 0.8 }
`

type Receipt = {
  request_id: string
  state: string
  outcome: string
  cost_usd: string
  held_usd: string
  units: object | null
  formula: string | null
  error: object | null
}

describe.each([...ENGINES])('%s', (engine) => {
  let films: ScriptedVideo
  let gateway: Gateway
  beforeAll(async () => {
    films = await startScriptedVideo()
    gateway = await startGateway({
      engine,
      config: configFor(films.baseUrl),
      taskTiming: { ...QUICK, missingMs: 60_000 },
    })
  })
  afterEach(async () => {
    const doubled = doubledSubmits(films)
    films.reset()
    expect(doubled).toEqual([])
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  })
  afterAll(async () => {
    expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
    await gateway.stop()
    films.stop()
  })

  async function newClient(credit = '10', more: Record<string, string> = {}) {
    const account = await newKey(gateway, credit, more)
    const client = videoClient(gateway, account.secret)
    const receipt = async (requestId: string): Promise<Receipt> => {
      const headers = { authorization: `Bearer ${account.secret}` }
      return (await (await fetch(`${gateway.url}/v1/usage/${requestId}`, { headers })).json()) as Receipt
    }
    /** A task that runs until `end` gives it another state. */
    async function begin(body: object) {
      films.script.states = ['running']
      const response = await client.send(body)
      const { id } = (await response.json()) as { id: string }
      expect(response.status).toBe(200)
      const end = (state: State) => {
        for (const task of films.tasks.values()) if (task.reference === id) task.states = [state]
      }
      return { id, requestId: response.headers.get('x-request-id') ?? '', end }
    }
    /** The only row, once nothing is held; the balance agrees with it. */
    async function only() {
      const rows = await account.settled()
      const { balance_usd, held_usd } = await account.account()
      expect([rows.length, held_usd]).toEqual([1, '0.00'])
      expect(Number(balance_usd)).toBeCloseTo(Number(credit) - Number(rows[0]?.cost_usd), 9)
      return rows[0]
    }
    return { ...account, ...client, receipt, begin, only }
  }

  test.each(CASES.map((each) => [each.name, each] as const))('%s', async (_, given) => {
    const { model, fields = {}, made = {}, group, sent, held, cost, units, formula } = given
    const client = await newClient('10', group === undefined ? {} : { group })
    const { id, requestId, end } = await client.begin(videoBody(model, fields))
    const { duration, resolution } = [...films.tasks.values()].at(-1)?.request ?? {}
    if (sent) expect({ duration, resolution }).toEqual({ duration: sent.duration, resolution: sent.resolution })
    expect(await client.account()).toMatchObject({ balance_usd: '10.00', held_usd: held })
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 1 })
    const open = { request_id: requestId, outcome: 'running', cost_usd: '0.00', held_usd: held }
    expect(await client.receipt(requestId)).toMatchObject({ ...open, state: 'open' })
    expect(await client.rows()).toMatchObject([open])
    end({ status: 'succeeded', ...made })
    await client.until(id, 'succeeded')
    expect(await client.only()).toMatchObject({ request_id: requestId, model, outcome: 'completed', cost_usd: cost })
    const receipt = { state: 'settled', outcome: 'completed', cost_usd: cost, held_usd: held, units, formula }
    const configuration = { revision: 0, file: expect.stringMatching(/^[0-9a-f]{12}$/) }
    expect(await client.receipt(requestId)).toMatchObject({ ...receipt, configuration })
  })

  const failedWith = (code: string) => ({ status: 'failed', error: { code, message: 'It failed.' } })

  test.each<[string, State, status: string, outcome: string, code: string | null]>([
    [
      'failed',
      failedWith('OutputVideoSensitiveContentDetected'),
      'failed',
      'failed',
      'OutputVideoSensitiveContentDetected',
    ],
    ['failed with a code that is none', failedWith('a <b> c'), 'failed', 'failed', 'InternalServiceError'],
    ['cancelled at the upstream', 'cancelled', 'cancelled', 'cancelled', null],
    ['expired at the upstream', 'expired', 'expired', 'expired', null],
  ])('%s: released once, and free', async (_, state, status, outcome, code) => {
    const client = await newClient()
    const { id, requestId, end } = await client.begin(videoBody('sec'))
    end(state)
    await client.until(id, status)
    expect(await client.only()).toMatchObject({ request_id: requestId, outcome, cost_usd: '0.00', held_usd: '0.25' })
    expect(await client.receipt(requestId)).toMatchObject({
      state: 'voided',
      outcome,
      units: null,
      formula: null,
      error: code === null ? null : { code, status: null },
    })
  })

  test('cancelled by the client', async () => {
    const client = await newClient()
    films.script.states = ['queued']
    const id = await client.submit(videoBody('sec'))
    expect((await client.remove(id)).status).toBe(204)
    expect(await client.only()).toMatchObject({ outcome: 'cancelled', cost_usd: '0.00' })
    expect((await client.read(id)).status).toBe('cancelled')
  })

  test('the deadline: expired, and the possible cost is noted', async () => {
    const client = await newClient()
    const { id } = await client.begin(videoBody('brief'))
    await client.until(id, 'expired')
    const receipt = { possible_upstream_cost: '0.25' }
    expect(await client.only()).toMatchObject({ outcome: 'expired', cost_usd: '0.00', receipt })
  })

  test('rejected by the upstream: an error, one row, no task', async () => {
    const client = await newClient()
    films.script.submit = { status: 400 }
    expect((await client.send(videoBody('sec'))).status).toBe(400)
    const error = { code: 'bad_request' }
    expect(await client.only()).toMatchObject({ outcome: 'failed', cost_usd: '0.00', receipt: { error } })
    expect(await (await client.list()).json()).toMatchObject({ total: 0 })
  })

  test.each<[string, State[], status: string, cost: string]>([
    ['a late success is charged', ['running', 'succeeded'], 'succeeded', '0.25'],
    ['a late failure is released', ['running', 'failed'], 'failed', '0.00'],
  ])('after a doubt about the submit, %s', async (_, states, status, cost) => {
    const client = await newClient()
    films.script.states = states
    films.script.submit = 'accept-cut'
    const id = await client.submit(videoBody('sec'))
    await client.until(id, status)
    expect(await client.only()).toMatchObject({ cost_usd: cost })
  })

  test.each<[string, State, status: string, cost: string]>([
    ['a late success is charged', 'succeeded', 'succeeded', '0.25'],
    ['a late failure is released', 'failed', 'failed', '0.00'],
  ])('after the upstream did not know its task, %s', async (_, state, status, cost) => {
    const client = await newClient()
    films.script.hiddenFor = 3
    const { id, end } = await client.begin(videoBody('sec'))
    end(state)
    await client.until(id, status)
    expect(await client.only()).toMatchObject({ cost_usd: cost })
    expect(films.count('query')).toBeGreaterThan(3)
  })

  test('the task is not confirmed: failed and free, with the possible cost', async () => {
    const client = await newClient()
    films.script.submit = 'cut'
    const id = await client.submit(videoBody('sec'))
    await client.until(id, 'failed')
    const receipt = { possible_upstream_cost: '0.25' }
    expect(await client.only()).toMatchObject({ outcome: 'failed', cost_usd: '0.00', receipt })
  })

  async function expire(key: string): Promise<void> {
    const expires = Date.now() + 300
    await operate(gateway, 'key limit', { key, expires: new Date(expires).toISOString() })
    await eventually(() => Date.now() > expires)
  }

  test.each<[string, (client: { keyId: string; email: string }) => Promise<unknown>]>([
    ['the key is deleted', ({ keyId }) => operate(gateway, 'key delete', { key: keyId })],
    ['the account is disabled', ({ email }) => operate(gateway, 'account disable', { account: email })],
    ['the key expires', ({ keyId }) => expire(keyId)],
  ])('%s meanwhile: the task still settles', async (_, happen) => {
    const client = await newClient()
    const [made, failed] = [await client.begin(videoBody('sec')), await client.begin(videoBody('sec'))]
    await happen(client)
    made.end('succeeded')
    failed.end('failed')
    const rows = await client.settled()
    expect(rows.map(({ cost_usd }) => cost_usd).toSorted()).toEqual(['0.00', '0.25'])
    expect(await client.account()).toMatchObject({ balance_usd: '9.75', held_usd: '0.00' })
  })

  test('the price is that of the submit', async () => {
    const reload = async (price: string) => {
      const reloads = () => gateway.output().stderr.split('"configuration reloaded"').length
      const before = reloads()
      writeFileSync(gateway.home.configFile, configFor(films.baseUrl, price))
      gateway.signal('SIGHUP')
      await eventually(() => reloads() > before)
    }
    const client = await newClient()
    const { id, end } = await client.begin(videoBody('sec'))
    await reload('price: { per_second: 0.9 }')
    const other = await newClient()
    const later = await other.begin(videoBody('sec'))
    expect((await other.account()).held_usd).toBe('4.50')
    end({ status: 'succeeded', duration: 4 })
    later.end('succeeded')
    await client.until(id, 'succeeded')
    expect(await client.only()).toMatchObject({ cost_usd: '0.20', held_usd: '0.25' })
    expect(await other.only()).toMatchObject({ cost_usd: '4.50' })
    await reload(PER_SECOND)
  })

  describe('limits', () => {
    test('a balance that is too low: 402 in the dialect, nothing is sent', async () => {
      const client = await newClient('0.24')
      expect(await errorOf(await client.send(videoBody('sec')))).toEqual([402, 'AccountOverdueError', ''])
      expect([films.requests.length, await client.rows()]).toEqual([0, []])
      expect(await client.submit(videoBody('sec', { duration: 4 }))).toMatch(/^cgt-/)
      await client.only()
    })

    test('a cap of the key counts what open tasks hold', async () => {
      const client = await newClient('10', { cap: '0.45' })
      const { id, end } = await client.begin(videoBody('sec'))
      const [status] = await errorOf(await client.send(videoBody('sec')))
      expect([status, films.count('submit')]).toEqual([402, 1])
      end({ status: 'succeeded', duration: 4 })
      await client.until(id, 'succeeded')
      await client.only()
      films.script.states = ['failed']
      expect((await client.send(videoBody('sec', { duration: 4 }))).status).toBe(200)
      await client.settled()
    })

    test('running tasks do not count as concurrent requests, but as requests of the minute', async () => {
      const client = await newClient('10', { concurrent: '1', rpm: '3' })
      const begun = []
      for (let each = 0; each < 3; each++) begun.push(await client.begin(videoBody('sec')))
      const rejected = await client.send(videoBody('sec'))
      expect([rejected.status, films.count('submit')]).toEqual([429, 3])
      for (const { end } of begun) end('succeeded')
      expect(await client.settled()).toHaveLength(3)
    })
  })
})
