// A real OpenID provider on loopback, where whoever comes is signed in as the person that the test has chosen, without a page.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'

export type TestPerson = { sub: string; email?: string; email_verified?: boolean | string; groups?: readonly string[] }

export type OpenIdProvider = {
  issuer: string
  /** Whom it signs in from now on; undefined: the person cancels. */
  person: TestPerson | undefined
  stop(): void
}

export const CLIENT = { id: 'trivium', secret: 'a-secret-of-the-client-0123456789' }

/** `claimsInToken`: the ID token has the claims; otherwise only the user info. */
export async function startOpenIdProvider({ claimsInToken = false } = {}): Promise<OpenIdProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people = new Map<string, TestPerson>()
  const configuration: Configuration = {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        // The port of the gateway is not known yet; see redirectUriAllowed.
        redirect_uris: ['http://127.0.0.1/console/api/sign-in/company/callback'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
    conformIdTokenClaims: !claimsInToken,
    cookies: { keys: ['a key of the test'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ ...people.get(id), sub: id }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: CLIENT.id, accountId: oidc.session?.accountId ?? '' })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  }
  const provider = new Provider(issuer, configuration)
  provider.Client.prototype.redirectUriAllowed = (uri: string) =>
    /^http:\/\/127\.0\.0\.1:\d+\/console\/api\/sign-in\/\w+\/callback$/.test(uri)
  const handle = provider.callback()
  const started: OpenIdProvider = { issuer, person: undefined, stop: () => void server.close() }
  server.on('request', async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return handle(request, response)
    const { person } = started
    if (person) people.set(person.sub, person)
    const result = person ? { login: { accountId: person.sub } } : { error: 'access_denied' }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  })
  return started
}

/** Follows redirects as a browser does, with its cookies, up to a page that is none. Hosts differ in their port alone, which cookies ignore. */
export function newBrowser() {
  const cookies = new Map<string, string>()
  async function step(url: string): Promise<{ status: number; location: string | undefined; body: string }> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { headers: cookie === '' ? {} : { cookie }, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0\b|expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get('location')
    return {
      status: response.status,
      location: location === null ? undefined : new URL(location, url).href,
      body: await response.text(),
    }
  }
  return {
    cookies,
    step,
    /** The URLs on the way; the last one is not opened if it is a page of the console. */
    async follow(start: string): Promise<string[]> {
      const urls = [start]
      for (let next: string | undefined = start; next !== undefined && urls.length < 20; ) {
        if (/\/console\/(?!api\/)/.test(next)) break
        next = (await step(next)).location
        if (next !== undefined) urls.push(next)
      }
      return urls
    },
  }
}
