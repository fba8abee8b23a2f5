// How a server stops: after one signal, after two, when killed, and when its parent ends.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { eventually } from '../../test/support/eventually.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { chat, type Gateway, startGateway, type UsageEntry } from '../../test/support/gateway/gateway.ts'
import { type Engine, newHome } from '../../test/support/gateway/home.ts'

const ROOT = join(import.meta.dir, '../..')
const MAIN = join(ROOT, 'packages/gateway/src/main.ts')
const talk = (content: string) => ({ model: 'sandbox-text', stream: true, messages: [{ role: 'user', content }] })
/** A stream of many minutes, longer than any test. */
const ENDLESS = talk('say 100000 words, pace 20 ms')

/** Never reads, so that the gateway's writes block. */
function stalledReader(url: string, secret: string, body: object): Socket {
  const { hostname, port } = new URL(url)
  const text = JSON.stringify(body)
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.pause()
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  return socket
}

async function usageOf(gateway: Gateway, email: string) {
  const rows = await gateway.command<UsageEntry[]>('usage', '--account', email)
  return rows.map(({ outcome, cost_usd }) => ({ outcome, charged: Number(cost_usd) > 0 }))
}

/** Waits until the stream no longer extends its hold because its client does not read. */
async function untilBlocked(gateway: Gateway, email: string): Promise<void> {
  let before = ''
  await eventually(async () => {
    const { held_usd } = await gateway.command<{ held_usd: string }>('account', 'show', '--account', email)
    const blocked = held_usd === before && Number(held_usd) > 0.05
    before = held_usd
    return blocked
  })
}

/** The ledger after the stop, read by the next server. */
async function ledgerOf(home: Gateway['home'], email: string) {
  const next = await startGateway({ home })
  try {
    return { usage: await usageOf(next, email), audit: await next.command('audit') }
  } finally {
    await next.stop()
  }
}

const IN_ORDER = { ok: true, open_holds: 0 }

test('SIGTERM: not ready at once, accepts for a while, drains, then ends the rest, with everything settled', async () => {
  const gateway = await startGateway({ config: 'server: { drain: 500ms }\n' })
  const { secret, email } = await newKey(gateway)
  const endless = await chat(gateway.url, secret, ENDLESS)
  gateway.signal('SIGTERM')
  await eventually(async () => (await fetch(`${gateway.url}/ready`)).status === 503)
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
  const late = await chat(gateway.url, secret, talk('say 20 words'))
  expect(late.status).toBe(200)
  // A client that kept its connection would send its next request to a closed server.
  expect(late.headers.get('connection')).toBe('close')
  expect((await late.text()).trimEnd()).toEndWith('data: [DONE]')
  const text = await endless.text()
  expect(text).toContain('"delta":{"content":')
  expect(text.trimEnd().split('\n').at(-1)).toStartWith('data: {"error":')
  expect(text).not.toContain('[DONE]')
  expect(await gateway.exited).toBe(0)
  const { usage, audit } = await ledgerOf(gateway.home, email)
  expect(usage).toEqual([
    { outcome: 'completed', charged: true },
    { outcome: 'shutdown', charged: true },
  ])
  expect(audit).toMatchObject(IN_ORDER)
})

test.each<{ engine: Engine; reader: string; stalls: boolean }>([
  { engine: 'sqlite', reader: 'a reader that takes nothing', stalls: true },
  { engine: 'postgres', reader: 'a reader', stalls: false },
])('a second signal on $engine ends the requests of $reader, settles them and exits 0', async ({ engine, stalls }) => {
  const gateway = await startGateway({ engine })
  const { secret, email } = await newKey(gateway, '1000')
  const stalled = stalls && stalledReader(gateway.url, secret, talk('say 2000000 words, pace 0 ms'))
  const endless = await chat(gateway.url, secret, ENDLESS)
  const running = stalls ? 2 : 1
  await eventually(async () => (await usageOf(gateway, email)).length === running)
  if (stalled) await untilBlocked(gateway, email)
  gateway.signal('SIGTERM')
  await eventually(() => gateway.output().stderr.includes('"stopping"'))
  // One Ctrl-C arrives several times within an instant and counts once.
  gateway.signal('SIGTERM')
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
  await Bun.sleep(400)
  gateway.signal('SIGINT')
  expect((await endless.text()).trimEnd().split('\n').at(-1)).toStartWith('data: {"error":')
  expect(await gateway.exited).toBe(0)
  if (stalled) stalled.destroy()
  const { usage, audit } = await ledgerOf(gateway.home, email)
  expect(usage).toEqual(Array.from({ length: running }, () => ({ outcome: 'shutdown', charged: true })))
  expect(audit).toMatchObject(IN_ORDER)
})

