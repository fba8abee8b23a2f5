// Bodies of the console that never arrive: other clients can still go on signing in, signing up or anything else.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'

const CONFIG = 'server: { trusted_proxies: [127.0.0.1] }'
const PATHS = ['sign-in', 'register', 'password/forgot', 'password/reset', 'email/verify', 'setup']

let gateway: Gateway
const sockets: Socket[] = []
beforeAll(async () => {
  gateway = await startGateway({ config: CONFIG })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await gateway.stop()
})

const browser = (network: string) => consoleClient(gateway.url, { 'x-forwarded-for': network })

/** Announces a body and sends its first bytes. Resolves when they have arrived: the gateway asks for the rest. */
async function stall(path: string, network: string): Promise<void> {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect({ host: hostname, port: Number(port) })
  sockets.push(socket)
  const lines = [`POST /console/api/${path} HTTP/1.1`, 'Host: localhost', `X-Forwarded-For: ${network}`]
  const body = ['Content-Type: application/json', 'Content-Length: 400', 'Expect: 100-continue']
  socket.write(`${[...lines, ...body].join('\r\n')}\r\n\r\n`)
  const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
  expect(answer).toStartWith('HTTP/1.1 100')
  socket.write('{"email":')
}

test.each(PATHS.map((path, index) => [path, index] as const))('POST %s', async (path, number) => {
  // 40 networks: more than may be in progress at once, by any count.
  await Promise.all(Array.from({ length: 40 }, (_, index) => stall(path, `203.0.${index}.7`)))
  const person = browser(`198.51.${number}.7`)
  const email = `${path.replace('/', '-')}@example.com`
  expect(outcomeOf(await person.post('register', { email, password: PASSWORD }))).toBe('201')
  expect(outcomeOf(await person.post('preferences', { language: 'en' }))).toMatch(/^20/)
  expect(outcomeOf(await browser(`198.51.${number}.8`).post('sign-in', { email, password: PASSWORD }))).toBe('200')
})
