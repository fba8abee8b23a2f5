// What a start prints, for every state of the store and the configuration that an operator may begin with.
import { describe, expect, test } from 'bun:test'
import { compileCatalogue } from '../catalogue/catalogue.ts'
import { SANDBOX_MODELS } from '../config/sandbox.ts'
import { loadFile } from '../server/config.ts'
import { readEnvironment } from '../server/environment.ts'
import { type StartInfo, startSummary } from './start-summary.ts'

const ENVIRONMENT = { ...readEnvironment({ TRIVIUM_DATA: '/srv/data' }).environment, configFile: undefined }

const MEMORY = { bytes: 1024 ** 3, of: 'container' as const }
const SQLITE_START = {
  version: '1.2.3',
  address: 'http://127.0.0.1:3333',
  database: 'SQLite database /x',
  memory: MEMORY,
}

function infoOf(env: Record<string, string>, more: Partial<StartInfo> = {}): StartInfo {
  const { config } = loadFile(undefined, env)
  if (!config) throw new Error('no configuration')
  const catalogue = compileCatalogue(config, 0)
  return { ...SQLITE_START, environment: ENVIRONMENT, catalogue, first: undefined, keyGroups: new Map(), ...more }
}

const summary = (...info: Parameters<typeof infoOf>): string => startSummary(infoOf(...info), true)

const withConfig = (change: object): Partial<StartInfo> => {
  const { config } = loadFile(undefined, {})
  if (!config) throw new Error('no configuration')
  return { catalogue: compileCatalogue({ ...config, ...change }, 0) }
}
const VENDOR = { OPENAI_API_KEY: 'hunter2' }
const KEY_CREATE = 'key create --account you@example.com --name laptop'

describe('what to do next', () => {
  test('nothing, while a key can use a model', () => {
    expect(summary({}, { keyGroups: new Map([['sandbox', 1]]) })).toEndWith('of trial credit\n')
    expect(
      summary(VENDOR, {
        keyGroups: new Map([
          ['sandbox', 1],
          ['default', 1],
        ]),
      }),
    ).not.toContain(KEY_CREATE)
  })

  test('a vendor and no key: create one', () => {
    const text = summary(VENDOR)
    expect(text).toContain('There is no API key yet. Create an account and a key:\n\n')
    expect(text).toContain(`${KEY_CREATE}\n`)
    expect(text).not.toMatch(/sandbox: true|hunter2|sk-/)
  })

  test('the sandbox first and a vendor second: its key can use nothing', () => {
    const text = summary(VENDOR, { keyGroups: new Map([['sandbox', 1]]) })
    expect(text).toContain('No existing key can use any of these models.')
    expect(text).toContain('sandbox: true in trivium.yaml keeps those models too.')
  })

  test('a group other than default is named', () => {
    const { groups } = loadFile(undefined, {}).config ?? {}
    const staff = { ...groups?.get('default'), id: 'staff' }
    const text = summary({}, withConfig({ groups: new Map([['staff', staff]]) }))
    expect(text).toContain(`${KEY_CREATE} --group staff\n`)
  })

  test('no model at all', () => {
    const text = summary({}, withConfig({ upstreams: new Map(), models: new Map() }))
    expect(text).toContain('  models    none: no upstream is configured\n')
    expect(text).toContain('No model is available yet. Either\n  - write sandbox: true in trivium.yaml for')
    expect(text).toContain('\n  - set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or ARK_API_KEY and restart')
  })
})

test('models of every type are counted, and the first of them named', () => {
  const [named, more] = [SANDBOX_MODELS.slice(0, 5).join(', '), SANDBOX_MODELS.length - 5]
  expect(summary({})).toContain(`  models    sandbox: ${SANDBOX_MODELS.length} (${named} and ${more} more)\n`)
})

test('only the first key begins with sk-, whatever the names of models and upstreams', () => {
  const { models } = loadFile(undefined, {}).config ?? {}
  const named = { ...models?.get('sandbox-text'), id: 'sk-model' }
  const text = summary({}, { ...withConfig({ models: new Map([['sk-model', named]]) }), first: FIRST })
  expect(text.match(/\bsk-\S+/g)).toEqual(["sk-secret'"])
  expect(text).toContain('the account newcomer@trivium.local, which has 10.00 USD')
})

