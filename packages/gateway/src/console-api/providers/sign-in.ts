// GET /console/api/sign-in/{provider} and its callback. A browser follows these URLs, so that an outcome is always a page: the console, or the
// sign-in page, which says why there is no session.
import type { HttpResponse } from '@trivium/http/response.ts'
import type { SignInProvider } from '../../config/sections/sign-in.ts'
import { ApiRejection } from '../../http-api/rejection.ts'
import { startSession } from '../../http-api/session/sessions.ts'
import { errorText } from '../../observe/log.ts'
import { fields, optional, text } from '../../request/schema/schema.ts'
import type { Call } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { route } from '../route.ts'
import { callbackGuesses, useOnce } from '../session/guessing/attempts.ts'
import { findPerson } from './find-person.ts'
import { keepPending, PENDING_LIFE_MS, type Pending, takePending } from './pending.ts'
import { type Refusal, SignInRefused } from './refused.ts'

type ProviderCall = Call<undefined, unknown, { provider: string }>

const REDIRECT = { policy: 'public', output: 'redirect', status: 303, takesOwnSlot: true } as const

export const startSignIn = route(
  'GET sign-in/{provider}',
  {
    ...REDIRECT,
    summary: 'Redirects a browser to a sign-in provider',
    /** `next`: the page of the console to show then. */
    query: fields({ next: optional(text({ max: 500 })) }),
  },
  async (call, deps) => {
    const provider = providerOf(call, deps)
    try {
      const begun = await deps.providers.inPlace(call.origin, async () => {
        await callbackGuesses(call.origin, deps).check()
        return await deps.providers.begin(provider, redirectUri(provider, deps)).catch((error: unknown) => {
          throw unavailable(provider, error, deps)
        })
      })
      if (!begun) throw new SignInRefused('busy')
      const { url, secrets } = begun.value
      keepPending(call, provider.id, { ...secrets, next: pageOf(call.query.next) }, deps)
      return redirect(call, url)
    } catch (error) {
      return refused(call, provider, error, deps)
    }
  },
)

export const finishSignIn = route(
  'GET sign-in/{provider}/callback',
  { ...REDIRECT, summary: 'Signs in a browser that returns from a sign-in provider' },
  async (call, deps) => {
    const provider = providerOf(call, deps)
    const pending = takePending(call, provider.id, deps)
    try {
      const done = await deps.providers.inPlace(call.origin, () => complete(call, provider, pending, deps))
      if (!done) throw new SignInRefused('busy')
      deps.metrics.signIns.add(1, 'succeeded')
      return redirect(call, `${consoleUrl(deps)}${pending?.next ?? '/'}`)
    } catch (error) {
      return refused(call, provider, error, deps)
    }
  },
)

async function complete(
  call: ProviderCall,
  provider: SignInProvider,
  pending: Pending | undefined,
  deps: ConsoleDependencies,
): Promise<void> {
  const guesses = callbackGuesses(call.origin, deps)
  await guesses.check()
  try {
    const callback = new URLSearchParams(call.incoming.query)
    if (!pending || callback.get('state') !== pending.state) throw new SignInRefused('expired')
    if (!(await useOnce(pending.state, PENDING_LIFE_MS, deps))) throw new SignInRefused('expired')
    if (callback.get('error') === 'access_denied') throw new SignInRefused('cancelled')
    const claims = await deps.providers
      .finish(provider, callback, redirectUri(provider, deps), pending)
      .catch((error: unknown) => {
        deps.log.warn('sign-in: a callback of a provider was rejected', {
          provider: provider.id,
          error: reasonOf(error),
        })
        throw new SignInRefused('failed')
      })
    const person = await findPerson(call, provider, claims, deps)
    // The second factor is the provider's duty.
    if (
      (await startSession(call, person.id, deps, {
        by: 'provider',
        endsAt: deps.clock() + deps.config().signIn.sessionAgeMs,
      })) === undefined
    )
      throw new SignInRefused('disabled')
  } catch (error) {
    if (error instanceof SignInRefused && error.refusal !== 'cancelled') await guesses.countWrong()
    throw error
  }
}

function providerOf({ parameters }: ProviderCall, { config }: ConsoleDependencies): SignInProvider {
  const provider = config().signIn.providers.find(({ id }) => id === parameters.provider)
  if (provider) return provider
  throw new ApiRejection({ code: 'not_found', message: 'There is no such provider to sign in at.' })
}

/** Without `public_url`, the URL that the server listens on: the host of a request can be chosen by anyone. */
const consoleUrl = ({ config, listenUrl }: ConsoleDependencies): string =>
  `${config().server.publicUrl ?? listenUrl()}/console`

const redirectUri = ({ id }: SignInProvider, deps: ConsoleDependencies): string =>
  `${consoleUrl(deps)}/api/sign-in/${id}/callback`

/** A path below the console, whatever else it may look like. */
const pageOf = (next = '/'): string => (/^\/[\x21-\x7e]*$/.test(next) ? next : '/')

function redirect({ headers }: Call, location: string): HttpResponse {
  headers.set('location', location)
  headers.set('cache-control', 'no-store')
  return { status: 303, headers, body: NO_BODY }
}

const NO_BODY = new Uint8Array()

function refused(call: Call, { id }: SignInProvider, error: unknown, deps: ConsoleDependencies): HttpResponse {
  const refusal = refusalOf(error)
  if (refusal === undefined) throw error
  call.incoming.record.error = refusal
  deps.metrics.signIns.add(1, 'provider_failed')
  deps.failedCredentials.trace(call.origin, call.incoming.id, 'sign-in failed', `provider/${id}`)
  return redirect(call, `${consoleUrl(deps)}/sign-in?refused=${refusal}`)
}

function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof SignInRefused) return error.refusal
  return error instanceof ApiRejection && error.error.code === 'too_many_tries' ? 'busy' : undefined
}

function unavailable({ id }: SignInProvider, error: unknown, { log }: ConsoleDependencies): SignInRefused {
  log.warn('sign-in: a provider cannot be used', { provider: id, error: reasonOf(error) })
  return new SignInRefused('unavailable')
}

/** The library's messages, which have no secrets; the cause of a failed fetch says more. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error ? `${errorText(error)} (${cause.message})` : errorText(error)
}
