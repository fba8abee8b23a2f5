// Entra's tokens for applications, and managed identities of App Service and of virtual machines.
import type { CloudRequest, CloudWorld } from './clouds.ts'

const TOKEN = /^\/([^/]+)\/oauth2\/v2\.0\/token$/
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

export function entraServices({ clock, cluster }: CloudWorld) {
  let made = 0
  const tokens = new Map<string, { scope: string; identity: string; expiresAt: number }>()
  const state = {
    life: 3599,
    tenant: 'contoso.onmicrosoft.com',
    clientId: '11111111-2222-3333-4444-555555555555',
    secret: 'entra~client.secret-value',
    /** The subject of tokens of the cluster that the application trusts. */
    subject: 'system:serviceaccount:ai:gateway',
    identityHeader: 'identity-header-value',
    hasIdentity: true,
  }

  const given = (scope: string, identity: string, asText: boolean) => {
    const token = `eyJ0.entra.${++made}`
    tokens.set(token, { scope, identity, expiresAt: clock.now + state.life * 1000 })
    const life = asText ? String(state.life) : state.life
    return Response.json({
      token_type: 'Bearer',
      expires_in: life,
      expires_on: String(Math.floor(clock.now / 1000) + state.life),
      access_token: token,
    })
  }

  async function grant({ form, path }: CloudRequest): Promise<Response> {
    const scope = form.get('scope') ?? ''
    if (TOKEN.exec(path)?.[1] !== state.tenant)
      return rejected(
        'invalid_request',
        'AADSTS90002: Tenant not found. Check to make sure you have the correct tenant ID.',
      )
    if (form.get('grant_type') !== 'client_credentials' || !scope.endsWith('/.default'))
      return rejected('invalid_scope', 'AADSTS1002012: The provided value for scope is not valid.')
    if (form.get('client_id') !== state.clientId)
      return rejected('unauthorized_client', 'AADSTS700016: Application was not found in the directory.')
    if (form.has('client_secret')) {
      return form.get('client_secret') === state.secret
        ? given(scope, state.clientId, false)
        : rejected(
            'invalid_client',
            `AADSTS7000215: Invalid client secret provided: ${form.get('client_secret')}\r\nTrace ID: 0`,
          )
    }
    const token = form.get('client_assertion') ?? ''
    const found = await cluster.verify(token, 'api://AzureADTokenExchange').catch((error: Error) => error)
    if (form.get('client_assertion_type') !== ASSERTION || found instanceof Error)
      return rejected('invalid_client', `AADSTS700024: Client assertion is not within its valid time range: ${token}`)
    return found.claims.sub === state.subject
      ? given(scope, state.clientId, false)
      : rejected(
          'invalid_client',
          'AADSTS700213: No matching federated identity record found for presented assertion subject',
        )
  }

  function managed({ url, headers, path }: CloudRequest): Response {
    const query = new URL(url).searchParams
    const isMachine = path.startsWith('/metadata/')
    const isAllowed = isMachine ? headers.metadata === 'true' : headers['x-identity-header'] === state.identityHeader
    const version = isMachine ? '2018-02-01' : '2019-08-01'
    const resource = query.get('resource') ?? ''
    if (!isAllowed || query.get('api-version') !== version || resource === '' || resource.endsWith('/.default'))
      return rejected('invalid_request', `Required metadata header not specified: ${headers['x-identity-header']}`)
    const clientId = query.get('client_id')
    if (!state.hasIdentity || (clientId !== null && clientId !== state.clientId))
      return rejected('invalid_request', 'Identity not found')
    return given(resource, clientId ?? 'system', true)
  }

  return {
    state,
    tokens,
    service(request: CloudRequest) {
      if (TOKEN.test(request.path)) return grant(request)
      return /^\/(metadata\/identity\/oauth2\/token|msi\/token)$/.test(request.path) ? managed(request) : undefined
    },
  }
}

const rejected = (error: string, error_description: string) =>
  Response.json({ error, error_description }, { status: 400 })
