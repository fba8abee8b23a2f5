// Passwords as the real program hashes them, on both engines. Other tests run a program whose hashes are cheap.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { askStore } from '../../test/support/gateway/ask-store.ts'
import { consoleClient, outcomeOf, PASSWORD } from '../../test/support/gateway/console.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES, environmentOf } from '../../test/support/gateway/home.ts'

const MAIN = join(import.meta.dir, '../../packages/gateway/src/main.ts')
const CONFIG = 'server: { trusted_proxies: [127.0.0.1] }\n'
const FULL_COST = '$argon2id$v=19$m=65536,t=2,p=1$'

let networks = 0
const newNetwork = () => `198.51.100.${++networks}`

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: CONFIG, main: MAIN })
  })
  afterAll(() => gateway.stop())

  const browser = (network = newNetwork()) => consoleClient(gateway.url, { 'x-forwarded-for': network })
  async function registered(email: string) {
    const client = browser()
    expect(outcomeOf(await client.post('register', { email, password: PASSWORD }))).toBe('201')
    return client
  }
  const guess = async (email: string, network = newNetwork()) =>
    outcomeOf(await browser(network).post('sign-in', { email, password: 'wrong password' }))
  const hashOf = async (email: string): Promise<string> => {
    const from = 'credential JOIN person ON person.id = credential.person'
    const [row] = await askStore(gateway.home, `SELECT password FROM ${from} WHERE email = '${email}'`)
    return String(row?.password)
  }

  test('every way to set a password stores an argon2id hash at full cost', async () => {
    const client = await registered('ada@example.com')
    const first = await hashOf('ada@example.com')
    expect(outcomeOf(await client.post('password', { current: PASSWORD, password: 'another password' }))).toBe('204')
    const changed = await hashOf('ada@example.com')
    const command = ['account', 'create', '--email', 'grace@example.com', '--password-stdin']
    const child = Bun.spawn([process.execPath, MAIN, ...command], {
      env: environmentOf(gateway.home),
      stdin: Buffer.from(PASSWORD),
      stdout: 'ignore',
      stderr: 'ignore',
    })
    expect(await child.exited).toBe(0)
    const created = await hashOf('grace@example.com')
    const hashes = [first, changed, created]
    expect(hashes.map((hash) => hash.slice(0, FULL_COST.length))).toEqual(Array(3).fill(FULL_COST))
    expect(new Set(hashes).size).toBe(3)
    expect(await Bun.password.verify('another password', changed)).toBe(true)
    expect(await Bun.password.verify(PASSWORD, created)).toBe(true)
  })

  test('concurrent guesses count, too', async () => {
    await registered('guessed@example.com')
    const network = newNetwork()
    const all = await Promise.all(Array.from({ length: 20 }, () => guess('guessed@example.com', network)))
    expect(all.filter((outcome) => outcome === '401 wrong_credentials').length).toBeLessThanOrEqual(10)
    expect(
      all.filter((outcome) => !/^(401 wrong_credentials|429 too_many_tries|503 service_unavailable)$/.test(outcome)),
    ).toEqual([])
  })
})
