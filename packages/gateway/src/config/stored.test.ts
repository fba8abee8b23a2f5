// Stored entries beside those of the file and of the environment: one assembly, one validation.
import { describe, expect, test } from 'bun:test'
import { BUILT_IN } from '../server/config.ts'
import { type Assembled, assemble, type Sources } from './assemble.ts'
import { entryKey, type StoredEntry } from './stored.ts'

const FILE = '/etc/trivium.yaml'
const KEY = 'sk-from-the-environment'

const entry = (kind: StoredEntry['kind'], id: string, value: unknown, revision = 7): StoredEntry => ({
  kind,
  id,
  value,
  revision,
})
const upstream = (id: string, more: object = {}) =>
  entry('upstream', id, { dialect: 'chat', base_url: 'https://up.example.com/v1', keys: ['k'], ...more })
const model = (id: string, to: string, more: object = {}) =>
  entry('model', id, { routes: [{ upstream: to }], price: { input: '1', output: '2.50' }, ...more })
const group = (id: string, models: string[], more: object = {}) => entry('group', id, { models, ...more })
const setting = (id: string, value: unknown) => entry('setting', id, value)

const attempt = (stored: StoredEntry[], more: Partial<Sources> = {}) =>
  assemble({ source: '', file: FILE, env: {}, stored, ...more }, BUILT_IN)

function load(stored: StoredEntry[], more: Partial<Sources> = {}): Assembled {
  const result = attempt(stored, more)
  if (!result.config) throw new Error(JSON.stringify(result.mistakes))
  return result
}

const invalidIn = ({ invalid }: Assembled) =>
  invalid.map((each) => [entryKey(each.entry), ...each.mistakes.map((mistake) => mistake.message)])
const messages = (result: ReturnType<typeof attempt>) =>
  result.mistakes.map(({ file, line, message }) => [file, line, message])

test('stored entries are in force like those of a file, and the origin of each entry is known', () => {
  const { config, origins, shadowed, invalid } = load(
    [
      upstream('up'),
      model('stored-model', 'main', { limits: { context: 1000 } }),
      group('default', ['stored-model', 'file-model', 'gpt-4.1']),
      setting('registration.trial_credit', '2.5'),
      setting('server.limits.body', '1MiB'),
      setting('sandbox.faults', true),
    ],
    {
      source: `upstreams: [{ id: main, dialect: chat, base_url: "https://main.example.com/v1", keys: [k] }]
models:
  - { id: file-model, routes: [{ upstream: up }], fallbacks: [stored-model], price: { input: 1, output: 1 } }
server:
  limits: { upload: 2MiB }
  drain: 5s
`,
      env: { OPENAI_API_KEY: KEY },
    },
  )
  expect(config.server).toMatchObject({ drainMs: 5000, limits: { bodyBytes: 1024 ** 2, uploadBytes: 2 * 1024 ** 2 } })
  expect(config.registration).toMatchObject({ trialCredit: 2_500_000_000n, open: false })
  expect(config.sandbox).toEqual({ on: true, faults: true, faultsWritten: true })
  expect(config.models.get('stored-model')).toMatchObject({
    price: { output: 2_500_000_000n },
    limits: { context: 1000 },
  })
  expect(config.groups.get('default')?.models).toEqual(['file-model', 'gpt-4.1', 'stored-model'])
  expect([shadowed, invalid]).toEqual([[], []])
  expect(config).toMatchObject({ revision: 7, fileHash: expect.stringMatching(/^[0-9a-f]{12}$/) })
  const stored = { from: 'stored', revision: 7 }
  expect(Object.fromEntries(origins)).toMatchObject({
    'upstreams/main': { from: 'file', file: FILE, line: 1 },
    'upstreams/openai': { from: 'environment', variable: 'OPENAI_API_KEY' },
    'upstreams/up': stored,
    'upstreams/sandbox': { from: 'built-in' },
    'models/file-model': { from: 'file', file: FILE, line: 3 },
    'models/gpt-4.1': { from: 'environment', variable: 'OPENAI_API_KEY' },
    'models/stored-model': stored,
    'models/sandbox-text': { from: 'built-in' },
    'groups/default': stored,
    'settings/server.limits.upload': { from: 'file', file: FILE, line: 5 },
    'settings/server.limits.body': stored,
    'settings/server.drain': { from: 'file', file: FILE, line: 6 },
    'settings/sandbox.faults': stored,
  })
})

test('on equal ids the file wins over the environment, and both over what is stored', () => {
  const stored = [
    upstream('main'),
    upstream('openai', { nonsense: 1 }),
    model('gpt-4.1', 'nowhere'),
    group('default', ['no-such-model']),
    setting('server.drain', 'no duration'),
    setting('sandbox.faults', true),
  ]
  const source = `upstreams: [{ id: main, kind: ollama }]
groups: [{ id: default, models: ["*"] }]
server: { drain: 5s }
sandbox: false`
  const result = load(stored, { source, env: { OPENAI_API_KEY: KEY } })
  expect(result.shadowed.map(entryKey).sort()).toEqual(stored.map(entryKey).sort())
  expect(result.invalid).toEqual([])
  expect(result.config.upstreams.get('main')?.kind).toBe('ollama')
  expect(result.config.upstreams.get('openai')?.keys).toEqual([KEY])
  expect(result.config.server.drainMs).toBe(5000)
})

