// The operator configures how long idempotency keys are kept.
import { afterAll, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, startGateway } from '../support/gateway/gateway.ts'
import { chatBody } from '../support/requests/client.ts'
import { configFor, startUpstream } from '../support/upstreams/raw-upstream.ts'

const upstream = await startUpstream()
afterAll(() => upstream.stop())

async function start(retention: string) {
  const gateway = await startGateway({ config: `${configFor(upstream)}retention: { idempotency: ${retention} }\n` })
  const key = await newKey(gateway)
  const call = () => chat(gateway.url, key.secret, chatBody('renamed', false), { 'idempotency-key': 'k' })
  return { gateway, call, ...key }
}

test('off: the header is ignored, and every response and receipt says so', async () => {
  const { gateway, call, settled } = await start('off')
  for (let times = 0; times < 2; times += 1) {
    const response = await call()
    expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, 'idempotency-key;off'])
    expect(response.headers.get('idempotent-replayed')).toBeNull()
  }
  const rows = await settled()
  expect(rows.map((row) => row.receipt?.warnings)).toEqual([['idempotency-key;off'], ['idempotency-key;off']])
  await gateway.stop()
})

test('after the retention period the same key starts a new request', async () => {
  const { gateway, call, settled } = await start('5s')
  expect((await call()).headers.get('idempotent-replayed')).toBeNull()
  expect((await call()).headers.get('idempotent-replayed')).toBe('true')
  await eventually(async () => (await call()).headers.get('idempotent-replayed') === null)
  expect(await settled()).toHaveLength(2)
  await gateway.stop()
})
