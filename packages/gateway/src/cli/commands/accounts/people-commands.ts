// The commands that work on people.
import { NARROWED } from '../../../operate/permissions.ts'
import { MADE_BY, shown } from '../columns.ts'
import { commandsIn } from '../declare.ts'
import { CAP_NAMES } from '../inputs.ts'
import { ACCOUNT, ANY_ACCOUNT, ROWS, SECTION } from './options.ts'

const EMAIL = { 'email EMAIL!': 'the email address that the person signs in with' }
const ADMIN_KEY = { name: 'ID', summary: "the key's id; 'admin-key list' shows it" } as const

export const PEOPLE_COMMANDS = commandsIn(SECTION, [
  {
    name: 'account member',
    summary: 'add a person to an account, change their role, cap or tags, or remove them',
    options: {
      ...ACCOUNT,
      ...EMAIL,
      'role ROLE': 'owner, member (own keys and usage only), or none to remove them; default: unchanged',
      'cap USD': "spending cap of all keys that the member made; 'none' removes it",
      'cap-period PERIOD': 'the cap resets each day, week or month; default: month',
      'tags A,B': "tags that requests with their keys carry, such as team=search; 'none' removes them",
      'keys keep': 'with --role none: the keys that the person created keep working',
    },
    input: ({ values: { keys } }) => ({ keep_keys: keys === 'keep' }),
    atLeastOne: ['role', ...CAP_NAMES, 'tags'],
    mayRemove: true,
    example: 'account member --account acme --email ada@example.com --role member --cap 50',
  },
  {
    name: 'person list',
    summary: 'list the people who can sign in, oldest first',
    options: {
      'role ROLE': 'only this role on the gateway; none: no role',
      'email TEXT': 'only addresses with this prefix',
      disabled: 'only disabled people',
      ...ROWS,
    },
    rows: 100,
    show: shown(
      ...['id', 'email', 'role'],
      { title: 'state', cell: ({ disabled }) => (disabled === true ? 'disabled' : 'active') },
      {
        title: 'accounts',
        cell: ({ accounts }) =>
          (accounts as { name: string; role: string }[]).map((each) => `${each.name} (${each.role})`).join(', '),
      },
      'created_at',
      'signed_in_at',
    ),
    example: 'person list --role admin',
  },
  {
    name: 'person show',
    summary: 'show a person with their role and accounts',
    options: EMAIL,
    example: 'person show --email ada@example.com',
  },
  {
    name: 'person role',
    summary: 'set or remove the role of a person on the gateway',
    options: { ...EMAIL, 'role ROLE!': 'owner, admin, finance, support, viewer, or none' },
    mayRemove: true,
    example: 'person role --email ada@example.com --role admin',
  },
  {
    name: 'person disable',
    summary: 'disable a person: ends all their sessions and prevents sign-in',
    options: EMAIL,
    example: 'person disable --email ada@example.com',
  },
  {
    name: 'person enable',
    summary: 'let a disabled person sign in again',
    options: EMAIL,
    example: 'person enable --email ada@example.com',
  },
  {
    name: 'invitation create',
    summary: 'create a link that lets a person join an account, get a role on the gateway, or both',
    options: {
      ...ANY_ACCOUNT,
      'member-role ROLE': 'role in the account: owner or member (default)',
      'role ROLE': 'role on the gateway: owner, admin, finance, support or viewer',
      'email EMAIL': 'only this address can accept; default: anyone with the link',
      'expires TIME': 'expiry, at most 90 days from now; default: in 7 days',
    },
    example: 'invitation create --account acme --email grace@example.com',
  },
  {
    name: 'invitation list',
    summary: 'list open invitations',
    options: { 'account ACCOUNT': 'only invitations to this account' },
    rows: 0,
    show: shown('>id', '>account', 'member_role', 'role', 'email', MADE_BY, 'created_at', 'expires_at'),
    example: 'invitation list',
  },
  {
    name: 'invitation revoke',
    positionals: [{ name: 'ID', summary: "the invitation's id; 'invitation list' shows it" }],
    summary: 'revoke an invitation',
    example: 'invitation revoke 3',
  },
  {
    name: 'admin-key create',
    summary: 'create a key of the admin API; its secret is shown once',
    options: {
      'name TEXT!': 'what it is for',
      'role ROLE!': 'owner, admin, finance, support or viewer',
      'permissions A,B': `only these of the role, out of ${NARROWED.join(', ')}; default: all of the role`,
      'expires TIME': 'expiry, such as 2030-01-31T12:00:00Z',
      'ips CIDR,...': 'the IP addresses it may be used from; default: any',
    },
    example: 'admin-key create --name billing --role finance',
  },
  {
    name: 'admin-key list',
    summary: 'list the keys of the admin API',
    rows: 0,
    show: shown(
      ...['>id', 'name', 'role', 'permissions', 'ends in=last_four'],
      MADE_BY,
      ...['created_at', 'expires_at', 'last_used_at', 'ips=networks'],
    ),
    example: 'admin-key list',
  },
  {
    name: 'admin-key show',
    positionals: [ADMIN_KEY],
    summary: 'show a key of the admin API',
    example: 'admin-key show 3',
  },
  {
    name: 'admin-key delete',
    positionals: [ADMIN_KEY],
    summary: 'delete a key of the admin API, immediately and permanently',
    example: 'admin-key delete 3',
  },
])
