// The stored configuration in whole gateways: a sample of `npm run torture`, and two nodes on one database.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callServer } from '../../packages/gateway/src/cli/control-socket.ts'
import type { OperationRejected } from '../../packages/gateway/src/operate/rejections.ts'
import { type AdminClient, adminClient, adminOutcome } from '../../test/support/admin/admin-client.ts'
import { eventually } from '../../test/support/eventually.ts'
import { changeStore } from '../../test/support/gateway/ask-store.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { createDatabase, ENGINES, homeOnSameDatabase, newHome, runCommand } from '../../test/support/gateway/home.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { testSample } from '../../test/support/torture-sample.ts'
import { CONFIGURATION_SCENARIOS } from '../../torture/scenarios/index.ts'

testSample(CONFIGURATION_SCENARIOS)

describe('over the admin API', () => {
  let gateway: Gateway
  let admin: AdminClient
  beforeAll(async () => {
    const config = 'upstreams: [{ id: filed, kind: ollama }]\nregistration: { trial_credit: 3 }\n'
    gateway = await startGateway({ config })
    const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'a', role: 'admin' })
    admin = adminClient(gateway.url, secret)
  })
  afterAll(() => gateway.stop())

  const UPSTREAM = { id: 'main', dialect: 'chat', base_url: 'https://vendor.example.com/v1', keys: ['a-key-of-main'] }
  const MODEL = { id: 'm', routes: [{ upstream: 'main' }], price: { input: '1', output: '2' } }

  test('an entry is created, read with its validator, changed, restored and deleted', async () => {
    const preview = await admin('POST', 'upstreams?dry_run=true', { body: UPSTREAM })
    expect(preview.body).toMatchObject({ object: 'dry_run', action: 'upstream create', target: 'upstream/main' })
    expect(adminOutcome(await admin('POST', 'upstreams', { body: UPSTREAM }))).toBe('201')
    expect(adminOutcome(await admin('POST', 'models', { body: MODEL }))).toBe('201')
    const shown = await admin('GET', 'models/m')
    expect(shown.body).toMatchObject({ object: 'model', id: 'm', price: MODEL.price, source: { revision: 2 } })
    const change = (input: string, tag: string | null) =>
      admin('PATCH', 'models/m', { body: { price: { input } }, headers: { 'if-match': tag ?? '' } })
    // If two have read the same revision, one of them changes it.
    const tag = shown.headers.get('etag')
    const outcomes = await Promise.all([change('5', tag), change('6', tag)])
    expect(outcomes.map(adminOutcome).sort()).toEqual(['200', '412 precondition_failed'])
    expect(adminOutcome(await admin('POST', 'configuration/revisions/2/restore', { body: {} }))).toBe('200')
    expect((await admin('GET', 'models/m')).body).toMatchObject({ price: MODEL.price, source: { revision: 4 } })
    const list = await admin<{ data: { id: string }[] }>('GET', 'configuration/revisions?limit=2')
    expect([list.body.data.map(({ id }) => id), list.body]).toEqual([
      ['4', '3'],
      expect.objectContaining({ has_more: true }),
    ])
    expect(adminOutcome(await admin('DELETE', 'models/m'))).toBe('200')
    expect(adminOutcome(await admin('GET', 'models/m'))).toBe('404 not_found')
  })

  test.each<[string, string, object, string, RegExp]>([
    ['PATCH', 'upstreams/filed', { quota: 'x' }, '409 conflict', /line 1 of .*trivium\.yaml/],
    ['PATCH', 'settings', { registration: { trial_credit: '1' } }, '409 conflict', /line 2 of .*trivium\.yaml/],
    ['PATCH', 'upstreams/main', { base_url: 'https://other.example.com/v1' }, '400 bad_request', /needs keys again/],
    ['PATCH', 'upstreams/nobody', {}, '404 not_found', /no upstream 'nobody'/],
    ['POST', 'models', { ...MODEL, id: 'n', price: { input: 'x' }, limits: 7 }, '400 bad_request', /price\.input/],
    ['POST', 'models', { ...MODEL, id: 'n', colour: 'red' }, '400 bad_request', /Unknown field 'colour'/],
  ])('%s %s %j: %s', async (method, path, body, outcome, message) => {
    const answer = await admin(method, path, { body })
    expect(adminOutcome(answer)).toBe(outcome)
    expect(answer.body.error?.message).toMatch(message)
  })

  test('commands beside the server change what it has in force, and doctor sees it', async () => {
    const key = join(gateway.home.dataDir, 'key.txt')
    writeFileSync(key, 'a-key-of-this-vendor')
    const command = async (...args: string[]) => {
      const { code, stdout, stderr } = await gateway.cli(...args, '--json')
      expect([args, code, stderr]).toEqual([args, 0, ''])
      return JSON.parse(stdout)
    }
    await command(
      ...['upstream', 'add', '--id', 'by-command', '--dialect', 'chat', '--key-file', key],
      ...['--base-url', 'https://vendor.example.com/v1', '--reason', 'a spare'],
    )
    expect((await admin('GET', 'upstreams/by-command')).body).toMatchObject({ keys: [{ last_four: 'ndor' }] })
    const fromInput = async (args: string[], text: string) => {
      const { code, stderr } = await runCommand(gateway.home, args, { TOKEN: 'of-this-command' }, text)
      expect([args, code, stderr]).toEqual([args, 0, ''])
    }
    await fromInput(['upstream', 'key', 'add', 'by-command', '--key-file', '-'], 'another-key-of-it-0123\n')
    await fromInput(['settings', 'set', 'server.metrics_token', '-'], 'a-token-that-nobody-guesses\n')
    // Expanded here: what is stored is literal.
    await fromInput(['upstream', 'edit', 'by-command', '--from', '-'], `quota: team-\${TOKEN}\n`)
    expect((await admin('GET', 'upstreams/by-command')).body).toMatchObject({
      keys: [{ last_four: 'ndor' }, { last_four: '0123' }],
      quota: 'team-of-this-command',
    })
    await command('group', 'add', '--id', 'staff', '--models', '*')
    await operate(gateway, 'account create', { name: 'team' })
    await operate(gateway, 'key create', { account: 'team', name: 'k', group: 'staff' })
    expect((await command('config', 'check')).warnings.filter((each: string) => each.includes('staff'))).toEqual([])
    const { stdout } = await gateway.cli('doctor', '--json')
    const { checks } = JSON.parse(stdout) as { checks: { check: string; ok: boolean; note: string }[] }
    const [{ id }] = await command('config', 'revisions', '--limit', '1')
    expect(checks.find(({ check }) => check === 'stored configuration')?.note).toBe(`revision ${id}`)
    expect(checks.find(({ check }) => check === 'upstream by-command')).toMatchObject({ ok: true })
    const refused = await gateway.cli('upstream', 'edit', 'filed', '--set', 'max_concurrency=3')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/line 1 of .*trivium\.yaml/)])
  })

  test('every mistake is in the details, by its field', async () => {
    const body = { id: 'n', routes: [{ upstream: 'none' }], price: { input: 'x', output: '1' }, type: 'sound' }
    const {
      body: { error },
    } = await admin('POST', 'models', { body })
    expect(error?.details.map(({ param }) => param)).toContain('routes[0].upstream')
    expect(error?.details.length).toBeGreaterThanOrEqual(2)
  })
})

