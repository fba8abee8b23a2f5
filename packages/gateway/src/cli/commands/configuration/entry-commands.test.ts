// The commands on stored upstreams, models, groups, settings and revisions, each mistake of their command lines, and nothing secret in an argument.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, runHere } from '../../../../test-support/run-command.ts'

const KEY = 'sk-the-key-of-the-upstream-7abc'
let folder = ''
const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
const command = (...args: string[]) => runHere(args, folder)
async function json(...args: string[]) {
  const ended = await command(...args, '--json')
  expect([ended.code, ended.stderr]).toEqual([0, ''])
  return JSON.parse(ended.stdout)
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-entries-'))
  await createDatabase(folder)
  const keys = file('key.txt', `${KEY}\n`)
  await json('upstream', 'add', '--id', 'main', '--kind', 'openai', '--key-file', keys, '--set', 'max_concurrency=64')
  await json(
    'model',
    'add',
    '--id',
    'fast',
    '--route',
    'main/vendor/gpt-4.1',
    '--set',
    'price={input: 2.50, output: 8}',
  )
  await json('group', 'add', '--id', 'staff', '--models', '*', '--multiplier', '0.80')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('upstreams, models and groups are stored, shown, changed and deleted', async () => {
  expect(await json('upstream', 'show', 'main')).toMatchObject({
    kind: 'openai',
    max_concurrency: 64,
    keys: [{ last_four: '7abc' }],
    source: { from: 'stored', revision: 1 },
  })
  expect((await command('upstream', 'show', 'main')).stdout).toMatch(
    /max_concurrency: 64\n.*source: stored, revision 1\n/s,
  )
  const [model] = await json('model', 'list')
  expect(model).toMatchObject({ id: 'fast', routes: [{ upstream: 'main', model: 'vendor/gpt-4.1' }] })
  // The digits are those that were written.
  expect(model.price).toEqual({ input: '2.50', output: 8 })
  expect((await command('model', 'list')).stdout).toMatch(
    /^ID +ROUTES +PRICE USD +SOURCE\nfast +main\/vendor\/gpt-4.1 /,
  )
  expect((await command('group', 'list')).stdout).toMatch(/staff +\* +0.80 +stored, revision 3/)

  const edit = file('edit.yaml', 'limits: { context: 8000 }\nfallbacks: []\n')
  const edited = await json(
    'model',
    'edit',
    'fast',
    '--from',
    edit,
    '--set',
    'price.input=3',
    '--set',
    'fallbacks=null',
  )
  expect(edited).toMatchObject({ price: { input: 3, output: 8 }, limits: { context: 8000 }, fallbacks: null })
  await json('group', 'add', '--from', file('group.yaml', 'id: other\nmodels: [fast]\n'))
  expect(await json('group', 'delete', 'other', '--reason', 'not needed')).toMatchObject({ id: 'other' })
  expect(await json('group', 'list')).toHaveLength(2)
})

test('an upstream in China is added by its region', async () => {
  const key = file('kimi.txt', 'sk-of-an-account-in-china-1abc')
  const added = await json(
    'upstream',
    'add',
    '--id',
    'kimi',
    '--kind',
    'moonshot',
    '--region',
    'china',
    '--key-file',
    key,
  )
  expect(added).toMatchObject({ kind: 'moonshot', region: 'china', base_url: null })
  expect((await command('upstream', 'list')).stdout).toMatch(/kimi +moonshot .*https:\/\/api\.moonshot\.cn/)
  await json('upstream', 'delete', 'kimi')
})

test('keys of an upstream are added, removed, restored with a revision, and erased', async () => {
  const second = file('second.txt', 'sk-another-key-of-it-9xyz')
  const { id } = await json('upstream', 'key', 'add', 'main', '--key-file', second)
  expect((await command('upstream', 'key', 'list', 'main')).stdout).toMatch(new RegExp(`7abc .*\n${id} +9xyz `))
  const [{ id: before }] = await json('config', 'revisions', '--limit', '1')
  await json('upstream', 'key', 'remove', 'main', id)
  expect(await json('upstream', 'key', 'list', 'main')).toHaveLength(1)
  const restored = await json('config', 'restore', before, '--reason', 'too early')
  expect(restored).toMatchObject({ reason: 'too early', changes: [{ kind: 'upstream', id: 'main' }] })
  expect(await json('upstream', 'key', 'list', 'main')).toHaveLength(2)
  await json('upstream', 'key', 'erase', 'main', id)
  expect((await command('config', 'restore', before)).stderr).toMatch(/^revision \d+ needs secrets that were erased/)
  expect((await command('config', 'revision', before)).stdout).not.toContain('another')
  expect((await command('config', 'revisions')).stdout).toMatch(/command-line +upstream key erase/)
})

test('settings are set, shown with their source, and unset', async () => {
  const shown = await command('settings', 'set', 'registration.trial_credit', '2.50')
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/registration.trial_credit +2.50 +stored/) })
  await json('settings', 'set', 'server.limits', '{body: 8 MiB}')
  const limits = (await command('settings', 'show', 'server.limits')).stdout
  expect(limits).toMatch(/^SETTING.*\nserver.limits.body +8 MiB +stored/)
  expect(limits).toMatch(/\nserver.limits.upload +1GiB +default/)
  await json('settings', 'unset', 'server')
  const { settings } = await json('settings', 'unset', 'registration.trial_credit')
  expect(settings.filter(({ source }: { source: { from: string } }) => source.from !== 'default')).toEqual([])
  expect((await command('settings', 'show')).stdout).not.toContain('trial_credit')
})

