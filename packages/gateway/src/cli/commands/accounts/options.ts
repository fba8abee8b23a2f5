// Options that several commands take, and the commands that name an account and little else.
import type { OperationName } from '../../../operate/index.ts'
import type { OptionTexts } from '../declare.ts'

export const SECTION = 'Accounts and keys'
const OF_ACCOUNT = "the account's id or name, or the email address of its person"
export const ANY_ACCOUNT: OptionTexts = { 'account ACCOUNT': OF_ACCOUNT }
export const ACCOUNT: OptionTexts = { 'account ACCOUNT!': OF_ACCOUNT }

export const LIMITS: OptionTexts = {
  'rpm N': 'requests per minute',
  'tpm N': 'tokens per minute',
  'concurrent N': 'concurrent requests',
}

export const CAP: OptionTexts = {
  'cap USD': 'spending cap',
  'cap-period PERIOD': 'the cap resets each day, week or month; default: never',
}

export const TERMS: OptionTexts = {
  ...CAP,
  'expires TIME': 'expiry of the key, such as 2030-01-31T12:00:00Z',
  'models A,B': 'the models it can use; default: all models of its group',
  'ips CIDR,...': 'the IP addresses it may be used from; default: any',
  'tags A,B': 'tags that its requests carry, such as team=search',
  'tags-locked TRUE|FALSE': 'neither the account holder nor a request changes these tags',
  ...LIMITS,
}

export const ROWS: OptionTexts = { 'limit N': 'maximum number; 0: all; default: 100' }

/** `more`: what it takes besides the account. */
export const byAccount = (name: OperationName, summary: string, more: OptionTexts = {}) => ({
  name,
  summary,
  options: { ...ACCOUNT, ...more },
  example: `${name} --account ada@example.com`,
})
