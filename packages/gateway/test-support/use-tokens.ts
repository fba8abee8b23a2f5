// Tokens of two providers on loopback, with a clock that a test turns, and a store that answers as it says.
import { afterAll, beforeAll, beforeEach } from 'bun:test'
import { admit } from '../src/access/authenticate.ts'
import type { Bearer } from '../src/access/company-tokens/bearer.ts'
import { type CompanyTokens, createCompanyTokens } from '../src/access/company-tokens/company-tokens.ts'
import { askProvider } from '../src/access/company-tokens/open.ts'
import { createProviderKeys } from '../src/access/company-tokens/provider-keys.ts'
import type { Claims } from '../src/access/company-tokens/read-token.ts'
import { Failure } from '../src/request/failure.ts'
import type { Caller } from '../src/storage/storage.ts'
import { TEST_CALLER } from './dependencies.ts'
import { type SigningKey, startTokenProvider, type TokenProvider } from './token-provider.ts'
import { FIXED_SIGN_IN, signInOf } from './token-settings.ts'

export const AUDIENCE = 'https://gw.example.com'
export const START = Date.UTC(2026, 6, 1)
export const HOUR = 3_600

/** To be called once in a file: it starts the providers, and begins anew before each test. */
export function useTokens() {
  const bench = {
    company: undefined as unknown as TokenProvider,
    other: undefined as unknown as TokenProvider,
    now: START,
    signIn: FIXED_SIGN_IN,
    tokens: undefined as unknown as CompanyTokens,
    /** Those who were looked up. */
    bearers: [] as Bearer[],
    logged: [] as string[],
    answer: async (_: Bearer): Promise<Caller> => ({ ...TEST_CALLER }),
    both: () => [
      { id: 'company', issuer: bench.company.issuer },
      { id: 'other', issuer: bench.other.issuer },
    ],
    open(limit?: number) {
      const clock = () => bench.now
      const log = { warn: (message: string) => void bench.logged.push(message) }
      bench.tokens = createCompanyTokens({
        signIn: () => bench.signIn,
        clock,
        keys: createProviderKeys({ clock, ask: askProvider, log }),
        findCaller(bearer) {
          bench.bearers.push(bearer)
          return bench.answer(bearer)
        },
        admit: (caller) => admit(caller, clock),
        ...(limit === undefined ? {} : { limit }),
      })
    },
    seconds: () => Math.floor(bench.now / 1_000),
    claimsOf: (more: Claims = {}): Claims => ({
      iss: bench.company.issuer,
      aud: AUDIENCE,
      sub: 'ada',
      iat: bench.seconds(),
      exp: bench.seconds() + HOUR,
      ...more,
    }),
    sign: (more: Claims = {}, options: { key?: SigningKey; header?: object } = {}) =>
      bench.company.sign(bench.claimsOf(more), options),
    /** `ok`, or the code with the message. */
    async outcome(token: string): Promise<string> {
      try {
        await bench.tokens.find(token)
        return 'ok'
      } catch (error) {
        if (error instanceof Failure) return `${error.info.code}: ${error.message}`
        throw error
      }
    },
  }
  beforeAll(async () => {
    bench.company = await startTokenProvider()
    bench.other = await startTokenProvider()
  })
  afterAll(() => {
    bench.company.stop()
    bench.other.stop()
  })
  beforeEach(() => {
    bench.now = START
    bench.bearers = []
    bench.logged = []
    bench.answer = async () => ({ ...TEST_CALLER })
    for (const provider of [bench.company, bench.other]) {
      provider.setDown(false)
      provider.state.keys = [provider.first.jwk]
      provider.state.discovered = {}
    }
    bench.signIn = signInOf(bench.both())
    bench.open()
  })
  return bench
}
