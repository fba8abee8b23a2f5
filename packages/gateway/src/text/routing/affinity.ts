// Where a conversation returns to: the upstream that has its prompt cache or its reasoning.

import type { Offer } from '../../catalogue/catalogue.ts'
import type { Affinity } from '../../routing/find-candidate.ts'
import type { Caller } from '../../storage/storage.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import type { TextRequest } from '../request.ts'
import { sealedText } from '../translation/seals.ts'

type Conversation = Pick<TextRequest, 'body' | 'dialect' | 'parsed' | 'recalled'>

export const affinityOf = (
  conversation: Conversation,
  caller: Caller,
  deps: Pick<TextCallDependencies, 'seals'>,
): Affinity => new ConversationAffinity(conversation, caller, deps)

/** A class, not closures: one is created for every request, and few are asked. */
class ConversationAffinity implements Affinity {
  readonly #conversation: Conversation
  readonly #caller: Caller
  readonly #deps: Pick<TextCallDependencies, 'seals'>

  constructor(conversation: Conversation, caller: Caller, deps: Pick<TextCallDependencies, 'seals'>) {
    this.#conversation = conversation
    this.#caller = caller
    this.#deps = deps
  }

  sticky(): number | undefined {
    return stickyOf(this.#conversation, this.#caller)
  }

  home(offer: Offer): string | undefined {
    return this.#conversation.recalled?.home ?? homeOf(offer, this.#conversation, this.#caller, this.#deps)
  }
}

/** No service caches less than about a thousand tokens. */
const WORTH_STICKING = 4 * 1024
/** The beginning of a conversation stays the same while it grows. */
const BEGINNING = 1024

function stickyOf(conversation: Conversation, { account }: Caller): number | undefined {
  const beginning = beginningOf(conversation)
  if (beginning === undefined) return undefined
  return Number(BigInt.asUintN(32, BigInt(Bun.hash(beginning, BigInt.asUintN(64, account)))))
}

/** What identifies the conversation; undefined: it need not return anywhere. Its opening is looked for only where it counts. */
function beginningOf({ body, parsed }: Conversation): string | Uint8Array | undefined {
  if (body.length >= WORTH_STICKING) return parsed.cacheKey ?? parsed.opening() ?? body.subarray(0, BEGINNING)
  const opening = parsed.opening()
  return opening === undefined ? undefined : (parsed.cacheKey ?? opening)
}

/** Reasoning that an upstream returned encrypted can be used only there. */
function homeOf(
  offer: Offer,
  { body, dialect }: Conversation,
  { account }: Caller,
  { seals }: Pick<TextCallDependencies, 'seals'>,
): string | undefined {
  const sealed = sealedText(body, dialect.id)
  if (sealed === undefined) return undefined
  const upstreams = new Set(offer.candidates.map(({ upstream }) => upstream.id))
  return [...upstreams].find((id) => seals.unseal(account, id, sealed) !== undefined)
}
