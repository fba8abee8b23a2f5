/** Small neighbours are joined up to this size: one object per byte would need a hundred times its memory. */
const JOINED_BYTES = 16 * 1024

/** Appends `piece` to the pieces that have not been read. */
export function appendPiece(pieces: Uint8Array[], piece: Uint8Array): void {
  const last = pieces[pieces.length - 1]
  if (last && last.length + piece.length <= JOINED_BYTES) pieces[pieces.length - 1] = Buffer.concat([last, piece])
  else pieces.push(piece)
}