test('the prices of stored models are compared with the public ones', async () => {
  await json('model', 'add', '--id', 'listed', '--route', 'main/gpt-4.1', '--set', 'price={input: 1000, output: 1000}')
  const { models } = await json('prices', 'diff')
  expect(models).toMatchObject([{ model: 'listed', upstream_model: 'gpt-4.1' }])
  await json('model', 'delete', 'listed')
})

describe('a mistake is one line on stderr, and changes nothing', () => {
  const mistakes: { args: () => string[]; says: string; code?: number }[] = [
    { args: () => ['upstream', 'add', '--kind', 'openai'], says: '--id is required' },
    { args: () => ['upstream', 'add', '--id', 'x', '--set', `keys=[${KEY}]`], says: 'keys.0 is a secret' },
    { args: () => ['upstream', 'edit', 'main', '--set', 'proxy=http://u:p@x'], says: 'proxy is a secret' },
    { args: () => ['upstream', 'edit', 'main', '--base-url', 'https://x.example.com'], says: 'needs keys again' },
    {
      args: () => ['upstream', 'add', '--id', 'x', '--kind', 'opnai', '--key-file', '/dev/null'],
      says: '/dev/null has no key',
    },
    { args: () => ['upstream', 'add', '--id', 'x', '--key-file', '/no/such'], says: 'cannot read /no/such' },
    {
      args: () => ['upstream', 'add', '--id', 'x', '--key-file', '-', '--from', '-'],
      says: 'only one of --from and --key-file',
    },
    { args: () => ['upstream', 'add', '--id', 'x', '--set', 'kind'], says: '--set must be FIELD=VALUE' },
    { args: () => ['upstream', 'add', '--id', 'x', '--set', 'kind='], says: '--set kind has no value' },
    { args: () => ['upstream', 'add', '--id', 'x', '--set', 'kind=[a'], says: '--set kind: not valid YAML' },
    { args: () => ['upstream', 'add', '--id', 'x', '--set', 'colour=red'], says: "unknown field 'colour'" },
    { args: () => ['upstream', 'add', '--from', file('a.yaml', '- a\n')], says: 'must have the fields of one entry' },
    {
      args: () => ['upstream', 'add', '--from', file('b.yaml', `keys: ["\${NO_SUCH}"]\n`)],
      says: `cannot be read: \${NO_SUCH}`,
    },
    {
      args: () => ['upstream', 'add', '--id', 'main', '--kind', 'openai', '--key-file', join(folder, 'key.txt')],
      says: "the upstream 'main' exists already",
      code: 1,
    },
    { args: () => ['upstream', 'delete', 'main'], says: "depend on this: model 'fast'", code: 1 },
    { args: () => ['upstream', 'key', 'add', 'main'], says: '--key-file is required' },
    {
      args: () => ['upstream', 'key', 'add', 'main', '--key-file', file('two.txt', 'one\ntwo\n')],
      says: 'one key at a time',
    },
    { args: () => ['upstream', 'key', 'remove', 'main', 'nope'], says: 'nope', code: 1 },
    { args: () => ['upstream', 'key'], says: "unknown command 'upstream key'" },
    { args: () => ['model', 'edit', 'fast'], says: 'set at least one of --type, --route, --from, --set' },
    {
      args: () => ['model', 'edit', 'fsat', '--type', 'text'],
      says: "there is no model 'fsat'. Did you mean fast?",
      code: 1,
    },
    { args: () => ['model', 'edit', 'fast', '--from', file('c.yaml', 'id: slow\n')], says: 'cannot be changed' },
    { args: () => ['model', 'edit', 'fast', '--route', 'nowhere'], says: 'nowhere' },
    { args: () => ['model', 'edit', 'fast', '--route', '/x'], says: '--route must be UPSTREAM or UPSTREAM/MODEL' },
    {
      args: () => ['model', 'edit', 'fast', '--set', 'price.input=cheap'],
      says: 'price.input: "cheap" is not a valid amount',
    },
    { args: () => ['group', 'add', '--id', 'x', '--models', 'a,,b'], says: '--models must be a list' },
    { args: () => ['settings', 'set', 'mail.url', 'smtp://u:p@x'], says: 'settings set mail.url -' },
    { args: () => ['settings', 'set', 'registration.trial_credit'], says: "'settings set' requires VALUE: " },
    { args: () => ['settings', 'set', 'registration.trial_credit', 'much'], says: 'registration.trial_credit' },
    {
      args: () => ['settings', 'set', 'registration.trial_credit', 'null'],
      says: "'settings unset registration.trial_credit'",
    },
    { args: () => ['settings', 'set', 'colour', 'red'], says: "unknown field 'colour'" },
    { args: () => ['settings', 'set', 'server..x', '1'], says: 'a field has no name' },
    { args: () => ['alert', 'target', 'add'], says: 'set at least one of --url-file, --secret-file, --email' },
    { args: () => ['alert', 'target', 'add', '--email', 'ops@example.com'], says: 'mail', code: 1 },
    {
      args: () => ['alert', 'target', 'add', '--url-file', file('url.txt', 'example')],
      says: 'must be a URL such as https://example.com/alerts',
    },
    { args: () => ['alert', 'target', 'remove', 'nobody'], says: 'nobody', code: 1 },
    { args: () => ['config', 'restore', '987'], says: 'there is no revision 987', code: 1 },
    { args: () => ['config', 'restore', 'x'], says: 'must be the id of a revision' },
  ]
  test.each(mistakes)('$says', async ({ args, says, code = 2 }) => {
    const ended = await command(...args())
    expect([ended.code, ended.stdout]).toEqual([code, ''])
    expect(ended.stderr).toContain(says)
    expect(ended.stderr).toMatch(/^[^\n]+\n$/)
    expect(ended.stderr).not.toContain(KEY)
  })

  let before = ''
  const newest = async () => (await json('config', 'revisions', '--limit', '1'))[0].id
  beforeAll(async () => {
    before = await newest()
  })
  afterAll(async () => expect(await newest()).toBe(before))
})

