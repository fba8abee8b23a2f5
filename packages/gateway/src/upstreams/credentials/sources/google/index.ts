// Access tokens of Google Cloud: from the credentials of the configuration, else where its SDKs look (application default credentials).
import { join } from 'node:path'
import type { UpstreamAuth } from '../../../../config/types.ts'
import { type AccessToken, type Expiring, type Source, SourceFailed } from '../../credential.ts'
import { METADATA } from '../fetch-credential.ts'
import { foundSource, readIfThere, readText, type SourceTools } from '../tools.ts'
import { type GoogleCredentials, isInline, readGoogleCredentials } from './credentials.ts'
import { exchangeToken, impersonate } from './external-account.ts'
import { serviceAccountToken, userToken } from './tokens.ts'

export type GoogleAuth = Extract<UpstreamAuth, { type: 'google' }>

const METADATA_SERVER = 'metadata server'
const TOKEN_PATH = '/computeMetadata/v1/instance/service-accounts/default/token'

export function googleSource({ credentials }: GoogleAuth, tools: SourceTools): Source<AccessToken> {
  return foundSource('Google Cloud', tools, async () => {
    if (credentials !== undefined && isInline(credentials))
      return ofCredentials(credentials, 'credentials', false, tools)
    const { variables } = tools
    const named = credentials ?? variables.GOOGLE_APPLICATION_CREDENTIALS
    if (named !== undefined) return ofCredentials(await readText(named, 'credentials'), named, true, tools)
    const folder = variables.CLOUDSDK_CONFIG ?? (variables.HOME && join(variables.HOME, '.config/gcloud'))
    const usual = folder && join(folder, 'application_default_credentials.json')
    const text = usual ? await readIfThere(usual, 'credentials') : undefined
    return usual && text !== undefined ? ofCredentials(text, usual, true, tools) : metadataSource(tools)
  })
}

function ofCredentials(text: string, what: string, isFile: boolean, tools: SourceTools): Source<AccessToken> {
  const credentials = readGoogleCredentials(text, what, isFile)
  const name = `${credentials.type.replaceAll('_', ' ')} in ${what}`
  return { name, read: (signal) => tokenFor({ ...credentials, what: name }, tools, signal) }
}

function tokenFor(
  credentials: GoogleCredentials,
  tools: SourceTools,
  signal: AbortSignal,
): Promise<Expiring<AccessToken>> {
  switch (credentials.type) {
    case 'service_account':
      return serviceAccountToken(credentials, tools, signal)
    case 'authorized_user':
      return userToken(credentials, tools, signal)
    case 'external_account':
      return exchangeToken(credentials, tools, signal)
    default:
      return impersonatedToken(credentials, tools, signal)
  }
}

/** The token of other credentials, then one of the service account that they may impersonate. */
async function impersonatedToken(
  credentials: GoogleCredentials,
  tools: SourceTools,
  signal: AbortSignal,
): Promise<Expiring<AccessToken>> {
  const { what, object } = credentials
  const inner = readGoogleCredentials(
    JSON.stringify(object.source_credentials ?? null),
    `${what}: source_credentials`,
    true,
  )
  if (inner.type === credentials.type) throw new SourceFailed(`${what}: source_credentials must be of another type`)
  const { value } = await tokenFor(inner, tools, signal)
  return await impersonate(credentials, value, tools, signal)
}

/** The service account of an instance or, with workload identity, of a pod of GKE. */
function metadataSource(tools: SourceTools): Source<AccessToken> {
  const host = tools.variables.GCE_METADATA_HOST
  // The name leads to the address in each network of Google's.
  const base =
    host === undefined || /^metadata(\.google\.internal)?\.?(:80)?$/.test(host) ? METADATA.instance : `http://${host}`
  return {
    name: METADATA_SERVER,
    async read(signal) {
      const headers = { 'metadata-flavor': 'Google' }
      const answer = await tools.fetch(METADATA_SERVER, { url: base + TOKEN_PATH, headers, absent: NOTHING }, signal)
      if (answer.headers['metadata-flavor'] !== 'Google') throw answer.rejected(NOTHING)
      const found = answer.object(
        'Attach a service account to the instance, or link the one of the pod to one of Google Cloud',
      )
      return { value: answer.field(found, 'access_token'), expiresAt: answer.endAfter(found, 'expires_in') }
    },
  }
}

const NOTHING =
  'No other source is configured: set credentials of the upstream or GOOGLE_APPLICATION_CREDENTIALS, or run on Google Cloud with a service account'