describe('text of stored entries', () => {
  test('is literal: a reference is not expanded, and a number is as exact as it is written', () => {
    const { config } = load(
      [upstream('up', { keys: [`\${HOME}`] }), model('m', 'up', { price: { input: '0.000000001', output: 3 } })],
      {
        env: { HOME: '/root' },
      },
    )
    expect(config.upstreams.get('up')?.keys).toEqual([`\${HOME}`])
    expect(config.models.get('m')?.price).toMatchObject({ input: 1n, output: 3_000_000_000n })
    expect(config.warnings.join()).not.toContain('line')
  })

  test('every mistake has the path of its entry, and no line', () => {
    const stored = [
      upstream('up', { keys: [], proxy: 'x', max_concurency: 1 }),
      model('m', 'up', { price: { input: '-1', output: 'x' } }),
      setting('server.limits.body', 'large'),
    ]
    const result = attempt(stored, { strictly: new Set(stored.map(entryKey)) })
    expect(messages(result)).toEqual([
      [
        '',
        undefined,
        expect.stringMatching(/^stored upstreams\[up\]: unknown field "max_concurency"; did you mean max_concurrency/),
      ],
      ['', undefined, expect.stringMatching(/^stored upstreams\[up\]\.keys: the list is empty/)],
      ['', undefined, expect.stringMatching(/^stored upstreams\[up\]\.proxy: "x" is not an http/)],
      ['', undefined, expect.stringMatching(/^stored models\[m\]\.price\.input: "-1" is negative/)],
      ['', undefined, expect.stringMatching(/^stored models\[m\]\.price\.output: "x" is not a valid amount/)],
      ['', undefined, expect.stringMatching(/^stored server\.limits\.body: "large" is not a size/)],
    ])
  })
})

test.each([
  [
    upstream('up', { allow_private: true }),
    /^stored upstreams\[up\]\.allow_private: can only be set in the configuration file$/,
  ],
  [upstream('up', { proxy: null }), /^stored upstreams\[up\]\.proxy: is empty/],
  [setting('server.tls.cert', './cert.pem'), /^stored server\.tls: can only be set/],
  [setting('server.trusted_proxies', ['10.0.0.0/8']), /^stored server\.trusted_proxies: can only be set/],
  [setting('media.disk', '/srv'), /^stored media\.disk: can only be set/],
  [
    setting('sign_in.providers', [{ id: 'a', issuer: 'http://127.0.0.1:1', client_id: 'c', client_secret: 's' }]),
    /providers\[a\]\.issuer: must be an https/,
  ],
  [
    setting('sign_in.providers', [
      { id: 'a', issuer: 'https://id.example.com', client_id: 'c', client_secret: 's', allow_private: true },
    ]),
    /providers\[a\]\.allow_private: can only be set/,
  ],
  [setting('mail.ca', '/etc/passwd'), /^stored mail\.ca: can only be set/],
  [setting('callbacks.allow_private', true), /^stored callbacks\.allow_private: can only be set/],
  [setting('alerts.allow_private', true), /^stored alerts\.allow_private: can only be set/],
  [setting('server.limits', { body: '1MiB' }), /^stored server\.limits: has fields; each of them is a setting/],
  [setting('server.drain', null), /^stored server\.drain: is empty/],
  [setting('models.x', 1), /^stored models\.x: is not a setting/],
  [setting('nothing', 1), /^stored nothing: is not a setting/],
  [setting('server.admin', 'off'), /^stored server\.admin: can only be set in the configuration file/],
  [setting('server.admin', 'on'), /^stored server\.admin: can only be set in the configuration file/],
  [setting('server.limits.body', '65535B'), /^stored server\.limits\.body: /],
  [setting('server.limits.body', '1B'), /^stored server\.limits\.body: /],
  [setting('server.tls.cert', '/x'), /^stored server\.tls: can only be set in the configuration file/],
  [setting('sign_in.password', false), /^stored sign_in\.password: false, but there are no providers/],
  [setting('server', 1), /^stored server: expected fields/],
  [entry('group', 'g', 'x'), /^stored groups\[g\]: expected fields/],
  [entry('group', 'g', { $unreadable: 'oops{' }), /^stored groups\[g\]: is not JSON: /],
  [setting('console.name', { $unreadable: 'oops' }), /^stored console.name: is not JSON: /],
])('%j is invalid', (wrong, message) => {
  expect(messages(attempt([wrong], { strictly: new Set([entryKey(wrong)]) }))[0]).toEqual([
    '',
    undefined,
    expect.stringMatching(message),
  ])
  const { invalid, config } = load([wrong, upstream('fine')])
  expect(invalid.map((each) => each.entry)).toEqual([wrong])
  expect(invalid[0]?.mistakes[0]?.message).toMatch(message)
  expect(config.upstreams.has('fine')).toBe(true)
})