describe('two nodes on one database', () => {
  let nodes: [Gateway, Gateway]
  beforeAll(async () => {
    const first = await startGateway({ engine: 'postgres' })
    nodes = [first, await startGateway({ home: homeOnSameDatabase(first.home, '') })]
  })
  afterAll(async () => {
    for (const node of nodes) await node.stop()
  })

  const perform = async (gateway: Gateway, name: string, input: object) =>
    (await callServer(gateway.home.dataDir, name, input))?.result
  const ready = async ({ url }: Gateway) =>
    (await (await fetch(`${url}/ready`)).json()) as { revision: number; drift: boolean }
  const settled = (revision: number) =>
    eventually(async () => {
      const states = await Promise.all(nodes.map(ready))
      return states.every((state) => state.revision === revision && !state.drift)
    })
  const upstream = { id: 'main', dialect: 'chat', base_url: 'http://127.0.0.1:1/v1', keys: ['k'] }

  test('a change on one is in force on the other; writers at once lose nothing', async () => {
    const [one, other] = nodes
    await perform(one, 'upstream create', upstream)
    expect((await ready(one)).revision).toBe(1)
    await settled(1)
    await Promise.all([
      perform(one, 'settings change', { console: { name: 'One' } }),
      perform(other, 'upstream create', { ...upstream, id: 'second' }),
      perform(other, 'settings change', { retention: { responses: '5d' } }),
    ])
    await settled(4)
    const wrong = perform(one, 'model create', { id: 'm', routes: [{ upstream: 'none' }], price: { input: 'x' } })
    const rejected = (await wrong.catch((error: unknown) => error)) as OperationRejected
    expect(rejected.all.map(({ details }) => details.field)).toEqual(['price.input', 'price', 'routes[0].upstream'])
    const { items } = (await perform(one, 'upstream list', {})) as { items: { id: string }[] }
    expect(items.map(({ id }) => id)).toEqual(['main', 'second'])
  })

  test('a node that cannot apply a revision keeps the one before, and all show the drift', async () => {
    const [one, other] = nodes
    const model = 'models: [{ id: m, routes: [{ upstream: second }], price: { input: 1, output: 1 } }]\n'
    writeFileSync(other.home.configFile, model)
    other.signal('SIGHUP')
    await eventually(() => other.output().stderr.includes('configuration reloaded'))
    await perform(one, 'upstream delete', { upstream: 'second' })
    await eventually(() => other.output().stderr.includes('the stored configuration is not in force here'))
    expect((await ready(other)).revision).toBe(4)
    await eventually(async () => (await ready(one)).drift && (await ready(other)).drift)
    writeFileSync(other.home.configFile, '{}\n')
    other.signal('SIGHUP')
    await settled(5)
  })
})

test.each(
  ENGINES,
)('%s: a stored row that is no JSON stops neither a backup nor a start, and can be deleted', async (engine) => {
  const home = await newHome(engine)
  await createDatabase(home)
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(home, [...args, '--json'])
    expect([args, code, stderr]).toEqual([args, 0, ''])
    return JSON.parse(stdout)
  }
  await command('settings', 'set', 'console.name', 'Ours')
  await command('group', 'add', '--id', 'staff', '--models', '*')
  await changeStore(home, `UPDATE stored_entry SET value = 'oops{' WHERE id = 'staff'`)
  await command('backup', join(home.dataDir, 'copy.tar'), '--without-secret')
  const gateway = await startGateway({ home })
  try {
    expect(gateway.output().stderr).toContain('stored groups[staff]: is not JSON')
    const entries = async () => (await command('config', 'entries')) as { kind: string; id: string; state: string }[]
    expect((await entries()).find(({ id }) => id === 'groups/staff')).toMatchObject({ state: 'invalid' })
    expect((await entries()).find(({ id }) => id === 'settings/console.name')).toMatchObject({ state: 'in force' })
    const { stdout } = await gateway.cli('doctor')
    expect(stdout).toContain('stored groups/staff is left out')
    await command('group', 'delete', 'staff')
    expect((await entries()).some(({ id }) => id === 'groups/staff')).toBe(false)
  } finally {
    await gateway.stop()
  }
})
