// The commands that work on people.
import { NARROWED } from '../../../administration/permissions.ts'
import type { StoreCommand } from '../../command.ts'
import { showAdminKeys, showInvitations, shown, text, time } from '../columns.ts'
import { CAP_NAMES, list, memberCapInput, present, termsInput } from '../inputs.ts'
import { ROWS } from './options.ts'

const EMAIL = {
  name: 'email',
  value: 'EMAIL',
  required: true,
  summary: 'the email address that the person signs in with',
} as const
const ADMIN_KEY = { name: 'ID', summary: "the key's id; 'admin-key list' shows it" } as const
/** `none` takes a role away. */
const roleOf = (role: string | undefined) => (role === 'none' ? null : role)
const base = { section: 'Accounts and keys', positionals: [] } as const

export const PEOPLE_COMMANDS: readonly StoreCommand[] = [
  {
    ...base,
    name: 'account member',
    summary: 'add a person to an account, change their role or cap, or remove them',
    options: [
      {
        name: 'account',
        value: 'ACCOUNT',
        required: true,
        summary: "the account's id or name, or the email address of its person",
      },
      EMAIL,
      {
        name: 'role',
        value: 'ROLE',
        summary: 'owner, member (own keys and usage only), or none to remove them; default: unchanged',
      },
      { name: 'cap', value: 'USD', summary: "spending cap of all keys that the member made; 'none' removes it" },
      { name: 'cap-period', value: 'PERIOD', summary: 'the cap resets each day, week or month; default: month' },
      { name: 'keys', value: 'keep', summary: 'with --role none: the keys that the person created keep working' },
    ],
    input: ({ values }) =>
      present([
        ['account', values.account],
        ['email', values.email],
        ['role', roleOf(values.role)],
        ['keep_keys', values.keys === 'keep'],
        ...memberCapInput(values),
      ]),
    atLeastOne: ['role', ...CAP_NAMES],
    mayRemove: true,
    example: 'account member --account acme --email ada@example.com --role member --cap 50',
  },
  {
    ...base,
    name: 'person list',
    summary: 'list the people who can sign in, oldest first',
    options: [
      { name: 'role', value: 'ROLE', summary: 'only this role on the gateway; none: no role' },
      { name: 'email', value: 'TEXT', summary: 'only addresses with this prefix' },
      { name: 'disabled', summary: 'only disabled people' },
      ROWS,
    ],
    input: ({ values: { role, email }, flags }) =>
      present([
        ['role', role],
        ['email', email],
        ['disabled', flags.has('disabled') ? true : undefined],
      ]),
    rows: 100,
    show: shown([
      text('id', 'id'),
      text('email', 'email'),
      text('role', 'role'),
      { title: 'state', cell: ({ disabled }) => (disabled === true ? 'disabled' : 'active') },
      {
        title: 'accounts',
        cell: ({ accounts }) =>
          (accounts as { name: string; role: string }[]).map((each) => `${each.name} (${each.role})`).join(', '),
      },
      time('created', 'created_at'),
      time('signed in', 'signed_in_at'),
    ]),
    example: 'person list --role admin',
  },
  {
    ...base,
    name: 'person show',
    summary: 'show a person with their role and accounts',
    options: [EMAIL],
    input: ({ values: { email } }) => ({ person: email }),
    example: 'person show --email ada@example.com',
  },
  {
    ...base,
    name: 'person role',
    summary: 'set or remove the role of a person on the gateway',
    options: [
      EMAIL,
      { name: 'role', value: 'ROLE', required: true, summary: 'owner, admin, finance, support, viewer, or none' },
    ],
    input: ({ values: { email, role } }) => ({ person: email, role: roleOf(role) }),
    mayRemove: true,
    example: 'person role --email ada@example.com --role admin',
  },
  {
    ...base,
    name: 'person disable',
    summary: 'disable a person: ends all their sessions and prevents sign-in',
    options: [EMAIL],
    input: ({ values: { email } }) => ({ person: email }),
    example: 'person disable --email ada@example.com',
  },
  {
    ...base,
    name: 'person enable',
    summary: 'let a disabled person sign in again',
    options: [EMAIL],
    input: ({ values: { email } }) => ({ person: email }),
    example: 'person enable --email ada@example.com',
  },
  {
    ...base,
    name: 'invitation create',
    summary: 'create a link that lets a person join an account, get a role on the gateway, or both',
    options: [
      { name: 'account', value: 'ACCOUNT', summary: "the account's id or name, or the email address of its person" },
      { name: 'member-role', value: 'ROLE', summary: 'role in the account: owner or member (default)' },
      { name: 'role', value: 'ROLE', summary: 'role on the gateway: owner, admin, finance, support or viewer' },
      { name: 'email', value: 'EMAIL', summary: 'only this address can accept; default: anyone with the link' },
      { name: 'expires', value: 'TIME', summary: 'expiry, at most 90 days from now; default: in 7 days' },
    ],
    input: ({ values }) => ({
      ...present([
        ['account', values.account],
        ['member_role', values['member-role']],
        ['role', values.role],
        ['email', values.email],
      ]),
      ...termsInput(values.expires === undefined ? {} : { expires: values.expires }, false),
    }),
    example: 'invitation create --account acme --email grace@example.com',
  },
  {
    ...base,
    name: 'invitation list',
    summary: 'list open invitations',
    options: [{ name: 'account', value: 'ACCOUNT', summary: 'only invitations to this account' }],
    input: ({ values }) => present([['account', values.account]]),
    rows: 0,
    show: showInvitations,
    example: 'invitation list',
  },
  {
    ...base,
    name: 'invitation revoke',
    positionals: [{ name: 'ID', summary: "the invitation's id; 'invitation list' shows it" }],
    summary: 'revoke an invitation',
    options: [],
    input: ({ positionals: [invitation] }) => ({ invitation }),
    example: 'invitation revoke 3',
  },
  {
    ...base,
    name: 'admin-key create',
    summary: 'create a key of the admin API; its secret is shown once',
    options: [
      { name: 'name', value: 'TEXT', required: true, summary: 'what it is for' },
      { name: 'role', value: 'ROLE', required: true, summary: 'owner, admin, finance, support or viewer' },
      {
        name: 'permissions',
        value: 'A,B',
        summary: `only these of the role, out of ${NARROWED.join(', ')}; default: all of the role`,
      },
      { name: 'expires', value: 'TIME', summary: 'expiry, such as 2030-01-31T12:00:00Z' },
      { name: 'ips', value: 'CIDR,...', summary: 'the IP addresses it may be used from; default: any' },
    ],
    input: ({ values: { name, role, permissions, ...terms } }) => ({
      name,
      role,
      ...(permissions === undefined ? {} : { permissions: list('permissions', permissions) }),
      ...termsInput(terms, false),
    }),
    example: 'admin-key create --name billing --role finance',
  },
  {
    ...base,
    name: 'admin-key list',
    summary: 'list the keys of the admin API',
    options: [],
    input: () => ({}),
    rows: 0,
    show: showAdminKeys,
    example: 'admin-key list',
  },
  {
    ...base,
    name: 'admin-key show',
    positionals: [ADMIN_KEY],
    summary: 'show a key of the admin API',
    options: [],
    input: ({ positionals: [admin_key] }) => ({ admin_key }),
    example: 'admin-key show 3',
  },
  {
    ...base,
    name: 'admin-key delete',
    positionals: [ADMIN_KEY],
    summary: 'delete a key of the admin API, immediately and permanently',
    options: [],
    input: ({ positionals: [admin_key] }) => ({ admin_key }),
    example: 'admin-key delete 3',
  },
]
