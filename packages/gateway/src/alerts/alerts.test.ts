// Alerts with real stores, a real receiver and a clock that the tests move: each fires once and resolves once.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshSchema } from '../../../../test/support/postgres/schemas.ts'
import { SMTP_CERTIFICATE, startSmtp } from '../../test-support/smtp-server.ts'
import { assemble } from '../config/assemble.ts'
import type { AlertRule } from '../config/sections/alerts.ts'
import { countErrors } from '../observe/error-counts.ts'
import { RequestRecord } from '../observe/request-record.ts'
import { openPostgres } from '../storage/postgres/open-postgres.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { type AlertFact, ANY_OBJECT, type Storage } from '../storage/storage.ts'
import { postPublic } from '../upstreams/public/post-public.ts'
import { deliver, PAUSES_MS } from './deliver.ts'
import { evaluate, RESOLVED_AFTER_MS } from './evaluate.ts'
import { certificateExpiry, diskUse } from './measure.ts'
import { judge } from './rules.ts'
import { type AlertMessage, targetsOf } from './targets.ts'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE
const START = Date.UTC(2030, 0, 31)
const KEY = Buffer.alloc(32, 7)
const SECRET = `whsec_${KEY.toString('base64')}`

function configOf(alerts: string, more = '') {
  const { config, mistakes } = assemble({
    source: `alerts: { ${alerts} }\n${more}`,
    file: '/etc/trivium.yaml',
    env: {},
  })
  if (!config) throw new Error(JSON.stringify(mistakes))
  return config
}

test.each<[AlertRule, number, number, number, number]>([
  // What is not enough, and what is, as amount and total.
  ['error_rate', 19, 96, 20, 96],
  ['error_rate', 19, 19, 20, 20],
  ['disk_full', 89, 100, 90, 100],
  ['disk_full', 0, 0, 1, 1],
  ['contents_full', 899, 1_000, 900, 1_000],
  ['audit_failed', 0, 1, 1, 1],
  ['old_holds', 0, 0, 1, 2 * 60 * MINUTE],
  ['certificate_expiring', START + 15 * DAY, 0, START + 13 * DAY, 0],
  ['certificate_expiring', START + 15 * DAY, 0, START - DAY, 0],
  ['price_list_old', START - 89 * DAY, 0, START - 91 * DAY, 0],
])('%s: %d of %d is not enough, %d of %d is', (rule, amount, total, badAmount, badTotal) => {
  const { alerts } = configOf('')
  const judged = (fact: Omit<AlertFact, 'rule' | 'object'>, config = alerts) =>
    [...judge([{ rule, object: 'x', ...fact }], config, START).values()].map((finding) => finding.rule)
  expect(judged({ amount, total })).toEqual([])
  expect(judged({ amount: badAmount, total: badTotal })).toEqual([rule])
  expect(judged({ amount: badAmount, total: badTotal }, configOf(`off: [${rule}]`).alerts)).toEqual([])
})

test('failed requests of all nodes are one rate; a rule of a later version is left out', () => {
  const rate = (amount: number, total: number) => ({ rule: 'error_rate', object: '', amount, total })
  const { alerts } = configOf('')
  expect([...judge([rate(10, 10), rate(0, 10)], alerts, START).values()]).toMatchObject([
    { value: '10 of 20 requests of the last 5 minutes failed (50 %)' },
  ])
  expect(judge([rate(10, 10), rate(0, 90), { ...rate(9, 9), rule: 'invented' }], alerts, START).size).toBe(0)
})

test('requests are counted for 5 minutes; mistakes of clients and requests without a key are no failures', () => {
  let now = START
  const counts = countErrors(() => now)
  const end = (status: number, outcome?: string, account: bigint | undefined = 1n) =>
    counts.ended(Object.assign(new RequestRecord('POST', '/', 'req_1', 0), { status, outcome, account }))
  end(200, 'completed')
  end(502)
  end(200, 'cut')
  end(400, 'failed')
  counts.ended(Object.assign(new RequestRecord('POST', '/', 'req_1', 0), { status: 503 }))
  expect(counts.recent(now)).toEqual({ amount: 2, total: 4 })
  now += 4 * MINUTE
  end(500, 'failed')
  expect(counts.recent(now)).toEqual({ amount: 3, total: 5 })
  now += MINUTE
  expect(counts.recent(now)).toEqual({ amount: 1, total: 1 })
  now += 5 * MINUTE
  expect(counts.recent(now)).toEqual({ amount: 0, total: 0 })
})

