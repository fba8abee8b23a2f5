// The request log: one line per request on standard error, whatever its outcome, and never its content.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { newHome } from '../support/gateway/home.ts'
import { operate } from '../support/gateway/operate.ts'

type Line = Record<string, unknown> & { message: string }

let gateway: Gateway
let key: { secret: string; email: string; keyId: string }

beforeAll(async () => {
  gateway = await startGateway({ config: 'sandbox: { faults: true }\n', streamTiming: { usageWaitMs: 100 } })
  key = await newKey(gateway)
})
afterAll(() => gateway.stop())

const linesOf = ({ output }: Gateway): Line[] =>
  output()
    .stderr.split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)

/** The log line of a request; throws if there are two. */
async function lineOf(id: string | null): Promise<Line> {
  const found = () => linesOf(gateway).filter(({ request_id, message }) => request_id === id && message === 'request')
  await eventually(() => found().length > 0)
  expect(found()).toHaveLength(1)
  return found()[0] as Line
}

const ask = (content: string, more: object = {}) => ({
  model: 'sandbox-text',
  messages: [{ role: 'user', content }],
  ...more,
})

test.each([false, true])('a response, streamed %p', async (stream) => {
  const response = await chat(`${gateway.url}`, key.secret, ask('a prompt that stays private', { stream }))
  await response.text()
  const line = await lineOf(response.headers.get('x-request-id'))
  expect(line).toMatchObject({
    level: 'info',
    method: 'POST',
    path: '/v1/chat/completions',
    status: 200,
    key_id: key.keyId,
    account_id: expect.any(String),
    model: 'sandbox-text',
    upstream: 'sandbox',
    outcome: 'completed',
    input_tokens: expect.any(Number),
    output_tokens: expect.any(Number),
    cached_tokens: 0,
    cost_usd: expect.stringMatching(/^0\.0/),
    total_ms: expect.any(Number),
    first_token_ms: expect.any(Number),
    queue_ms: expect.any(Number),
  })
})

test.each([
  ['an unknown model', { model: 'nothing' }, 404, { error: 'model_not_found', model: 'nothing' }],
  ['a failing upstream', { model: 'sandbox-text:status=500' }, 502, { outcome: 'failed', error: 'upstream_error' }],
  ['a field that is wrong', { max_tokens: 'x' }, 400, { error: 'bad_request' }],
])('%s', async (_, more, status, expected) => {
  const response = await chat(gateway.url, key.secret, ask('x', more))
  expect(response.status).toBe(status)
  expect(await lineOf(response.headers.get('x-request-id'))).toMatchObject({ status, ...expected })
})

test('who sent the request, and its ids at the caller and at the vendor', async () => {
  const id = 'mine-0001'
  const headers = { 'x-client-request-id': id, 'user-agent': `SDK/1.0 ${'x'.repeat(300)}` }
  const response = await chat(gateway.url, key.secret, ask('x'), headers)
  expect(response.headers.get('x-client-request-id')).toBe(id)
  const line = await lineOf(response.headers.get('x-request-id'))
  expect(line).toMatchObject({ client: '127.0.0.1', client_request_id: id })
  expect(line.user_agent).toMatch(/^SDK\/1\.0 x{100,}\.\.\.$/)
  expect(String(line.user_agent).length).toBeLessThanOrEqual(200)
  const wrong = await chat(gateway.url, key.secret, ask('x', { model: 'nothing' }), { 'x-client-request-id': 'a b' })
  expect(wrong.headers.get('x-client-request-id')).toBeNull()
  expect(await lineOf(wrong.headers.get('x-request-id'))).not.toHaveProperty('client_request_id')
})

test('a client that disconnects, and a stream that is cut', async () => {
  const aborting = new AbortController()
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    signal: aborting.signal,
    headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(ask('say 5000 words, pace 20 ms', { stream: true })),
  })
  await response.body?.getReader().read()
  aborting.abort()
  expect(await lineOf(response.headers.get('x-request-id'))).toMatchObject({
    status: 200,
    outcome: 'client_disconnected',
  })
  const cut = await chat(gateway.url, key.secret, ask('x', { model: 'sandbox-text:cut=3', stream: true }))
  await cut.text().catch(() => '')
  expect((await lineOf(cut.headers.get('x-request-id'))).outcome).toBe('cut')
})

test('paths are logged without their query and bounded; keys, prompts and email addresses never', async () => {
  const long = await fetch(`${gateway.url}/${'a'.repeat(3_000)}?key=${key.secret}`)
  const line = await lineOf(long.headers.get('x-request-id'))
  expect(String(line.path).length).toBeLessThanOrEqual(200)
  const mistaken = await fetch(`${gateway.url}/v1/usage/${key.secret}?x=${key.email}`, {
    headers: { authorization: `Bearer ${key.secret}` },
  })
  await lineOf(mistaken.headers.get('x-request-id'))
  const { stderr } = gateway.output()
  for (const secret of [key.secret, 'stays private', key.email, '?key', '?x']) expect(stderr).not.toContain(secret)
})

