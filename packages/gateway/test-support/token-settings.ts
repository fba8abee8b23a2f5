// Section `sign_in` with providers whose tokens are accepted, as the configuration reads it.
import type { ApiTokens } from '../src/config/sections/sign-in/api-tokens.ts'
import type { FileConfig } from '../src/config/types.ts'

export const FIXED_SIGN_IN: FileConfig['signIn'] = { providers: [], password: true, sessionAgeMs: 1, apiTokens: [] }

const API_TOKENS: Omit<ApiTokens, 'provider'> = {
  audiences: ['https://gw.example.com'],
  clients: [],
  emailClaim: 'email',
  trustsEmail: false,
  account: undefined,
  accountClaim: undefined,
  accounts: new Map(),
  group: undefined,
  groupClaim: undefined,
  groups: new Map(),
  tags: new Map(),
  creates: false,
  clockSkewMs: 60_000,
}

/** `tokens`: of all of them. */
export const signInOf = (
  providers: readonly { id: string; issuer: string }[],
  tokens: Partial<ApiTokens> = {},
): FileConfig['signIn'] => ({
  ...FIXED_SIGN_IN,
  providers: providers.map((each) => ({
    ...each,
    name: each.id,
    clientId: 'trivium',
    clientSecret: 'a-secret',
    domains: ['example.com'],
    scopes: ['openid'],
    groupsClaim: undefined,
    roles: new Map(),
    priceGroups: new Map(),
    allowPrivate: true,
  })),
  apiTokens: providers.map(({ id }) => ({ ...API_TOKENS, provider: id, ...tokens })),
})
