// A key that is deleted, expired, of a disabled account or restricted to other addresses can place no hold from then on, on any node.
// Another process makes the change; on PostgreSQL a second node has to notice it, too.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { askStore } from '../support/gateway/ask-store.ts'
import { chat, type Gateway, startGateway, type UsageEntry } from '../support/gateway/gateway.ts'
import { ENGINES, homeOnSameDatabase } from '../support/gateway/home.ts'

const HELLO = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }

async function until(status: number, ask: () => Promise<Response>): Promise<void> {
  const end = performance.now() + 20_000
  for (;;) {
    const answer = await ask()
    await answer.body?.cancel()
    if (answer.status === status) return
    if (performance.now() > end) throw new Error(`still ${answer.status}, not ${status}`)
    await Bun.sleep(50)
  }
}

describe.each(ENGINES)('key changes on %s', (engine) => {
  let nodes: Gateway[] = []
  beforeAll(async () => {
    const first = await startGateway({ engine })
    nodes = [first]
    if (engine === 'postgres') {
      nodes.push(await startGateway({ home: homeOnSameDatabase(first.home, '') }))
    }
  })
  afterAll(() => Promise.all(nodes.map((node) => node.stop())))

  const listModels = (node: Gateway, secret: string) =>
    fetch(`${node.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })

  type Made = { secret: string; email: string; keyId: string }
  type Change = { name: string; status: number; make(node: Gateway, made: Made): Promise<unknown> }
  const changes: Change[] = [
    { name: 'a deleted key', status: 401, make: (node, { keyId }) => node.command('key', 'delete', keyId) },
    {
      name: 'a disabled account',
      status: 403,
      make: (node, { email }) => node.command('account', 'disable', '--account', email),
    },
    {
      name: 'a key for other addresses',
      status: 403,
      make: (node, { keyId }) => node.command('key', 'limit', keyId, '--ips', '203.0.113.0/24'),
    },
  ]

  /** Every node rejects the key as soon as the change is made, although each has cached the key before. */
  async function isOver({ email, secret }: Made, status: number, change: () => Promise<unknown>): Promise<void> {
    const [first] = nodes as [Gateway]
    const before = (await first.command<UsageEntry[]>('usage', '--account', email)).length
    await change()
    for (const node of nodes) {
      const answer = await chat(node.url, secret, HELLO)
      expect([answer.status, await answer.json()]).toEqual([status, { error: expect.any(Object) }])
    }
    expect(await first.command<UsageEntry[]>('usage', '--account', email)).toHaveLength(before)
    for (const node of nodes) await until(status, () => listModels(node, secret))
  }

  test.each(
    changes,
  )('$name can place no hold from then on, on any node, and every cache is soon updated', async (change) => {
    const [first] = nodes as [Gateway]
    const made = await newKey(first)
    for (const node of nodes) await until(200, () => chat(node.url, made.secret, HELLO))
    await isOver(made, change.status, () => change.make(first, made))
  })

  test('an expired key can place no hold from then on, on any node', async () => {
    const [first] = nodes as [Gateway]
    const { email } = await newKey(first)
    // On a busy machine a key may expire before it was used: then try one with a longer life.
    for (let lifeMs = 2_000; ; lifeMs *= 2) {
      const endsAt = Date.now() + lifeMs
      const create = [
        'key',
        'create',
        '--account',
        email,
        '--name',
        'short',
        '--expires',
        new Date(endsAt).toISOString(),
      ]
      const { code, stdout } = await first.cli(...create, '--json')
      if (code !== 0) continue
      const { id, secret } = JSON.parse(stdout) as { id: string; secret: string }
      const answers = await Promise.all(nodes.map((node) => chat(node.url, secret, HELLO)))
      if (!answers.every(({ status }) => status === 200)) continue
      await isOver({ email, secret, keyId: id }, 401, () => Bun.sleep(endsAt + 10 - Date.now()))
      return
    }
  })

  test('a re-enabled account works on every node', async () => {
    const [first] = nodes as [Gateway]
    const made = await newKey(first)
    await first.command('account', 'disable', '--account', made.email)
    for (const node of nodes) await until(403, () => listModels(node, made.secret))
    await first.command('account', 'enable', '--account', made.email)
    for (const node of nodes) await until(200, () => chat(node.url, made.secret, HELLO))
  })

  test('a secret that was unknown works on every node soon after its key is created', async () => {
    const [first] = nodes as [Gateway]
    const unknown = `sk-${'a'.repeat(43)}`
    for (const node of nodes) expect((await listModels(node, unknown)).status).toBe(401)
    const { secret } = await newKey(first)
    for (const node of nodes) await until(200, () => listModels(node, secret))
  })

  test('the database holds hashes of keys and slow hashes of passwords, never the secrets', async () => {
    const [first] = nodes as [Gateway]
    const made = await newKey(first)
    const password = 'correct horse battery'
    await first.command('account', 'create', '--email', 'pass@example.com', '--password', password)
    const hash = new Bun.CryptoHasher('sha256').update(made.secret).digest()
    const query = (sql: string) => askStore(first.home, sql)
    const keys = await query(`SELECT hash FROM api_key WHERE id = ${made.keyId}`)
    expect(Buffer.from(keys[0]?.hash as Uint8Array).equals(hash)).toBe(true)
    const [credential] = await query(
      `SELECT password FROM credential JOIN person ON person.id = credential.person WHERE email = 'pass@example.com'`,
    )
    const stored = String(credential?.password)
    expect(stored).toStartWith('$argon2id$')
    expect(await Bun.password.verify(password, stored)).toBe(true)
    expect(Buffer.from(made.secret.slice(3), 'base64url').length).toBeGreaterThanOrEqual(16)
  })
})
