// Access tokens of Microsoft Entra: with the secret of an application, with a token of the cluster, or as a managed identity.
import type { UpstreamAuth } from '../../../../config/types.ts'
import { type AccessToken, type Expiring, type Source, SourceFailed } from '../../credential.ts'
import type { CredentialAnswer } from '../answer.ts'
import { FORM, METADATA } from '../fetch-credential.ts'
import { foundSource, readToken, type SourceTools } from '../tools.ts'

export type EntraAuth = Extract<UpstreamAuth, { type: 'entra' }>

const AUTHORITY = 'https://login.microsoftonline.com'
const SECRET = 'client secret'
const FEDERATED = 'federated token'
const APP_SERVICE = 'managed identity of App Service'
const MACHINE = 'managed identity of the machine'

/** `scope`: such as `https://ai.azure.com/.default`. */
export function entraSource(auth: EntraAuth, scope: string, tools: SourceTools): Source<AccessToken> {
  const { variables } = tools
  const tenant = auth.tenant ?? variables.AZURE_TENANT_ID
  const clientId = auth.clientId ?? variables.AZURE_CLIENT_ID
  const secret = auth.clientSecret ?? variables.AZURE_CLIENT_SECRET
  const file = variables.AZURE_FEDERATED_TOKEN_FILE
  return foundSource('Entra', tools, async () => {
    if (secret !== undefined)
      return applicationSource(SECRET, tenant, clientId, scope, tools, async () => ({ client_secret: secret }))
    if (file !== undefined)
      return applicationSource(FEDERATED, tenant, clientId, scope, tools, async () => ({
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        // Read each time: the cluster rotates it.
        client_assertion: await readToken(file, FEDERATED),
      }))
    return managedSource(clientId, scope.replace(/\/\.default$/, ''), tools)
  })
}

function applicationSource(
  name: string,
  tenant: string | undefined,
  clientId: string | undefined,
  scope: string,
  tools: SourceTools,
  proof: () => Promise<Record<string, string>>,
): Source<AccessToken> {
  const authority = (tools.variables.AZURE_AUTHORITY_HOST ?? AUTHORITY).replace(/\/+$/, '')
  return {
    name,
    async read(signal) {
      if (clientId === undefined || tenant === undefined || !/^[A-Za-z0-9.-]{1,200}$/.test(tenant))
        throw new SourceFailed(`${name}: tenant and client_id are needed, also as AZURE_TENANT_ID and AZURE_CLIENT_ID`)
      const proved = await proof()
      const body = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        scope,
        ...proved,
      }).toString()
      const url = `${authority}/${tenant}/oauth2/v2.0/token`
      const answer = await tools.fetch(name, { url, body, headers: FORM, secrets: Object.values(proved) }, signal)
      return tokenIn(answer, ADVICE)
    },
  }
}

const ADVICE = 'Check tenant, client_id and the secret or federated credential of the application'

function managedSource(clientId: string | undefined, resource: string, tools: SourceTools): Source<AccessToken> {
  const { IDENTITY_ENDPOINT, IDENTITY_HEADER, AZURE_POD_IDENTITY_AUTHORITY_HOST } = tools.variables
  const identity = { resource, ...(clientId === undefined ? {} : { client_id: clientId }) }
  if (IDENTITY_ENDPOINT !== undefined && IDENTITY_HEADER !== undefined) {
    const url = `${IDENTITY_ENDPOINT}?${new URLSearchParams({ 'api-version': '2019-08-01', ...identity })}`
    const call = { url, headers: { 'x-identity-header': IDENTITY_HEADER }, secrets: [IDENTITY_HEADER] }
    const advice = 'Assign a managed identity to the app, and set client_id if it is a user-assigned one'
    return {
      name: APP_SERVICE,
      read: async (signal) => tokenIn(await tools.fetch(APP_SERVICE, call, signal), advice),
    }
  }
  const base = (AZURE_POD_IDENTITY_AUTHORITY_HOST ?? METADATA.instance).replace(/\/+$/, '')
  const url = `${base}/metadata/identity/oauth2/token?${new URLSearchParams({ 'api-version': '2018-02-01', ...identity })}`
  return {
    name: MACHINE,
    async read(signal) {
      const answer = await tools.fetch(MACHINE, { url, headers: { metadata: 'true' }, absent: NOTHING }, signal)
      return tokenIn(answer, 'Assign a managed identity to the machine, and set client_id if it has several')
    },
  }
}

const NOTHING =
  'No other source is configured: set client_secret (AZURE_CLIENT_SECRET), AZURE_FEDERATED_TOKEN_FILE, or assign a managed identity'

function tokenIn(answer: CredentialAnswer, advice: string): Expiring<AccessToken> {
  const found = answer.object(advice)
  return { value: answer.field(found, 'access_token'), expiresAt: answer.endAfter(found, 'expires_in') }
}
