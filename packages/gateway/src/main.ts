console.log('hello', process.argv.slice(2), process.env.TRIVIUM_LAUNCHER_FD)
import { createReadStream } from 'node:fs'
createReadStream('', { fd: 3 }).on('data', () => {}).on('end', () => { console.log('launcher gone'); process.exit(3) })
setInterval(() => {}, 1000)
process.on('SIGTERM', () => { console.log('TERM'); process.exit(7) })
