/** Neighbours together, as long as they have no more than `most` bytes; a larger one by itself. */
export function piecesBy<T>(items: readonly T[], bytesOf: (item: T) => number, most: number): T[][] {
  const pieces: T[][] = []
  let bytes = 0
  for (const item of items) {
    const piece = pieces.at(-1)
    bytes += bytesOf(item)
    if (piece && bytes <= most) piece.push(item)
    else {
      pieces.push([item])
      bytes = bytesOf(item)
    }
  }
  return pieces
}