describe('an invalid entry', () => {
  test('is left out, and what names it stays in force without it', () => {
    const stored = [
      upstream('up'),
      model('m', 'gone'),
      model('both', 'gone', { routes: [{ upstream: 'up' }], fallbacks: ['m'] }),
      group('default', ['m', 'both'], { prices: { m: { input: '1', output: '1' } } }),
      group('late', ['nobody']),
    ]
    const source = `models:
  - { id: f, routes: [{ upstream: up }], fallbacks: [m], price: { input: 1, output: 1 } }
groups: [{ id: team, models: [m, f] }]`
    const result = load(stored, { source })
    expect(invalidIn(result)).toEqual([
      ['models/m', 'stored models[m].routes[0].upstream: unknown upstream "gone"; define it under upstreams'],
      ['groups/late', expect.stringContaining('unknown model "nobody"')],
    ])
    const { groups, models, warnings } = result.config
    expect(groups.get('default')).toMatchObject({ models: ['both'], prices: new Map() })
    expect(groups.get('team')?.models).toEqual(['f'])
    expect([models.get('f')?.fallbacks, models.get('both')?.fallbacks]).toEqual([[], []])
    expect(warnings).toContain('group team has no model m, which is stored and invalid')
    expect(result.origins.has('models/m')).toBe(false)
  })

  test('keeps the sandbox off and registration closed, and brings no group back', () => {
    const { config } = load([upstream('up', { kind: 'no-such-kind' }), model('m', 'up'), group('g', ['nobody'])])
    expect(config).toMatchObject({ sandbox: { on: false }, registration: { open: false } })
    expect([config.upstreams.size, config.models.size, config.groups.size]).toEqual([0, 0, 0])
  })

  test('cannot be named by a change', () => {
    const change = model('m', 'up')
    const strictly = new Set([entryKey(change)])
    expect(messages(attempt([upstream('up', { keys: [] }), change], { strictly }))).toEqual([
      ['', undefined, 'model m has no route to upstream up, which is stored and invalid'],
    ])
  })

  test('a setting that contradicts the file is left out alone', () => {
    const source = 'server: { limits: { body: 64MiB } }'
    const stored = [setting('server.limits.memory', '32MiB'), setting('server.limits.upload', '2MiB')]
    const result = load(stored, { source })
    expect(invalidIn(result)).toEqual([
      ['settings/server.limits.memory', expect.stringContaining('memory is smaller than body')],
    ])
    expect(result.config.server.limits).toMatchObject({ bodyBytes: 64 * 1024 ** 2, uploadBytes: 2 * 1024 ** 2 })
    expect(attempt(stored, { source, strictly: new Set(['settings/server.limits.memory']) }).config).toBeUndefined()
  })
})

test('an entry that the file names cannot be taken away: the mistake is that of the file', () => {
  const source = `models: [{ id: f, routes: [{ upstream: up }] }]
alerts: { email: [ops@example.com] }`
  const mail = [setting('mail.url', 'smtps://u:p@smtp.example.com'), setting('mail.from', 'gw@example.com')]
  expect(load([upstream('up'), ...mail], { source }).config.mail?.from).toBe('gw@example.com')
  expect(messages(attempt(mail, { source }))).toEqual([[FILE, 1, expect.stringContaining('unknown upstream "up"')]])
  expect(messages(attempt([upstream('up')], { source }))).toEqual([
    [FILE, 2, expect.stringContaining('has no section mail')],
  ])
  // Half of it is invalid, which does not stop a start.
  expect(invalidIn(load([upstream('up'), mail[0] as StoredEntry], { source }))).toEqual([
    ['settings/mail.url', expect.stringContaining('stored mail: from is missing')],
  ])
})

test('settings of the file and stored ones complete each other', () => {
  const source = 'mail: { from: gw@example.com }'
  const { config, origins } = load([setting('mail.url', 'smtps://u:p@smtp.example.com')], { source })
  expect(config.mail).toEqual({ url: 'smtps://u:p@smtp.example.com', from: 'gw@example.com' })
  expect(origins.get('settings/mail.url')).toEqual({ from: 'stored', revision: 7 })
  expect(attempt([], { source }).mistakes).toMatchObject([
    { file: FILE, line: 1, message: expect.stringContaining('url is missing') },
  ])
})

test('the hash is that of the entries in force, wherever they come from', () => {
  const stored = [upstream('up'), model('m', 'up'), setting('server.drain', '5s')]
  const source = `upstreams: [{ id: up, dialect: chat, base_url: "https://up.example.com/v1", keys: [k] }]
models: [{ id: m, routes: [{ upstream: up }], price: { input: 1, output: 2.5 } }]
server: { drain: 5s }`
  expect(load(stored).config.hash).toBe(load([], { source }).config.hash)
  expect(load(stored, { revision: 12 }).config.revision).toBe(12)
  expect(load(stored.slice(0, 1)).config.hash).not.toBe(load(stored).config.hash)
})
