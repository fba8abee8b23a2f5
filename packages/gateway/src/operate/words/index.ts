// The words of every operation that changes something, by its name, and of everything else that the audit log has.
import { ACCOUNT_WORDS } from './accounts.ts'
import { BUDGET_WORDS } from './budgets.ts'
import { CATALOGUE_WORDS } from './catalogue.ts'
import { GATEWAY_WORDS } from './gateway.ts'
import { PEOPLE_WORDS } from './people.ts'
import { SIGN_IN_WORDS } from './sign-ins.ts'

export const WORDS = {
  ...ACCOUNT_WORDS,
  ...BUDGET_WORDS,
  ...CATALOGUE_WORDS,
  ...GATEWAY_WORDS,
  ...PEOPLE_WORDS,
  ...SIGN_IN_WORDS,
}

type All = typeof WORDS
/** The operations that the console asks about before it performs them. */
export type ActName = { [N in keyof All]: All[N] extends { act: object } ? N : never }[keyof All]
