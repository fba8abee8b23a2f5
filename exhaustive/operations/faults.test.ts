// Faults of the environment of a real server: a disk that takes no more, a folder that cannot be written, no free descriptors. One
// line, /ready false while they last, no settlement lost, and no hand needed afterwards. Limits of the process, set from outside
// (prlimit of util-linux: Linux only), stand in for full disks and used descriptors.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import type { Socket } from 'node:net'
import { eventually } from '../../test/support/eventually.ts'
import { audit, newKey } from '../../test/support/gateway/accounts.ts'
import { chat, type Gateway, startGateway, UNPRIVILEGED } from '../../test/support/gateway/gateway.ts'
import { ENGINES, type Engine } from '../../test/support/gateway/home.ts'
import {
  configFor,
  reply,
  respondWith,
  startUpstream,
  type Upstream,
} from '../../test/support/upstreams/raw-upstream.ts'

const SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`
type Message = { type: string; data: { rule: string } }
const REQUEST = { model: 'renamed', messages: [{ role: 'user', content: 'Hello.' }] }

describe.each<Engine>([...ENGINES])('on %s', (engine) => {
  let upstream: Upstream
  let gateway: Gateway
  let receiver: ReturnType<typeof Bun.serve>
  const received: Message[] = []
  beforeAll(async () => {
    upstream = await startUpstream()
    receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        received.push((await request.json()) as Message)
        return new Response()
      },
    })
    const alerts = `webhooks: [{ url: "${receiver.url}", secret: ${SECRET} }], allow_private: true, price_list_old: 1s`
    gateway = await startGateway({
      engine,
      isUnprivileged: true,
      env: { OPENAI_API_KEY: 'none' },
      config: `${configFor(upstream)}\nalerts: { ${alerts} }\n`,
    })
  })
  afterAll(async () => {
    await gateway.stop()
    await receiver.stop(true)
    upstream.stop()
  })

  const limit = (name: string, soft: string) =>
    Bun.spawnSync([...UNPRIVILEGED, 'prlimit', '--pid', String(gateway.pid), `--${name}=${soft}:`]).exitCode
  const serverCheck = async () => {
    const { checks } = JSON.parse((await gateway.cli('doctor', '--json')).stdout) as { checks: { check: string }[] }
    return checks.find(({ check }) => check === 'server')
  }
  const readiness = async () => (await fetch(`${gateway.url}/ready`)).status
  const lines = (words: string) =>
    gateway
      .output()
      .stderr.split('\n')
      .filter((line) => line.includes(words))

  test('a full disk: the settlement of a running request is booked when there is room again', async () => {
    const { secret, rows, account } = await newKey(gateway)
    let running: Socket | undefined
    upstream.behave((socket) => {
      running = socket
    })
    const ended = chat(gateway.url, secret, REQUEST).then(
      (response) => response.text().then(() => response.status),
      () => 0,
    )
    await eventually(() => running !== undefined)
    expect(limit('fsize', '0')).toBe(0)
    if (running) await respondWith(reply())(running, upstream.last())
    const status = await ended
    // The ledger of PostgreSQL is on another disk: it has the settlement.
    expect(status === 200).toBe(engine === 'postgres')
    await eventually(async () => (await readiness()) === 503)
    expect(lines('not ready: the disk is full')).toHaveLength(1)
    if (engine === 'sqlite') expect((await chat(gateway.url, secret, REQUEST)).status).toBe(503)
    expect(await serverCheck()).toMatchObject({ ok: false, note: expect.stringContaining('the disk is full') })
    expect(limit('fsize', 'unlimited')).toBe(0)
    await eventually(async () => (await readiness()) === 200)
    expect(await serverCheck()).toMatchObject({ ok: true })
    expect(lines('no longer a fault: the disk is full')).toHaveLength(1)
    await eventually(async () => (await audit(gateway)).open_holds === 0)
    expect(await audit(gateway)).toMatchObject({ ok: true })
    const [row, ...others] = await rows()
    expect(others).toEqual([])
    expect(row?.cost_usd).toBe('0.00009')
    expect((await account()).held_usd).toBe('0.00')
    upstream.behave(respondWith(reply()))
    expect((await chat(gateway.url, secret, REQUEST)).status).toBe(200)
  })

  test('a data folder that cannot be written: not ready while it lasts', async () => {
    const { secret } = await newKey(gateway)
    chmodSync(gateway.home.dataDir, 0o500)
    await eventually(async () => (await readiness()) === 503)
    expect(lines('not ready: the data folder cannot be written')).toHaveLength(1)
    chmodSync(gateway.home.dataDir, 0o700)
    await eventually(async () => (await readiness()) === 200)
    expect(lines('no longer a fault: the data folder cannot be written')).toHaveLength(1)
    expect((await chat(gateway.url, secret, REQUEST)).status).toBe(200)
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  })

  test('no free descriptors: not ready while it lasts', async () => {
    const { secret } = await newKey(gateway)
    expect((await chat(gateway.url, secret, REQUEST)).status).toBe(200)
    expect(limit('nofile', '8')).toBe(0)
    await eventually(() => lines('not ready: no file descriptor is free').length === 1)
    expect(limit('nofile', '4096')).toBe(0)
    await eventually(async () => (await readiness()) === 200)
    expect((await chat(gateway.url, secret, REQUEST)).status).toBe(200)
    expect(lines('no file descriptor is free; raise')).toHaveLength(2)
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  })

  test('an old price list is an alert, sent once; a test reaches every target', async () => {
    await eventually(() => received.length > 0)
    expect(received).toMatchObject([{ type: 'alert.fired', data: { rule: 'price_list_old' } }])
    const deliveries = [{ event: 'fired', state: 'delivered', tries: 1 }]
    const listed = () => gateway.command<object[]>('alert', 'list', '--state', 'open')
    await eventually(async () => JSON.stringify(await listed()).includes('delivered'))
    expect(await listed()).toMatchObject([{ rule: 'price_list_old', state: 'open', deliveries }])
    expect(await gateway.command<object[]>('alert', 'list', '--state', 'resolved')).toEqual([])
    expect(await gateway.command<object>('alert', 'test')).toMatchObject({
      ok: true,
      targets: [{ ok: true, error: null }],
    })
    expect(received.map(({ type }) => type)).toEqual(['alert.fired', 'alert.test'])
  })
})
