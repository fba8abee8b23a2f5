// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax of the file
// The checks of `doctor`: what each finds, and what it advises.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runHere } from '../../../test-support/run-command.ts'
import { SMTP_CERTIFICATE, startSmtp } from '../../../test-support/smtp-server.ts'
import { startTokenProvider } from '../../../test-support/token-provider.ts'
import { signInOf } from '../../../test-support/token-settings.ts'
import { createAccountCipher } from '../../access/secrets/account-cipher.ts'
import { assemble } from '../../config/assemble.ts'
import type { Environment } from '../../config/types.ts'
import { certificateWarnings, machineQuestions } from '../../operate/doctor/machine.ts'
import { answer, type Check, type Question } from '../../operate/doctor/question.ts'
import {
  clockQuestion,
  mailQuestion,
  mediaQuestion,
  serverQuestion,
  tokenQuestions,
} from '../../operate/doctor/services.ts'
import { auditEntry, COMMAND_LINE } from '../../operate/operation.ts'
import type { ServerState } from '../../operate/system/server-state.ts'
import { showSystem } from '../../operate/system/system.ts'
import { readEnvironment } from '../../server/environment.ts'
import { openSqlite } from '../../storage/sqlite/open-sqlite.ts'
import type { DoctorReport } from './doctor.ts'

let outer: string
let folder: string
let file: string
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'trivium-doctor-'))
  folder = join(outer, 'data')
  file = join(outer, 'trivium.yaml')
  mkdirSync(folder, { mode: 0o700 })
})
afterEach(() => rmSync(outer, { recursive: true }))

function configOf(source: string) {
  writeFileSync(file, source, { mode: 0o644 })
  const { config, mistakes } = assemble({ source, file, env: { KEY: 'from-the-environment' } })
  if (!config) throw new Error(JSON.stringify(mistakes))
  return config
}
const environmentOf = (): Environment => ({
  ...readEnvironment({ TRIVIUM_DATA: folder, TRIVIUM_CONFIG: file }).environment,
  configFile: file,
})
const told = (question: Question): Promise<Check> => answer(question, (error) => (error as Error).message)

async function machine(source = '', now = Date.now(), states: ServerState[] = []): Promise<Record<string, Check>> {
  const questions = machineQuestions(environmentOf(), configOf(source), states, now)
  const checks = await Promise.all(questions.map(told))
  return Object.fromEntries(checks.map((check) => [check.check, check]))
}

const STATE: ServerState = {
  ready: true,
  faults: [],
  time: 0,
  store_time: 0,
  database_ms: 3,
  descriptors: { limit: 4_096, open: 40 },
  configuration: { file: '/etc/trivium.yaml', problem: null },
}
const UPSTREAM = (key: string) =>
  `upstreams: [{ id: a, dialect: chat, base_url: "https://a.example.com/v1", keys: ["${key}"] }]\n`
const TLS = (cert: string) => `server: { tls: { cert: ${cert}, key: ${cert.replace('cert', 'key')} } }\n`

test('modes: the folder, its secret, and a file with keys in it must not be open to others', async () => {
  writeFileSync(join(folder, 'secret'), 'x', { mode: 0o600 })
  expect((await machine(UPSTREAM('literal-key')))['file modes']?.ok).toBe(true)
  chmodSync(outer, 0o755)
  expect((await machine(UPSTREAM('${KEY}')))['file modes']?.ok).toBe(true)
  expect((await machine(UPSTREAM('none')))['file modes']?.ok).toBe(true)
  expect((await machine(UPSTREAM('literal-key')))['file modes']).toMatchObject({
    ok: false,
    note: expect.stringContaining(`chmod 600 ${file} (its mode is 0644)`),
  })
  chmodSync(folder, 0o755)
  chmodSync(join(folder, 'secret'), 0o640)
  const { note } = (await machine())['file modes'] ?? {}
  expect(note?.split('\n')).toEqual([
    `chmod 700 ${folder} (its mode is 0755)`,
    `chmod 600 ${join(folder, 'secret')} (its mode is 0640)`,
  ])
})

test('an expired certificate fails, one that expires soon is a warning', async () => {
  const at = Date.parse(
    new (await import('node:crypto')).X509Certificate(await Bun.file(SMTP_CERTIFICATE).text()).validTo,
  )
  const day = 86_400_000
  const of = async (now: number) => (await machine(TLS(SMTP_CERTIFICATE), now)).certificate
  expect(await of(at - 100 * day)).toMatchObject({
    ok: true,
    warnings: [],
    note: expect.stringContaining('in 100 days'),
  })
  expect(await of(at - 13 * day)).toMatchObject({ ok: true, warnings: ['it expires soon; renew it'] })
  expect(await of(at + day)).toMatchObject({
    ok: false,
    note: expect.stringContaining('has expired on'),
    advice: expect.any(String),
  })
  const warned = (now: number) => certificateWarnings(configOf(TLS(SMTP_CERTIFICATE)), now)
  expect(await warned(at - 100 * day)).toEqual([])
  expect(await warned(at - 13 * day)).toEqual([
    expect.stringMatching(/^server.tls.cert: .* it expires soon; renew it$/),
  ])
  expect(await warned(at + day)).toEqual([expect.stringMatching(/^server.tls.cert: .* has expired on .*; renew it/)])
  const server = { environment: environmentOf(), version: '1.2.3', startedAt: 0 }
  const shown = await showSystem.run(
    { actor: COMMAND_LINE, config: configOf(TLS(SMTP_CERTIFICATE)), server } as never,
    {},
  )
  expect(shown.certificates).toMatchObject([
    { file: SMTP_CERTIFICATE, names: expect.arrayContaining(['localhost']), error: null },
  ])
  expect(Date.parse(shown.certificates[0]?.expires_at ?? '')).toBe(at)
})

