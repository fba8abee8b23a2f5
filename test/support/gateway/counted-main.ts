// A gateway that prints on SIGUSR2 what it has allocated so far. Nothing is collected, so the difference of two such lines is what was
// allocated in between.
import { heapStats } from 'bun:jsc'

let messages = 0
const { postMessage } = Worker.prototype
Worker.prototype.postMessage = function (this: Worker, ...args: Parameters<typeof postMessage>) {
  messages++
  postMessage.apply(this, args)
}

process.on('SIGUSR2', () => {
  const { heapCapacity, objectTypeCounts } = heapStats()
  process.stdout.write(`counted ${JSON.stringify({ ...objectTypeCounts, bytes: heapCapacity, messages })}\n`)
})

await import('../../../packages/gateway/src/main.ts')
