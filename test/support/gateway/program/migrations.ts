// The next version of the stored data, for the program and its threads: each has its own list of migrations.
import { MIGRATIONS, type Migration } from '../../../../packages/gateway/src/storage/migrations/migrations.ts'

const { migrations = [] } = JSON.parse(process.env.TEST_SETTINGS ?? '{}') as { migrations?: Migration[] }
MIGRATIONS.push(...migrations)
