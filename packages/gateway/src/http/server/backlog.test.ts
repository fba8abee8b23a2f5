import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { serveForTest } from '../test-support.ts'
import { echo } from './test-handler.ts'

const LIMIT = '/proc/sys/net/core/somaxconn'
/** More than Bun would let wait, as far as the system allows it. */
const CLIENTS = existsSync(LIMIT) ? Math.min(1_000, Number(readFileSync(LIMIT, 'utf8'))) : 100

/** Opens all of them, and waits longer than a client that was dropped does before it tries again. */
const OPEN = `
  const [port, clients] = process.argv.slice(-2).map(Number)
  let opened = 0
  const socket = { open() { if (++opened === clients) end() }, data() {}, error() {}, connectError() {} }
  const end = () => { console.log(opened); process.exit() }
  setTimeout(end, 3_000)
  for (let index = 0; index < clients; index++) void Bun.connect({ hostname: '127.0.0.1', port, socket }).catch(() => {})`

test('a thousand clients that come while the process is busy wait for it', async () => {
  const server = serveForTest(echo)
  // Nobody accepts while this runs.
  const { stdout } = Bun.spawnSync([process.execPath, '-e', OPEN, String(server.port), String(CLIENTS)])
  expect(Number(stdout.toString())).toBe(CLIENTS)
  await server.stop()
})
