// What belongs to a response before it is stored, or besides it: the request of one that is queued, the events of its stream. Each piece is
// a stored response that clients do not see, so that shares, retention, deletion and copies hold for it.

import type { ConversationDependencies } from './dependencies.ts'
import { open, type Sealed, seal } from './sealed.ts'

/** No id of a response contains it. */
const MARK = '#'

export const isPieceId = (id: string): boolean => id.includes(MARK)

/** Where a piece is stored. */
export const pieceOf = ({ account, id }: Sealed, name: string): Sealed => ({ account, id: `${id}${MARK}${name}` })

/** Durable when this resolves; a piece is written once. Throws ShareExceeded. */
export async function putPiece(
  owner: Sealed & { key: bigint },
  name: string,
  plain: Uint8Array,
  keepMs: number,
  deps: ConversationDependencies,
): Promise<void> {
  const piece = pieceOf(owner, name)
  const record = seal(piece, 'piece', plain, deps)
  const { key } = owner
  await deps.store.responses.put({ ...piece, key, parent: undefined, keepMs, items: [], media: [], turn: NONE, record })
}

const NONE = new Uint8Array(0)

/** undefined: there is none, or it is not stored any more. */
export async function readPiece(
  owner: Sealed,
  name: string,
  deps: ConversationDependencies,
): Promise<Uint8Array | undefined> {
  const piece = pieceOf(owner, name)
  const stored = await deps.store.responses.record(piece.account, piece.id)
  return stored && open(piece, 'piece', stored.record, deps)
}

export async function hidePiece(owner: Sealed, name: string, deps: ConversationDependencies): Promise<boolean> {
  const piece = pieceOf(owner, name)
  return deps.store.responses.hide(piece.account, piece.id)
}
