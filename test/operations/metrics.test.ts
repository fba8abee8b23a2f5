// GET /metrics of a running gateway: who may read it, and figures that equal the ledger, also over several workers.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parseUsd } from '../../packages/gateway/src/money/amount.ts'
import { METRICS } from '../../packages/gateway/src/observe/metrics/names.ts'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { QUICK } from '../support/gateway/video-gateway.ts'
import { countIn, lastOf, linesOf, scrape, usdIn } from '../support/metrics.ts'
import { childrenOf } from '../support/postgres/postgres.ts'
import { videoClient } from '../support/requests/videos.ts'

const TOKEN = 'a-token-of-at-least-20-characters'
const CONFIG = `
server: { metrics_token: ${TOKEN} }
sandbox: { faults: true }
upstreams: [{ id: dead, dialect: chat, base_url: "http://127.0.0.1:9/v1", keys: [unused] }]
models:
  - id: odd
    routes:
      - { upstream: dead, model: nothing, priority: 1 }
      - { upstream: sandbox, model: sandbox-text, priority: 2, cost: { input: 0.11, output: 0.37 } }
    price: { input: 1.37, output: 4.01 }
`
const CREDIT = '100'
/** A new connection, which the kernel assigns to any of the workers. */
const ANEW = { connection: 'close' }
const talk = (model: string, content = 'Hello', stream = false) => ({
  model,
  stream,
  messages: [{ role: 'user', content }],
})

const nodeOf = (answer: Response) =>
  Number((BigInt(`0x${answer.headers.get('x-request-id')?.slice(4)}`) >> 12n) & 1023n)

