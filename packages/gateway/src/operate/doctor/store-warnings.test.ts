import { expect, test } from 'bun:test'
import { signInOf } from '../../../test-support/token-settings.ts'
import type { FileConfig } from '../../config/types.ts'
import type { Account } from '../../storage/storage.ts'
import { warningsOfStore } from './store-warnings.ts'

const ISSUER = 'https://id.example.com'

const account = (name: string) => ({ name }) as Account
const ACCOUNTS = {
  find: async (id: bigint) => (id === 7n ? account('seven') : undefined),
  findNamed: async (name: string) => ({ one: [account('one')], two: [account('two'), account('two')] })[name] ?? [],
}

test('accounts that company tokens are mapped to, and that do not exist, are warned of', async () => {
  const store = {
    accounts: ACCOUNTS,
    keys: { countByGroup: async () => [] as never },
    identities: { hasOwner: async () => true },
  }
  const config = (account: string | undefined, ...mapped: string[]) =>
    ({
      groups: new Map(),
      signIn: signInOf([{ id: 'company', issuer: ISSUER }], {
        account,
        accounts: new Map(mapped.map((to, at) => [`${at}`, to])),
      }),
    }) as unknown as FileConfig
  expect(await warningsOfStore(store, config(undefined))).toEqual([])
  expect(await warningsOfStore(store, config('one', '7'))).toEqual([])
  expect(await warningsOfStore(store, config('two', '8', 'none', 'none'))).toEqual([
    "sign_in.api_tokens names the account 'two', a name that 2 accounts have: use the id",
    "sign_in.api_tokens names the account '8', which does not exist",
    "sign_in.api_tokens names the account 'none', which does not exist",
  ])
})

test.each<[string, boolean, string[], number]>([
  ['passwords are on', true, [], 0],
  ['an owner has signed in at the provider', false, [ISSUER], 0],
  ['no owner has signed in at it', false, [], 1],
])('a file that leaves owners no sign-in but their passwords is warned of: %s', async (_, password, known, expected) => {
  const store = {
    accounts: ACCOUNTS,
    keys: { countByGroup: async () => [] as never },
    identities: { hasOwner: async (issuers: readonly string[]) => issuers.some((each) => known.includes(each)) },
  }
  const config = {
    groups: new Map(),
    signIn: { password, providers: [{ issuer: ISSUER }], apiTokens: [] },
  } as unknown as FileConfig
  const warnings = await warningsOfStore(store, config)
  expect(warnings.filter((text) => text.includes('only owners can sign in with a password'))).toHaveLength(expected)
})
