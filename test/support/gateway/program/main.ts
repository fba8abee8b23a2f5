// What gateways of tests run: the program, after its waits and costs are replaced.
import './settings.ts'
import '../../../../packages/gateway/src/main.ts'
