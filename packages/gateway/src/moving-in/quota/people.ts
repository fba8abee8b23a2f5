// Users: each is a person who owns an account, whose balance is the wallet there.
import { isStrictAddress } from '../../access/email-address.ts'
import { MAX_AMOUNT, type Nanos } from '../../money/amount.ts'
import { NO_LIMITS } from '../../money/limits.ts'
import type { Findings } from '../findings.ts'
import type { FoundAccount, FoundCredit, FoundPerson } from '../installation.ts'
import { integerOf } from '../sources/fields.ts'
import type { SourceRow } from '../sources/source-database.ts'
import { reportedRows, rowOf } from './columns.ts'
import { bigintOf } from './exact.ts'
import type { GroupPlan } from './groups/plan.ts'
import { nanosOfUnits } from './options.ts'
import { accountId, cell, DAMAGED, personId, type Reader, type Users } from './reader.ts'

export async function readUsers(reader: Reader): Promise<Users> {
  const { program, database, findings } = reader
  const groups = new Map<number, string>()
  for await (const row of reportedRows(database, 'users', { tables: program.tables, findings })) {
    const id = integerOf(row.id)
    if (id === undefined) findings.add('users.id', 'manual', DAMAGED, rowOf('users', row))
    else groups.set(id, cell(row, 'group') || 'default')
  }
  return { groups }
}

export const NO_PASSWORD = 'There is no password that can be verified. The person needs a link to set one.'
export const ROLE_OF_ROOT = 'The first administrator is an administrator here. Only who owns this gateway is its owner.'
export const ROLE_OF_ADMIN = 'Administrators may also change settings here, which there only the first one may.'
export const DELETED = 'Deleted people are moved without address and password, and their accounts are closed.'
export const BOUNDLESS = 'The billion USD of the first administrator is unlimited credit here, and not part of any sum.'
export const ONE_NAME = 'People have one name here, which is the one that they sign in with there.'
export const USUAL_PASSWORD =
  'It still has the password that the program gives it. It has to be changed at the first sign-in.'
const NO_NUMBER = 'This is no amount that is possible. It counts as 0.'
const BELOW_ZERO = 'The balance is below zero, and stays so.'
const NO_ADDRESS = 'This is not an email address. The person has none here.'
const SAME_ADDRESS = 'Another person has the same address. This one has none here.'

const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/
const ROOT = 100
const ADMIN = 10

export async function* readPeople({ program, database, findings }: Reader): AsyncIterable<FoundPerson> {
  const addresses = new Set<string>()
  for await (const row of database.rows('users', ['id'])) {
    const id = integerOf(row.id)
    if (id === undefined) continue
    const at = rowOf('users', row)
    const { isDeleted, createdAt } = program.user(row)
    const role = integerOf(row.role) ?? 0
    const hash = cell(row, 'password')
    const hasPassword = BCRYPT.test(hash) && !isDeleted
    if (isDeleted) findings.add('users.deleted', 'approximate', DELETED, at)
    else if (!hasPassword) findings.add('users.password', 'manual', NO_PASSWORD, at)
    if (role >= ROOT) findings.add('users.role', 'approximate', ROLE_OF_ROOT, at)
    else if (role >= ADMIN) findings.add('users.role', 'approximate', ROLE_OF_ADMIN, at)
    const { password } = program.root
    const name = nameOf(row, id)
    const shown = cell(row, 'display_name')
    if (shown !== '' && shown !== name) findings.add('users.display_name', 'not_supported', ONE_NAME, at)
    const isUsual = role >= ROOT && hasPassword && password !== undefined && (await Bun.password.verify(password, hash))
    if (isUsual) findings.add('users.password', 'manual', USUAL_PASSWORD, at)
    yield {
      id: personId(id),
      name,
      email: isDeleted ? undefined : addressOf(row, addresses, findings),
      password: hasPassword ? { form: 'bcrypt', hash } : undefined,
      mustChangePassword: isUsual,
      role: role >= ADMIN && !isDeleted ? 'admin' : undefined,
      disabled: isDeleted || integerOf(row.status) !== 1,
      createdAt,
    }
  }
}

const nameOf = (row: SourceRow, id: number): string => cell(row, 'username') || `user-${id}`

function addressOf(row: SourceRow, taken: Set<string>, findings: Findings): string | undefined {
  const address = cell(row, 'email').toLowerCase()
  if (address === '') return undefined
  const problem = isStrictAddress(address) ? (taken.has(address) ? SAME_ADDRESS : undefined) : NO_ADDRESS
  if (problem !== undefined) findings.add('users.email', 'manual', problem, rowOf('users', row))
  else taken.add(address)
  return problem === undefined ? address : undefined
}

export async function* readAccounts(
  { program, database, options, findings }: Reader,
  plan: GroupPlan,
  credits: ReadonlyMap<number, readonly FoundCredit[]>,
): AsyncIterable<FoundAccount> {
  for await (const row of database.rows('users', ['id'])) {
    const id = integerOf(row.id)
    if (id === undefined) continue
    const { isDeleted, createdAt } = program.user(row)
    const amount = (column: string): Nanos => {
      const units = bigintOf(row[column])
      const nanos = units === undefined ? undefined : nanosOfUnits(units, options)
      if (nanos !== undefined && nanos <= MAX_AMOUNT && nanos >= -MAX_AMOUNT) return nanos
      findings.add(`users.${column}`, 'manual', NO_NUMBER, rowOf('users', row))
      return 0n
    }
    const isBoundless = program.root.isBoundless && (integerOf(row.role) ?? 0) >= ROOT
    const balance = amount('quota')
    if (isBoundless) findings.add('users.quota', 'approximate', BOUNDLESS, rowOf('users', row))
    else if (balance < 0n) findings.add('users.quota', 'exact', BELOW_ZERO, rowOf('users', row))
    yield {
      id: accountId(id),
      name: nameOf(row, id),
      owner: personId(id),
      members: [],
      balance: isBoundless ? undefined : balance,
      spent: amount('used_quota'),
      limits: NO_LIMITS,
      groups: plan.choices(cell(row, 'group') || 'default'),
      credits: credits.get(id) ?? [],
      disabled: isDeleted || integerOf(row.status) !== 1,
      createdAt,
    }
  }
}
