// Options that several commands take, and the commands that name an account and little else.
import type { Option, StoreCommand } from '../../command.ts'
import type { Values } from '../inputs.ts'

export const SECTION = 'Accounts and keys'
export const ANY_ACCOUNT: Option = {
  name: 'account',
  value: 'ACCOUNT',
  summary: "the account's id or name, or the email address of its person",
}
export const ACCOUNT: Option = { ...ANY_ACCOUNT, required: true }

export const LIMITS: readonly Option[] = [
  { name: 'rpm', value: 'N', summary: 'requests per minute' },
  { name: 'tpm', value: 'N', summary: 'tokens per minute' },
  { name: 'concurrent', value: 'N', summary: 'concurrent requests' },
]

export const CAP: readonly Option[] = [
  { name: 'cap', value: 'USD', summary: 'spending cap' },
  { name: 'cap-period', value: 'PERIOD', summary: 'the cap resets each day, week or month; default: never' },
]

export const TERMS: readonly Option[] = [
  ...CAP,
  { name: 'expires', value: 'TIME', summary: 'expiry of the key, such as 2030-01-31T12:00:00Z' },
  { name: 'models', value: 'A,B', summary: 'the models it can use; default: all models of its group' },
  { name: 'ips', value: 'CIDR,...', summary: 'the IP addresses it may be used from; default: any' },
  ...LIMITS,
]

export const ROWS: Option = { name: 'limit', value: 'N', summary: 'maximum number; 0: all; default: 100' }

type Read = (values: Values) => object

/** `read`: the fields of the input besides the account. */
export const byAccount = (
  name: StoreCommand['name'],
  summary: string,
  more: readonly Option[] = [],
  read: Read = () => ({}),
): StoreCommand => ({
  name,
  section: SECTION,
  summary,
  positionals: [],
  options: [ACCOUNT, ...more],
  input: ({ values }) => ({ account: values.account, ...read(values) }),
  example: `${name} --account ada@example.com`,
})
