// Every route of the console API, with its policy, what it takes and what it returns. Amounts are decimal USD as text, times are ISO 8601
// in UTC, ids are text. The web app imports the types of this folder, and no value.
import type { Static } from 'typebox'
import { fields, nullable, string } from '../../request/schema/schema.ts'
import { ACCOUNT_ROUTES } from './account.ts'
import { INVITATION_ROUTES } from './invitations.ts'
import { KEY_ROUTES } from './keys.ts'
import { MODEL_ROUTES } from './models.ts'
import { PLAYGROUND_ROUTES } from './playground.ts'
import { USAGE_ROUTES } from './usage.ts'
import { WALLET_ROUTES } from './wallet.ts'

export const CONSOLE_ROUTES = {
  ...ACCOUNT_ROUTES,
  ...INVITATION_ROUTES,
  ...USAGE_ROUTES,
  ...KEY_ROUTES,
  ...MODEL_ROUTES,
  ...WALLET_ROUTES,
  ...PLAYGROUND_ROUTES,
}

export type ConsoleRoutes = typeof CONSOLE_ROUTES

/** The body of every error, as in the chat dialect. */
export const ERROR = fields({
  error: fields({ message: string(), type: string(), param: nullable(string()), code: string() }),
})
export type ErrorBody = Static<typeof ERROR>
