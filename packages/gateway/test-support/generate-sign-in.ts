// Random valid settings of providers of sign-ins, for generated configurations.

type Fields = { [name: string]: unknown }
type Makers = {
  integer(least: number, most: number): number
  /** Each field with a probability of a half. */
  some(makers: { [name: string]: () => unknown }): Fields
  text(): string
  secret(): string
  boolean(): boolean
}

export function signInSettings({ integer, some, text, secret, boolean }: Makers) {
  return {
    provider: (id: string): Fields => ({
      id,
      issuer: `https://${id}.example.com`,
      client_id: `client-${integer(1, 99)}`,
      client_secret: secret(),
      groups_claim: 'groups',
      ...some({
        name: text,
        domains: () => ['example.com'],
        scopes: () => ['openid', 'groups'],
        roles: () => ({ ops: 'admin', 'help desk': 'support' }),
        price_groups: () => ({ staff: 'default' }),
        allow_private: boolean,
      }),
    }),
    apiTokens: ([provider]: readonly Fields[]): Fields => ({
      provider: provider?.id,
      ...(provider?.domains ? { creates: boolean() } : {}),
      audiences: ['https://gw.example.com'],
      ...some({
        clients: () => ['command-line'],
        email_claim: () => 'preferred_username',
        trusts_email: boolean,
        account: () => 'research',
        group: () => 'default',
        tags: () => ({ team: 'department', cost_centre: 'https://example.com/cost' }),
        clock_skew: () => '30s',
      }),
      ...(boolean() ? { account_claim: 'department', accounts: { 'Research & "more"': '12', sales: 'sales' } } : {}),
      ...(boolean() ? { group_claim: 'realm_access.roles', groups: { staff: 'default' } } : {}),
    }),
  }
}
