// Runs before all test files: what several of them would otherwise make at the same time, each for itself, is made once. That is the
// program of their gateways, the files of the console, and the browser.
import { startBrowser } from './browser.ts'
import { startGateway } from './gateway/gateway.ts'

const starting = startBrowser()
const gateway = await startGateway()
await (await fetch(`${gateway.url}/console`)).text()
await (await starting).close()
await gateway.stop()
