// Every operation of /openapi.json is called by what the document says, and its responses are as it says: of success, of a request without
// a credential, of a dry run, of a stream, of what the client has already. A new operation is called without a change here, unless it
// needs the id of something that only another operation can make.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { codeAt, decodeBase32 } from '../../packages/gateway/src/console-api/session/totp.ts'
import { openApiDocument } from '../../packages/gateway/src/openapi/document.ts'
import { type Node, type Operation, operationsOf } from '../../packages/gateway/test-support/openapi-document.ts'
import { SMTP_CERTIFICATE, startSmtp, type TestSmtp } from '../../packages/gateway/test-support/smtp-server.ts'
import { startSandboxServer } from '../../packages/sandbox/src/server.ts'
import { eventually } from '../../test/support/eventually.ts'
import { COOKIE, PASSWORD } from '../../test/support/gateway/console.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { QUICK } from '../../test/support/gateway/video-gateway.ts'
import {
  type Answer,
  type DocumentClient,
  documentClient,
  type Given,
} from '../../test/support/openapi/document-client.ts'
import { CLIENT, type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts'

/** The names of tests; the calls use what the gateway serves. */
const NAMES = operationsOf(JSON.parse(JSON.stringify(openApiDocument({ hasAdmin: true })))).map(
  (each) => each.operationId,
)

let gateway: Gateway
let smtp: TestSmtp
let sandbox: ReturnType<typeof startSandboxServer>
let provider: OpenIdProvider
let client: DocumentClient
/** By security scheme. The session and the client key belong to one account, whose owner owns the gateway. */
const credentials: Record<string, string> = {}
let serial = 0

beforeAll(async () => {
  smtp = await startSmtp({ mode: 'starttls' })
  sandbox = startSandboxServer({ host: '127.0.0.1', port: 0, faults: false, pace: 0 })
  provider = await startOpenIdProvider()
  gateway = await startGateway({
    config: `
sandbox: { faults: true }
registration: { open: true, trial_budget_per_day: 1000 }
compatibility: { litellm: true }
mail: { url: "smtp://localhost:${smtp.port}", from: gw@example.com, ca: ${SMTP_CERTIFICATE} }
sign_in: { providers: [{ id: company, issuer: "${provider.issuer}", client_id: ${CLIENT.id}, client_secret: ${CLIENT.secret}, allow_private: true }] }
upstreams: [{ id: near, dialect: chat, base_url: "${sandbox.url}/v1", keys: [any], allow_private: true }]
models: [{ id: gpt-x, routes: [{ upstream: near, model: sandbox-text }], price: { input: 1, output: 2 } }]
`,
    taskTiming: QUICK,
  })
  const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'first', role: 'owner' })
  Object.assign(credentials, { adminKey: secret, adminKeyHeader: secret })
  client = await documentClient(gateway.url)
  const owner = await newPerson()
  await done('personRole', { parameters: { person: owner.email }, body: { role: 'owner' } })
  await done('accountCredit', { parameters: { account: owner.account }, body: { amount_usd: '100' } })
  // A new role ended the sessions.
  credentials.session = await signIn(owner.email)
  const key = String((await done('consolePostKeys', { body: { name: 'models' } })).body.secret)
  for (const scheme of ['clientKey', 'clientKeyHeader', 'clientKeyGenerateContent']) credentials[scheme] = key
  // Other examples name what this one creates.
  await done('upstreamCreate')
})
afterAll(async () => {
  await gateway?.stop()
  await sandbox?.stop()
  await smtp?.stop()
  provider?.stop()
})

const named = (operationId: string): Operation => {
  const found = client.operations.find((each) => each.operationId === operationId)
  if (!found) throw new Error(`there is no operation ${operationId}`)
  return found
}

/** A call that succeeds. */
async function done(operationId: string, given: Given = {}): Promise<Answer> {
  const answer = await client.call(named(operationId), { credentials, ...given })
  expect([operationId, answer.status < 300, answer.text.slice(0, 300)]).toEqual([operationId, true, expect.any(String)])
  return answer
}

const example = (operationId: string): Record<string, unknown> =>
  Object.values(named(operationId).requestBody?.content ?? {})[0]?.example as Record<string, unknown>

/** Creates one more of what the example creates. */
const another = async (operationId: string, changed: Record<string, unknown>): Promise<Node> =>
  (await done(operationId, { body: { ...example(operationId), ...changed } })).body

const idOf = async (made: Promise<Node>): Promise<string> => String((await made).id)
const newAccount = (email = `person-${++serial}@example.com`) => another('accountCreate', { email, password: PASSWORD })
const newName = (noun: string) => `${noun}-${++serial}`

