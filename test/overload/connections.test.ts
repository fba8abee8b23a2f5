// More idle connections than the process has file descriptors; opening them needs no key.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { eventually } from '../support/eventually.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'

const DESCRIPTORS = 300
const CONNECTIONS = 500
const FEW = 20
const ENDLESS = { role: 'user', content: 'say 100000 words, pace 20 ms' }

let gateway: Gateway
const sockets: Socket[] = []
beforeAll(async () => {
  gateway = await startGateway({ descriptors: DESCRIPTORS })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await gateway.stop()
})

async function openSilently(): Promise<void> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  sockets.push(socket)
  await new Promise<void>((resolve) => {
    socket.on('connect', resolve)
    socket.on('error', () => resolve())
  })
}

test('idle connections end no running request and block no new one', async () => {
  const key = gateway.firstKey ?? ''
  const running = await chat(gateway.url, key, { model: 'sandbox-text', stream: true, messages: [ENDLESS] })
  const stream = running.body?.getReader()
  await stream?.read()
  for (let count = 0; count < CONNECTIONS; count++) await openSilently()
  // Each tick opens a file.
  await Bun.sleep(600)
  const hello = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }
  const answer = await chat(gateway.url, key, hello, { connection: 'close' })
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('You said: Hello')])
  expect((await stream?.read())?.done).toBeFalse()
  await stream?.cancel()
  const { stderr } = gateway.output()
  expect(stderr).toContain('connection limit reached')
  expect(stderr).not.toContain('EMFILE')
})

test('an operator sets how many clients may be connected', async () => {
  const few = await startGateway({ config: `server: { limits: { connections: ${FEW} } }\n` })
  try {
    const opened = Array.from({ length: FEW + 1 }, () => connect(Number(new URL(few.url).port), '127.0.0.1'))
    const closed = opened.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())))
    sockets.push(...opened)
    await Promise.race(closed)
    await eventually(() => few.output().stderr.includes('connection limit reached'))
    expect(few.output().stderr).toContain(`"limit":${FEW}`)
  } finally {
    await few.stop()
  }
})