test('a test of alerts without targets fails, and says what to set', async () => {
  const stderr = 'no alert targets: set alerts.webhooks or alerts.email in the configuration\n'
  expect(await command('alert', 'test')).toEqual({ code: 1, stdout: '', stderr })
})

test('alert targets are added, listed, changed and removed, and their URLs are never shown', async () => {
  const url = (path: string) => file('url.txt', `https://hooks.example.com/${path}\n`)
  const added = await json('alert', 'target', 'add', '--url-file', url('first'), '--reason', 'on call')
  expect(added).toMatchObject({ kind: 'webhook', read_only: false, secret: expect.stringMatching(/^whsec_/) })
  const { stdout } = await command('alert', 'targets')
  expect(stdout).toMatch(/^TARGET +KIND.*\nwebhook hooks\.example\.com \w+ +webhook/)
  expect(stdout).not.toContain('first')
  const changed = await json('alert', 'target', 'replace', added.id, '--url-file', url('second'))
  expect(changed.id).not.toBe(added.id)
  expect(await json('alert', 'targets')).toEqual([changed])
  expect((await command('config', 'revisions')).stdout).toMatch(/command-line +alert target replace/)
  await json('alert', 'target', 'remove', changed.id)
  expect(await json('alert', 'targets')).toEqual([])
})