async function newPerson() {
  const email = `person-${++serial}@example.com`
  const account = await idOf(newAccount(email))
  return { email, account, session: await signIn(email) }
}

async function signIn(email: string): Promise<string> {
  const { headers } = await done('consolePostSignIn', { body: { email, password: PASSWORD } })
  return new RegExp(`${COOKIE}=([^;]+)`).exec(headers.getSetCookie().join('\n'))?.[1] ?? ''
}

const newInvitation = async () => (await done('invitationCreate', { body: { role: 'viewer' } })).body

const as = (session: string): Given => ({ credentials: { session } })

/** Two-factor authentication of a new person, begun or on. */
async function secondFactor() {
  const person = await newPerson()
  const secret = String((await done('consolePostSecondFactorBegin', as(person.session))).body.secret)
  const code = codeAt(decodeBase32(secret) ?? new Uint8Array(), Math.floor(Date.now() / 30_000))
  const confirm = { ...as(person.session), body: { secret, code, password: PASSWORD } }
  const on = async () => (await done('consolePostSecondFactorConfirm', confirm)).body.recovery_codes as string[]
  return { ...person, confirm, on }
}

const tokenIn = (text: string): string => /#([\w-]+)/.exec(text)?.[1] ?? ''

/** The token of the link that is sent to the address. */
async function mailed(email: unknown, send: () => Promise<unknown>): Promise<string> {
  await send()
  const received = () => smtp.mails.find(({ to }) => to.includes(String(email)))
  await eventually(() => received() !== undefined)
  return tokenIn(received()?.text ?? '')
}

const newUpstream = () => idOf(another('upstreamCreate', { id: newName('upstream') }))
const newTarget = () => idOf(another('alertTargetAdd', { url: `https://${newName('example')}.com/alerts` }))
const newTask = () => idOf(another('createVideoTask', {}))
const requestOf = async () => (await done('chat')).headers.get('x-request-id') ?? ''
const newResponse = () => idOf(another('responses', {}))

const TASKS = 'api/v3/contents/generations/tasks'

/** How the parameters of a path are made: the longest beginning counts. Every call gets things of its own. */
const PATHS: Record<string, () => Promise<string>> = {
  '/v1/responses/{response}': newResponse,
  '/v1/usage/{request}': requestOf,
  '/api/v3/contents/generations/tasks/{task}': newTask,
  '/admin/v1/accounts/{account}': () => idOf(newAccount()),
  '/admin/v1/keys/{key}': () => idOf(another('keyCreate', { account: 'ada@example.com' })),
  '/admin/v1/budgets/{budget}': () =>
    idOf(another('budgetCreate', { kind: 'all', account: undefined, value: undefined })),
  '/admin/v1/people/{person}': async () => String((await newAccount()).email),
  '/admin/v1/admin-keys/{admin_key}': () => idOf(another('adminKeyCreate', { name: newName('key') })),
  '/admin/v1/upstreams/{upstream}': newUpstream,
  '/admin/v1/models/{model}': () => idOf(another('modelCreate', { id: newName('model') })),
  '/admin/v1/groups/{group}': () => idOf(another('groupCreate', { id: newName('group') })),
  '/admin/v1/configuration/revisions/{revision}': async () =>
    String(((await done('revisionList')).body.data as Node[])[0]?.id),
  '/admin/v1/requests/{request}': requestOf,
  '/admin/v1/tasks/{task}': () => idOf(another('createVideoTask', { model: 'sandbox-video:never-starts' })),
  '/console/api/budgets/{id}': () => idOf(another('consolePostBudgets', {})),
  '/console/api/keys/{id}': async () =>
    String(((await done('consolePostKeys', { body: { name: newName('key') } })).body.key as Node).id),
  '/console/api/requests/{id}': requestOf,
  '/console/api/wallet/statements/{month}': async () =>
    `${((await done('consoleGetWalletStatements')).body as unknown as Node[])[0]?.month}.csv`,
}

