// What operators ask of the system itself: sizes, the checks of `doctor`, certificates, and a test of the mail server.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SMTP_CERTIFICATE, startSmtp, type TestSmtp } from '../../packages/gateway/test-support/smtp-server.ts'
import { type AdminClient, adminClient } from '../support/admin/admin-client.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { closeDatabase, operate } from '../support/gateway/operate.ts'

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  let smtp: TestSmtp
  let owner: AdminClient
  let admin: AdminClient

  beforeAll(async () => {
    smtp = await startSmtp({ mode: 'smtps', replies: [550] })
    const mail = `{ url: "smtps://localhost:${smtp.port}", from: gw@example.com, ca: ${SMTP_CERTIFICATE} }`
    const upstream = '{ id: gone, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [none], allow_private: true }'
    gateway = await startGateway({ engine, config: `mail: ${mail}\nupstreams: [${upstream}]\n` })
    const clientOf = async (role: string) => {
      const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })
      return adminClient(gateway.url, secret)
    }
    owner = await clientOf('owner')
    admin = await clientOf('admin')
  })
  afterAll(async () => {
    await gateway.stop()
    await closeDatabase(gateway.home)
    await smtp.stop()
  })

  test('a test email: what the mail server says, by an owner alone', async () => {
    type Sent = { ok: boolean; answer: string; server: string }
    const send = (client: AdminClient, dryRun = '') =>
      client<Sent>('POST', `mail/test${dryRun}`, { body: { to: 'ada@example.com' } })
    expect((await send(admin)).status).toBe(403)
    expect((await send(owner, '?dry_run=true')).body).toMatchObject({
      object: 'dry_run',
      after: { to: 'ada@example.com' },
    })
    expect((await send(owner)).body).toMatchObject({ ok: false, answer: expect.stringContaining('550') })
    const { body } = await send(owner)
    expect(body).toMatchObject({ ok: true, server: `localhost:${smtp.port}`, answer: expect.stringContaining('250') })
    expect(smtp.mails.map(({ to, from }) => [to, from])).toEqual([[['ada@example.com'], 'gw@example.com']])
  })

  test('sizes: tables, folders, contents and disks', async () => {
    type Sizes = { tables: { table: string; bytes: number }[]; folders: { name: string }[]; disks: { free: number }[] }
    const { body } = await admin<Sizes>('GET', 'system/sizes')
    expect(body.tables.find(({ table }) => table === 'account')?.bytes).toBeGreaterThan(0)
    expect(body.folders.map(({ name }) => name)).toEqual(['database files', 'spool', 'journal'])
    expect(body.disks[0]?.free).toBeGreaterThan(0)
    expect(body).toMatchObject({
      counted_at: expect.any(String),
      contents: [
        { name: 'stored responses', limit: 4 * 1024 ** 3 },
        { name: 'images and videos', limit: 32 * 1024 ** 3 },
      ],
    })
  })

  test('doctor: every check with its advice, for those who could act on it', async () => {
    type Doctor = { ok: boolean; checked_at: string; checks: { check: string; ok: boolean; advice: string | null }[] }
    const [{ body }, again] = await Promise.all([
      admin<Doctor>('GET', 'system/doctor'),
      owner<Doctor>('GET', 'system/doctor'),
    ])
    expect(again.body.checked_at).toBe(body.checked_at)
    const failed = body.checks.filter(({ ok }) => !ok)
    expect(failed).toMatchObject([{ check: 'upstream gone', advice: expect.stringContaining('base_url') }])
    const needed = ['version', 'primary', 'sessions', 'isolation', 'locks', 'functions', 'clock', 'durability']
    expect(body.checks.map(({ check }) => check)).toEqual([
      ...['runtime', 'configuration', 'data folder', 'disk', 'descriptors', 'file modes', 'price list', 'server'],
      'database',
      ...(engine === 'postgres' ? needed.map((name) => `database ${name}`) : []),
      ...['clock', 'stored configuration', 'secrets', 'mail', 'media store', 'nodes', 'upstream gone'],
    ])
  })

  test('the node that answers', async () => {
    const { body } = await admin('GET', 'system')
    expect(body).toMatchObject({
      database: engine,
      workers: 1,
      configuration: { revision: 0, file: expect.stringContaining('trivium.yaml') },
      certificates: [],
    })
  })
})
