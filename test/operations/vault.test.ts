// A gateway whose secrets are in Vault: what its upstreams are sent, what an outage and a rotation change, and where no secret is found.
// The recipes are those of docs/operate/secrets.md.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${vault:...} is the syntax of the file
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createVault } from '../../packages/gateway/src/config/secrets/vault.ts'
import { assembleFile } from '../../packages/gateway/src/server/config.ts'
import { SEALED, startVault } from '../../packages/gateway/test-support/vault-server.ts'
import { adminClient } from '../support/admin/admin-client.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { blocksOf } from '../support/documentation/blocks.ts'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { runCommand } from '../support/gateway/home.ts'
import { operate } from '../support/gateway/operate.ts'

const FIRST = 'planted-first-0123456789'
const SECOND = 'planted-second-9876543210'
const SECRET_ID = 'planted-secret-id'
const REFERENCE = '${vault:kv/data/trivium/openai#key}'
const PEM = (name: string) =>
  readFileSync(join(import.meta.dir, `../../packages/gateway/fixtures/localhost.${name}.pem`), 'utf8')

const vault = startVault()
vault.appRoles.set('r-1', SECRET_ID)
vault.secrets.set('kv/data/trivium/openai', { key: FIRST })

const sent: string[] = []
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    sent.push(request.headers.get('authorization') ?? '')
    return Response.json({
      id: 'c',
      object: 'chat.completion',
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    })
  },
})

const MODEL = (id: string, on: string) => `{ id: ${id}, routes: [{ upstream: ${on} }], price: { input: 0, output: 0 } }`
const CONFIG = `
secrets:
  vault: { address: "${vault.url}", app_role: { role_id: r-1, secret_id: "\${SECRET_ID}" } }
  allow: ["vault:kv/data/trivium/*"]
upstreams: [{ id: main, dialect: chat, base_url: "${upstream.url}v1", keys: ["${REFERENCE}"] }]
models: [${MODEL('m', 'main')}]
`
const env = { SECRET_ID }

let gateway: Gateway
let secret = ''
beforeAll(async () => {
  gateway = await startGateway({ config: CONFIG, env })
  secret = (await newKey(gateway, '100')).secret
})
afterAll(async () => {
  await gateway.stop()
  await upstream.stop(true)
  await vault.stop()
})

async function keySentFor(model = 'm'): Promise<string | undefined> {
  const answer = await chat(gateway.url, secret, { model, messages: [{ role: 'user', content: 'Hello' }] })
  expect({ status: answer.status, body: answer.status === 200 ? '' : await answer.text() }).toEqual({
    status: 200,
    body: '',
  })
  return sent.at(-1)
}
const reloads = () => gateway.output().stderr.split('"configuration reloaded"').length - 1
async function reload(): Promise<void> {
  const before = reloads()
  gateway.signal('SIGHUP')
  await eventually(() => reloads() > before)
}

test('a start without Vault names the secret, the place and what to do', async () => {
  const config = CONFIG.replace(vault.url, 'http://127.0.0.1:1')
  const started = await startGateway({ config, env }).then(
    () => '',
    (error: Error) => error.message,
  )
  expect(started).toContain('exit code 1')
  expect(started).toMatch(
    /trivium\.yaml:5: upstreams\[main\]\.keys\[0\]: cannot use vault:kv\/data\/trivium\/openai#key: Vault at http:\/\/127\.0\.0\.1:1 cannot be reached: .+; start it, or correct secrets\.vault\.address/,
  )
  expect(started).not.toContain(SECRET_ID)
})

test('upstreams of the file and of the store are sent what Vault has, before and after a rotation and an outage', async () => {
  expect(await keySentFor()).toBe(`Bearer ${FIRST}`)
  const key = await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'owner', role: 'owner' })
  const owner = adminClient(gateway.url, key.secret)
  const body = { id: 'kept', dialect: 'chat', base_url: `${upstream.url}v1`, keys: [REFERENCE] }
  expect(await owner('POST', 'upstreams', { body })).toMatchObject({ status: 201 })
  const model = { id: 'n', routes: [{ upstream: 'kept' }], price: { input: '0', output: '0' } }
  expect(await owner('POST', 'models', { body: model })).toMatchObject({ status: 201 })
  expect(await keySentFor('n')).toBe(`Bearer ${FIRST}`)
  const wrong = { ...body, id: 'wrong', keys: ['${vault:kv/data/trivium/missing#key}'] }
  const rejected = await owner('POST', 'upstreams', { body: wrong })
  expect(rejected.status).toBe(400)
  expect(JSON.stringify(rejected)).toContain('it does not exist in Vault')

  vault.secrets.set('kv/data/trivium/openai', { key: SECOND })
  await reload()
  expect([await keySentFor(), await keySentFor('n')]).toEqual([`Bearer ${SECOND}`, `Bearer ${SECOND}`])
  vault.fault = SEALED
  writeFileSync(gateway.home.configFile, `${CONFIG}server: { drain: 7s }\n`)
  await eventually(() => gateway.output().stderr.includes('server.drain changed'))
  expect([await keySentFor(), await keySentFor('n')]).toEqual([`Bearer ${SECOND}`, `Bearer ${SECOND}`])
  // With a secret that was never read, the former file stays in force.
  writeFileSync(gateway.home.configFile, CONFIG.replace('#key', '#other'))
  await eventually(() => gateway.output().stderr.includes('configuration not reloaded'))
  expect(await keySentFor()).toBe(`Bearer ${SECOND}`)
  writeFileSync(gateway.home.configFile, CONFIG)
  vault.fault = undefined
  await reload()
})