test('SIGKILL: the next start voids its holds, and the audit finds no error', async () => {
  const gateway = await startGateway()
  const { secret, email } = await newKey(gateway)
  const running = [1, 2, 3].map(() =>
    chat(gateway.url, secret, ENDLESS)
      .then((answer) => answer.text())
      .catch(() => 'cut'),
  )
  await eventually(async () => (await usageOf(gateway, email)).length === 3)
  await gateway.kill()
  await Promise.allSettled(running)
  const { usage, audit } = await ledgerOf(gateway.home, email)
  expect(usage.map(({ outcome }) => outcome)).toEqual(['reaped', 'reaped', 'reaped'])
  expect(audit).toMatchObject(IN_ORDER)
})

type Launched = { process: ChildProcess; url: string; dataDir: string }
const launched: ChildProcess[] = []

async function launch(command: string, args: string[]): Promise<Launched> {
  const home = await newHome('sqlite')
  const child = spawn(command, args, {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      TRIVIUM_DATA: home.dataDir,
      TRIVIUM_CONFIG: home.configFile,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  launched.push(child)
  let output = ''
  child.stdout?.on('data', (bytes) => {
    output += bytes
  })
  child.stderr?.resume()
  const address = () => /address\s+(\S+)/.exec(output)?.[1] ?? ''
  await eventually(async () => address() !== '' && (await fetch(`${address()}/ready`)).ok)
  return { process: child, url: address(), dataDir: home.dataDir }
}

const refusesConnections = (url: string) =>
  fetch(`${url}/health`).then(
    () => false,
    () => true,
  )

const LAUNCHES = [
  { name: 'the launcher, asked to end', command: 'node', args: ['tools/run.mjs', 'serve'], signal: 'SIGTERM' },
  { name: 'the launcher, killed', command: 'node', args: ['tools/run.mjs', 'serve'], signal: 'SIGKILL' },
  { name: 'npm start, asked to end', command: 'npm', args: ['start', '--silent'], signal: 'SIGTERM' },
  { name: 'the program itself, killed', command: process.execPath, args: [MAIN, 'serve'], signal: 'SIGKILL' },
] as const

describe('the server ends with its parent', () => {
  const ends = new Map<string, { code: number | null; ended: boolean }>()

  async function endOf({ name, command, args, signal }: (typeof LAUNCHES)[number]): Promise<void> {
    const { process: child, url, dataDir } = await launch(command, [...args])
    const exited = once(child, 'exit')
    child.kill(signal)
    await eventually(async () => (await fetch(`${url}/ready`).catch(() => undefined))?.status !== 200)
    if (signal === 'SIGTERM') {
      // A second signal skips the wait for running requests.
      await Bun.sleep(400)
      child.kill(signal)
    }
    const [code] = (await exited) as [number | null]
    await eventually(() => refusesConnections(url))
    rmSync(dataDir, { recursive: true, force: true })
    ends.set(name, { code, ended: true })
  }

  // In parallel, since a stopping server still accepts requests for a while.
  beforeAll(() => Promise.all(LAUNCHES.map(endOf)).then(() => {}), 60_000)
  afterAll(() => {
    for (const child of launched) child.kill('SIGKILL')
  })

  test.each(LAUNCHES)('$name', ({ name, command, signal }) => {
    expect(ends.get(name)?.ended).toBe(true)
    if (signal === 'SIGTERM' && command !== 'npm') expect(ends.get(name)?.code).toBe(0)
  })
})
