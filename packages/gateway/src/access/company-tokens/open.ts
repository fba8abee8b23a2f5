// Company tokens of a running server: its configuration, its store and the network.

import { trialSource } from '../../config/sandbox.ts'
import type { FileConfig } from '../../config/types.ts'
import type { Log } from '../../observe/log.ts'
import { type After, answerWithin } from '../../storage/node/deadlines.ts'
import type { Storage } from '../../storage/storage.ts'
import { askPublic } from '../../upstreams/public/ask-public.ts'
import { admit } from '../authenticate.ts'
import { contactText } from '../contact.ts'
import { type CompanyTokens, createCompanyTokens } from './company-tokens.ts'
import { findCaller } from './find-caller.ts'
import { createProviderKeys, type KeyOptions } from './provider-keys.ts'

type Opened = { config(): FileConfig; storage: Storage; after: After; log: Pick<Log, 'warn'> }

export function openCompanyTokens({ config, storage: store, after, log }: Opened): CompanyTokens {
  const clock = Date.now
  const deps = { store, source: () => trialSource(config()), log }
  return createCompanyTokens({
    signIn: () => config().signIn,
    clock,
    keys: createProviderKeys({ clock, ask: askProvider, log }),
    findCaller: (bearer) => answerWithin(LOOKUP_MS, after, findCaller(bearer, deps)),
    admit: (caller) => admit(caller, clock, () => contactText(config())),
  })
}

/** Longer than for API keys: the first request of a person writes. */
const LOOKUP_MS = 5_000
const LIMITS = { timeoutMs: 5_000, maxBytes: 256 * 1024 }

/** Throws where it does not answer with JSON. */
export const askProvider: KeyOptions['ask'] = async (url, { allowPrivate }) => {
  const request = { method: 'GET' as const, headers: { accept: 'application/json' } }
  const { status, bytes } = await askPublic(url, request, { ...LIMITS, allowPrivate })
  if (status !== 200) throw new Error(`the provider answered with status ${status}`)
  return JSON.parse(Buffer.from(bytes).toString())
}
