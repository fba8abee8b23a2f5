// People of LiteLLM, and their accounts: one for each person's own keys, and one for each team.
import type { GatewayRole } from '../../storage/people/people.ts'
import type { FoundAccount, FoundMember, FoundPassword, FoundPerson } from '../installation.ts'
import { booleanOf, isObject, jsonOf, listOf, nanosOf, textOf, timeOf } from '../sources/fields.ts'
import type { SourceRow } from '../sources/source-database.ts'
import { type Context, limitsOf, NO_PERSON, UNOWNED } from './directory.ts'

const ROLES: Readonly<Record<string, GatewayRole>> = { proxy_admin: 'admin', proxy_admin_viewer: 'viewer' }
const ORDINARY = new Set(['internal_user', 'internal_user_viewer', 'team', 'customer', 'org_admin'])
const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,255}$/

export async function* readPeople({ source, findings, report }: Context): AsyncGenerator<FoundPerson> {
  const addresses = new Set<string>()
  for await (const row of source.rows('LiteLLM_UserTable', ['user_id'])) {
    const id = textOf(row.user_id) ?? ''
    if (NO_PERSON.has(id)) continue
    report('LiteLLM_UserTable', row, id)
    const written = textOf(row.user_email)?.trim().toLowerCase() || undefined
    const email = written !== undefined && ADDRESS.test(written) && !addresses.has(written) ? written : undefined
    if (email !== undefined) addresses.add(email)
    else {
      const says =
        written === undefined ? 'The person has no e-mail address' : 'The address is invalid, or another person has it'
      findings.add('LiteLLM_UserTable.user_email', 'manual', `${says}: set one, so that they can sign in.`, id)
    }
    const [role, password] = [textOf(row.user_role) ?? 'internal_user', textOf(row.password)]
    const found = passwordOf(password)
    if (password && !found)
      findings.add(
        'LiteLLM_UserTable.password',
        'manual',
        'The password is kept in another form: the person sets a new one.',
        id,
      )
    if (!ROLES[role] && !ORDINARY.has(role))
      findings.add('LiteLLM_UserTable.user_role', 'manual', `The role ${role} is unknown: the person has none.`, id)
    if (role === 'internal_user_viewer')
      findings.add(
        'LiteLLM_UserTable.user_role',
        'approximate',
        'Who could only look may manage the keys of their own account here.',
        id,
      )
    yield {
      id: `user:${id}`,
      name: textOf(row.user_alias) || written || id,
      email,
      password: found,
      mustChangePassword: booleanOf(row.password_reset_required ?? null) ?? false,
      role: ROLES[role],
      disabled: false,
      createdAt: timeOf(row.created_at),
    }
  }
}

function passwordOf(text: string | undefined): FoundPassword | undefined {
  if (/^scrypt:[A-Za-z0-9+/]{64}$/.test(text ?? '')) return { form: 'litellm-scrypt', hash: text ?? '' }
  return /^[0-9a-f]{64}$/.test(text ?? '') ? { form: 'sha256', hash: text ?? '' } : undefined
}

export async function* readAccounts({ source, directory, findings, report }: Context): AsyncGenerator<FoundAccount> {
  const account = { balance: undefined, groups: [], disabled: false }
  const spentBy = (id: string) => directory.spent.get(id) ?? 0n
  for await (const row of source.rows('LiteLLM_UserTable', ['user_id'])) {
    const user = textOf(row.user_id) ?? ''
    if (NO_PERSON.has(user)) continue
    const id = `user:${user}`
    yield {
      ...account,
      id,
      owner: id,
      members: [{ person: id, role: 'owner' }],
      spent: spentBy(id),
      name: textOf(row.user_alias) || textOf(row.user_email) || user,
      limits: limitsOf(row),
      createdAt: timeOf(row.created_at),
    }
  }
  const memberships = new Map<string, string[]>()
  for await (const row of source.rows('LiteLLM_TeamMembership', ['team_id', 'user_id'])) {
    const team = textOf(row.team_id) ?? ''
    report('LiteLLM_TeamMembership', row, team)
    memberships.set(team, [...(memberships.get(team) ?? []), textOf(row.user_id) ?? ''])
  }
  for await (const row of source.rows('LiteLLM_TeamTable', ['team_id'])) {
    const team = textOf(row.team_id) ?? ''
    report('LiteLLM_TeamTable', row, team)
    const members = membersOf(row, memberships.get(team) ?? []).filter(({ person }) =>
      directory.people.has(person.slice(5)),
    )
    const owner = members.find(({ role }) => role === 'owner')?.person
    if (!owner)
      findings.add(
        'LiteLLM_TeamTable.admins',
        'manual',
        'The account has no owner: make one of its people the owner.',
        team,
      )
    const id = `team:${team}`
    const [spent, keys] = [nanosOf(row.spend) ?? 0n, spentBy(id)]
    yield {
      ...account,
      id,
      owner,
      members,
      spent: spent > keys ? spent : keys,
      name: textOf(row.team_alias) || team,
      limits: limitsOf(row),
      disabled: booleanOf(row.blocked) ?? false,
      createdAt: timeOf(row.created_at),
    }
  }
  if (directory.spent.has(UNOWNED)) {
    findings.add(
      'LiteLLM_VerificationToken.user_id',
      'approximate',
      'Keys without an owner are those of one account of their own.',
    )
    const name = 'LiteLLM keys without an owner'
    yield {
      ...account,
      id: UNOWNED,
      name,
      owner: undefined,
      members: [],
      spent: spentBy(UNOWNED),
      limits: limitsOf({}),
      createdAt: undefined,
    }
  }
}

function membersOf(row: SourceRow, memberships: readonly string[]): FoundMember[] {
  const roles = new Map<string, FoundMember['role']>()
  const add = (user: string, role: FoundMember['role']) => {
    if (role === 'owner' || !roles.has(user)) roles.set(user, role)
  }
  const listed = jsonOf(row.members_with_roles)
  for (const each of Array.isArray(listed) ? listed : []) {
    if (isObject(each) && typeof each.user_id === 'string')
      add(each.user_id, each.role === 'admin' ? 'owner' : 'member')
  }
  for (const user of listOf(row.admins) ?? []) add(user, 'owner')
  for (const user of [...(listOf(row.members) ?? []), ...memberships]) add(user, 'member')
  return [...roles].map(([user, role]) => ({ person: `user:${user}`, role }))
}