/** What else an operation needs that its example cannot have. */
const GIVEN: Record<string, () => Promise<Given>> = {
  deleteVideoTask: async () => {
    const parameters = { task: await newTask() }
    await eventually(async () => (await done('showVideoTask', { parameters })).body.status === 'succeeded')
    return { parameters }
  },
  reportStatement: async () => {
    const month = new Date().toISOString().slice(0, 7)
    return { parameters: { account: await idOf(newAccount()), month } }
  },
  cancelResponse: async () => ({ parameters: { response: await idOf(another('responses', { background: true })) } }),
  mediaObject: async () => {
    const { data } = await another('imageGenerations', {})
    const url = new URL(String((data as Node[])[0]?.url))
    return { parameters: { object: url.pathname.split('/').at(-1) ?? '', ...Object.fromEntries(url.searchParams) } }
  },
  accountDelete: async () => ({ parameters: { account: String((await newAccount()).id), force: 'true' } }),
  accountNoteDelete: async () => {
    const account = String((await newAccount()).id)
    const { notes } = (await done('accountNoteAdd', { parameters: { account } })).body
    return { parameters: { account, note: String((notes as Node[])[0]?.id) } }
  },
  accountMember: async () => {
    await newAccount('bob@example.com')
    return { parameters: { account: String((await newAccount()).id) } }
  },
  accountRemoveSecondFactor: async () => {
    const { account, on } = await secondFactor()
    await on()
    return { parameters: { account } }
  },
  upstreamModels: async () => ({ parameters: { upstream: 'near' } }),
  upstreamDraftModels: async () => ({ body: { dialect: 'chat', base_url: `${sandbox.url}/v1`, keys: ['any'] } }),
  upstreamTest: async () => ({ parameters: { upstream: 'near' } }),
  upstreamCreate: async () => ({ body: { ...example('upstreamCreate'), id: newName('upstream') } }),
  alertTargetReplace: async () => ({
    parameters: { target: await newTarget() },
    body: { url: `https://${newName('example')}.com/alerts` },
  }),
  alertTargetRemove: async () => ({ parameters: { target: await newTarget() } }),
  upstreamKeyRemove: storedKey,
  upstreamKeyErase: storedKey,
  upstreamKeyReplace: storedKey,
  modelPricePreview: async () => ({ parameters: { model: 'gpt-x' } }),
  modelRoutePreview: async () => ({ parameters: { model: 'gpt-x' } }),
  consoleGetSignInProvider: async () => ({ parameters: { provider: 'company' } }),
  consoleGetSignInProviderCallback: async () => ({ parameters: { provider: 'company' } }),
  consolePostPasswordReset: async () => {
    const { email } = await newAccount()
    const token = await mailed(email, () => done('consolePostPasswordForgot', { body: { email } }))
    return { body: { token, password: PASSWORD } }
  },
  consolePostEmailVerify: async () => {
    const email = `${newName('new')}@example.com`
    return {
      body: { token: await mailed(email, () => done('consolePostRegister', { body: { email, password: PASSWORD } })) },
    }
  },
  consolePostSetup: async () => {
    const parameters = { account: String((await newAccount()).id) }
    return { body: { token: tokenIn(String((await done('accountSignInLink', { parameters })).body.url)) } }
  },
  consolePostSessionAccount: async () => {
    const { account, session } = await newPerson()
    return { ...as(session), body: { account } }
  },
  consolePostMembers: async () => {
    const { account, session } = await newPerson()
    const { email } = await newAccount()
    await done('accountMember', { parameters: { account }, body: { email, role: 'member' } })
    return { ...as(session), body: { ...example('consolePostMembers'), email } }
  },
  consolePostMembersRemove: async () => {
    const { account, session } = await newPerson()
    const { email } = await newAccount()
    await done('accountMember', { parameters: { account }, body: { email, role: 'member' } })
    return { ...as(session), body: { email } }
  },
  invitationRevoke: async () => ({ parameters: { invitation: String((await newInvitation()).id) } }),
  consoleDeleteInvitationsId: async () => {
    const { session } = await newPerson()
    const { id } = (await done('consolePostInvitations', { ...as(session), body: {} })).body
    return { ...as(session), parameters: { id: String(id) } }
  },
  consolePostInvitationsShow: async () => ({ body: { token: tokenIn(String((await newInvitation()).url)) } }),
  consolePostInvitationsAccept: async () => {
    const { session } = await newPerson()
    return { ...as(session), body: { token: tokenIn(String((await newInvitation()).url)) } }
  },
  consolePostSignOut: async () => as((await newPerson()).session),
  consolePostSignOutEverywhere: async () => as((await newPerson()).session),
  consoleDeleteSessionsId: async () => {
    const { email, session } = await newPerson()
    await signIn(email)
    const sessions = (await done('consoleGetSessions', as(session))).body as unknown as Node[]
    return { ...as(session), parameters: { id: String(sessions.find(({ current }) => current === false)?.id) } }
  },
  consolePostPassword: async () => as((await newPerson()).session),
  consolePostEmailResend: async () => {
    const email = `${newName('new')}@example.com`
    await mailed(email, () => done('consolePostRegister', { body: { email, password: PASSWORD } }))
    return as(await signIn(email))
  },
  consolePostSecondFactorConfirm: async () => (await secondFactor()).confirm,
  consolePostSessionVerify: async () => {
    const { session, on } = await secondFactor()
    const [code = ''] = await on()
    return { ...as(session), body: { code } }
  },
  consolePostSecondFactorRemove: async () => {
    const { session, on } = await secondFactor()
    const [code = ''] = await on()
    return { ...as(session), body: { password: PASSWORD, code } }
  },
  consolePostWalletRedeem: async () => {
    const { codes } = await another('codeCreate', { count: 1 })
    return { body: { code: (codes as { code: string }[])[0]?.code } }
  },
  // What lasts to this moment is the same a moment later only by chance.
  consoleGetUsage: async () => ({ parameters: { from: '2030-01-01T00:00:00Z', to: '2030-01-02T00:00:00Z' } }),
  consoleGetPlaygroundPath: async () => ({ parameters: { path: TASKS } }),
  consolePostPlaygroundPath: async () => ({ parameters: { path: 'v1/chat/completions' } }),
  consoleDeletePlaygroundPath: async () => {
    const made = await done('consolePostPlaygroundPath', {
      parameters: { path: TASKS },
      body: example('createVideoTask'),
    })
    const parameters = { path: `${TASKS}/${made.body.id}` }
    await eventually(async () => (await done('consoleGetPlaygroundPath', { parameters })).body.status === 'succeeded')
    return { parameters }
  },
}

