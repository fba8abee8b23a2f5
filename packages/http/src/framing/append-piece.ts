/** Small neighbours are joined up to this size: as objects of their own, pieces of a byte weigh a hundred times as much. */
const JOINED_BYTES = 16 * 1024

/** Puts `piece` behind the pieces that wait to be read. */
export function appendPiece(pieces: Uint8Array[], piece: Uint8Array): void {
  const last = pieces[pieces.length - 1]
  if (last && last.length + piece.length <= JOINED_BYTES) pieces[pieces.length - 1] = Buffer.concat([last, piece])
  else pieces.push(piece)
}
