// GET /console/api/about: what the sign-in page needs to know, for everyone.
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../access/password-rules.ts'
import { formatUsd } from '../money/amount.ts'
import { boolean, fields, listOf, nullable, number, string, USD } from '../request/schema/schema.ts'
import { route } from './route.ts'

const ABOUT = fields({
  name: string(),
  support_url: nullable(string()),
  registration: fields({ open: boolean(), trial_credit_usd: USD }),
  sign_in: fields({
    password: boolean('Whether all may sign in with a password; owners of the gateway always may.'),
    providers: listOf(fields({ id: string(), name: string() })),
  }),
  mail: boolean('Whether emails can be sent: verification and reset of passwords.'),
  password: fields({ min_length: number(), max_length: number() }),
  base_url: string('The URL that clients use: `server.public_url`, else the origin of this request.'),
  version: string(),
})

export const showAbout = route(
  'GET about',
  { policy: 'public', summary: 'What the sign-in page shows', output: ABOUT },
  ({ http }, { config, version, listenUrl }) => {
    const { console, registration, mail, server, signIn } = config()
    return {
      name: console.name,
      support_url: console.supportUrl ?? null,
      registration: {
        open: registration.open && signIn.password,
        trial_credit_usd: formatUsd(registration.trialCredit),
      },
      sign_in: { password: signIn.password, providers: signIn.providers.map(({ id, name }) => ({ id, name })) },
      mail: mail !== undefined,
      password: { min_length: SHORTEST_PASSWORD, max_length: LONGEST_PASSWORD },
      base_url: server.publicUrl ?? calledUrl(http.headers.get('host'), server.tls !== undefined) ?? listenUrl(),
      version,
    }
  },
)

/** The browser shows it to the one who called it, so that a forged header deceives no other person. */
function calledUrl(host: string | null, isTls: boolean): string | undefined {
  return host !== null && /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host)
    ? `http${isTls ? 's' : ''}://${host}`
    : undefined
}
