// Where alerts are sent, changed by the admin API: stored targets only, without their URLs and secrets, and each change one revision.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { signedBy } from '../../packages/gateway/src/access/secrets/callback-secret.ts'
import { type AdminClient, adminClient } from '../support/admin/admin-client.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { closeDatabase, operate } from '../support/gateway/operate.ts'

type Target = { id: string; kind: string; read_only: boolean; place: string | null; secret?: string | null }

describe.each([...ENGINES])('%s', (engine) => {
  const received: { path: string; headers: Headers; body: string }[] = []
  let hook: ReturnType<typeof Bun.serve>
  let gateway: Gateway
  let admin: AdminClient
  let finance: AdminClient

  beforeAll(async () => {
    hook = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        received.push({ path: new URL(request.url).pathname, headers: request.headers, body: await request.text() })
        return new Response(null, { status: 204 })
      },
    })
    const config = `
mail: { url: "smtps://localhost:1", from: gw@example.com }
alerts: { email: [filed@example.com], allow_private: true }
`
    gateway = await startGateway({ engine, config })
    const clientOf = async (role: string) => {
      const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })
      return adminClient(gateway.url, secret)
    }
    admin = await clientOf('admin')
    finance = await clientOf('finance')
  })
  afterAll(async () => {
    await gateway.stop()
    await closeDatabase(gateway.home)
    await hook.stop(true)
  })

  const listed = async () => (await admin<{ data: Target[] }>('GET', 'alerts/targets')).body.data
  const add = (body: object, query = '') => admin<Target>('POST', `alerts/targets${query}`, { body })
  const at = (id: string) => `alerts/targets/${encodeURIComponent(id)}`

  test('a webhook is added, tested, edited and removed; its URL and its secret are never sent back', async () => {
    const url = `${hook.url}planted-path`
    expect((await finance('POST', 'alerts/targets', { body: { url } })).status).toBe(403)
    const rehearsed = await add({ url }, '?dry_run=true')
    expect(rehearsed.body).toMatchObject({ object: 'dry_run' })
    expect(await listed()).toMatchObject([{ id: 'email filed@example.com', read_only: true }])

    const { status, body: made } = await add({ url, reason: 'a test' })
    expect(status).toBe(201)
    expect(made).toMatchObject({ kind: 'webhook', read_only: false, place: null })
    expect(made.secret).toStartWith('whsec_')
    expect(made.id).toStartWith(`webhook ${hook.url.host} `)
    expect((await add({ url })).status).toBe(409)

    const tested = await admin('POST', 'alerts/test', { body: { target: made.id } })
    expect(tested.body).toMatchObject({ ok: true, targets: [{ target: made.id, ok: true, error: null }] })
    const [sent] = received.splice(0)
    const id = sent?.headers.get('webhook-id') ?? ''
    const timestamp = Number(sent?.headers.get('webhook-timestamp'))
    expect(sent?.headers.get('webhook-signature')).toBe(
      signedBy({ id, timestamp, body: sent?.body ?? '' }, made.secret ?? '')['webhook-signature'] ?? '',
    )

    const edited = await admin<Target>('POST', `${at(made.id)}/replace`, { body: { url: `${hook.url}other-path` } })
    expect(edited.status).toBe(200)
    expect(edited.body.id).not.toBe(made.id)
    await admin('POST', 'alerts/test', { body: { target: edited.body.id } })
    expect(received[0]?.path).toBe('/other-path')
    expect((await admin('POST', `${at(edited.body.id)}/replace`, { body: { email: 'a@example.com' } })).status).toBe(
      400,
    )

    const before = await listed()
    const revisions = async () =>
      (await admin<{ data: { id: string }[] }>('GET', 'configuration/revisions')).body.data.length
    const count = await revisions()
    expect((await admin('DELETE', at(edited.body.id))).status).toBe(200)
    expect(await revisions()).toBe(count + 1)
    expect((await admin('DELETE', at(edited.body.id))).status).toBe(404)
    expect(await listed()).toMatchObject([{ id: 'email filed@example.com' }])

    const { body: log } = await admin<{ data: { action: string }[] }>('GET', 'audit-log')
    expect(log.data.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['alert target add', 'alert target replace', 'alert target remove']),
    )
    const shown = JSON.stringify([rehearsed.body, made.id, edited.body, before, log])
    for (const secret of ['planted-path', 'other-path', 'whsec_']) expect(shown).not.toContain(secret)
  })

  test('changes at the same time all arrive', async () => {
    const urls = [1, 2, 3, 4].map((number) => `https://hooks.example.com/${number}`)
    const added = await Promise.all(urls.map((url) => add({ url })))
    expect(added.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    const stored = (await listed()).filter(({ kind }) => kind === 'webhook')
    expect(stored.map(({ id }) => id).toSorted()).toEqual(added.map(({ body }) => body.id).toSorted())
    await Promise.all(stored.map(({ id }) => admin('DELETE', at(id))))
    expect((await listed()).length).toBe(1)
  })

  test('what the file sets can only be changed there, and mistakes name their field', async () => {
    const [filed] = await listed()
    expect(filed).toMatchObject({ kind: 'email', read_only: true, place: expect.stringContaining('trivium.yaml') })
    const change = { body: { email: 'other@example.com' } }
    expect((await admin('POST', `${at(filed?.id ?? '')}/replace`, change)).status).toBe(409)
    expect((await admin('DELETE', at(filed?.id ?? ''))).status).toBe(409)
    expect((await add({ email: 'more@example.com' })).status).toBe(409)
    const mistakes: [object, string][] = [
      [{}, 'url'],
      [{ url: 'ftp://hooks.example.com/s3cret' }, 'url'],
      [{ url: 'https://hooks.example.com/s3cret', secret: 's3cret' }, 'secret'],
      [{ url: 'https://hooks.example.com/s3cret', email: 'a@example.com' }, 'email'],
      [{ email: 'nobody' }, 'email'],
    ]
    for (const [body, param] of mistakes) {
      const answer = await add(body)
      expect([answer.status, answer.body.error?.param]).toEqual([400, param])
      expect(JSON.stringify(answer.body)).not.toContain('s3cret')
    }
  })
})
