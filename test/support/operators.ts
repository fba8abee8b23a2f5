// Tests of the operators' console: one gateway and one browser for the whole file, and people with each role who are signed in.
import { expect } from 'bun:test'
import { type Account, type ConsoleInBrowser, useConsole } from './console/use-console.ts'
import { outcomeOf, PASSWORD } from './gateway/console.ts'
import type { GatewayOptions } from './gateway/gateway.ts'

export const ROLES = ['owner', 'admin', 'finance', 'support', 'viewer'] as const
export type Role = (typeof ROLES)[number]

export type Operators = ConsoleInBrowser & {
  /** A signed-in person with the role; the same one for each call. */
  as(role: Role): Promise<Account>
}

/** Call it at the top of a test file. */
export function useOperators(options: GatewayOptions | (() => Promise<GatewayOptions>) = {}): Operators {
  const open = useConsole(options)
  const people = new Map<Role, Promise<Account>>()
  const withRole = async (role: Role): Promise<Account> => {
    const account = await open.newAccount()
    await open.gateway.command('person', 'role', '--email', account.email, '--role', role)
    // A new role ends the sessions of a person.
    const signedIn = await account.client.post('sign-in', { email: account.email, password: PASSWORD })
    expect(outcomeOf(signedIn)).toBe('200')
    return account
  }
  return Object.assign(Object.create(open), {
    as(role: Role) {
      const known = people.get(role) ?? withRole(role)
      people.set(role, known)
      return known
    },
  })
}