test('disks and certificates are measured', async () => {
  const { used, free, total } = await diskUse(tmpdir())
  expect(used + free).toBe(total)
  expect(used).toBeGreaterThan(0)
  expect(await certificateExpiry(SMTP_CERTIFICATE)).toBeGreaterThan(START - 3_650 * DAY)
})

type Received = { headers: Headers; body: string }

const ENGINES = ['sqlite', 'postgres'] as const
describe.each(ENGINES)('on %s', (engine) => {
  let open: () => Promise<Storage>
  let storage: Storage
  let folder: string
  let server: ReturnType<typeof Bun.serve>
  let received: Received[]
  let status: number
  let now: number
  const logged: string[] = []
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trivium-alerts-'))
    const address = engine === 'postgres' ? await freshSchema() : ''
    open = () => (engine === 'postgres' ? openPostgres(address) : openSqlite(folder))
    storage = await open()
    received = []
    status = 204
    now = START
    logged.length = 0
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        received.push({ headers: request.headers, body: await request.text() })
        return new Response(null, { status })
      },
    })
  })
  afterEach(async () => {
    await storage.close()
    await server.stop(true)
    rmSync(folder, { recursive: true })
  })

  const webhook = (more = '') =>
    configOf(`webhooks: [{ url: "${server.url}hook?token=abc", secret: ${SECRET} }], allow_private: true ${more}`)
  const note = (message: string) => void logged.push(message)
  function node(config = webhook()) {
    const deps = {
      store: storage.alerts,
      config: () => config,
      targets: () => targetsOf(config, { postPublic, clock: () => now }),
      gateway: () => 'https://gw.example.com',
      clock: () => now,
      log: { info: note, warn: note, error: note },
    }
    return {
      evaluate: (...facts: AlertFact[]) => evaluate(deps, facts),
      deliver: () => deliver(deps),
    }
  }
  const DOWN: AlertFact = { rule: 'upstream_down', object: 'upstream main', amount: 1, total: 1 }
  const FULL: AlertFact = { rule: 'disk_full', object: 'gw-1 /data', amount: 95, total: 100 }
  const messages = () => received.map(({ body }) => JSON.parse(body) as AlertMessage)
  const types = () => messages().map(({ type }) => type)

  test('one alert of two nodes fires after it has lasted, survives flapping, and resolves once', async () => {
    const nodes = [node(), node()]
    const both = async (...facts: AlertFact[]) => {
      await Promise.all(nodes.map((each) => each.evaluate(...facts)))
      await Promise.all(nodes.map((each) => each.deliver()))
    }
    await both(DOWN)
    now += 5 * MINUTE - 1
    await both(DOWN)
    expect(received).toEqual([])
    now += 1
    await both(DOWN)
    await both(DOWN)
    expect(types()).toEqual(['alert.fired'])
    for (let flap = 0; flap < 3; flap++) {
      await both()
      now += RESOLVED_AFTER_MS - 1
      await both()
      now += 1
      await both(DOWN)
    }
    expect(types()).toEqual(['alert.fired'])
    await both()
    now += RESOLVED_AFTER_MS
    await both()
    await both()
    expect(types()).toEqual(['alert.fired', 'alert.resolved'])
    expect(messages()[1]?.data).toMatchObject({
      rule: 'upstream_down',
      object: 'upstream main',
      resolved_at: expect.any(String),
    })
    expect(logged).toEqual(['alert: An upstream is down', 'alert resolved: An upstream is down'])
    // The next one is another alert.
    await both(FULL)
    expect(types()).toEqual(['alert.fired', 'alert.resolved', 'alert.fired'])
  })

  test('a muted alert is not sent, unless it outlasts the mute; what was sent is also resolved', async () => {
    const { evaluate, deliver } = node()
    const run = async (...facts: AlertFact[]) => {
      await evaluate(...facts)
      await deliver()
    }
    const resolved = async () => {
      await run()
      now += RESOLVED_AFTER_MS
      await run()
    }
    const mute = (object: string, until: number) =>
      storage.alerts.setMute({ rule: FULL.rule, object, until, actor: 'person/1' }, now)
    await mute(FULL.object, now + MINUTE)
    await run(FULL, { ...FULL, object: 'gw-2 /data' })
    expect(messages().map(({ data }) => data.object)).toEqual(['gw-2 /data'])
    await resolved()
    // Nothing was sent for the muted alert, so its end is not sent either.
    expect(messages().map(({ type, data }) => [type, data.object])).toEqual([
      ['alert.fired', 'gw-2 /data'],
      ['alert.resolved', 'gw-2 /data'],
    ])
    received.length = 0
    await mute(ANY_OBJECT, now + MINUTE)
    await run(FULL)
    now += MINUTE - 1
    await run(FULL)
    expect(received).toEqual([])
    now += 1
    await run(FULL)
    await run(FULL)
    expect(types()).toEqual(['alert.fired'])
    await mute(ANY_OBJECT, now + 60 * MINUTE)
    await resolved()
    expect(types()).toEqual(['alert.fired', 'alert.resolved'])
  })

  test('a condition that ends before it has lasted is forgotten', async () => {
    const { evaluate } = node()
    await evaluate(DOWN)
    now += 4 * MINUTE
    await evaluate()
    now += 4 * MINUTE
    await evaluate(DOWN)
    expect(await storage.alerts.unresolved()).toMatchObject([{ since: now, firedAt: undefined }])
    expect(await storage.alerts.list({}, 10)).toEqual([])
  })

  test('a webhook is signed by the rules of Standard Webhooks, and no secret is stored', async () => {
    const { evaluate, deliver } = node()
    await evaluate(FULL)
    await deliver()
    const [{ headers, body } = { headers: new Headers(), body: '' }] = received
    const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`
    const signature = createHmac('sha256', KEY).update(signed).digest('base64')
    expect(headers.get('webhook-signature')).toBe(`v1,${signature}`)
    expect(headers.get('webhook-timestamp')).toBe(String(START / 1_000))
    const [alert] = await storage.alerts.list({}, 1)
    expect(headers.get('webhook-id')).toBe(`alert_${alert?.id}_fired`)
    const [delivery] = await storage.alerts.deliveries([alert?.id ?? 0n])
    expect(delivery).toMatchObject({ endedAt: now, error: undefined, tries: 1 })
    expect(delivery?.target).toMatch(/^webhook 127\.0\.0\.1:\d+ [0-9a-f]{8}$/)
  })

  test('what was written before a crash is sent after the next start, once', async () => {
    await node().evaluate(FULL)
    await storage.close()
    storage = await open()
    const next = node()
    await next.evaluate(FULL)
    await next.deliver()
    await next.deliver()
    expect(types()).toEqual(['alert.fired'])
  })

  test('a receiver that fails is tried again after growing pauses, and given up in the end', async () => {
    const { evaluate, deliver } = node()
    await evaluate(FULL)
    status = 500
    await deliver()
    for (const [index, pause] of PAUSES_MS.entries()) {
      now += pause - 1
      await deliver()
      expect(received).toHaveLength(index + 1)
      now += 1
      await deliver()
      expect(received).toHaveLength(index + 2)
    }
    expect(new Set(received.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1)
    // What it resolves to is sent all the same, after what fired.
    status = 200
    await evaluate()
    now += RESOLVED_AFTER_MS
    await evaluate()
    await deliver()
    await deliver()
    expect(types().slice(-2)).toEqual(['alert.fired', 'alert.resolved'])
    const [alert] = await storage.alerts.list({}, 1)
    const states = await storage.alerts.deliveries([alert?.id ?? 0n])
    expect(states.map(({ tries, error }) => [tries, error])).toEqual([
      [PAUSES_MS.length + 1, 'status 500'],
      [1, undefined],
    ])
  })

  test('a private address is rejected unless the configuration allows it; a target that is gone is given up', async () => {
    const closed = node(configOf(`webhooks: [{ url: "${server.url}hook?token=abc", secret: ${SECRET} }]`))
    await closed.evaluate(FULL)
    await closed.deliver()
    expect(received).toEqual([])
    const [alert] = await storage.alerts.list({}, 1)
    const state = async () => (await storage.alerts.deliveries([alert?.id ?? 0n]))[0]
    expect((await state())?.error).toContain('does not lead to a public host')
    now += PAUSES_MS[0] ?? 0
    await node(configOf('')).deliver()
    expect(await state()).toMatchObject({ endedAt: now, error: 'the target is no longer configured' })
  })

  test('by email', async () => {
    const smtp = await startSmtp({ mode: 'smtps' })
    const mail = `mail: { url: "smtps://localhost:${smtp.port}", from: gw@example.com, ca: ${SMTP_CERTIFICATE} }`
    const { evaluate, deliver } = node(configOf('email: [ops@example.com, two@example.com]', mail))
    await evaluate(FULL)
    await deliver()
    expect(smtp.mails.flatMap(({ to }) => to).toSorted()).toEqual(['ops@example.com', 'two@example.com'])
    expect(smtp.mails[0]?.headers).toContain('Subject: Alert: A disk is nearly full: gw-1 /data')
    expect(smtp.mails[0]?.text).toContain('95 % used')
    expect(smtp.mails[0]?.text).toContain('https://gw.example.com')
    await smtp.stop()
  })
})
