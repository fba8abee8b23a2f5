// People: they sign in, and may have a role in the gateway. What they own belongs to accounts, which they are members of.
import type { Nanos } from '../../money/amount.ts'

/** In the gateway, from the highest rank; finance and support have the same. */
export const GATEWAY_ROLES = ['owner', 'admin', 'finance', 'support', 'viewer'] as const
export type GatewayRole = (typeof GATEWAY_ROLES)[number]

/** The address of the person that the first start makes. Who opens the link to the console owns the gateway. */
export const FIRST_PERSON = 'newcomer@trivium.local'

export type Person = {
  id: bigint
  email: string
  /** undefined: none, as for most people. */
  role: GatewayRole | undefined
  /** Cannot sign in. */
  disabled: boolean
  createdAt: number
  /** When the last session in the console began; undefined: none has. */
  signedInAt: number | undefined
  /** The address is known to be the person's: a link that was sent there was opened, or the operator entered it. */
  isProved: boolean
}

/** What the person has chosen in the console. */
export type Preferences = {
  /** A notice is shown below this balance; undefined: none. */
  lowBalance: Nanos | undefined
  /** A language tag, for emails. */
  language: string | undefined
}

export interface People {
  /** Entered by an operator, without an account. undefined: a person has this address. `password`: its hash. */
  create(email: string, password?: string): Promise<Person | undefined>
  find(email: string): Promise<Person | undefined>
  findById(person: bigint): Promise<Person | undefined>
  /** Addresses; those of people who do not exist are missing. */
  names(people: readonly bigint[]): Promise<ReadonlyMap<bigint, string>>
  /** All people, oldest first. */
  list(): Promise<Person[]>
  /**
   * `endsAccess`: also ends all sessions, and makes links useless that set a password: they may be in the hands of somebody who may not
   * have the new role. false: the person is the last owner who is not disabled, however many are changed at once.
   */
  setRole(person: bigint, role: GatewayRole | undefined, options?: { endsAccess: boolean }): Promise<boolean>
  /** Also ends all sessions of a person who is disabled. false: as for roles. */
  setDisabled(person: bigint, disabled: boolean): Promise<boolean>
  preferences(person: bigint): Promise<Preferences>
  /** Writes only the fields that are present. */
  setPreferences(person: bigint, changes: Partial<Preferences>): Promise<void>
}