test('disk, descriptors and price list', async () => {
  const checks = await machine('', Date.UTC(2100, 0, 1), [{ ...STATE, descriptors: { limit: 100, open: 90 } }])
  expect(checks.disk?.note).toMatch(/MiB free \(\d+ % used\)/)
  expect(checks.descriptors).toMatchObject({ ok: false, note: 'the server has 90 of 100 open' })
  expect(checks['price list']).toMatchObject({ ok: true, warnings: [] })
  const few = await machine('', Date.now(), [{ ...STATE, descriptors: { limit: 256, open: 20 } }])
  expect(few.descriptors?.warnings).toEqual([expect.stringContaining('few clients')])
})

test('clocks of server and database are compared with that of this machine', async () => {
  const at = (offset: number) => Date.now() + offset
  const same = { ...STATE, time: at(0), store_time: at(0) }
  expect(await told(clockQuestion([same], at(0), at(0)))).toMatchObject({ ok: true, note: 'agrees' })
  expect(await told(clockQuestion([], at(0), undefined))).toMatchObject({
    ok: true,
    note: 'nothing to compare it with',
  })
  for (const [states, store] of [
    [[{ ...same, time: at(60_000) }], undefined],
    [[{ ...same, store_time: at(60_000) }], undefined],
    [[], at(60_000)],
  ] as const)
    expect(await told(clockQuestion([...states], at(0), store))).toMatchObject({
      ok: false,
      note: expect.stringContaining('60 s'),
    })
})

test('a server that is not ready fails, with its reasons', async () => {
  expect(await told(serverQuestion([STATE]))).toMatchObject({
    ok: true,
    note: 'ready; the database answers within 3 ms',
  })
  expect(await told(serverQuestion([STATE, { ...STATE, ready: false, faults: ['the disk is full'] }]))).toMatchObject({
    ok: false,
    note: 'does not take requests: the disk is full',
  })
})

test('a server whose configuration is not that of the file on disk', async () => {
  expect(await told(serverQuestion([STATE], '/etc/trivium.yaml'))).toMatchObject({ ok: true, warnings: [] })
  expect(await told(serverQuestion([STATE], null))).toMatchObject({
    ok: true,
    warnings: ['the server uses /etc/trivium.yaml, and this command no configuration file'],
  })
  const problem = '/etc/trivium.yaml:3: "modles" is not known'
  const failed = { ...STATE, configuration: { ...STATE.configuration, problem } }
  expect(await told(serverQuestion([STATE, failed]))).toMatchObject({
    ok: false,
    note: `the configuration was not reloaded, and the former one stays in force: ${problem}`,
  })
})

test('mail: connects and signs in, and sends nothing', async () => {
  const smtp = await startSmtp({ mode: 'smtps' })
  const config = configOf(
    `mail: { url: "smtps://localhost:${smtp.port}", from: a@example.com, ca: ${SMTP_CERTIFICATE} }`,
  )
  const [question] = mailQuestion(config)
  if (!question) throw new Error('no question')
  expect(await told(question)).toMatchObject({ ok: true })
  await smtp.stop()
  expect(await told(question)).toMatchObject({ ok: false, advice: expect.stringContaining('mail.url') })
  expect(smtp.mails).toEqual([])
})

test('the keys of providers whose tokens are accepted', async () => {
  const provider = await startTokenProvider()
  const questions = (tokens: boolean) =>
    tokenQuestions({
      signIn: { ...signInOf([{ id: 'company', issuer: provider.issuer }]), ...(tokens ? {} : { apiTokens: [] }) },
    })
  expect(questions(false)).toEqual([])
  const [question] = questions(true)
  if (!question) throw new Error('no question')
  expect(await told(question)).toMatchObject({ ok: true, note: '1 keys of the provider can be read' })
  provider.setDown(true)
  expect(await told(question)).toMatchObject({ ok: false, note: expect.stringContaining('status 503') })
  provider.stop()
})

test('the media store: a folder that can be written, or a bucket that answers', async () => {
  const media = async (source: string) => told(mediaQuestion(environmentOf(), configOf(source)))
  expect(await media('')).toMatchObject({
    ok: true,
    note: expect.stringContaining('does not exist; a server creates it'),
  })
  writeFileSync(join(outer, 'file'), '')
  expect(await media(`media: { disk: ${join(outer, 'file')} }`)).toMatchObject({ ok: false })
  const bucket = Bun.serve({ port: 0, fetch: () => new Response(null, { status: 404 }) })
  const s3 = (url: string) =>
    media(`media: { s3: { endpoint: "${url}", bucket: pictures, region: auto, access_key: k, secret_key: s } }`)
  expect(await s3(bucket.url.origin)).toMatchObject({ ok: true, note: 'the bucket pictures answers' })
  await bucket.stop(true)
  expect(await s3(bucket.url.origin)).toMatchObject({ ok: false, advice: expect.stringContaining('media.s3') })
})