test('401s and malformed requests are summarized', async () => {
  const wrong = `sk-${'0'.repeat(40)}`
  for (let count = 0; count < 20; count++) await chat(gateway.url, wrong, ask('x'))
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.end('NO HTTP AT ALL\r\n\r\n')
  const sums = () => linesOf(gateway).filter(({ message }) => message === 'requests rejected')
  const total = (name: string) => sums().reduce((sum, line) => sum + Number(line[name]), 0)
  await eventually(() => total('unauthorized') === 20 && total('malformed') === 1)
  expect(sums().length).toBeLessThan(5)
  expect(linesOf(gateway).filter(({ status }) => status === 401)).toEqual([])
})

describe('requests that are rejected before a hold', () => {
  type Rejected = { key_id: string | null; code: string; count: number; last_request_id: string; reason: string }
  const rejectedOf = (options: Record<string, string>) => operate<Rejected[]>(gateway, 'rejected-requests', options)
  const summed = (rows: readonly Rejected[]) => {
    const sums = new Map<string, number>()
    for (const { code, count } of rows) sums.set(code, (sums.get(code) ?? 0) + count)
    return Object.fromEntries(sums)
  }

  test('are counted by key and code, and are no usage; what had a hold or no key is not counted', async () => {
    const limited = await newKey(gateway, '10', { rpm: '1' })
    const poor = await newKey(gateway, '0')
    const statuses: number[] = []
    const send = async (secret: string, more: object = {}) => {
      const response = await chat(gateway.url, secret, ask('x', more))
      await response.text()
      statuses.push(response.status)
      return response.headers.get('x-request-id')
    }
    const last = await send(limited.secret, { model: 'nothing' })
    for (let count = 0; count < 4; count++) await send(limited.secret)
    await send(poor.secret)
    await send(`sk-${'1'.repeat(40)}`)
    expect(statuses).toEqual([404, 200, 429, 429, 429, 402, 401])
    const since = new Date(Date.now() - 120_000).toISOString()
    await eventually(async () => summed(await rejectedOf({ account: limited.email })).rate_limit_exceeded === 3)
    const rows = await gateway.command<Rejected[]>('rejected-requests', '--key', limited.keyId, '--since', since)
    expect(summed(rows)).toEqual({ rate_limit_exceeded: 3, model_not_found: 1 })
    expect(rows.find(({ code }) => code === 'model_not_found')).toMatchObject({
      key_id: limited.keyId,
      last_request_id: last,
      reason: expect.stringContaining('nothing'),
    })
    await eventually(async () => (await rejectedOf({ account: poor.email })).length === 1)
    expect(summed(await rejectedOf({ account: poor.email }))).toEqual({ insufficient_balance: 1 })
    expect([(await limited.rows()).length, (await poor.rows()).length]).toEqual([1, 0])
    const future = new Date(Date.now() + 120_000).toISOString()
    expect(await rejectedOf({ account: limited.email, since: future })).toEqual([])
    expect(summed(await rejectedOf({}))).not.toHaveProperty('invalid_api_key')
  })

  test('a greedy caller that invents models and keys makes a row, and leaves room for a polite one', async () => {
    const [greedy, polite] = [await newKey(gateway), await newKey(gateway)]
    for (let place = 0; place < 40; place++) {
      await Promise.all([
        chat(gateway.url, greedy.secret, ask('x', { model: `invented-${place}` })),
        chat(gateway.url, `sk-${'2'.repeat(30)}${place}`, ask('x')),
      ])
    }
    await chat(gateway.url, polite.secret, ask('x', { model: 'mistyped' }))
    await eventually(async () => (await rejectedOf({ account: polite.email })).length === 1)
    const rows = await rejectedOf({ account: greedy.email })
    expect(summed(rows)).toEqual({ model_not_found: 40 })
    expect(rows.length).toBeLessThanOrEqual(2)
    expect(await rejectedOf({ account: polite.email })).toMatchObject([{ code: 'model_not_found', count: 1 }])
  })
})

test('successful health checks are not logged', async () => {
  const before = linesOf(gateway).length
  for (const path of ['/health', '/ready']) await fetch(`${gateway.url}${path}`)
  const root = await fetch(`${gateway.url}/`)
  await lineOf(root.headers.get('x-request-id'))
  // What was rejected before is told in a line of its own, later.
  const since = linesOf(gateway).slice(before)
  expect(since.filter(({ message }) => message !== 'requests rejected')).toMatchObject([{ path: '/' }])
})

test.each(['errors', 'off'])('TRIVIUM_LOG=%s', async (level) => {
  const quiet = await startGateway({ env: { TRIVIUM_LOG: level } })
  await chat(quiet.url, quiet.firstKey ?? '', ask('x'))
  quiet.signal('SIGINT')
  expect(await quiet.exited).toBe(0)
  const expected = level === 'off' ? [] : ['stopping', 'stopped']
  await eventually(() => linesOf(quiet).length >= expected.length)
  expect(linesOf(quiet).map(({ message }) => message)).toEqual(expected)
})

