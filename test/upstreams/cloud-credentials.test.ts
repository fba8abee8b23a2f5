// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax of the file
// A gateway with upstreams of clouds: a source that fails is the health of a key, and no secret is shown anywhere.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clouds, fails, startClouds } from '../../packages/gateway/test-support/clouds/clouds.ts'
import { signerOf } from '../../packages/gateway/test-support/clouds/signature.ts'
import { type Collector, startCollector } from '../../packages/gateway/test-support/trace-collector.ts'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'

const STATIC = { accessKey: 'AKIDEXAMPLEEXAMPLE1', secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const SESSION = 'planted-session-token/of+the=file'
const STORED_SECRET = 'planted~stored~client~secret'

let clouds: Clouds
let collector: Collector
let model: ReturnType<typeof Bun.serve>
let gateway: Gateway
let secret = ''
/** What the model says next instead of an answer. */
let answers: ((headers: Record<string, string>) => Response)[] = []
const authorisations = new Set<string>()

const completion = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
}

async function serveModel(request: Request): Promise<Response> {
  const body = await request.text()
  const headers: Record<string, string> = Object.fromEntries(request.headers)
  authorisations.add(headers.authorization ?? '')
  authorisations.add(headers['x-amz-security-token'] ?? '')
  const answer = answers.shift()
  if (answer) return answer(headers)
  const expected = { service: 'bedrock', now: Date.now(), keys: clouds.aws.keys }
  const by = signerOf({ method: request.method, url: request.url, headers, body }, expected)
  return Array.isArray(by)
    ? Response.json({ message: by[1] }, { status: 403, headers: { 'x-amzn-errortype': by[0] } })
    : Response.json(request.method === 'GET' ? { data: [] } : completion)
}

beforeAll(async () => {
  clouds = await startClouds({
    get now() {
      return Date.now()
    },
    set now(_: number) {},
  })
  clouds.aws.keys.set('AKIDOFTHEFILE', { secretKey: STATIC.secretKey, sessionToken: SESSION })
  collector = startCollector()
  model = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: serveModel })
  const url = `http://127.0.0.1:${model.port}/v1`
  // The instance has no credential until a test gives it one.
  clouds.next(...Array(200).fill(fails(500)))
  gateway = await startGateway({
    config: `
upstreams:
  - { id: instance, kind: bedrock, base_url: "${url}", auth: { type: aws, region: us-east-1 } }
  - id: keys
    kind: bedrock
    base_url: "${url}"
    auth: { type: aws, region: us-east-1, access_key: AKIDOFTHEFILE, secret_key: "${STATIC.secretKey}", session_token: "${SESSION}" }
models:
  - { id: with-keys, routes: [{ upstream: keys, model: m }], price: { input: 1, output: 4 } }
  - { id: of-instance, routes: [{ upstream: instance, model: m }], price: { input: 1, output: 4 } }
  - id: both
    routes: [{ upstream: instance, model: m, priority: 1 }, { upstream: keys, model: m, priority: 2 }]
    price: { input: 1, output: 4 }
`,
    env: {
      TRIVIUM_LOG: 'requests',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      AWS_EC2_METADATA_SERVICE_ENDPOINT: clouds.origin,
    },
  })
  ;({ secret } = await newKey(gateway, '100'))
})
afterAll(async () => {
  await gateway.stop()
  await collector.stop()
  model.stop(true)
  clouds.stop()
})

const ask = (name: string) => chat(gateway.url, secret, { model: name, messages: [{ role: 'user', content: 'hi' }] })
const lines = () => gateway.output().stderr.split('\n').filter(Boolean)
const linesWith = (message: string) => lines().filter((line) => line.includes(`"message":"${message}"`))
const metrics = async (): Promise<string> => (await fetch(`${gateway.url}/metrics`)).text()

describe('a source that fails', () => {
  test('is the health of its key: the next candidate answers, and the log has one line', async () => {
    for (let requests = 0; requests < 12; requests++) expect((await ask('both')).status).toBe(200)
    const failed = await ask('of-instance')
    expect([failed.status, await failed.text()]).toEqual([502, expect.stringContaining('has no valid credential')])
    type State = { keys: { key: string; state: string; reason: string }[] }
    const [state] = await gateway.command<[State]>('upstream', 'state', 'instance')
    expect(state.keys).toMatchObject([
      { key: 'aws', state: 'rejected', reason: expect.stringContaining('no credential: instance metadata') },
    ])
    expect(linesWith('upstream credential cannot be renewed').length).toBe(1)
    expect(linesWith('upstream not reached')).toEqual([])
    expect(await metrics()).toContain('trivium_upstream_credential_expires_seconds{upstream="instance"} 0\n')
  })

  test('is named by doctor and upstream test, with what to change', async () => {
    const { stdout } = await gateway.cli('doctor')
    expect(stdout).toMatch(/upstream instance.*no credential.*instance metadata/)
    const tested = await gateway.cli('upstream', 'test', 'instance', '--model', 'm')
    expect(tested.stdout).toContain('no credential: instance metadata')
  })

  test('that works again is used again, and its expiry is a metric', async () => {
    clouds.forget()
    await eventually(async () => (await ask('of-instance')).status === 200)
    const [, seconds = '0'] = /credential_expires_seconds\{upstream="instance"\} (\d+)/.exec(await metrics()) ?? []
    expect(Number(seconds)).toBeGreaterThan(3_000)
    expect(linesWith('upstream credential is renewed again').length).toBe(1)
  })
})