const FIRST = { email: 'newcomer@trivium.local', secret: 'sk-secret', setupToken: 'abc' }

test('with TLS the call goes to the public name, which the certificate is for', () => {
  const { server } = loadFile(undefined, {}).config ?? {}
  const catalogue = withConfig({ server: { ...server, publicUrl: 'https://gw.example.com' } })
  const address = 'https://127.0.0.1:3333'
  expect(summary({}, { ...catalogue, address, first: FIRST })).toContain('curl https://gw.example.com/v1/chat')
  expect(summary({}, { ...catalogue, first: FIRST })).toContain('curl http://127.0.0.1:3333/v1/chat')
})

test('the link to the console is that of browsers: the public URL, if there is one', () => {
  const { server } = loadFile(undefined, {}).config ?? {}
  const catalogue = withConfig({ server: { ...server, publicUrl: 'https://gw.example.com' } })
  const proxied = summary({}, { ...catalogue, first: FIRST })
  expect(proxied).toContain('  console   https://gw.example.com/console\n')
  expect(proxied).toContain('\n  https://gw.example.com/console/setup#abc\n')
  expect(summary({}, { first: FIRST })).toContain('\n  http://127.0.0.1:3333/console/setup#abc\n')
  expect(summary({}, { keyGroups: new Map([['sandbox', 1]]) })).not.toContain('/console/setup')
})

describe('where no terminal shows it', () => {
  test('a start is one line of JSON, next steps included', () => {
    const text = startSummary(infoOf(VENDOR), false)
    expect(text.trimEnd()).not.toContain('\n')
    expect(JSON.parse(text)).toMatchObject({
      level: 'info',
      message: 'Trivium 1.2.3 started: address http://127.0.0.1:3333 and console http://127.0.0.1:3333/console',
      address: 'http://127.0.0.1:3333',
      database: 'SQLite database /x',
      next: expect.stringContaining(`${KEY_CREATE}`) as unknown as string,
    })
  })

  test('the first start adds its link and its key as text', () => {
    const first = { email: 'newcomer@trivium.local', secret: 'sk-abc', setupToken: 'token' }
    const [line = '', link = '', curl = '', ...more] = startSummary(infoOf({}, { first }), false).split('\n')
    expect(JSON.parse(line)).toMatchObject({ console: 'http://127.0.0.1:3333/console' })
    expect(line).not.toMatch(/sk-|token/)
    const { next } = JSON.parse(line)
    expect(next.split('\n')).toEqual([
      expect.stringMatching(/^Open the console as the owner .*: printed below this line$/),
      expect.stringMatching(/^Try it .*: printed below this line$/),
    ])
    expect(link).toBe('  http://127.0.0.1:3333/console/setup#token')
    expect(curl).toMatch(/^ {2}curl http:\S+ -H 'Authorization: Bearer sk-abc' .* -d '.*'$/)
    expect(more).toEqual([''])
  })
})

test.each(['0.0.0.0', '::'])('a server bound to %s says that every address reaches it', (host) => {
  const text = summary({}, { environment: { ...ENVIRONMENT, host } })
  expect(text).toContain(`  address   http://127.0.0.1:3333\n  bound     ${host}: every address of this machine\n`)
  expect(summary({})).not.toContain('bound')
})

test.each([
  [{ bytes: 512 * 1024 ** 2, of: 'container' as const }, '(of 512 MiB, the limit of the container)'],
  [{ bytes: 8 * 1024 ** 3, of: 'machine' as const }, '(of 8192 MiB, all of the machine)'],
])('the memory limits are shown, with what they follow: %p', (memory, expected) => {
  const { config } = loadFile(undefined, {})
  const limits = { ...config?.server.limits, memoryBytes: 96 * 1024 ** 2 }
  const text = summary({}, { ...withConfig({ server: { ...config?.server, limits } }), memory })
  expect(text).toContain(`  memory    96 MiB for requests, 48 MiB for unread responses ${expected}\n`)
})
