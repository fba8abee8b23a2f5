// The master secret is rotated: with the server stopped, and by a rolling restart in which both secrets are accepted.
import { expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { homeOnSameDatabase, runCommand } from '../../test/support/gateway/home.ts'

type Client = { url: string; secret: string }

const call = ({ url, secret }: Client, path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

async function respond(client: Client, previous?: string): Promise<{ status: number; id: string }> {
  const body = { model: 'sandbox-text', input: 'Say 2 words.', store: true, previous_response_id: previous }
  const response = await call(client, '/v1/responses', body)
  return { status: response.status, id: ((await response.json()) as { id: string }).id }
}

const repeat = async (client: Client) => {
  const body = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Say 2 words.' }] }
  return await (await call(client, '/v1/chat/completions', body, { 'idempotency-key': 'once' })).text()
}

async function imageUrl(client: Client): Promise<string> {
  const body = { model: 'sandbox-image', prompt: 'a square', size: '64x64', response_format: 'url' }
  const response = await call(client, '/v1/images/generations', body)
  return ((await response.json()) as { data: { url: string }[] }).data[0]?.url ?? ''
}

/** As Ctrl-C does: nobody waits for load balancers. */
async function end(gateway: Gateway): Promise<void> {
  gateway.signal('SIGINT')
  await gateway.exited
}

/** The same object at the address of another process. */
const statusAt = async ({ url }: { url: string }, signed: string) => {
  const { pathname, search } = new URL(signed)
  return (await fetch(`${url}${pathname}${search}`)).status
}

test('with SQLite: stopped, rotated and started again, everything that is stored or signed works', async () => {
  const first = await startGateway()
  const { secret } = await newKey(first)
  const before = { url: first.url, secret }
  const [{ id }, answer, url] = [await respond(before), await repeat(before), await imageUrl(before)]
  const { dataDir } = first.home
  const file = join(dataDir, 'secret')
  const old = readFileSync(file, 'utf8')
  const { code, stderr } = await first.cli('secret', 'rotate')
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('stop the server first') })
  await end(first)
  const rotated = await runCommand(first.home, ['secret', 'rotate', '--json'])
  expect(rotated.code).toBe(0)
  expect(JSON.parse(rotated.stdout)).toMatchObject({ changed: 3, present: 0, unreadable: 0 })
  expect(readFileSync(`${file}.old`, 'utf8')).toBe(old)
  expect(readFileSync(file, 'utf8')).not.toBe(old)
  const second = await startGateway({ home: first.home })
  const after = { url: second.url, secret }
  const next = await respond(after, id)
  expect(next.status).toBe(200)
  expect(await repeat(after)).toBe(answer)
  expect(await statusAt(second, url)).toBe(200)
  await end(second)
  // What clients hold is valid until the operator removes the old secret.
  rmSync(`${file}.old`)
  const third = await startGateway({ home: first.home })
  expect((await respond({ url: third.url, secret }, next.id)).status).toBe(200)
  expect(await statusAt(third, url)).toBe(403)
  const log = await third.command<{ action: string }[]>('audit-log', '--object', 'secret')
  expect(log.map(({ action }) => action)).toEqual(['secret rotate'])
  await third.stop()
})

test('with PostgreSQL: nodes with both secrets and nodes with one read what the other stores, before and after', async () => {
  const OLD = 'the first secret of all nodes'
  const NEW = 'the second secret of all nodes'
  const both = { TRIVIUM_SECRET: NEW, TRIVIUM_SECRET_OLD: OLD }
  const old = await startGateway({ engine: 'postgres', env: { TRIVIUM_SECRET: OLD } })
  const { secret } = await newKey(old)
  const atOld = { url: old.url, secret }
  const [{ id }, answer] = [await respond(atOld), await repeat(atOld)]
  const rolled = await startGateway({ home: homeOnSameDatabase(old.home, ''), env: both })
  const atRolled = { url: rolled.url, secret }
  // Before the rotation both write with the old secret.
  const continued = await respond(atRolled, id)
  expect(continued.status).toBe(200)
  expect((await respond(atOld, continued.id)).status).toBe(200)
  expect(rolled.output().stderr).toContain('the new master secret is not in force yet')
  const wrong = await runCommand(old.home, ['secret', 'rotate'], { TRIVIUM_SECRET: OLD })
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('TRIVIUM_SECRET_OLD') })
  await end(old)
  const { code, stdout, stderr } = await runCommand(rolled.home, ['secret', 'rotate', '--json'], both)
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('waiting') })
  expect(JSON.parse(stdout)).toMatchObject({ changed: 7, unreadable: 0 })
  const fresh = await startGateway({ home: homeOnSameDatabase(old.home, ''), env: { TRIVIUM_SECRET: NEW } })
  const later = await respond(atRolled, continued.id)
  expect(later.status).toBe(200)
  expect((await respond({ url: fresh.url, secret }, later.id)).status).toBe(200)
  expect(await repeat({ url: fresh.url, secret })).toBe(answer)
  const again = await runCommand(rolled.home, ['secret', 'rotate', '--json'], both)
  expect(JSON.parse(again.stdout)).toMatchObject({ changed: 0, unreadable: 0 })
  const outdated = await runCommand(old.home, ['account', 'list'], { TRIVIUM_SECRET: OLD })
  expect(outdated).toMatchObject({ code: 1, stderr: expect.stringContaining('does not match the secret') })
  expect(existsSync(join(old.home.dataDir, 'secret'))).toBe(false)
  await rolled.stop()
  await fresh.stop()
  await old.stop()
})