test('a credential that the upstream says has expired is renewed: the caller notices nothing', async () => {
  const before = authorisations.size
  answers = [
    () => Response.json({ message: 'x' }, { status: 403, headers: { 'x-amzn-errortype': 'ExpiredTokenException' } }),
  ]
  expect((await ask('of-instance')).status).toBe(200)
  expect(authorisations.size).toBeGreaterThan(before)
})

test('stored upstreams: their secrets are sealed, and neither programs nor files nor roles can be named', async () => {
  const base = 'https://my-resource.openai.azure.com/openai/v1'
  const file = join(gateway.home.dataDir, 'upstream.yaml')
  writeFileSync(file, `auth: { type: entra, tenant: t, client_id: c, client_secret: "${STORED_SECRET}" }`)
  const added = await gateway.cli(
    'upstream',
    'add',
    '--id',
    'stored',
    '--kind',
    'azure',
    '--base-url',
    base,
    '--from',
    file,
  )
  expect([added.code, added.stderr]).toEqual([0, ''])
  writeFileSync(file, '')
  const shown = await gateway.command<{ auth: object }>('upstream', 'show', 'stored')
  expect(shown.auth).toMatchObject({ type: 'entra', tenant: 't', client_id: 'c', client_secret: { last_four: 'cret' } })
  // Nobody who does not know the secret has it used elsewhere.
  const moved = await gateway.cli(
    'upstream',
    'edit',
    'stored',
    '--base-url',
    'https://other.openai.azure.com/openai/v1',
  )
  expect(moved.stderr).toContain('needs the secrets of auth again')
  expect((await gateway.cli('upstream', 'edit', 'stored', '--set', 'auth.tenant=u')).code).toBe(0)
  const secretIn = await gateway.cli('upstream', 'edit', 'stored', '--set', 'auth.client_secret=visible')
  expect(secretIn.stderr).toContain('auth.client_secret is a secret')
  const bedrock = [
    'upstream',
    'add',
    '--id',
    'b',
    '--kind',
    'bedrock',
    '--base-url',
    'https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1',
  ]
  for (const field of ['profile=p', 'role_arn=arn:aws:iam::123456789012:role/r']) {
    const { stderr } = await gateway.cli(...bedrock, '--auth', 'aws', '--set', `auth.${field}`)
    expect(stderr).toContain('can only be set in the configuration file')
  }
  expect((await gateway.cli(...bedrock, '--auth', 'aws')).code).toBe(0)
})

test('secrets are nowhere: log, receipts, traces, errors, doctor, export, backup', async () => {
  // AWS repeats the session token in the error of a wrong signature.
  const repeats =
    (more: string) =>
    ({ authorization, 'x-amz-security-token': token }: Record<string, string>) => {
      const message = `The canonical string should have been x-amz-security-token:${token} ${authorization} ${more}`
      return Response.json({ message }, { status: 400 })
    }
  answers = [repeats(STATIC.secretKey), repeats('')]
  const told = [await ask('with-keys'), await ask('of-instance')]
  const texts: Record<string, string> = {}
  for (const reply of told) {
    const receipt = await fetch(`${gateway.url}/v1/usage/${reply.headers.get('x-request-id')}`, {
      headers: { authorization: `Bearer ${secret}` },
    })
    texts.answers = `${texts.answers ?? ''}${await reply.text()}`
    texts.receipts = `${texts.receipts ?? ''}${await receipt.text()}`
  }
  expect(texts.answers).toContain('The canonical string should have been')
  const archive = join(gateway.home.dataDir, 'backup.tar')
  for (const [name, ...command] of [
    ['doctor', 'doctor'],
    ['test', 'upstream', 'test', 'keys', '--model', 'm'],
    ['shown', 'upstream', 'show', 'keys', '--json'],
    ['stored', 'upstream', 'show', 'stored', '--json'],
    ['list', 'upstream', 'list', '--json'],
    ['export', 'config', 'export'],
    ['backup', 'backup', archive, '--without-secret'],
    ['audit log', 'audit-log', '--json'],
  ] as const) {
    const { stdout, stderr } = await gateway.cli(...command)
    texts[name] = `${stdout}${stderr}`
  }
  expect(texts.export).toContain('${KEYS_SECRET_KEY}')
  expect(texts.export).toContain('${STORED_CLIENT_SECRET}')
  texts.archive = readFileSync(archive, 'latin1')
  texts.log = `${gateway.output().stdout}${gateway.output().stderr}`
  await eventually(() => collector.bodies.length > 0)
  texts.traces = collector.bodies.join('\n')
  texts.metrics = await metrics()
  const given = [...clouds.aws.keys.values()].flatMap(({ secretKey, sessionToken }) => [secretKey, sessionToken ?? ''])
  const secrets = [...given, ...authorisations, STATIC.secretKey, SESSION, STORED_SECRET].filter((text) => text !== '')
  expect(secrets.length).toBeGreaterThan(10)
  for (const [name, text] of Object.entries(texts))
    for (const each of secrets)
      for (const form of [
        each,
        JSON.stringify(each).slice(1, -1),
        encodeURIComponent(each),
        Buffer.from(each).toString('base64'),
      ])
        expect({ name, has: text.includes(form) ? form : undefined }).toEqual({ name, has: undefined })
})