test('secrets that can no longer be decrypted are counted; without them all is well', async () => {
  const storage = await openSqlite(folder)
  const people = []
  for (const name of ['ada', 'bob']) {
    await storage.accounts.create(`${name}@example.com`, 0n, -1n)
    people.push((await storage.people.find(`${name}@example.com`))?.id ?? 0n)
  }
  const store = (person: bigint, secret: string) =>
    storage.signIns.setSecondFactor(person, {
      secret: createAccountCipher(secret).encrypt(person, 'second factors', new Uint8Array(20), new Uint8Array()),
      recoveryCodes: [],
    })
  await store(people[0] ?? 0n, 'a secret of a test')
  await storage.close()
  const secrets = async () => {
    const { code, stdout } = await runHere(['doctor', '--json'], folder)
    const { checks } = JSON.parse(stdout) as DoctorReport
    return { code, check: checks.find(({ check }) => check === 'secrets'), checks }
  }
  const before = await secrets()
  expect(before.checks.filter(({ ok }) => !ok)).toEqual([])
  expect(before).toMatchObject({ code: 0, check: { note: '1 stored secrets can be read' } })
  const between = await openSqlite(folder)
  const sealed = createAccountCipher('another secret').encrypt(0n, 'configuration', new Uint8Array(9), new Uint8Array())
  const author = auditEntry({ actor: COMMAND_LINE }, 'upstream create', { object: 'upstream/main' })
  const stored = { id: 'sec_1', owner: 'upstream/main', sealed, fingerprint: '', lastFour: '' }
  await between.audited(author).configuration.write(0, [], [stored])
  await between.close()
  const note = expect.stringContaining('1 secrets of the stored configuration can no longer be read (ids sec_1)')
  expect(await secrets()).toMatchObject({ code: 1, check: { ok: false, note } })
  const again = await openSqlite(folder)
  await again.signIns.setSecondFactor(people[1] ?? 0n, {
    secret: createAccountCipher('another secret').encrypt(
      people[1] ?? 0n,
      'second factors',
      new Uint8Array(20),
      new Uint8Array(),
    ),
    recoveryCodes: [],
  })
  await again.close()
  expect(await secrets()).toMatchObject({
    code: 1,
    check: { ok: false, note: expect.stringContaining(`of 1 people can no longer be read (ids ${people[1]})`) },
  })
})

test('a database that a server has open is in order', async () => {
  const server = await openSqlite(folder)
  const { checks } = JSON.parse((await runHere(['doctor', '--json'], folder)).stdout) as DoctorReport
  await server.close()
  expect(checks.find(({ check }) => check === 'database')).toMatchObject({
    ok: true,
    note: `open in process ${process.pid}, as it should be while a server runs`,
  })
})

test('stored entries are examined, too', async () => {
  await (await openSqlite(folder)).close()
  const examined = async () => {
    const { checks } = JSON.parse((await runHere(['doctor', '--json'], folder)).stdout) as DoctorReport
    return Object.fromEntries(checks.map((check) => [check.check, check]))
  }
  expect((await examined())['stored configuration']).toMatchObject({ ok: true, note: 'nothing is stored' })
  writeFileSync(
    file,
    `upstreams: [{ id: main, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: ["none"] }]
models: [{ id: x, routes: [{ upstream: main }], price: { input: 1, output: 1 } }]
groups: [{ id: staff, models: [x] }]
media: { s3: { endpoint: "http://127.0.0.1:1", bucket: pictures, region: auto, access_key: k, secret_key: s } }
`,
  )
  await runHere(['config', 'import', file], folder)
  await runHere(['account', 'create', '--name', 'team'], folder)
  await runHere(['key', 'create', '--account', 'team', '--name', 'k', '--group', 'staff'], folder)
  const { 'stored configuration': stored, 'upstream main': upstream, 'media store': media, database } = await examined()
  expect(stored).toMatchObject({ note: 'revision 1: 1 upstreams, 1 models in force with the file', warnings: [] })
  expect(upstream).toMatchObject({ ok: false, note: expect.stringContaining('unreachable') })
  expect(media).toMatchObject({ ok: false, advice: expect.stringContaining('media.s3') })
  const [listed] = JSON.parse((await runHere(['upstream', 'list', '--json'], folder)).stdout)
  expect(listed).toMatchObject({ id: 'main', checks: [{ state: 'unreachable' }] })
  // A stored group is none that is missing.
  expect(database?.warnings).toEqual([])
  const check = await runHere(['config', 'check', '--json'], folder)
  expect(JSON.parse(check.stdout).warnings.filter((each: string) => each.includes('staff'))).toEqual([])
})
