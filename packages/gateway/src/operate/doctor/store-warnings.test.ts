import { expect, test } from 'bun:test'
import type { FileConfig } from '../../config/types.ts'
import { warningsOfStore } from './store-warnings.ts'

const ISSUER = 'https://id.example.com'

test.each<[string, boolean, string[], number]>([
  ['passwords are on', true, [], 0],
  ['an owner has signed in at the provider', false, [ISSUER], 0],
  ['no owner has signed in at it', false, [], 1],
])('a file that leaves owners no sign-in but their passwords is warned of: %s', async (_, password, known, expected) => {
  const store = {
    keys: { countByGroup: async () => [] as never },
    identities: { hasOwner: async (issuers: readonly string[]) => issuers.some((each) => known.includes(each)) },
  }
  const config = { groups: new Map(), signIn: { password, providers: [{ issuer: ISSUER }] } } as unknown as FileConfig
  const warnings = await warningsOfStore(store, config)
  expect(warnings.filter((text) => text.includes('only owners can sign in with a password'))).toHaveLength(expected)
})
