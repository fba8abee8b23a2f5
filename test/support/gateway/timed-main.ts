// What gateways of tests run: the program, after its waits are replaced.
import './set-timing.ts'
import '../../../packages/gateway/src/main.ts'
