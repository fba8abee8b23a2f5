// Stored media through a whole gateway: what an earlier process stored is served, and what it left behind is deleted.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAccountCipher } from '../../packages/gateway/src/access/secrets/account-cipher.ts'
import { createDiskBlobs } from '../../packages/gateway/src/media/disk.ts'
import { createMediaStore } from '../../packages/gateway/src/media/media-store.ts'
import { createSignedUrls } from '../../packages/gateway/src/media/signed-urls.ts'
import type { MediaRecord } from '../../packages/gateway/src/storage/media.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { newHome } from '../support/gateway/home.ts'

const SECRET = 'a master secret of this test'
const UNFINISHED = 'f'.repeat(32)
let gateway: Gateway
let object: MediaRecord
let url: string

beforeAll(async () => {
  const home = await newHome('sqlite')
  const storage = await openSqlite(home.dataDir)
  const store = createMediaStore(storage.media, createDiskBlobs(join(home.dataDir, 'media')))
  object = await store.put(Buffer.from('0123456789'), { owner: 1n, contentType: 'image/png', keepMs: 3_600_000 })
  await storage.media.begin({ id: UNFINISHED, account: 1n, contentType: 'image/png' })
  await storage.close()
  mkdirSync(join(home.dataDir, 'spool', 'dead'), { recursive: true })
  writeFileSync(join(home.dataDir, 'spool', 'dead', '1'), 'left behind')
  gateway = await startGateway({ home, env: { TRIVIUM_SECRET: SECRET } })
  const options = { masterSecret: SECRET, accountCipher: createAccountCipher(SECRET), clock: Date.now }
  url = createSignedUrls({ ...options, baseUrl: () => gateway.url }).sign(object, 60_000)
})
afterAll(() => gateway.stop())

test('a signed URL works without a key, also for HEAD and ranges', async () => {
  const response = await fetch(url)
  expect([response.status, await response.text()]).toEqual([200, '0123456789'])
  expect(response.headers.get('content-type')).toBe('image/png')
  expect(response.headers.get('content-length')).toBe('10')
  expect(response.headers.get('x-request-id')).toStartWith('req_')
  const head = await fetch(url, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '10'])
  const range = await fetch(url, { headers: { range: 'bytes=-2' } })
  expect([range.status, await range.text()]).toEqual([206, '89'])
})

test.each<[string, () => string, string, number, string | undefined]>([
  ['altered', () => `${url}x`, 'GET', 403, 'invalid_signature'],
  ['another object', () => url.replace(object.id, UNFINISHED), 'GET', 403, 'invalid_signature'],
  ['no signature', () => `${gateway.url}/media/${object.id}`, 'GET', 403, 'invalid_signature'],
  ['an encoded path', () => `${gateway.url}/media/..%2f..%2fsecret`, 'GET', 403, 'invalid_signature'],
  ['below an object', () => `${gateway.url}/media/a/b`, 'GET', 404, 'unknown_url'],
  ['no object', () => `${gateway.url}/media/`, 'GET', 404, 'unknown_url'],
  ['another method', () => url, 'POST', 405, 'method_not_allowed'],
])('%s', async (_, url, method, status, code) => {
  const response = await fetch(url(), { method })
  const body = (await response.json()) as { error: { code: string } }
  expect([response.status, body.error.code]).toEqual([status, code ?? ''])
})

test('a start deletes what a dead process left in the spool, and expires what it had not finished', async () => {
  const names = readdirSync(join(gateway.home.dataDir, 'spool'))
  expect(names.filter((name) => name.startsWith('dead'))).toEqual([])
  expect(existsSync(join(gateway.home.dataDir, 'media'))).toBe(true)
  await gateway.kill()
  const storage = await openSqlite(gateway.home.dataDir)
  expect(await storage.media.expired(10)).toEqual([UNFINISHED])
  await storage.close()
})
