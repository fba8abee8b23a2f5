// Company tokens of a real provider: the ID token that a tool gets by the authorization code flow calls models, as the person who signs in to
// the console.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { eventually } from '../../test/support/eventually.ts'
import { chat, type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { CLIENT, newBrowser, type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts'

let provider: OpenIdProvider
let gateway: Gateway
beforeAll(async () => {
  provider = await startOpenIdProvider({ claimsInToken: true })
  gateway = await startGateway({
    config: `
sandbox: true
groups: [{ id: default, models: ["*"] }, { id: staff, models: ["*"], multiplier: 2 }]
sign_in:
  providers:
    - { id: company, issuer: "${provider.issuer}", client_id: ${CLIENT.id}, client_secret: "${CLIENT.secret}", domains: [example.com] }
  api_tokens:
    - { provider: company, audiences: [${CLIENT.id}], account: research, group_claim: groups, groups: { staff: staff }, creates: true }
`,
  })
  await operate(gateway, 'account create', { name: 'research', credit: '10' })
})
afterAll(async () => {
  await gateway.stop()
  provider.stop()
})

type Discovery = { authorization_endpoint: string; token_endpoint: string }

async function idToken(): Promise<string> {
  const found = (await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json()) as Discovery
  const verifier = 'a-verifier-of-a-tool-that-has-enough-characters-in-it'
  const redirect_uri = `${gateway.url}/console/api/sign-in/tool/callback`
  const start = new URL(found.authorization_endpoint)
  const asked = {
    client_id: CLIENT.id,
    redirect_uri,
    response_type: 'code',
    scope: 'openid email profile',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(asked)) start.searchParams.set(name, value)
  const browser = newBrowser()
  let at = start.href
  while (!at.startsWith(redirect_uri)) at = (await browser.step(at)).location ?? redirect_uri
  const code = new URL(at).searchParams.get('code') ?? ''
  const answer = await fetch(found.token_endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${CLIENT.id}:${CLIENT.secret}`)}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier }),
  })
  return ((await answer.json()) as { id_token: string }).id_token
}

const HELLO = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }
const statusOf = async (token: string) => (await chat(gateway.url, token, HELLO)).status

test('a token of the provider calls models as the person who signs in to the console', async () => {
  provider.person = { sub: 'ada', email: 'ada@example.com', email_verified: true, groups: ['staff'] }
  const token = await idToken()
  expect(token.split('.').length).toBe(3)
  expect(await statusOf(token)).toBe(200)
  type Key = { made_by_email: string; purpose: string; group: string }
  const keys = () => operate<Key[]>(gateway, 'key list', { account: 'research' })
  expect(await keys()).toMatchObject([{ made_by_email: 'ada@example.com', purpose: 'token', group: 'staff' }])
  // The sign-in finds the same person, and makes no second account.
  const pages = await newBrowser().follow(`${gateway.url}/console/api/sign-in/company`)
  expect(pages.at(-1)).toBe(`${gateway.url}/console/`)
  const people = await operate<{ email: string }[]>(gateway, 'person list')
  expect(people.filter(({ email }) => email === 'ada@example.com').length).toBe(1)
  await operate(gateway, 'person disable', { email: 'ada@example.com' })
  await eventually(async () => (await statusOf(token)) === 403)
})

test('a person with an address of another domain, and one whose address nobody proved, are nobody', async () => {
  for (const person of [
    { sub: 'b', email: 'b@elsewhere.org', email_verified: true },
    { sub: 'c', email: 'c@example.com', email_verified: false },
  ]) {
    provider.person = person
    expect(await statusOf(await idToken())).toBe(401)
  }
})