test('the log in a file: created for the owner alone, opened anew on SIGHUP, and addresses masked or left out', async () => {
  const home = await newHome('sqlite', 'server: { log_addresses: masked }\n')
  const file = join(home.dataDir, 'trivium.log')
  const logged = await startGateway({ home, env: { TRIVIUM_LOG_FILE: file, TRIVIUM_LOG_FORMAT: 'text' } })
  const written = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  try {
    await chat(logged.url, logged.firstKey ?? '', ask('x'))
    await eventually(() => written(file).includes('POST /v1/chat/completions 200 completed'))
    expect(written(file)).toContain('from 127.0.0.0/24')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    renameSync(file, `${file}.1`)
    logged.signal('SIGHUP')
    await eventually(() => existsSync(file))
    // Only now: a changed file is reloaded without a signal, too, and that would be told in the former file.
    writeFileSync(home.configFile, 'server: { log_addresses: off }\n')
    logged.signal('SIGHUP')
    await eventually(() => written(file).includes('configuration reloaded'))
    await chat(logged.url, logged.firstKey ?? '', ask('x'))
    await eventually(() => written(file).includes('200 completed'))
    expect(written(file)).not.toContain('from 127')
    expect(logged.output()).toMatchObject({ stdout: expect.stringMatching(/^\s*Trivium \d/), stderr: '' })
    logged.signal('SIGINT')
    await logged.exited
    expect(written(file)).toEndWith('stopped\n')
  } finally {
    await logged.stop()
  }
})

test('a log file that cannot be opened ends the start', async () => {
  const starting = startGateway({ env: { TRIVIUM_LOG_FILE: '/does/not/exist/trivium.log' } })
  expect(starting).rejects.toThrow(/exit code 1.*TRIVIUM_LOG_FILE: no such file/)
  await starting.catch(() => {})
})

test('while the log is not read, the server keeps running, keeps the first lines, and reports how many it dropped', async () => {
  const home = await newHome('sqlite')
  const fifo = join(home.dataDir, 'log')
  Bun.spawnSync(['mkfifo', fifo])
  // Opened for reading, too, so that the server can write; nothing is read until later.
  const log = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK)
  const main = join(import.meta.dir, '../../packages/gateway/src/main.ts')
  const child = Bun.spawn([process.execPath, main, 'serve'], {
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      TRIVIUM_DATA: home.dataDir,
      TRIVIUM_CONFIG: home.configFile,
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65000',
      TRIVIUM_LAUNCHER_FD: '3',
    },
    stdio: ['ignore', 'pipe', log, 'pipe'],
  })
  try {
    let greeting = ''
    const decoder = new TextDecoder()
    const reader = child.stdout.getReader()
    while (!greeting.includes('sk-')) greeting += decoder.decode((await reader.read()).value)
    const url = /address\s+(\S+)/.exec(greeting)?.[1] ?? ''
    await eventually(async () => (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200)
    // Lines of about 400 bytes: more than a pipe and the server's buffer take together.
    const requests = 4_000
    expect(await pipelined(url, `/${'x'.repeat(190)}`, requests)).toBe(requests)
    const lines = (): Line[] =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Line)
    let text = ''
    const dropped = () => lines().find((line) => line.dropped !== undefined)
    await eventually(() => {
      text += readAll(log)
      return dropped() !== undefined
    })
    const logged = lines().filter(({ message }) => message === 'request').length
    expect(Number(dropped()?.dropped)).toBeGreaterThan(0)
    expect(logged + Number(dropped()?.dropped)).toBe(requests)
    const after = await fetch(`${url}/after`)
    await eventually(() => {
      text += readAll(log)
      return text.includes(after.headers.get('x-request-id') ?? '-')
    })
  } finally {
    child.kill('SIGKILL')
    await child.exited
    closeSync(log)
    rmSync(home.dataDir, { recursive: true, force: true })
  }
})

/** Sends so many requests on one connection without waiting, and returns how many got a response. */
function pipelined(url: string, path: string, requests: number): Promise<number> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const begin = 'HTTP/1.1 404'
  let answers = 0
  let rest = ''
  return new Promise((resolve, reject) => {
    socket.on('error', reject).on('data', (data: Buffer) => {
      const text = rest + data.toString('latin1')
      answers += text.split(begin).length - 1
      // A response may be split over two chunks.
      rest = text.slice(1 - begin.length)
      if (answers < requests) return
      socket.destroy()
      resolve(answers)
    })
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(requests))
  })
}

function readAll(fd: number): string {
  const buffer = Buffer.alloc(64 * 1024)
  let text = ''
  try {
    for (let size = 1; size > 0; text += buffer.toString('utf8', 0, size)) size = readSync(fd, buffer)
  } catch {
    // No more data at the moment.
  }
  return text
}
