import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { echo } from '../../test-support/handler.ts'
import { serveForTest } from '../../test-support/serve.ts'

const LIMIT = '/proc/sys/net/core/somaxconn'
/** More than Bun's own backlog, as far as the system allows it. */
const CLIENTS = existsSync(LIMIT) ? Math.min(1_000, Number(readFileSync(LIMIT, 'utf8'))) : 100

/** Opens all of them, and waits longer than a dropped client does before it retries. */
const OPEN = `
  const [port, clients] = process.argv.slice(-2).map(Number)
  let opened = 0
  const socket = { open() { if (++opened === clients) end() }, data() {}, error() {}, connectError() {} }
  const end = () => { console.log(opened); process.exit() }
  setTimeout(end, 3_000)
  for (let index = 0; index < clients; index++) void Bun.connect({ hostname: '127.0.0.1', port, socket }).catch(() => {})`

test('a thousand clients that connect while the process is busy stay in the backlog', async () => {
  const server = serveForTest(echo)
  // No connection is accepted while this runs.
  const { stdout } = Bun.spawnSync([process.execPath, '-e', OPEN, String(server.port), String(CLIENTS)])
  expect(Number(stdout.toString())).toBe(CLIENTS)
  await server.stop()
})

/** All of them send a request at once. Returns how many were answered. */
const ASK = `
  const [port, clients] = process.argv.slice(-2).map(Number)
  let [answered, ended] = [0, 0]
  const open = (socket) => void socket.write('GET / HTTP/1.1\\r\\nhost: a\\r\\n\\r\\n')
  const data = (socket) => { answered++; socket.end() }
  const close = () => { if (++ended === clients) { console.log(answered); process.exit() } }
  const socket = { open, data, close, error() {}, connectError: close }
  process.stdin.once('data', () => {
    for (let index = 0; index < clients; index++) void Bun.connect({ hostname: '127.0.0.1', port, socket }).catch(() => {})
  })
  console.log('ready')`

test('a client that connected before the server stops is answered, also if the process was busy until then', async () => {
  const server = serveForTest(echo)
  const clients = 200
  const asking = Bun.spawn([process.execPath, '-e', ASK, String(server.port), String(clients)], {
    stdin: 'pipe',
    stdout: 'pipe',
  })
  const output = asking.stdout.getReader()
  await output.read()
  asking.stdin.write('go\n')
  await asking.stdin.flush()
  Bun.sleepSync(1_000)
  await server.server.drain()
  expect(new TextDecoder().decode((await output.read()).value).trim()).toBe(String(clients))
  await server.stop()
})
