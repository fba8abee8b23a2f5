// Blocks of a stream in order: whatever the upstream interleaves, one block is finished before the next is begun.

import type { Emit, OpenBlock } from '../../../canonical/event.ts'
import type { Citation } from '../../../canonical/request.ts'

type Held = { text: string } | { citation: Citation }

export type QueuedBlock = {
  open: OpenBlock
  /** The block's index in the canonical stream; known as soon as the block is shown. */
  index: number
  /** What came while an earlier block was still open; undefined once the block is shown. */
  held: Held[] | undefined
  closed: boolean
  /** Replaced, not appended to, by each later one. */
  signature: string
  /** A call's whole arguments, for the case that none come in pieces. */
  arguments: string
  hasText: boolean
}

export type BlockQueue = {
  add(open: OpenBlock): QueuedBlock
  text(block: QueuedBlock, text: string): void
  citation(block: QueuedBlock, citation: Citation): void
  close(block: QueuedBlock): void
  closeAll(): void
}

export function openBlockQueue(emit: Emit): BlockQueue {
  /** Those that are not finished, oldest first. Only the first one is shown. */
  const queue: QueuedBlock[] = []
  let next = 0

  function showFirst(): void {
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      if (first.held === undefined) return
      const { held } = first
      first.held = undefined
      first.index = next++
      emit({ type: 'open', index: first.index, choice: 0, block: first.open })
      for (const piece of held) emitPiece(first.index, piece)
      if (!first.closed) return
      finish(first)
    }
  }

  function emitPiece(index: number, piece: Held): void {
    if ('text' in piece) emit({ type: 'delta', index, text: piece.text })
    else emit({ type: 'citation', index, citation: piece.citation })
  }

  function finish(block: QueuedBlock): void {
    const { index } = block
    if (block.open.type === 'call' && !block.hasText) emit({ type: 'delta', index, text: block.arguments })
    if (block.signature !== '') emit({ type: 'signature', index, value: block.signature })
    emit({ type: 'close', index })
    queue.shift()
  }

  function close(block: QueuedBlock): void {
    if (block.closed) return
    block.closed = true
    if (block.held !== undefined) return
    finish(block)
    showFirst()
  }

  return {
    add(open) {
      const block: QueuedBlock = {
        open,
        index: -1,
        held: [],
        closed: false,
        signature: '',
        arguments: '{}',
        hasText: false,
      }
      queue.push(block)
      showFirst()
      return block
    },
    text(block, text) {
      if (text === '') return
      block.hasText = true
      if (block.held === undefined) emit({ type: 'delta', index: block.index, text })
      else block.held.push({ text })
    },
    citation(block, citation) {
      if (block.held === undefined) emitPiece(block.index, { citation })
      else block.held.push({ citation })
    },
    close,
    closeAll() {
      for (const block of [...queue]) close(block)
    },
  }
}
