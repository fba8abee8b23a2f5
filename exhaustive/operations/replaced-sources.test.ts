// An upgrade replaces the checkout under a running server: until its restart, everything works as before.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { copySources } from '../../test/support/gateway/copy-sources.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'

let copy: string
let gateway: Gateway
let headers: Record<string, string>

beforeAll(async () => {
  copy = copySources()
  gateway = await startGateway({
    main: join(copy, 'packages/gateway/src/main.ts'),
    // An upstream that speaks only chat counts no tokens: the gateway does.
    config: `sandbox: true
upstreams: [{ id: box, kind: sandbox, dialect: chat }]
models: [{ id: counted-here, routes: [{ upstream: box, model: sandbox-text }], price: { input: 1, output: 4 } }]`,
  })
  const { secret } = await newKey(gateway)
  headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  rmSync(join(copy, 'packages'), { recursive: true })
})
afterAll(async () => {
  await gateway.stop()
  rmSync(copy, { recursive: true, force: true })
})

const post = async (path: string, body: object) => {
  const answer = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

test('responses are stored and continued', async () => {
  const first = await post('/v1/responses', { model: 'sandbox-text', input: 'Hello' })
  expect(first).toMatchObject({ status: 200, body: { store: true } })
  const next = { model: 'sandbox-text', input: 'Again', previous_response_id: first.body.id }
  expect(await post('/v1/responses', next)).toMatchObject({ status: 200, body: { store: true } })
})

test('tokens are counted, not estimated', async () => {
  const count = await post('/v1/responses/input_tokens', { model: 'counted-here', input: 'Hello' })
  expect(count).toMatchObject({ status: 200, body: { input_tokens: expect.any(Number) as unknown as number } })
  expect(gateway.output().stderr).not.toContain('the tokenizer failed')
})

test('the ledger is audited', async () => {
  expect(await gateway.command<{ ok: boolean }>('audit')).toMatchObject({ ok: true })
})
