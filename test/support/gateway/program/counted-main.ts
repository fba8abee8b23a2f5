// A gateway that prints on SIGUSR2 what it has allocated so far. Nothing is collected, so the difference of two such lines is what was
// allocated in between.
import { heapStats } from 'bun:jsc'

let messages = 0
const post: (this: Worker, message: unknown) => void = Worker.prototype.postMessage
Worker.prototype.postMessage = function (this: Worker, message: unknown) {
  messages++
  post.call(this, message)
}

process.on('SIGUSR2', () => {
  const { heapCapacity, objectTypeCounts } = heapStats()
  process.stdout.write(`counted ${JSON.stringify({ ...objectTypeCounts, bytes: heapCapacity, messages })}\n`)
})

await import('../../../../packages/gateway/src/main.ts')