async function storedKey(): Promise<Given> {
  const upstream = await newUpstream()
  const { id } = (await done('upstreamKeyAdd', { parameters: { upstream } })).body
  return { parameters: { upstream, key: String(id) } }
}

async function givenFor({ operationId, path, parameters }: Operation): Promise<Given> {
  const own = await GIVEN[operationId]?.()
  if (own) return own
  const [beginning] = Object.keys(PATHS).filter(
    (each) => path === each || path.startsWith(`${each}/`) || path.startsWith(`${each}:`),
  )
  const name = /\{(\w+)\}/.exec(beginning ?? '')?.[1]
  const isKnown = parameters.some((each) => each.name === name)
  return beginning && name && isKnown ? { parameters: { [name]: (await PATHS[beginning]?.()) ?? '' } } : {}
}

const has = ({ parameters }: Operation, name: string): boolean => parameters.some((each) => each.name === name)

test('the gateway serves the document of its own tables', () => {
  expect(client.operations.map(({ operationId }) => operationId)).toEqual(NAMES)
})

describe.each(NAMES.map((name, index) => [name, index] as const))('%s', (name, index) => {
  test('responds as described', async () => {
    const operation = named(name)
    // The schemes take turns.
    const given = { credentials, scheme: index, ...(await givenFor(operation)) }
    if (has(operation, 'dry_run')) {
      const parameters = { ...given.parameters, dry_run: 'true' }
      const { status, body } = await client.call(operation, { ...given, parameters })
      expect([status, body.object]).toEqual([200, 'dry_run'])
    }
    const expected = Object.keys(operation.responses).filter((status) => /^2|^303$/.test(status))
    const answer = await client.call(operation, given)
    // Those with a status of their own for what they create have another one for dry runs.
    expect([name, answer.text.slice(0, 300), String(answer.status)]).toEqual([
      name,
      answer.text.slice(0, 300),
      expected.find((status) => /^20[12]$/.test(status)) ?? expected[0] ?? '',
    ])
    const tag = answer.headers.get('etag')
    if (has(operation, 'If-None-Match'))
      expect((await client.call(operation, { ...given, headers: { 'if-none-match': tag ?? '' } })).status).toBe(304)
    const described = operation.responses[answer.status]?.headers ?? {}
    for (const header of ['ETag', 'Location'])
      if (header in described) expect([header, answer.headers.get(header)]).toEqual([header, expect.any(String)])
  })

  test('rejects a request without a credential as described, and streams where it says so', async () => {
    const operation = named(name)
    const inPath = operation.parameters.filter((each) => each.in === 'path')
    const parameters = Object.fromEntries(inPath.map((each) => [each.name, 'none']))
    if (operation.security.length > 0) expect((await client.call(operation, { parameters })).status).toBe(401)
    const content = Object.entries(operation.requestBody?.content ?? {})[0]?.[1]
    if (!Object.hasOwn((content?.schema.properties ?? {}) as Node, 'stream')) return
    const body = { ...(content?.example as object), stream: true }
    const { headers } = await client.call(operation, { credentials, body })
    expect(headers.get('content-type')).toStartWith('text/event-stream')
  })
})
