// The items of a conversation in order, read response by response: only what a page needs is loaded, and never more than one piece of the
// conversation is in memory.

import { nextTurn } from '../overload/reads/in-turns.ts'
import type { ThreadTime } from '../overload/thread-time.ts'
import type { StoredLength, StoredResponse } from '../storage/responses.ts'
import type { ConversationDependencies } from './dependencies.ts'
import { inputItems, type ListedItem, outputItems } from './open-stored.ts'

/** Short responses are loaded together. */
const PIECE_BYTES = 1024 * 1024
const PIECE_RESPONSES = 100

/** The memory that a list needs: encrypted, decrypted, as text of two bytes per character, and parsed. */
export const bytesToList = (chain: readonly StoredLength[]): number =>
  6 * Math.max(0, ...piecesOf(chain, false).map((piece) => piece.reduce((sum, each) => sum + bytesOf(each), 0)))

const bytesOf = ({ turn, record }: StoredLength): number => turn + record

/**
 * All that the last response of the chain was made from: the input and output of those before it, and its own input. `chain` begins with
 * the oldest.
 */
export async function* itemsOf(
  account: bigint,
  chain: readonly StoredLength[],
  order: 'asc' | 'desc',
  deps: ConversationDependencies & { admission: { threadTime: Pick<ThreadTime, 'run'> } },
): AsyncGenerator<ListedItem[], void> {
  const isNewestFirst = order === 'desc'
  const last = chain.at(-1)
  const { threadTime } = deps.admission
  const inOrder = (items: readonly ListedItem[]): ListedItem[] => (isNewestFirst ? items.toReversed() : [...items])
  for (const piece of piecesOf(chain, isNewestFirst)) {
    const [only] = piece
    if (piece.length === 1 && only === last && only) {
      // Its output is not a part of the list.
      const turn = await deps.store.responses.turn(account, only.id)
      const items = turn && threadTime.run(account, () => inputItems({ ...turn, account }, deps))
      if (items) yield inOrder(withIds(only.id, items))
    } else {
      const ids = piece.map(({ id }) => id)
      const found = new Map((await deps.store.responses.several(account, ids)).map((stored) => [stored.id, stored]))
      for (const id of ids) {
        const stored = found.get(id)
        if (!stored) continue
        const both = () => [...withIds(id, inputItems(stored, deps)), ...outputItems(stored, deps)]
        yield inOrder(threadTime.run(account, both))
      }
    }
    await nextTurn()
  }
}

/** In the order of the list; the last response of the chain is by itself. */
function piecesOf(chain: readonly StoredLength[], isNewestFirst: boolean): StoredLength[][] {
  const pieces: StoredLength[][] = []
  let bytes = 0
  for (const stored of isNewestFirst ? chain.slice(0, -1).toReversed() : chain.slice(0, -1)) {
    const piece = pieces.at(-1)
    bytes += bytesOf(stored)
    if (piece && bytes <= PIECE_BYTES && piece.length < PIECE_RESPONSES) piece.push(stored)
    else {
      pieces.push([stored])
      bytes = bytesOf(stored)
    }
  }
  const last = chain.slice(-1)
  return isNewestFirst ? [last, ...pieces] : [...pieces, last]
}

/** Items that came without an id get one, always the same. */
function withIds(id: StoredResponse['id'], items: readonly ListedItem[]): ListedItem[] {
  const suffix = id.replace(/^resp_/, '')
  return items.map(({ item, owner, images }, index) => ({
    item: { id: `item_${suffix}_${index}`, type: 'message', ...item },
    owner,
    images,
  }))
}
