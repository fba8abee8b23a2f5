// Items of a responses stream may be open side by side; blocks of the canonical stream may not. The first one that is
// open goes out as it comes, those behind it are kept until it is closed.

import type { Emit, Logprob, OpenBlock, StreamEvent } from '../../../canonical/event.ts'
import type { Citation } from '../../../canonical/request.ts'

export type Block = {
  readonly open: OpenBlock
  /** Known once it has gone out. */
  index: number
  kept: Kept[]
  isClosed: boolean
  /** What it got so far, so that nothing is taken twice from an event that repeats the whole. */
  hasText: boolean
  citations: number
  logprobs: number
}

type Kept =
  | { type: 'delta'; text: string }
  | { type: 'signature'; value: string }
  | { type: 'citation'; citation: Citation }
  | { type: 'logprobs'; items: readonly Logprob[] }

export type BlockQueue = {
  begin(open: OpenBlock): Block
  add(block: Block, piece: Kept): void
  close(block: Block): void
  closeAll(): void
}

export function openBlockQueue(emit: Emit): BlockQueue {
  const line: Block[] = []
  let next = 0

  function goOut(block: Block): void {
    block.index = next++
    emit({ type: 'open', index: block.index, choice: 0, block: block.open })
    for (const piece of block.kept) emit(numbered(piece, block.index))
    block.kept = []
  }

  function advance(): void {
    for (let first = line[0]; first?.isClosed; first = line[0]) {
      emit({ type: 'close', index: first.index })
      line.shift()
      if (line[0] !== undefined) goOut(line[0])
    }
  }

  const lane: BlockQueue = {
    begin(open) {
      const block: Block = { open, index: -1, kept: [], isClosed: false, hasText: false, citations: 0, logprobs: 0 }
      line.push(block)
      if (line.length === 1) goOut(block)
      return block
    },
    add(block, piece) {
      if (piece.type === 'delta') block.hasText = true
      else if (piece.type === 'citation') block.citations++
      else if (piece.type === 'logprobs') block.logprobs += piece.items.length
      if (block === line[0]) emit(numbered(piece, block.index))
      else block.kept.push(piece)
    },
    close(block) {
      if (block.isClosed) return
      block.isClosed = true
      advance()
    },
    closeAll() {
      for (const block of line) block.isClosed = true
      advance()
    },
  }
  return lane
}

/** Written out, because a delta is the most frequent thing there is. */
function numbered(piece: Kept, index: number): StreamEvent {
  return piece.type === 'delta' ? { type: 'delta', index, text: piece.text } : { ...piece, index }
}