for (const engine of ENGINES)
  describe(engine === 'postgres' ? 'PostgreSQL, two workers' : 'SQLite', () => {
    const workers = engine === 'postgres' ? 2 : 1
    let gateway: Gateway
    let made: Awaited<ReturnType<typeof newKey>>
    const nodes = new Set<number>()
    beforeAll(async () => {
      const env = workers > 1 ? { TRIVIUM_WORKERS: String(workers) } : {}
      gateway = await startGateway({ engine, config: CONFIG, env, taskTiming: QUICK })
      made = await newKey(gateway, CREDIT)
    })
    afterAll(() => gateway.stop())

    /** What the ledger took from the account, in nano-USD. */
    const charged = async () => {
      const { balance_usd, held_usd } = await made.account()
      if (parseUsd(held_usd) !== 0n) return undefined
      return (parseUsd(CREDIT) ?? 0n) - (parseUsd(balance_usd) ?? 0n)
    }
    const text = async () => await (await scrape(gateway)).text()
    const answered = async (body: object) => {
      const answer = await chat(gateway.url, made.secret, body, ANEW)
      nodes.add(nodeOf(answer))
      return { status: answer.status, text: await answer.text() }
    }

    test('after a mixed run what was charged equals the ledger to the last digit', async () => {
      let texts = 0
      await eventually(async () => {
        expect((await answered(talk('odd', `Hello ${texts}`, texts % 2 === 0))).status).toBe(200)
        texts += 1
        return texts >= 6 && nodes.size === workers
      })
      expect((await answered(talk('sandbox-text:status=500'))).status).toBeGreaterThanOrEqual(500)
      for (let index = 0; index < 5; index++) expect((await answered(talk(`invented-${index}`))).status).toBe(404)
      const disconnected = await chat(gateway.url, made.secret, talk('odd', 'say 500 words, pace 20 ms', true), ANEW)
      const reader = disconnected.body?.getReader()
      await reader?.read()
      await reader?.cancel()
      const image = await fetch(`${gateway.url}/v1/images/generations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${made.secret}`, 'content-type': 'application/json', ...ANEW },
        body: JSON.stringify({ model: 'sandbox-image', prompt: 'a lighthouse', size: '64x64' }),
      })
      expect(image.status).toBe(200)
      await image.text()
      const videos = videoClient(gateway, made.secret)
      const task = await videos.submit({
        model: 'sandbox-video',
        content: [{ type: 'text', text: 'a lighthouse' }],
        duration: 1,
      })
      await videos.until(task, 'succeeded')
      await eventually(async () => (await charged()) !== undefined)
      const inLedger = await charged()
      expect(inLedger).toBeGreaterThan(parseUsd('0.09') ?? 0n)
      await eventually(async () => usdIn(await text(), METRICS.charged.name) === inLedger)

      const found = await text()
      const of = (model: string) => `model="${model}",upstream="sandbox"`
      expect(countIn(found, METRICS.requests.name, `${of('odd')},outcome="completed"`)).toBe(texts)
      expect(countIn(found, METRICS.requests.name, `${of('odd')},outcome="client_disconnected"`)).toBe(1)
      expect(countIn(found, METRICS.requests.name, 'model="other",upstream="none",outcome="rejected"')).toBe(5)
      expect(countIn(found, METRICS.errors.name, 'code="model_not_found"')).toBe(5)
      expect(usdIn(found, `${METRICS.charged.name}{${of('sandbox-image')}}`)).toBe(parseUsd('0.04') ?? 0n)
      expect(usdIn(found, `${METRICS.charged.name}{${of('sandbox-video')}}`)).toBe(parseUsd('0.05') ?? 0n)
      expect(usdIn(found, `${METRICS.cost.name}{${of('odd')}}`)).toBeGreaterThan(0n)
      expect(countIn(found, METRICS.attempts.name, 'upstream="dead",result="no_response"')).toBeGreaterThan(0)
      expect(countIn(found, METRICS.tokens.name, 'type="output"')).toBeGreaterThan(0)
      expect(countIn(found, `${METRICS.firstToken.name}_count`)).toBeGreaterThanOrEqual(texts)
      expect(found).not.toContain('invented')
      expect(found).not.toContain(made.secret)
    })

    test('the process, the queues and the database are shown', async () => {
      await eventually(async () => countIn(await text(), METRICS.holds.name) === 0)
      const found = await text()
      for (const { name } of [METRICS.processes, METRICS.ready]) expect(countIn(found, name)).toBe(workers)
      expect(linesOf(found, METRICS.build.name)).toHaveLength(1)
      for (const { name } of [METRICS.memory, METRICS.cpu, METRICS.connections, METRICS.started])
        expect(countIn(found, `${name} `)).toBeGreaterThan(0)
      for (const { name } of [METRICS.holds, METRICS.heldUsd, METRICS.oldestHold, METRICS.shortfall, METRICS.journal])
        expect(linesOf(found, `${name} `).map((line) => Number(lastOf(line)))).toEqual([0])
      expect(linesOf(found, `${METRICS.upstreamState.name}{upstream="sandbox"}`).map(lastOf)).toEqual(['1'])
      expect(linesOf(found, METRICS.configuration.name).map(lastOf)).toEqual(['1'])
      expect(countIn(found, `${METRICS.database.name}_count`, 'operation="settle"')).toBeGreaterThan(0)
      expect(countIn(found, METRICS.jobs.name, 'result="done"')).toBeGreaterThan(0)
    })

    if (workers === 1) {
      test('it is read on this machine, or with the token; others learn nothing', async () => {
        const rejections = new Set<string>()
        for (const [headers, status] of [
          [{}, 200],
          [{ 'x-forwarded-for': '203.0.113.7' }, 403],
          [{ forwarded: 'for=203.0.113.7' }, 403],
          [{ 'x-real-ip': '203.0.113.7' }, 403],
          [{ via: '1.1 proxy' }, 403],
          [{ via: '1.1 proxy', authorization: `Bearer ${TOKEN}x` }, 403],
          [{ via: '1.1 proxy', authorization: `Basic ${TOKEN}` }, 403],
          [{ via: '1.1 proxy', authorization: `Bearer ${TOKEN}` }, 200],
        ] as const) {
          const answer = await scrape(gateway, headers)
          expect([headers, answer.status]).toEqual([headers, status])
          const body = await answer.text()
          if (status === 403) rejections.add(body)
          else expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
        }
        // The same with a wrong token as without one.
        expect([...rejections]).toEqual([expect.stringContaining('with the token of server.metrics_token')])
        await eventually(() => gateway.output().stderr.includes('"path":"/metrics","status":403'))
        expect(gateway.output().stderr).not.toContain(TOKEN)
      })

      test('attempts to sign in are counted by their result', async () => {
        const answer = await fetch(`${gateway.url}/console/api/sign-in`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: gateway.url },
          body: JSON.stringify({ email: 'nobody@example.com', password: 'wrong password' }),
        })
        expect(answer.status).toBeGreaterThanOrEqual(400)
        await eventually(async () => countIn(await text(), METRICS.signIns.name, 'wrong_credentials') === 1)
      })
      return
    }

    test('what a worker counted stays in the sum when it stops, and when it is killed', async () => {
      const total = async () => countIn(await text(), METRICS.requests.name, 'endpoint="chat"')
      let expected = await total()
      for (const signals of [['SIGTERM', 'SIGTERM'], ['SIGKILL']] as const) {
        // Each worker that is scraped has the other one report.
        const scraped = new Set<number>()
        await eventually(async () => scraped.add(nodeOf(await scrape(gateway))).size === 2)
        const children = childrenOf(gateway.pid)
        const [victim = 0] = children
        for (const signal of signals) {
          process.kill(victim, signal)
          await Bun.sleep(400)
        }
        await eventually(() => {
          const now = childrenOf(gateway.pid)
          return now.length === 2 && !now.includes(victim)
        })
        // One more, which a text from before does not have.
        expect((await answered(talk('odd'))).status).toBe(200)
        expected += 1
        await eventually(async () => (await total()) === expected)
        await eventually(async () => (await charged()) === usdIn(await text(), METRICS.charged.name))
      }
    })
  })
