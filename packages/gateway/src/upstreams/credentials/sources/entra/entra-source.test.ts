// What Entra is sent, and which of its identities is used.
import { describe, expect, test } from 'bun:test'
import { failureOf, readNow, useClouds, type Variables } from '../../../../../test-support/clouds/use-clouds.ts'
import { type EntraAuth, entraSource } from './index.ts'

const setup = useClouds()
const SCOPE = 'https://cognitiveservices.azure.com/.default'
const RESOURCE = 'https://cognitiveservices.azure.com'
const state = () => setup.clouds.entra.state
const source = (auth: Partial<EntraAuth>, variables: Variables = {}, scope = SCOPE) =>
  entraSource({ ...auth, type: 'entra' }, scope, setup.tools(variables))
const read = (auth: Partial<EntraAuth>, variables: Variables = {}) => readNow(source(auth, variables))
const application = () => ({ tenant: state().tenant, clientId: state().clientId })
const inEnvironment = (): Variables => ({ AZURE_TENANT_ID: state().tenant, AZURE_CLIENT_ID: state().clientId })
const clusterToken = (claims: object = {}) =>
  setup.clouds.cluster.token({ sub: state().subject, aud: 'api://AzureADTokenExchange', ...claims })

async function expectGiven(reading: ReturnType<typeof read>, scope: string, identity: string): Promise<void> {
  const { value, expiresAt } = await reading
  const end = setup.clock.now + state().life * 1000
  expect(setup.clouds.entra.tokens.get(value)).toEqual({ scope, identity, expiresAt: end })
  expect(expiresAt).toBe(end)
}

describe('an application', () => {
  test('with its secret, of the configuration or the environment', async () => {
    const { clientId, secret } = state()
    await expectGiven(read({ ...application(), clientSecret: secret }), SCOPE, clientId)
    await expectGiven(read({}, { ...inEnvironment(), AZURE_CLIENT_SECRET: secret }), SCOPE, clientId)
    const other = source({ ...application(), clientSecret: secret }, {}, 'https://ai.azure.com/.default')
    await expectGiven(readNow(other), 'https://ai.azure.com/.default', clientId)
    expect(setup.clouds.requests.at(-1)?.headers.host).toBe('login.microsoftonline.com')
    expect(other.name).toBe('client secret')
  })

  test('of another cloud', async () => {
    const variables = { AZURE_AUTHORITY_HOST: 'https://login.microsoftonline.us/' }
    await expectGiven(read({ ...application(), clientSecret: state().secret }, variables), SCOPE, state().clientId)
    expect(setup.clouds.requests.at(-1)?.headers.host).toBe('login.microsoftonline.us')
  })

  test('with a token of its cluster, as its file is now', async () => {
    const file = setup.file('federated', await clusterToken())
    const found = source({}, { ...inEnvironment(), AZURE_FEDERATED_TOKEN_FILE: file })
    await expectGiven(readNow(found), SCOPE, state().clientId)
    expect(found.name).toBe('federated token')
    setup.clock.now += 7_200_000
    setup.own.now += 7_200_000
    const old = await Bun.file(file).text()
    expect(await failureOf(readNow(found), [old])).toContain(
      'AADSTS700024: Client assertion is not within its valid time range: ***',
    )
    setup.file('federated', await clusterToken())
    await expectGiven(readNow(found), SCOPE, state().clientId)
    setup.file('federated', await clusterToken({ sub: 'system:serviceaccount:ai:other' }))
    expect(await failureOf(readNow(found))).toContain('No matching federated identity record')
  })

  test('a wrong secret, tenant or client', async () => {
    const wrong = await failureOf(read({ ...application(), clientSecret: 'wrong~secret' }), ['wrong~secret'])
    expect(wrong).toContain(
      'client secret: https://login.microsoftonline.com/contoso.onmicrosoft.com/oauth2/v2.0/token',
    )
    expect(wrong).toContain('status 400: invalid_client: AADSTS7000215: Invalid client secret provided: ***')
    expect(wrong).toEndWith('Check tenant, client_id and the secret or federated credential of the application')
    const clientSecret = state().secret
    expect(await failureOf(read({ ...application(), tenant: 'other', clientSecret }), [clientSecret])).toContain(
      'AADSTS90002',
    )
    expect(await failureOf(read({ ...application(), clientId: 'other', clientSecret }), [clientSecret])).toContain(
      'AADSTS700016',
    )
  })

  test.each([
    {},
    { tenant: 't' },
    { clientId: 'c' },
    { clientId: 'c', tenant: 'a/../b' },
  ])('%j is not enough', async (auth) => {
    const before = setup.clouds.requests.length
    expect(await failureOf(read({ ...auth, clientSecret: 's' }))).toContain('tenant and client_id are needed')
    expect(setup.clouds.requests.length).toBe(before)
  })
})

describe('a managed identity', () => {
  test('of the machine, the one of the system or a named one', async () => {
    const machine = source({})
    await expectGiven(readNow(machine), RESOURCE, 'system')
    expect(machine.name).toBe('managed identity of the machine')
    expect(setup.clouds.requests.at(-1)?.headers.host).toBe('169.254.169.254')
    await expectGiven(read({ clientId: state().clientId }), RESOURCE, state().clientId)
    await expectGiven(read({}, { AZURE_CLIENT_ID: state().clientId }), RESOURCE, state().clientId)
    await expectGiven(read({}, { AZURE_POD_IDENTITY_AUTHORITY_HOST: setup.clouds.origin }), RESOURCE, 'system')
  })

  test.each(['http://169.254.129.2:8081/msi/token', 'here'])('of App Service at %s', async (endpoint) => {
    const IDENTITY_ENDPOINT = endpoint === 'here' ? `${setup.clouds.origin}/msi/token` : endpoint
    const variables = { IDENTITY_ENDPOINT, IDENTITY_HEADER: state().identityHeader }
    const app = source({}, variables)
    await expectGiven(readNow(app), RESOURCE, 'system')
    expect(app.name).toBe('managed identity of App Service')
    await expectGiven(read({ clientId: state().clientId }, variables), RESOURCE, state().clientId)
    const wrong = read({}, { IDENTITY_ENDPOINT, IDENTITY_HEADER: 'wrong-header' })
    expect(await failureOf(wrong, ['wrong-header'])).toContain('Required metadata header not specified: ***')
  })

  test('that nobody has assigned', async () => {
    state().hasIdentity = false
    const message = await failureOf(read({}))
    state().hasIdentity = true
    expect(message).toContain('invalid_request: Identity not found. Assign a managed identity to the machine')
  })
})
