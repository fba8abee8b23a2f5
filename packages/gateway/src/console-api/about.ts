// GET /console/api/about: what the sign-in page needs to know, for everyone.
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../access/password-rules.ts'
import { formatUsd } from '../money/amount.ts'
import type { Call } from './call.ts'
import type { ConsoleDependencies } from './dependencies.ts'
import type { About } from './routes/account.ts'

export function showAbout({ http }: Call, { config, version, listenUrl }: ConsoleDependencies): About {
  const { console, registration, mail, server, signIn } = config()
  return {
    name: console.name,
    support_url: console.supportUrl ?? null,
    registration: { open: registration.open && signIn.password, trial_credit_usd: formatUsd(registration.trialCredit) },
    sign_in: { password: signIn.password, providers: signIn.providers.map(({ id, name }) => ({ id, name })) },
    mail: mail !== undefined,
    password: { min_length: SHORTEST_PASSWORD, max_length: LONGEST_PASSWORD },
    base_url: server.publicUrl ?? calledUrl(http.headers.get('host'), server.tls !== undefined) ?? listenUrl(),
    version,
  }
}

/** The browser shows it to the one who called it, so that a forged header deceives no other person. */
function calledUrl(host: string | null, isTls: boolean): string | undefined {
  return host !== null && /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host)
    ? `http${isTls ? 's' : ''}://${host}`
    : undefined
}