test('doctor has a line for each reference', async () => {
  type Report = { checks: { check: string; ok: boolean; note: string }[] }
  const lines = async () => {
    const { checks } = JSON.parse((await gateway.cli('doctor', '--json')).stdout) as Report
    return checks.filter(({ check }) => check.startsWith('secret vault:'))
  }
  expect(await lines()).toEqual([
    expect.objectContaining({ check: 'secret vault:kv/data/trivium/openai#key', ok: true }),
  ])
  vault.fault = SEALED
  const { stdout } = await gateway.cli('doctor')
  expect(stdout).toMatch(/cannot use vault:kv\/data\/trivium\/openai#key: Vault at \S+ is sealed; unseal it/)
  // Health checks do not depend on it.
  const before = vault.requests.length
  const { port } = new URL(gateway.url)
  expect(await runCommand(gateway.home, ['ready'], { ...env, PORT: port })).toMatchObject({ code: 0 })
  expect(vault.requests).toHaveLength(before)
  vault.fault = undefined
})

test('no secret is in logs, exports, backups or the data folder', async () => {
  const exported = await gateway.cli('config', 'export')
  const backup = join(newDataFolder('trivium-vault-'), 'backup')
  expect((await gateway.cli('backup', backup, '--without-secret')).code).toBe(0)
  const files = (folder: string): string[] =>
    readdirSync(folder, { recursive: true })
      .map((name) => join(folder, String(name)))
      .filter((path) => statSync(path).isFile())
  const { stdout, stderr } = gateway.output()
  const places = [stdout, stderr, exported.stdout, readFileSync(backup, 'latin1')]
  for (const file of files(gateway.home.dataDir)) places.push(readFileSync(file, 'latin1'))
  expect(places.length).toBeGreaterThan(6)
  for (const planted of [FIRST, SECOND, SECRET_ID, 'hvs.login'])
    expect(places.filter((text) => text.includes(planted))).toEqual([])
})

test('the recipes of the page give the key', async () => {
  const folder = newDataFolder('trivium-vault-')
  const secured = startVault({ cert: PEM('cert'), key: PEM('key') })
  secured.secrets = vault.secrets
  secured.namespace = 'platform/ai'
  secured.serviceAccounts.add('a-jwt')
  const files = {
    'ca.pem': PEM('cert'),
    vault_secret_id: SECRET_ID,
    'openai-key': SECOND,
    openai: SECOND,
    token: 'a-jwt',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const recipes = blocksOf('docs/operate/secrets.md').filter(({ language }) => language === 'yaml')
  expect(recipes).toHaveLength(4)
  for (const { code } of recipes) {
    const url = code.includes('namespace') ? secured.url.replace('127.0.0.1', 'localhost') : vault.url
    const written = code
      .replace('https://vault.example.com:8200', url)
      .replaceAll(/\/(run\/secrets|mnt\/secrets|etc\/vault)\//g, `${folder}/`)
      .replace('{ role: trivium }', `{ role: trivium, token_file: ${folder}/token }`)
    const source = `${written}\n${code.includes('upstreams:') ? '' : `upstreams: [{ id: main, kind: openai, keys: ["${REFERENCE}"] }]\n`}`
    const file = { path: join(folder, 'trivium.yaml'), bytes: Buffer.from(source) }
    const variables = { VAULT_ROLE_ID: 'r-1', VAULT_TOKEN: 'hvs.root' }
    const result = await createVault().assembled((lookUp) =>
      assembleFile(file, { revision: 0, entries: [] }, variables, { lookUp }),
    )
    expect(result.mistakes).toEqual([])
    expect(result.config?.upstreams.get('main')?.keys).toEqual([SECOND])
  }
  await secured.stop()
})
