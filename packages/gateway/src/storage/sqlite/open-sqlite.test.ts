import { sqliteContract } from './test-contract.ts'

sqliteContract('sqlite')
